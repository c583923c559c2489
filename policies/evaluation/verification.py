"""Documents against declarations, over every action AWS has: a cell too many is a risk, a cell too few an outage."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from policies.evaluation.catalog import actions_like, all_actions, describe, fits
from policies.evaluation.evaluator import Evaluator, UnsupportedPolicyError, decide, names
from policies.evaluation.grants import ANY_ID, Reads, Writes
from policies.evaluation.universe import ON_ITS_OWN, PRINCIPALS, STRANGE_ATTRIBUTES, acting, contexts, resources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from policies.documents import PolicyDocument, Statement
    from policies.evaluation.evaluator import Context
    from policies.evaluation.grants import Grant, Place, Trusted
    from policies.evaluation.material import Material

__all__ = ["LARGEST", "Declarations", "Finding", "Tally", "of_identity", "of_resource", "of_trust", "verify"]

LARGEST: Final = {"identidade": 10_240, "gerenciada": 6144, "confianca": 2048, "recurso": 8192}
"""Characters, white space left out: the inline policies of a role, a managed policy (what people and the pipeline get),
a trust (IAM, "IAM and AWS STS quotas"); of the policies on resources, the smallest quota is taken."""

_OWN_ROLE: Final = "arn:aws:iam::{account}:role/qualquer"
"""A role of ours whose own policy allows everything: what a resource's policy refuses it, it refuses everybody."""


@dataclass(frozen=True)
class Declarations:
    """What each principal of a stack is declared to be able to do.

    Attributes:
        identity: grants by principal.
        trust: who takes each role.
        attached: why a role has an AWS managed policy, by role and ARN.
        resource: what policies on resources grant to services (`Grant.by` says which).
        over_tls: places that refuse plain text; empty on the embedded stack.
    """

    identity: Mapping[str, tuple[Grant, ...]]
    trust: Mapping[str, Trusted]
    attached: Mapping[str, Mapping[str, str]]
    resource: tuple[Grant, ...]
    over_tls: tuple[str, ...]


class Finding(NamedTuple):
    """Something that is not as declared.

    Attributes:
        papel: the principal, or the resource whose policy it is.
        sid: the statement to blame; empty when one is missing.
        problema: what is wrong, in a few words.
        detalhe: the action, the resource and how the call looks.
    """

    papel: str
    sid: str
    problema: str
    detalhe: str


@dataclass
class Tally:
    """How much was looked at.

    Attributes:
        principals: whose documents.
        actions: every action AWS has, each tried against each principal.
        spoken: principal x action pairs that a document or a declaration speaks of; every other is denied by both.
        cells: principal x action x resource cells of those.
        calls: decisions, one for each way a call of a cell may look.
    """

    principals: int = 0
    actions: int = 0
    spoken: int = 0
    cells: int = 0
    calls: int = 0


def verify(material: Material, declared: Declarations, tally: Tally | None = None) -> Iterator[Finding]:
    """Everything that is not as declared, one finding per cell.

    Args:
        material: the documents.
        declared: what they are held to.
        tally: counts what is looked at, where somebody wants to know.
    """
    tally = tally or Tally()
    tally.principals, tally.actions = len(material.identity), len(all_actions())
    known = (("papeis", material.identity, declared.identity), ("confianca", material.trust, declared.trust))
    for where, documents, declarations in known:
        for name in sorted(documents.keys() ^ declarations.keys()):
            missing = name in declarations
            yield Finding(name, "", "papel sem documento" if missing else "papel não declarado", where)
    for name, document in material.identity.items():
        if name in declared.identity:
            yield from of_identity(name, document, declared.identity[name], material, tally=tally)
    for name, document in material.trust.items():
        if name in declared.trust:
            yield from of_trust(name, document, declared.trust[name], material)
    yield from _attached(material, declared)
    for arn in _with_policies(material, declared):
        yield from of_resource(arn, material.resource.get(arn), declared, material)


