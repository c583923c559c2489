"""What AWS does not answer, an operator reads in one wording, whichever the command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from click.testing import CliRunner

from infra import cli

if TYPE_CHECKING:
    from infra.ops.target import Target

pytestmark = pytest.mark.unit

WHO = ("--responsavel", "ana", "--justificativa", "gateway no ar")
COMMANDS = (
    ("pedido", "p"),
    ("estoque", "sku-abc"),
    ("alarmes",),
    ("intervencao", "listar"),
    ("intervencao", "reprocessar", "p", *WHO),
    ("intervencao", "encerrar", "p", *WHO, "--pendencias", "estoque"),
    ("intervencao", "descartar", "p"),
)
REFUSED = ClientError({"Error": {"Code": "AccessDenied", "Message": "segredo-da-mensagem"}}, "GetItem")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("error", "problem"),
    [(REFUSED, "AccessDenied em GetItem"), (NoCredentialsError(), "NoCredentialsError")],
    ids=["refused", "no-credentials"],
)
def test_every_command_says_it_alike(
    command: tuple[str, ...], error: Exception, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_stack: str) -> Target:
        raise error

    monkeypatch.setattr("infra.ops.target.aws", refuse)
    done = CliRunner().invoke(cli.main, [*command, "--alvo", "aws", "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {
        "erro": f"a AWS não atendeu ({problem}); confira credenciais, permissões, AWS_PROFILE e AWS_REGION, e repita: "
        "repetir é seguro"
    }
