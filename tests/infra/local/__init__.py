"""The embedded stack's creators: what they take from the program, and make of it."""
