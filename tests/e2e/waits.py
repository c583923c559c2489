"""How much shorter than real the waits of the e2e stacks are."""

WAIT_SCALE = 0.02
"""Retries fifty times as quick, and a doubt window of 18 s: still longer than the waits that lead into it."""
