"""What the simulator takes as a request, and what it remembers across a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local.simulator_records import (
    PedidoDeCobranca,
    PedidoDeEstorno,
    RequisicaoInvalidaError,
    chave_valida,
)
from infra.local.simulator_store import FileStore
from tests.unit.local_simulator.helpers import VALOR, WINDOW, Bank

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit

GOOD = {"pedidoId": "p-1", "cartaoToken": "tok-ok", "valorCentavos": 1}


@pytest.mark.parametrize("valor", [0, -1, 1.0, "1", True, None, 10**9 + 1])
def test_an_amount_that_is_no_positive_integer_is_refused(valor: object) -> None:
    with pytest.raises(RequisicaoInvalidaError, match="valorCentavos"):
        PedidoDeCobranca.de_json({**GOOD, "valorCentavos": valor})
    with pytest.raises(RequisicaoInvalidaError, match="valorCentavos"):
        PedidoDeEstorno.de_json({"pedidoId": "p-1", "transacaoId": "t", "valorCentavos": valor})


@pytest.mark.parametrize("token", ["4111111111111111", "tok", "tok-", "tok-é", "tok-ok\n", 7, None, "tok-" + "x" * 65])
def test_what_is_no_token_is_refused_and_never_repeated(token: object) -> None:
    with pytest.raises(RequisicaoInvalidaError) as caught:
        PedidoDeCobranca.de_json({**GOOD, "cartaoToken": token})
    assert "4111" not in str(caught.value)


@pytest.mark.parametrize("campo", ["pedidoId", "transacaoId"])
@pytest.mark.parametrize("valor", ["", "x" * 65, 3, None])
def test_ids_are_short_texts(campo: str, valor: object) -> None:
    with pytest.raises(RequisicaoInvalidaError, match=campo):
        PedidoDeEstorno.de_json({"pedidoId": "p-1", "transacaoId": "t-1", "valorCentavos": 1, campo: valor})


@pytest.mark.parametrize("chave", [None, "", "x" * 256])
def test_a_missing_or_overlong_key_is_refused(chave: str | None) -> None:
    with pytest.raises(RequisicaoInvalidaError, match="Idempotency-Key"):
        chave_valida(chave)


def test_a_restart_remembers_charges_refunds_keys_and_the_clock(tmp_path: Path) -> None:
    path = tmp_path / "estado.jsonl"
    before = Bank(FileStore(path))
    first = before.charge_answer("tok-ok")
    transacao = str(first.body["transacaoId"])
    before.refund(transacao)
    before.gateway.advance_clock(3600)

    after = Bank(FileStore(path))
    assert after.cobrancas() == before.cobrancas()
    assert after.estornos() == before.estornos()
    assert after.charge("tok-ok") == first
    assert after.gateway.advance_clock(0).body == {"agora": after.clock.now + 3600}


def test_a_restart_still_lands_a_late_charge(tmp_path: Path) -> None:
    path = tmp_path / "estado.jsonl"
    before = Bank(FileStore(path))
    before.charge("tok-cobranca-tardia")  # its client dies with the process

    after = Bank(FileStore(path))
    after.clock.now += WINDOW
    assert [c["valorCentavos"] for c in after.cobrancas()] == [VALOR]


def test_a_line_torn_by_a_kill_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "estado.jsonl"
    Bank(FileStore(path)).charge("tok-ok")
    with path.open("a") as journal:
        journal.write('{"tipo": "cobranca", "num')

    again = Bank(FileStore(path))
    again.charge("tok-ok", chave="outra")
    assert len(Bank(FileStore(path)).cobrancas()) == 2


def test_the_state_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "estado.jsonl"
    FileStore(path)
    assert path.stat().st_mode & 0o777 == 0o600
