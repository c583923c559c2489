"""Sagas written with the compiler."""