def of_identity(
    name: str,
    document: PolicyDocument,
    granted: Iterable[Grant],
    material: Material,
    *,
    about: frozenset[str] | None = None,
    tally: Tally | None = None,
) -> Iterator[Finding]:
    """One principal's document against its grants.

    Args:
        name: the principal's short name.
        document: what it may do.
        granted: what it is declared to be able to do.
        material: the stack.
        about: the actions to look at; all by default.
        tally: counts what is looked at.
    """
    granted, tally = tuple(granted), tally or Tally()
    yield from _well_written(name, document, granted, "identidade" if name in material.trust else "gerenciada")
    try:
        evaluator = Evaluator(document)
    except UnsupportedPolicyError as error:
        yield Finding(name, "", "não avaliado", str(error))
        return
    by_action = _by_action(granted)
    tried = _Tried(
        material.place,
        tuple(sorted({*material.arns, *_named_resources(document, granted, material.place)})),
        tuple(sorted({*STRANGE_ATTRIBUTES, *_named_attributes(document, granted)})),
    )
    # Of any other action neither speaks: denied, as declared.
    actions = evaluator.actions | by_action.keys()
    for action in sorted(actions if about is None else actions & about):
        tally.spoken += 1
        yield from _cells(name, evaluator, action, by_action.get(action, ()), tried, tally)


@dataclass(frozen=True)
class _Tried:
    """What a principal's requests are made of."""

    place: Place
    arns: tuple[str, ...]
    attributes: tuple[str, ...]


def _named_resources(document: PolicyDocument, granted: tuple[Grant, ...], place: Place) -> set[str]:
    """Resources written in full: an index is nobody's resource but the table's, and no list has it."""
    written = {resource for statement in document["Statement"] for resource in statement.get("Resource", ())}
    declared = {place.arn(grant.at) for grant in granted if ANY_ID not in grant.at}
    return {arn for arn in written | declared if "*" not in arn}


def _named_attributes(document: PolicyDocument, granted: tuple[Grant, ...]) -> set[str]:
    written = {
        attribute
        for statement in document["Statement"]
        for keys in statement.get("Condition", {}).values()
        for attribute in keys.get("dynamodb:Attributes", ())
    }
    declared = {
        attribute for grant in granted if isinstance(grant.only, Reads | Writes) for attribute in grant.only.attributes
    }
    return written | declared


def _cells(
    name: str, evaluator: Evaluator, action: str, granted: tuple[Grant, ...], tried: _Tried, tally: Tally
) -> Iterator[Finding]:
    place = tried.place
    for resource in resources(action, place, tried.arns):
        statements = evaluator.about(action, resource)
        covering = tuple(grant for grant in granted if grant.covers(resource, place))
        tally.cells += 1
        if not statements and not covering:
            continue
        for context in contexts(action, place, tried.attributes):
            tally.calls += 1
            by = decide(statements, "", context)
            expected = any(grant.only is None or grant.only.holds(context, place) for grant in covering)
            if (by is not None) != expected:
                yield _cell(name, by, action, resource, context)


def of_trust(name: str, document: PolicyDocument, trusted: Trusted, material: Material) -> Iterator[Finding]:
    """Who may take a role, against who is declared to."""
    yield from _well_written(name, document, (), "confianca")
    try:
        evaluator = Evaluator(document)
    except UnsupportedPolicyError as error:
        yield Finding(name, "", "não avaliado", str(error))
        return
    for action in sorted(evaluator.actions | {"sts:AssumeRole"}):
        for principal in PRINCIPALS:
            takes = action == "sts:AssumeRole" and principal == trusted.service
            statements = [one for one in evaluator.about(action, "") if names(one, principal)]
            for context in acting(material.place, material.arns) if takes or statements else ():
                by = decide(statements, principal, context)
                if (by is not None) != (takes and trusted.limit.holds(context, material.place)):
                    yield _cell(name, by, action, principal, context)


