"""A creator reads each property with the type it must have, and is never given one it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.creators import CREATORS
from infra.local.creators.base import Inputs
from infra.local.errors import DeployError, InvalidPropertyError, MissingPropertyError, UnknownPropertyError
from infra.local.monitor import plain
from tests.support.texts import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.infra

READERS: dict[str, Callable[[Inputs], object]] = {
    "string": lambda inputs: inputs.string("key"),
    "integer": lambda inputs: inputs.integer("key"),
    "number": lambda inputs: inputs.number("key"),
    "archive": lambda inputs: inputs.archive("key"),
}
WITH_DEFAULT: dict[str, tuple[Callable[[Inputs], object], object]] = {
    "optional_string": (lambda inputs: inputs.optional_string("key"), None),
    "optional_integer": (lambda inputs: inputs.optional_integer("key"), None),
    "boolean": (lambda inputs: inputs.boolean("key", default=True), True),
    "strings": (lambda inputs: inputs.strings("key"), []),
    "string_map": (lambda inputs: inputs.string_map("key"), {}),
    "block": (lambda inputs: inputs.block("key", ()), None),
    "blocks": (lambda inputs: inputs.blocks("key", ()), []),
}

WRONG_VALUES: list[tuple[str, object]] = [
    ("string", 1),
    ("integer", "1"),
    ("integer", 1.5),
    ("integer", True),
    ("number", True),
    ("number", "1"),
    ("archive", "path.zip"),
    ("optional_string", 1),
    ("optional_integer", "1"),
    ("boolean", "true"),
    ("strings", ["a", 1]),
    ("strings", "a"),
    ("string_map", {"a": 1}),
    ("string_map", []),
    ("block", "a"),
    ("blocks", [{}, "a"]),
]


def of(**values: object) -> Inputs:
    return Inputs("aws:sqs/queue:Queue", "queue", values)


@pytest.mark.parametrize("reader", READERS)
def test_a_property_without_default_is_required(reader: str) -> None:
    for inputs in (of(), of(key=None)):
        with pytest.raises(MissingPropertyError) as caught:
            READERS[reader](inputs)
        assert (caught.value.type, caught.value.name, caught.value.property) == (
            "aws:sqs/queue:Queue",
            "queue",
            "key",
        )


@pytest.mark.parametrize("reader", WITH_DEFAULT)
def test_an_optional_property_has_its_default(reader: str) -> None:
    read, default = WITH_DEFAULT[reader]
    assert read(of()) == default
    assert read(of(key=None)) == default


@pytest.mark.parametrize(("reader", "value"), WRONG_VALUES)
def test_another_type_is_refused_without_repeating_the_value(reader: str, value: object) -> None:
    read = READERS.get(reader) or WITH_DEFAULT[reader][0]
    with pytest.raises(InvalidPropertyError) as caught:
        read(of(key=value))
    assert caught.value.property == "key"


def test_a_refused_value_is_not_told_because_it_may_be_a_secret() -> None:
    with pytest.raises(InvalidPropertyError) as caught:
        of(key=["s3cr3t"]).string("key")
    assert "s3cr3t" not in str(caught.value)


def test_values_of_the_right_type_are_read_as_they_are() -> None:
    inputs = of(
        text="a",
        whole=3.0,
        broken=0.5,
        flag=False,
        texts=["a", "b"],
        map={"a": "b"},
        archive=pulumi.FileArchive("a.zip"),
        block={"a": "b"},
        blocks=[{"a": "b"}, {"a": "c"}],
    )
    assert inputs.string("text") == "a"
    assert inputs.integer("whole") == 3
    assert isinstance(inputs.integer("whole"), int)
    assert inputs.number("broken") == 0.5
    assert inputs.boolean("flag", default=True) is False
    assert inputs.strings("texts") == ["a", "b"]
    assert inputs.string_map("map") == {"a": "b"}
    assert str(inputs.archive("archive")) == "a.zip"
    block = inputs.block("block", ("a",))
    assert block is not None
    assert block.string("a") == "b"
    assert [item.string("a") for item in inputs.blocks("blocks", ("a",))] == ["b", "c"]


def test_unknown_properties_are_all_named_with_their_place() -> None:
    with pytest.raises(UnknownPropertyError) as caught:
        of(a=1, b=2, c=3).check_known(("b",))
    assert caught.value.properties == ("a", "c")
    with pytest.raises(UnknownPropertyError) as nested:
        of(outer={"inner": {"strange": 1}}).block("outer", ("inner",)).block("inner", ())  # pyright: ignore[reportOptionalMemberAccess] - there
    assert nested.value.properties == ("outer.inner.strange",)


def test_a_property_set_to_null_is_not_set() -> None:
    of(strange=None).check_known(())


@pytest.mark.parametrize("type_", CREATORS)
def test_every_creator_refuses_a_property_it_does_not_know(type_: str) -> None:
    creator = CREATORS[type_]
    assert creator.type == type_
    with pytest.raises(DeployError, match="naoExiste"):
        Inputs(type_, "any", {"naoExiste": 1}).check_known(creator.known)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(CHARACTERS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(CHARACTERS), inner),
    # Every kind within every kind, many times over; the default of 100 takes three times as long to draw.
    max_leaves=20,
)


@given(JSON)
def test_what_travels_as_floats_and_secrets_arrives_as_it_was_given(value: Any) -> None:
    assert plain(_as_sent(value)) == value
    assert _has_no_float(plain(_as_sent(value)))


def _as_sent(value: Any) -> Any:
    """As the SDK hands it to the monitor: numbers as floats, here and there a secret."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case str():
            return {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": value}
        case list():
            return [_as_sent(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
        case dict():
            return {key: _as_sent(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] - any JSON
        case _:
            return value


def _has_no_float(value: Any) -> bool:
    match value:
        case list():
            return all(_has_no_float(item) for item in value)  # pyright: ignore[reportUnknownVariableType] - any JSON
        case dict():
            return all(_has_no_float(item) for item in value.values())  # pyright: ignore[reportUnknownVariableType] - any JSON
        case _:
            return not isinstance(value, float)


def test_a_fraction_stays_one() -> None:
    assert plain({"threshold": 0.5}) == {"threshold": 0.5}
