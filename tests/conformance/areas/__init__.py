"""The facts, by service."""
