"""Hostile requests by the thousand against the API's front door on the embedded stack: ``python -m tests.e2e.fuzz``."""
