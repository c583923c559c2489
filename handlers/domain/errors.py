"""Every error the steps raise, in one hierarchy.

The class name is the error name Step Functions sees, so the state machine takes its names from here
and never from string literals::

    CestaError
    ├── RecusaError                  refused: surely nothing was done
    │   ├── EstoqueInsuficienteError
    │   ├── SkuInexistenteError
    │   ├── ReservaCanceladaError
    │   ├── CartaoRecusadoError
    │   └── PedidoJaConfirmadoError
    ├── TransitorioError             the attempt is over, worth another one
    │   ├── GatewayIndisponivelError
    │   └── ConflitoTransitorioError
    ├── CobrancaIndefinidaError      may have charged, and nobody knows yet
    └── ErroInesperado               anything else, wrapped: unknown, never "nothing happened"

No message may carry a card token: what is raised here reaches logs and a 90-day execution history.
"""

from __future__ import annotations

__all__ = [
    "CartaoRecusadoError",
    "CestaError",
    "CobrancaIndefinidaError",
    "ConflitoTransitorioError",
    "ErroInesperado",
    "EstoqueInsuficienteError",
    "GatewayIndisponivelError",
    "PedidoJaConfirmadoError",
    "RecusaError",
    "ReservaCanceladaError",
    "SkuInexistenteError",
    "TransitorioError",
]


class CestaError(Exception):
    """Base of every error a step may raise.

    Attributes:
        pedido_id: the order the error is about.
    """

    def __init__(self, pedido_id: str, message: str) -> None:
        self.pedido_id = pedido_id
        super().__init__(f"pedido {pedido_id}: {message}")


class RecusaError(CestaError):
    """A refusal: the effect surely did not happen, and trying again cannot change the answer."""


class EstoqueInsuficienteError(RecusaError):
    """The SKU has less free stock than the order asks for.

    Attributes:
        sku: the SKU asked for.
        quantidade: units asked for.
        saldo: units free when the reservation was tried.
    """

    def __init__(self, pedido_id: str, *, sku: str, quantidade: int, saldo: int) -> None:
        self.sku = sku
        self.quantidade = quantidade
        self.saldo = saldo
        super().__init__(pedido_id, f"estoque insuficiente de {sku}: pedidas {quantidade}, disponíveis {saldo}")


class SkuInexistenteError(RecusaError):
    """The stock table has no such SKU.

    Attributes:
        sku: the SKU asked for.
    """

    def __init__(self, pedido_id: str, *, sku: str) -> None:
        self.sku = sku
        super().__init__(pedido_id, f"o SKU {sku} não existe no estoque; confira o cadastro do produto")


class ReservaCanceladaError(RecusaError):
    """The reservation came after its own release: a tombstone refuses it.

    Attributes:
        sku: the SKU asked for.
        cancelada_em: when the release left the tombstone, epoch seconds.
    """

    def __init__(self, pedido_id: str, *, sku: str, cancelada_em: int) -> None:
        self.sku = sku
        self.cancelada_em = cancelada_em
        super().__init__(pedido_id, f"a reserva de {sku} foi cancelada na época {cancelada_em} e não pode ser refeita")


class CartaoRecusadoError(RecusaError):
    """The gateway refused the card: surely not charged."""

    def __init__(self, pedido_id: str) -> None:
        super().__init__(pedido_id, "cartão recusado pelo gateway; o cliente precisa usar outro cartão")


class PedidoJaConfirmadoError(RecusaError):
    """The refund lost the race: the order is CONFIRMADO, so the saga goes forward."""

    def __init__(self, pedido_id: str) -> None:
        super().__init__(pedido_id, "já está CONFIRMADO; não se estorna um pedido confirmado, a saga segue em frente")


class TransitorioError(CestaError):
    """A passing failure of an attempt that is over: another attempt, with the same keys, is safe."""


class GatewayIndisponivelError(TransitorioError):
    """The payment gateway did not answer, or answered 5xx: the outcome is unknown.

    Attributes:
        operacao: what was asked of the gateway (``cobranca``, ``estorno`` or ``consulta``).
    """

    def __init__(self, pedido_id: str, *, operacao: str, detalhe: str) -> None:
        self.operacao = operacao
        super().__init__(pedido_id, f"gateway de pagamento indisponível na operação {operacao}: {detalhe}")


class ConflitoTransitorioError(TransitorioError):
    """Someone else is at the same thing right now (a write conflict, an operation in flight)."""


class CobrancaIndefinidaError(CestaError):
    """The charge may have been made: the gateway knows of none yet, and the doubt window is open.

    Attributes:
        duvida_ate: when the doubt window ends, epoch seconds.
    """

    def __init__(self, pedido_id: str, *, duvida_ate: int) -> None:
        self.duvida_ate = duvida_ate
        super().__init__(pedido_id, f"cobrança indefinida; o gateway volta a ser consultado até a época {duvida_ate}")


class ErroInesperado(CestaError):  # noqa: N818 - the name is fixed by the contract
    """Anything else, wrapped: the outcome is unknown and the saga undoes it.

    Attributes:
        causa: class name of what was caught, or "" when raised by our own check.
    """

    def __init__(self, pedido_id: str, message: str, *, causa: str = "") -> None:
        self.causa = causa
        super().__init__(pedido_id, f"{causa}: {message}" if causa else message)
