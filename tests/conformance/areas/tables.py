"""DynamoDB: conditions, what a write costs and may hold, reads and indexes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from tests.conformance.behaviour import Behaviour, Check, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.lab import refusal
from tests.conformance.sources import DYNAMODB

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.lab import Lab

__all__ = ["BEHAVIOURS"]

_KIB = 1024
_LARGEST_ITEM = 400 * _KIB


def _put(lab: Lab, key: str, **attributes: Any) -> None:
    lab.client("dynamodb").put_item(TableName=lab.table, Item={"id": {"S": key}, **attributes})


def _update(lab: Lab, key: str, expression: str, **options: Any) -> dict[str, Any]:
    return lab.client("dynamodb").update_item(
        TableName=lab.table, Key={"id": {"S": key}}, UpdateExpression=expression, **options
    )


def _stocked(lab: Lab, saldo: int, **reservas: int) -> str:
    key, held = lab.key(), {name: {"N": str(quantity)} for name, quantity in reservas.items()}
    _put(lab, key, saldo={"N": str(saldo)}, reservas={"M": held})
    return key


def _reserve(lab: Lab, key: str, order: str, **options: Any) -> dict[str, Any]:
    """The reservation of one unit, as `handlers/domain/stock.py` writes it."""
    return _update(
        lab,
        key,
        "SET saldo = saldo - :q, reservas.#p = :q",
        ConditionExpression="saldo >= :q AND attribute_not_exists(reservas.#p)",
        ExpressionAttributeNames={"#p": order},
        ExpressionAttributeValues={":q": {"N": "1"}},
        **options,
    )


def _refused_item(call: Callable[[], object]) -> object:
    """What comes with a refused condition: the old item, or nothing."""
    try:
        call()
    except ClientError as error:
        answer: Any = error.response
        return sorted(answer["Item"]) if "Item" in answer else "nothing"
    return "not refused"


# --- Conditions ---


def _false_condition(lab: Lab) -> object:
    key = _stocked(lab, 0)
    before = lab.item(key)
    return {"code": refusal(lambda: _reserve(lab, key, "p-1")), "item changed": lab.item(key) != before}


def _races(lab: Lab) -> object:
    key = _stocked(lab, 5)
    with ThreadPoolExecutor(20) as threads:
        running = [threads.submit(refusal, partial(_reserve, lab, key, f"p-{n}")) for n in range(20)]
    codes = [one.result() for one in running]
    item = lab.item(key)
    assert item is not None
    return {"won": codes.count(""), "saldo": item["saldo"]["N"], "reservas": len(item["reservas"]["M"])}


def _all_old(lab: Lab) -> object:
    key, asked = _stocked(lab, 5, p1=1), {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    return {
        "asked for": _refused_item(lambda: _reserve(lab, key, "p1", **asked)),
        "not asked for": _refused_item(lambda: _reserve(lab, key, "p1")),
        "no such item": _refused_item(lambda: _reserve(lab, lab.key(), "p1", **asked)),
    }


def _update_makes_an_item(lab: Lab) -> object:
    key = lab.key()
    _update(lab, key, "SET saldo = :q", ExpressionAttributeValues={":q": {"N": "1"}})
    return lab.item(key) is not None


def _put_replaces(lab: Lab) -> object:
    key = _stocked(lab, 5)
    _put(lab, key, motivo={"S": "x"})
    item = lab.item(key)
    assert item is not None
    return sorted(item)


def _absent_paths(lab: Lab) -> object:
    key = lab.key()
    _put(lab, key, saldo={"N": "5"})
    value = {":q": {"N": "1"}}
    return {
        "attribute_not_exists": refusal(
            lambda: _update(
                lab,
                key,
                "SET saldo = :q",
                ConditionExpression="attribute_not_exists(reservas.p1)",
                ExpressionAttributeValues=value,
            )
        ),
        "SET inside an absent map": refusal(
            lambda: _update(lab, key, "SET reservas.p1 = :q", ExpressionAttributeValues=value)
        ),
        "REMOVE of an absent attribute": refusal(lambda: _update(lab, key, "REMOVE cartaoToken")),
    }


def _expressions(lab: Lab) -> object:
    key, value = _stocked(lab, 5), {":v": {"S": "x"}}
    return {
        "a reserved word": refusal(lambda: _update(lab, key, "SET status = :v", ExpressionAttributeValues=value)),
        "a value not used": refusal(
            lambda: _update(lab, key, "SET motivo = :v", ExpressionAttributeValues={**value, ":w": {"S": "x"}})
        ),
        "a name not used": refusal(
            lambda: _update(
                lab, key, "SET motivo = :v", ExpressionAttributeValues=value, ExpressionAttributeNames={"#n": "nada"}
            )
        ),
        "no values": refusal(lambda: _update(lab, key, "REMOVE motivo", ExpressionAttributeValues={})),
    }


def _old_values(lab: Lab) -> object:
    key = _stocked(lab, 5, p1=2)
    answer = _update(lab, key, "REMOVE reservas.p1", ReturnValues="UPDATED_OLD")
    return answer["Attributes"]


# --- Sizes ---


def _item_size(lab: Lab) -> object:
    # The names count too: "id" and its 32 characters, "texto".
    spare = _LARGEST_ITEM - len("id") - 32 - len("texto")
    key = lab.key()
    return {
        "400 KiB": refusal(lambda: _put(lab, key, texto={"S": "x" * spare})),
        "one byte more": refusal(lambda: _put(lab, key, texto={"S": "x" * (spare + 1)})),
        "an update past it": refusal(
            lambda: _update(lab, key, "SET a = :a", ExpressionAttributeValues={":a": {"S": "x"}})
        ),
    }


def _write_units(lab: Lab) -> object:
    key = lab.key()
    _put(lab, key, texto={"S": "x" * (20 * _KIB)})
    answer = _update(
        lab, key, "SET vezes = :um", ExpressionAttributeValues={":um": {"N": "1"}}, ReturnConsumedCapacity="TOTAL"
    )
    return answer["ConsumedCapacity"]["CapacityUnits"] >= 20


# --- Reads and indexes ---


def _read_after_write(lab: Lab) -> object:
    key = _stocked(lab, 0)
    for number in range(1, 11):
        _update(lab, key, "SET saldo = :n", ExpressionAttributeValues={":n": {"N": str(number)}})
        item = lab.item(key)
        if item is None or item["saldo"]["N"] != str(number):
            return f"an old value after write {number}"
    return "always the last write"


def _projected(lab: Lab) -> object:
    key = lab.key()
    _put(
        lab, key, cartaoToken={"S": "tok-x"}, motivo={"S": "x"}, caso={"M": {"origem": {"S": "saga"}, "x": {"S": "y"}}}
    )
    return lab.client("dynamodb").get_item(
        TableName=lab.table,
        Key={"id": {"S": key}},
        ConsistentRead=True,
        ProjectionExpression="motivo, caso.origem, falta",
    )["Item"]


def _open(lab: Lab, status: str, **options: Any) -> dict[str, Any]:
    return lab.client("dynamodb").query(
        TableName=lab.table,
        IndexName="abertos",
        KeyConditionExpression="#s = :s",
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={":s": {"S": status}},
        **options,
    )


def _found(lab: Lab, status: str) -> set[str]:
    return {item["id"]["S"] for item in _open(lab, status)["Items"]}


def _sparse(lab: Lab) -> object:
    status, inside, outside = lab.key(), lab.key(), lab.key()
    _put(lab, inside, status={"S": status}, desde={"S": "2026-01-01"})
    _put(lab, outside, status={"S": status})
    seen = lab.until(lambda: _found(lab, status) or None, "the index")
    _update(lab, inside, "REMOVE desde")
    gone = lab.happens(lambda: _found(lab, status) == set(), local=5, aws=20)
    return {"in the index": seen == {inside}, "gone once the key is": gone}


def _index_reads(lab: Lab) -> object:
    return {
        "a consistent read": refusal(lambda: _open(lab, "x", ConsistentRead=True)),
        "an attribute it does not hold": refusal(lambda: _open(lab, "x", ProjectionExpression="cartaoToken")),
    }


def _index_order(lab: Lab) -> object:
    status = lab.key()
    for since in ("2026-01-03", "2026-01-01", "2026-01-02"):
        _put(lab, lab.key(), status={"S": status}, desde={"S": since})
    lab.until(lambda: True if len(_found(lab, status)) == 3 else None, "the index")
    first = _open(lab, status, Limit=2)
    rest = _open(lab, status, ExclusiveStartKey=first["LastEvaluatedKey"])
    return [[item["desde"]["S"] for item in page["Items"]] for page in (first, rest)]


def _protected(lab: Lab) -> object:
    dynamodb, name = lab.client("dynamodb"), lab.new_table("protegida")
    waiter = dynamodb.get_waiter("table_exists")
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=True)
    lab.later(lambda: waiter.wait(TableName=name))
    lab.later(lambda: dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False))
    waiter.wait(TableName=name)
    return refusal(lambda: dynamodb.delete_table(TableName=name))


_INVALID = "ValidationException"
_STOCK = "handlers/domain/stock.py"
_TABLE = "handlers/domain/table.py"

BEHAVIOURS = (
    Behaviour(
        "write-false-condition",
        "A write whose condition is false is ConditionalCheckFailedException and changes nothing.",
        DYNAMODB["conditions"],
        (_TABLE, "handlers/domain/status.py"),
        (Probe(_false_condition, {"code": "ConditionalCheckFailedException", "item changed": False}),),
    ),
    Behaviour(
        "write-races",
        "Of conditional writes at the same moment, each sees the one before it: 20 reservations of 5 units are 5.",
        DYNAMODB["working"],
        (_STOCK, "handlers/confirmar_pedido.py"),
        (
            Probe(_races, {"won": 5, "saldo": "0", "reservas": 5}),
            Elsewhere("tests/unit/handlers/test_interleavings.py::test_confirmation_and_refund_exclude_each_other"),
        ),
    ),
    Behaviour(
        "write-all-old",
        "A refused condition brings the item where ALL_OLD asks for it and there is one, else nothing.",
        DYNAMODB["update"],
        (_STOCK,),
        (
            Probe(
                _all_old,
                {"asked for": ["id", "reservas", "saldo"], "not asked for": "nothing", "no such item": "nothing"},
            ),
            Elsewhere("tests/unit/handlers/test_stock.py::test_only_this_table_is_asked_for_old_values"),
        ),
    ),
    Behaviour(
        "write-makes-items",
        "UpdateItem without a condition makes an item that is not there.",
        DYNAMODB["update"],
        (_STOCK, "infra/saga/checks/dynamodb.py"),
        (Probe(_update_makes_an_item, True), Check("SG509")),
    ),
    Behaviour(
        "write-put-replaces",
        "PutItem replaces the whole item.",
        DYNAMODB["put"],
        ("infra/saga/checks/dynamodb.py",),
        (Probe(_put_replaces, ["id", "motivo"]), Check("SG506")),
    ),
    Behaviour(
        "write-absent-paths",
        "An absent path satisfies attribute_not_exists and may be removed; writing inside an absent map is refused.",
        DYNAMODB["expressions"],
        (_STOCK, _TABLE),
        (
            Probe(
                _absent_paths,
                {
                    "attribute_not_exists": "",
                    "SET inside an absent map": _INVALID,
                    "REMOVE of an absent attribute": "",
                },
            ),
            Elsewhere(
                "tests/unit/handlers/test_stock.py::test_short_stock_without_a_map_is_refused_without_making_one"
            ),
        ),
    ),
    Behaviour(
        "write-expressions",
        "Reserved words, names and values not used, and an empty map of values are refused when the write runs.",
        DYNAMODB["reserved"],
        (_TABLE, "infra/saga/checks/reserved_words.py"),
        (
            Probe(
                _expressions,
                dict.fromkeys(["a reserved word", "a value not used", "a name not used", "no values"], _INVALID),
            ),
            Check("SG507"),
            Check("SG508"),
        ),
    ),
    Behaviour(
        "write-old-values",
        "UPDATED_OLD gives the old values of what was changed or removed, and no other.",
        DYNAMODB["update"],
        (_STOCK,),
        (Probe(_old_values, {"reservas": {"M": {"p1": {"N": "2"}}}}),),
    ),
    Behaviour(
        "write-item-size",
        "An item has at most 400 KiB, names included; a write past that is refused.",
        DYNAMODB["limits"],
        (_STOCK, "handlers/efetivar_reserva.py"),
        (
            Probe(_item_size, {"400 KiB": "", "one byte more": _INVALID, "an update past it": _INVALID}),
            Elsewhere(
                "tests/unit/handlers/test_stock.py::test_the_item_does_not_grow_with_the_orders_that_passed_through_it"
            ),
        ),
    ),
    Behaviour(
        "write-units",
        "A write is billed by the size of the whole item, one unit per KiB, however little it changes.",
        DYNAMODB["capacity"],
        ("handlers/efetivar_reserva.py",),
        (Probe(_write_units, True),),
    ),
    Behaviour(
        "write-partition-rate",
        "One partition takes 1,000 write units a second: one status of the index, or one SKU.",
        DYNAMODB["partitions"],
        ("infra/components/tables.py", _STOCK),
        (
            OnlyOnAws(
                "takes a sustained load that costs more than the rest together; throttling is retried, then undone."
            ),
        ),
    ),
    Behaviour(
        "write-throttled",
        "Throttling and conflicts have codes of their own, after which trying again is right.",
        DYNAMODB["errors"],
        ("handlers/domain/failures.py",),
        (
            OnlyOnAws("the emulator never throttles; the codes are raised by a fake."),
            Elsewhere("tests/unit/handlers/test_runtime.py::test_whatever_is_raised_becomes_one_of_ours"),
        ),
    ),
    Behaviour(
        "read-consistent",
        "A consistent GetItem sees every write answered before it.",
        DYNAMODB["consistency"],
        (_TABLE, "handlers/cobrar_pagamento.py"),
        (Probe(_read_after_write, "always the last write"),),
    ),
    Behaviour(
        "read-projected",
        "A projection gives the attributes it names, inside maps too, and nothing for what is absent.",
        DYNAMODB["get"],
        (_TABLE, "infra/ops/facts.py"),
        (Probe(_projected, {"motivo": {"S": "x"}, "caso": {"M": {"origem": {"S": "saga"}}}}),),
    ),
    Behaviour(
        "index-sparse",
        "An item without the index's sort key is not in the index, and leaves it when the attribute goes.",
        DYNAMODB["sparse"],
        ("infra/components/tables.py", "handlers/domain/reconciliation.py"),
        (Probe(_sparse, {"in the index": True, "gone once the key is": True}),),
    ),
    Behaviour(
        "index-reads",
        "An index cannot be read consistently, nor for attributes it does not hold.",
        DYNAMODB["indexes"],
        ("infra/components/tables.py", "handlers/domain/reconciliation.py"),
        (
            Probe(
                _index_reads,
                {"a consistent read": _INVALID, "an attribute it does not hold": _INVALID},
                Difference(
                    {"a consistent read": _INVALID, "an attribute it does not hold": ""},
                    "gives any attribute of the table",
                ),
            ),
        ),
    ),
    Behaviour(
        "index-late",
        "An index lags behind its table: every item found there is read again, consistently, before anything is done.",
        DYNAMODB["indexes"],
        ("handlers/domain/reconciliation.py",),
        (
            OnlyOnAws("a lag cannot be brought about. The reconciler reads each row again."),
            Elsewhere(
                "tests/unit/handlers/test_conciliador.py::test_an_order_that_moves_while_it_is_looked_at_is_left_alone"
            ),
        ),
    ),
    Behaviour(
        "index-order",
        "A query gives items by sort key, and goes on after the last one of a page.",
        DYNAMODB["query"],
        ("handlers/domain/reconciliation.py",),
        (Probe(_index_order, [["2026-01-01", "2026-01-02"], ["2026-01-03"]]),),
    ),
    Behaviour(
        "table-protected",
        "A table with deletion protection is not deleted.",
        DYNAMODB["tables"],
        ("infra/components/tables.py",),
        (
            Probe(_protected, _INVALID),
            Elsewhere("tests/infra/test_tables.py::test_prods_tables_cannot_be_lost_by_mistake"),
        ),
    ),
)
