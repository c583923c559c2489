"""The embedded stack's parts that need no process."""
