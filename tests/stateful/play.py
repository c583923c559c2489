"""How hypothesis plays: no deadline, nothing kept between runs, and no shrinking that outlasts its use."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, Phase, settings

__all__ = ["STEPS", "examples"]

STEPS: Final = 70
"""Rules applied in an example, at most."""


def examples(count: int, *, shrink: bool = False) -> settings:
    """So many examples.

    Args:
        count: how many.
        shrink: whether a failing one is made as short as it gets, which takes minutes.
    """
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    return settings(
        max_examples=count,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=phases,
        # An example is some hundred calls, and most rules need others to have been first.
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large),
    )
