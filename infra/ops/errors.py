"""Errors an operator may meet, in one hierarchy; the messages are for a person at a terminal::

OpsError
├── NoEmbeddedStackError     no `cesta local` is running
├── UnknownOrderError        no such order
├── UnknownSkuError          no such SKU
├── StackNotFoundError       the stack is not deployed in this account and region
├── StackFileError           the program cannot say what that stack should have
├── AwsUnreachableError      AWS did not answer, or not to us
├── CaseRefusedError         the decision cannot be taken on that case
├── PageNotWrittenError      the order's page cannot be written there
└── FrontDoorError           the API did not answer as its contract says
"""

from __future__ import annotations

__all__ = [
    "AwsUnreachableError",
    "CaseRefusedError",
    "FrontDoorError",
    "NoEmbeddedStackError",
    "OpsError",
    "PageNotWrittenError",
    "StackFileError",
    "StackNotFoundError",
    "UnknownOrderError",
    "UnknownSkuError",
]


class OpsError(Exception):
    """Base of what the operators' commands refuse."""


class NoEmbeddedStackError(OpsError):
    """No embedded stack is up on this machine."""

    def __init__(self) -> None:
        super().__init__(
            "nenhuma pilha local no ar: suba uma com `cesta local` em outro terminal, ou use --alvo aws --stack NOME"
        )


class UnknownOrderError(OpsError):
    """The orders table has no such order.

    Attributes:
        pedido_id: the order asked for.
        tabela: the table looked into.
    """

    def __init__(self, pedido_id: str, tabela: str) -> None:
        self.pedido_id = pedido_id
        self.tabela = tabela
        super().__init__(f"pedido {pedido_id} não existe em {tabela}; confira o id e o alvo (--alvo, --stack)")


class UnknownSkuError(OpsError):
    """The stock table has no such SKU.

    Attributes:
        sku: the SKU asked for.
        tabela: the table looked into.
    """

    def __init__(self, sku: str, tabela: str) -> None:
        self.sku = sku
        self.tabela = tabela
        super().__init__(f"o SKU {sku} não existe em {tabela}; confira o código e o alvo (--alvo, --stack)")


class StackNotFoundError(OpsError):
    """Something of the stack is not deployed where we looked.

    Attributes:
        recurso: what is missing.
        stack: the stack's name.
    """

    def __init__(self, recurso: str, stack: str) -> None:
        self.recurso = recurso
        self.stack = stack
        super().__init__(
            f"a stack {stack} não tem {recurso} nesta conta e região; confira AWS_PROFILE, AWS_REGION e `pulumi up`"
        )


class StackFileError(OpsError):
    """No ``Pulumi.<stack>.yaml``, or one the program refuses: what the stack should have is not known.

    Attributes:
        stack: its name.
    """

    def __init__(self, stack: str, problema: str = "não existe neste repositório; confira --stack") -> None:
        self.stack = stack
        super().__init__(f"Pulumi.{stack}.yaml: {problema}")


class AwsUnreachableError(OpsError):
    """AWS did not answer, or not to whoever asks.

    Attributes:
        problema: class of the error, or AWS's code and the operation; never a value.
    """

    def __init__(self, problema: str) -> None:
        self.problema = problema
        super().__init__(
            f"a AWS não atendeu ({problema}); confira credenciais, permissões, AWS_PROFILE e AWS_REGION, e repita: "
            "repetir é seguro"
        )


class CaseRefusedError(OpsError):
    """A human case that does not take the decision given; nothing was changed.

    Attributes:
        pedido_id: the order.
    """

    def __init__(self, pedido_id: str, problema: str) -> None:
        self.pedido_id = pedido_id
        super().__init__(f"o pedido {pedido_id} {problema}")


class PageNotWrittenError(OpsError):
    """The file system does not take the page.

    Attributes:
        arquivo: where it should have gone.
    """

    def __init__(self, arquivo: str, problema: str) -> None:
        self.arquivo = arquivo
        super().__init__(f"não foi possível escrever a página em {arquivo} ({problema}); escolha outro arquivo")


class FrontDoorError(OpsError):
    """The API answered what its contract does not allow.

    Attributes:
        status: the HTTP status, or 0 when there was no answer.
    """

    def __init__(self, status: int, detalhe: str) -> None:
        self.status = status
        super().__init__(f"a API respondeu {status or 'nada'}: {detalhe}")
