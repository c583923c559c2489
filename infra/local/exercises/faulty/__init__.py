"""Handlers with one fault each, put in the place of ours in the deployed zip (`infra.local.exercises.breaks`).

Each is what somebody might write who knows the happy path alone. Nothing imports them here.
"""
