"""What it costs, side by side with the least it could cost: ``python -m tests.bench`` writes docs/performance.md."""
