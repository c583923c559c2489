"""Orders, duplicates, deaths, people and time in any order: a state machine of hypothesis over `tests.inprocess`."""
