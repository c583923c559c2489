"""Each fact that can be tried is tried: on the emulator, or with ``--alvo aws`` on an account."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.catalog import CATALOG

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

    from tests.conformance.behaviour import Alvo, Behaviour

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("behaviour", [one for one in CATALOG if one.probe], ids=lambda one: one.id)
def test_aws_does_so_or_the_emulator_differs_as_pinned(
    behaviour: Behaviour, alvo: Alvo, seen: Mapping[str, Future[object]]
) -> None:
    assert behaviour.probe is not None
    observed = seen[behaviour.id].result()
    assert observed == behaviour.probe.expected(alvo), f"{behaviour.statement} ({behaviour.source.url})"
