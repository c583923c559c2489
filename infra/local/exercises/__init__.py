"""Exercises on the embedded stack: something is broken on purpose, and the reader finds out what.

The four cases of source 000's "Quando algo não funciona", the three of its "Quebrar de propósito", and the fault it
warns that no test of its own catches.
"""
