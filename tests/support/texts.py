"""Texts of any characters, as `hypothesis` has them by default, said in a way that is cheap to draw from."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

__all__ = ["CHARACTERS"]

CHARACTERS: Final = st.characters(exclude_categories=["Cs"])
"""All but surrogates. The default of `st.text` is the same, said as "what UTF-8 encodes": that makes the first test of
a fresh clone try every character there is, for two seconds."""