def of_resource(
    arn: str,
    document: PolicyDocument | None,
    declared: Declarations,
    material: Material,
    *,
    about: frozenset[str] | None = None,
) -> Iterator[Finding]:
    """A resource's own policy: what it lets services do, and that it refuses plain text where it should.

    Args:
        arn: the resource.
        document: its policy; None for none.
        declared: what is declared of every resource.
        material: the stack.
        about: the actions to look at; all by default.
    """
    place = material.place
    document = document or {"Version": "2012-10-17", "Statement": []}
    yield from _well_written(arn, document, (), "recurso")
    own = place.arn(_OWN_ROLE)
    service = arn.split(":")[2]
    identity: Statement = {"Sid": "", "Effect": "Allow", "Action": [f"{service}:*"], "Principal": {"AWS": own}}
    try:
        evaluator = Evaluator({**document, "Statement": [*document["Statement"], identity]})
    except UnsupportedPolicyError as error:
        yield Finding(arn, "", "não avaliado", str(error))
        return
    granted = [grant for grant in declared.resource if grant.covers(arn, place)]
    tls = any(place.arn(template) == arn for template in declared.over_tls)
    for action in sorted(evaluator.actions if about is None else evaluator.actions & about):
        statements = evaluator.about(action, arn)
        allowing = [statement for statement in statements if statement["Effect"] == "Allow"]
        for principal in (own, *PRINCIPALS):
            mine = [grant for grant in granted if (grant.action, grant.by) == (action, principal)]
            if not mine and not any(names(statement, principal) for statement in allowing):
                continue
            for context in ON_ITS_OWN if principal == own else acting(place, material.arns):
                plain = tls and context.get("aws:SecureTransport") == "false" and _refusable(action, service)
                allowed = principal == own or any(g.only is None or g.only.holds(context, place) for g in mine)
                by = decide(statements, principal, context)
                if (by is not None) != (allowed and not plain):
                    yield _cell(arn, by, action, principal, context)


def _refusable(action: str, service: str) -> bool:
    # SNS takes only some actions in a topic's policy; publishing is what carries data.
    return service != "sns" or action == "sns:Publish"


def _with_policies(material: Material, declared: Declarations) -> list[str]:
    """Resources that have a policy, or should."""
    should = {material.place.arn(template) for template in declared.over_tls}
    granted = {arn for arn in material.arns if any(g.covers(arn, material.place) for g in declared.resource)}
    return sorted(material.resource.keys() | should | granted)


def _attached(material: Material, declared: Declarations) -> Iterator[Finding]:
    for name, arns in material.attached.items():
        for arn in arns:
            if arn not in declared.attached.get(name, {}):
                yield Finding(name, "", "política gerenciada não declarada", arn)


def _by_action(granted: Iterable[Grant]) -> dict[str, tuple[Grant, ...]]:
    found: dict[str, tuple[Grant, ...]] = {}
    for grant in granted:
        found[grant.action] = (*found.get(grant.action, ()), grant)
    return found


def _cell(name: str, by: str | None, action: str, at: str, context: Context) -> Finding:
    how = json.dumps(context, ensure_ascii=False) if context else "qualquer chamada"
    problem = "permite a mais" if by is not None else "falta permitir"
    return Finding(name, by or "", problem, f"{action} em {at} ({how})")


# --- How a document is written ----------------------------------------------------------------------------------------


def _well_written(name: str, document: PolicyDocument, granted: tuple[Grant, ...], kind: str) -> Iterator[Finding]:
    size = len(re.sub(r"\s", "", json.dumps(document)))
    if size > LARGEST[kind]:
        yield Finding(name, "", "grande demais", f"{size} caracteres, no máximo {LARGEST[kind]}")
    reasons = {grant.action for grant in granted if grant.at == "*" and grant.why}
    seen: set[str] = set()
    for statement in document["Statement"]:
        sid = statement["Sid"]
        if not re.fullmatch(r"[A-Za-z0-9]+", sid) or sid in seen:
            yield Finding(name, sid, "nome de declaração inválido", "letras e algarismos, um por declaração")
        seen.add(sid)
        for pattern in statement["Action"]:
            yield from _action_well_written(name, statement, pattern, reasons)


def _action_well_written(name: str, statement: Statement, pattern: str, reasons: set[str]) -> Iterator[Finding]:
    sid = statement["Sid"]
    found = actions_like(pattern)
    if not found:
        yield Finding(name, sid, "ação inexistente", pattern)
    if "*" in pattern and statement["Effect"] == "Allow":
        yield Finding(name, sid, "curinga de ações", pattern)
    for action in sorted(found):
        known = describe(action)
        for resource in statement.get("Resource", ()):
            if statement["Effect"] == "Allow" and not fits(known, resource):
                yield Finding(name, sid, "recurso que a ação não aceita", f"{action} em {resource}")
            if resource == "*" and action not in reasons:
                yield Finding(name, sid, "curinga sem motivo", action)
        for keys in statement.get("Condition", {}).values():
            if unknown := keys.keys() - known.conditions:
                yield Finding(name, sid, "condição que a ação não tem", f"{action}: {', '.join(sorted(unknown))}")
