"""How `make test` shares the tests between workers: silently wrong, it costs every worker every stack."""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs] - has types, but not py.typed

from tests.conftest import ByStack, unit_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("nodeid", "unit"),
    [
        ("tests/e2e/orders/test_cli.py::test_it[a::b]", "tests/e2e/orders"),
        ("tests/e2e/orders/test_proofs.py::test_it", "tests/e2e/orders"),
        ("tests/e2e/scrap/test_exhibits.py::test_it", "tests/e2e/scrap"),
        ("tests/conformance/test_behaviours.py::test_it", "tests/conformance"),
        ("tests/e2e/test_campaign.py::test_it", "tests/e2e/test_campaign.py"),
        ("tests/unit/ops/test_page.py::test_it", "tests/unit/ops/test_page.py"),
    ],
)
def test_what_shares_a_stack_is_one_unit_of_work_and_any_other_file_is(nodeid: str, unit: str) -> None:
    assert unit_of(nodeid) == unit


def test_the_scheduler_is_asked_by_the_name_it_answers_to() -> None:
    assert "_split_scope" in vars(LoadScopeScheduling)
    assert "_split_scope" in vars(ByStack)
