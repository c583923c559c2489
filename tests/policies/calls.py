"""Which DynamoDB calls a module of ours can make, read from its source.

The repositories (`Pedidos`, `LivroDePagamentos`, `Estoque`) are the only way to the tables, and their variables are
named after them everywhere; so a call ``pedidos.confirmar(...)`` is a call of that method, and each method's own
calls of ``self._table`` are the DynamoDB calls behind it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from infra.packaging import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

REPOSITORIES = {
    "pedidos": ("Pedidos", "handlers/domain/orders.py", "pedidos"),
    "livro": ("LivroDePagamentos", "handlers/domain/ledger.py", "pedidos"),
    "estoque": ("Estoque", "handlers/domain/stock.py", "estoque"),
    "linhas": ("Linhas", "handlers/domain/reconciliation_rows.py", "pedidos"),
}
"""Class, file and table of each repository, by the name its variables have."""

_CALLS = {
    "read": "GetItem",
    "keys_until": "Query",
    "insert": "PutItem",
    "update": "UpdateItem",
    "update_telling": "UpdateItem",
}
"""The DynamoDB call behind each method of `handlers.domain.table.Table`."""


def methods_called(*modules: str) -> set[tuple[str, str]]:
    """(repository, method) of every call the modules make; modules as paths relative to the repository."""
    return {
        (receiver, method)
        for module in modules
        for receiver, method in _method_calls(_parse(ROOT / module))
        if receiver in REPOSITORIES
    }


def table_calls(*modules: str) -> dict[str, set[str]]:
    """The IAM actions the modules need, by table."""
    actions: dict[str, set[str]] = defaultdict(set)
    for receiver, method in methods_called(*modules):
        class_name, file, table = REPOSITORIES[receiver]
        actions[table] |= {f"dynamodb:{_CALLS[call]}" for call in _behind(class_name, file, method)}
    return dict(actions)


def client_calls(client: str, *modules: str) -> set[str]:
    """Methods called on a boto3 client that is named ``client`` in the modules."""
    return {
        method for module in modules for receiver, method in _method_calls(_parse(ROOT / module)) if receiver == client
    }


def _behind(class_name: str, file: str, method: str) -> set[str]:
    """The `Table` methods that a repository's method calls, through its own helpers too."""
    (found,) = [node for node in _parse(ROOT / file).body if isinstance(node, ast.ClassDef) and node.name == class_name]
    methods = {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}
    seen: set[str] = set()
    calls: set[str] = set()
    waiting = [method]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for receiver, called in _method_calls(methods[name]):
            if receiver == "table":
                calls.add(called)
            elif receiver == "self" and called in methods:
                waiting.append(called)
    assert calls, f"{class_name}.{method} touches no table: has the repository changed?"
    return calls


def _method_calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(receiver, method) of every call of a method; ``self._table.read`` and ``wiring.table().read`` alike."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield _name(node.func.value), node.func.attr


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr.lstrip("_")
    return node.id.lstrip("_") if isinstance(node, ast.Name) else ""


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def sources(folder: str) -> Iterable[str]:
    """Every module below a folder."""
    return [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / folder).rglob("*.py"))]
