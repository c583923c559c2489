"""A fault campaign on the embedded stack: many orders, many faults at once, and whether every promise held.

``python -m tests.campaign``, or ``make campaign``. The product goes through it, and so do the two designs it replaces,
with the same orders, the same faults and the same judge.
"""
