"""What measures must itself be right."""

from __future__ import annotations

import os
import time

import pytest

from tests.bench.measure import apart, interleaved, percentile, ratio_of_pairs, variables

pytestmark = pytest.mark.unit


def test_every_way_is_called_once_a_round_and_goes_first_in_turn() -> None:
    calls: list[tuple[str, int]] = []
    samples = interleaved(
        {"a": lambda number: calls.append(("a", number)), "b": lambda number: calls.append(("b", number))}, 4
    )
    assert calls == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2), ("b", 3), ("a", 3)]
    assert {name: (len(each.wall), len(each.cpu)) for name, each in samples.items()} == {"a": (4, 4), "b": (4, 4)}


def test_waiting_is_time_that_passes_and_not_the_processors() -> None:
    (waited,) = interleaved({"wait": lambda _: time.sleep(0.02)}, 1).values()
    assert waited.wall[0] >= 0.02
    assert waited.cpu[0] < 0.02


@pytest.mark.parametrize(("percent", "expected"), [(1, 1), (50, 2), (51, 3), (75, 3), (99, 4), (100, 4)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert percentile([4, 2, 1, 3], percent) == expected


@pytest.mark.parametrize(("values", "percent"), [([], 50), ([1.0], 0), ([1.0], 101)])
def test_no_percentile_is_made_up(values: list[float], percent: float) -> None:
    with pytest.raises(ValueError, match="give some values"):
        percentile(values, percent)


def test_a_slow_round_that_slows_both_does_not_move_the_ratio() -> None:
    assert ratio_of_pairs([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == 2.0
    with pytest.raises(ValueError, match="zip"):
        ratio_of_pairs([1.0], [])


def test_only_the_variables_given_are_there_and_all_are_back_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "de-alguem")
    with variables({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}):
        assert {name for name in os.environ if name.startswith("AWS_")} == {"AWS_ENDPOINT_URL"}
    assert os.environ["AWS_PROFILE"] == "de-alguem"
    assert "AWS_ENDPOINT_URL" not in os.environ


def test_what_runs_apart_runs_in_another_process() -> None:
    assert apart(os.getpid) != os.getpid()
