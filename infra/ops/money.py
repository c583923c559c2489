"""An order's money, by the payment ledger in its row (design §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

from handlers.domain.ledger import EstadoDaCobranca, EstadoDoEstorno
from handlers.domain.reconciliation_rows import Motivo
from handlers.domain.status import Status

if TYPE_CHECKING:
    from infra.ops.facts import OrderRow

__all__ = ["MoneyView", "money", "money_told", "reais"]

Situacao = Literal["nada", "cobrado", "estornado", "em_duvida"]
_UNDONE: Final = {Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO}


class MoneyView(TypedDict):
    """Centavos by the payment ledger of the order's row."""

    cobrado: int
    estornado: int
    situacao: Situacao


def money(row: OrderRow) -> MoneyView:
    """What the ledger says was taken and given back."""
    charge: dict[str, Any] = row.get("cobranca", {})
    refund: dict[str, Any] = row.get("estorno", {})
    now = _situation(charge, refund)
    taken = charge["valorCentavos"] if now in {"cobrado", "estornado"} else 0
    return {"cobrado": taken, "estornado": taken if now == "estornado" else 0, "situacao": now}


def _situation(charge: dict[str, Any], refund: dict[str, Any]) -> Situacao:
    if not charge or charge["estado"] == EstadoDaCobranca.RECUSADA:
        return "nada"
    # Whatever else it may say is not known to be nothing.
    if charge["estado"] != EstadoDaCobranca.APROVADA:
        return "em_duvida"
    return "estornado" if refund.get("estado") == EstadoDoEstorno.CONCLUIDO else "cobrado"


def money_told(row: OrderRow) -> str:
    """The same in words, for support; claims no more than the ledger knows."""
    charge: dict[str, Any] = row.get("cobranca", {})
    refund: dict[str, Any] = row.get("estorno", {})
    now = money(row)
    if now["situacao"] == "em_duvida":
        return _doubt_told(row, charge)
    if now["situacao"] == "nada" and charge:
        return "nada foi cobrado: o cartão foi recusado"
    if now["situacao"] == "nada":
        # A moment later the charge may be on its way.
        return "nada foi cobrado até agora" if row["status"] == Status.RECEBIDO else "nada foi cobrado"
    if now["situacao"] == "estornado":
        return f"{reais(now['cobrado'])} cobrados e devolvidos por inteiro"
    if refund.get("estado") == EstadoDoEstorno.PENDENTE:
        return f"{reais(now['cobrado'])} cobrados; o gateway aceitou a devolução e ainda não a concluiu"
    if refund:
        return f"{reais(now['cobrado'])} cobrados; a devolução foi tentada e não há confirmação dela"
    # Of what a person gave back at the gateway's own panel the ledger knows nothing.
    kept = {Status.CONFIRMADO: "", Status.RECEBIDO: "; o pedido ainda não foi confirmado"}
    return f"{reais(now['cobrado'])} cobrados{kept.get(row['status'], ' e não devolvidos pela saga')}"


def _doubt_told(row: OrderRow, charge: dict[str, Any]) -> str:
    value = reais(charge["valorCentavos"])
    unknown = f"não se sabe: {value} podem ter sido cobrados"
    if not charge.get("duvidosa"):
        return f"{unknown}; nenhuma resposta do gateway está registrada"
    if _is_left_to_people(row):
        return f"{unknown}; é preciso conferir no painel do gateway"
    over = row["status"] in _UNDONE and "verificarEm" not in row
    more = "ela não apareceu nem depois" if over else "ela ainda será procurada"
    return f"nenhuma cobrança de {value} foi encontrada no gateway; {more}"


def _is_left_to_people(row: OrderRow) -> bool:
    """Whether nobody but a person looks for the charge in doubt any more.

    The reconciler calls one when the gateway has no answer to the end, or shows a charge that the ledger cannot hold.
    """
    if row["status"] in _UNDONE:
        return False
    called = row.get("caso", {}).get("motivo") == Motivo.DINHEIRO_EM_PEDIDO_FINAL
    return called or (row["status"] == Status.RESOLVIDO_MANUALMENTE and "verificarEm" not in row)


def reais(centavos: int) -> str:
    """Money as a person reads it: ``R$ 1.234,56``."""
    whole = f"{centavos // 100:,}".replace(",", ".")
    return f"R$ {whole},{centavos % 100:02d}"
