"""The eight exercises: the four cases of source 000's "Quando algo não funciona", the three of its "Quebrar de
propósito", and the fault it says none of its own proofs catches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from handlers.domain.status import Etapa
from infra.local.exercises.breaks import edited_state, faulty_function, removed_alarms, silenced_alarms
from infra.local.exercises.exercise import (
    Clue,
    Exercise,
    Order,
    Prevention,
    asked_a_person,
    came_to_an_end,
    came_to_the_settlement,
    died,
)

if TYPE_CHECKING:
    from infra.saga.asl import State

__all__ = ["EXERCISES", "exercise_of"]

_ORDER: Final = "cesta pedido {pedido}"
_STOCK: Final = "cesta estoque {sku}"
_ALARMS: Final = "cesta alarmes"
_CASES: Final = "cesta intervencao listar"
_DEPLOYED: Final = "cesta saga verificar --alvo local"
_STATEMENT: Final = "curl -s '{gateway}/_simulador/extrato?pedidoId={pedido}'"

_CASES_OF: Final = "Quando algo não funciona, caso {}"
_BREAKS_OF: Final = "Quebrar de propósito, falha {}"

_REFUND_FAILS: Final = Order(
    asked_a_person, cartao="tok-estorno-indisponivel", falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"}
)
"""A double failure: the confirmation, and then every refund."""


def _without_catch(state: State) -> None:
    del state["Catch"]


def _caught_by_nobody_who_undoes(state: State) -> None:
    state["Catch"][-1]["Next"] = "RegistrarFalhaSemCompensacao"


EXERCISES: Final = (
    Exercise(
        numero=1,
        titulo="A execução falha e o histórico não mostra compensação nenhuma",
        origem=_CASES_OF.format(1),
        relato="A cliente do pedido {pedido} diz que o cartão foi cobrado. O pedido não foi confirmado, e nada voltou. "
        "Onde ele parou, e por que ninguém desfez?",
        quebra=partial(edited_state, state=Etapa.COBRAR_PAGAMENTO, edit=_without_catch),
        pedido=Order(died, falhas={Etapa.COBRAR_PAGAMENTO.value: "depois"}),
        pistas=(
            Clue(
                _ORDER,
                ("CobrarPagamento", "FAILED", "1 unidade(s) de {sku}"),
                "a linha do tempo acaba em CobrarPagamento: nem EstornarPagamento nem LiberarEstoque rodaram. O "
                "dinheiro foi cobrado e a unidade está presa",
            ),
            Clue(_CASES, ("{pedido}",), "a rede de segurança viu a execução morta e abriu um caso: nada está perdido"),
            Clue(
                _DEPLOYED,
                ("SG205", "CobrarPagamento: não tem Catch"),
                "a definição implantada não é a compilada: nela CobrarPagamento não tem Catch",
            ),
        ),
        causa="O Catch de CobrarPagamento foi apagado da definição implantada. Um erro sem Catch encerra a execução "
        "(FAILED), e o que já foi feito fica como está.",
        conserto="Implante de novo a definição compilada (pulumi up); depois, neste pedido, "
        "cesta intervencao reprocessar desfaz o que ficou.",
        prevencao=(
            Prevention(
                "O Catch não se escreve: o compilador o deriva do modelo, e um passo sem compensação não compila.",
                ("tests/saga/test_pedido.py::test_every_failure_goes_where_the_contract_says",),
            ),
            Prevention("Uma definição feita à mão é recusada por cesta saga verificar.", ("SG205",)),
            Prevention(
                "E se mesmo assim uma execução morrer, em qualquer estado, o conciliador chama uma pessoa (prova 12).",
                (
                    "tests/e2e/test_safety_net.py::"
                    "test_stopped_there_it_is_one_human_case_that_resumes_to_a_consistent_end",
                ),
            ),
        ),
    ),
    Exercise(
        numero=2,
        titulo="O mesmo pedido reserva duas unidades do mesmo SKU",
        origem=_CASES_OF.format(2),
        relato="O pedido {pedido} é de uma unidade de {sku}. Havia 10 na prateleira, e o site só oferece 8.",
        quebra=partial(faulty_function, etapa=Etapa.RESERVAR_ESTOQUE, module="reservar_em_dobro"),
        # Held long enough to be looked at: the settlement fails, and then waits for a person.
        pedido=Order(
            came_to_the_settlement,
            falhas={Etapa.RESERVAR_ESTOQUE.value: "depois:1", Etapa.EFETIVAR_RESERVA.value: "antes"},
        ),
        pistas=(
            Clue(
                _STOCK,
                ("saldo 8, 2 reservada(s)", "o pedido é de 1 unidade(s)"),
                "a entrada do pedido em reservas guarda 2, e o pedido é de 1",
            ),
            Clue(
                _ORDER,
                ("ReservarEstoque", "2 unidade(s) de {sku}"),
                "ReservarEstoque teve 2 tentativas: a resposta da primeira se perdeu, e cada uma reservou",
            ),
        ),
        causa="A função de reserva soma à reserva do pedido sem perguntar se ela já existe. O Retry garante que o "
        "ESTADO roda de novo, não que a ação por trás dele é segura de repetir.",
        conserto="A condição da escrita: attribute_not_exists(reservas.#pedido), e sucesso quando a entrada já é "
        "a deste pedido com a mesma quantidade.",
        prevencao=(
            Prevention(
                "A condição está na única escrita que reserva (handlers/domain/stock.py).",
                (
                    "tests/unit/handlers/test_stock.py::test_reserving_twice_is_one_reservation_even_when_nothing_else_is_left",
                ),
            ),
            Prevention(
                "Nenhuma sequência de reservas, liberações e baixas perde ou inventa unidade.",
                ("tests/unit/handlers/test_stock.py::test_no_sequence_of_moves_loses_or_makes_up_stock",),
            ),
            Prevention(
                "Nem duas tentativas ao mesmo tempo.",
                ("tests/unit/handlers/test_interleavings.py::test_two_reservations_of_one_order_take_the_stock_once",),
            ),
        ),
    ),
    Exercise(
        numero=3,
        titulo="Pedido preso em REQUER_INTERVENCAO_HUMANA, sem ninguém saber",
        origem=_CASES_OF.format(3),
        relato="O cliente do pedido {pedido} pagou, e há dias o site responde que o pedido está em análise. "
        "O plantão jura que nenhum alarme tocou.",
        quebra=silenced_alarms,
        pedido=_REFUND_FAILS,
        pistas=(
            Clue(_CASES, ("{pedido}",), "o caso está na fila, esperando uma decisão: foi a campainha que falhou"),
            Clue(
                _ALARMS,
                ("compensacao-pendente", "calado: as ações estão desligadas"),
                "os alarmes existem e mudam de estado, mas as ações estão desligadas: ninguém é avisado",
            ),
        ),
        causa="Alguém desligou as ações dos alarmes numa manutenção (disable-alarm-actions) e não as religou.",
        conserto="aws cloudwatch enable-alarm-actions, ou pulumi up; e cesta alarmes no fim de toda manutenção: sai "
        "com 1 enquanto algum alarme estiver mudo.",
        prevencao=(
            Prevention(
                "Todo alarme do programa leva ao tópico, e o tópico aceita o que o CloudWatch publica.",
                ("tests/infra/test_alarms.py::test_every_alarm_reaches_a_topic_cloudwatch_may_publish_to",),
            ),
            Prevention(
                "O que se faz à mão na conta nenhum teste vê; cesta alarmes compara a conta com o programa.",
                ("tests/e2e/scrap/test_exercises.py::test_the_given_commands_show_the_fault",),
            ),
        ),
    ),
    Exercise(
        numero=4,
        titulo="O cliente é cobrado duas vezes pelo mesmo pedido",
        origem=_CASES_OF.format(4),
        relato="A fatura do cliente do pedido {pedido} tem duas cobranças de R$ 140,00. Para a loja está tudo certo.",
        quebra=partial(faulty_function, etapa=Etapa.COBRAR_PAGAMENTO, module="cobrar_sem_chave"),
        pedido=Order(came_to_an_end, falhas={Etapa.COBRAR_PAGAMENTO.value: "depois:1"}),
        pistas=(
            Clue(
                _ORDER,
                ("CONFIRMADO", "CobrarPagamento"),
                "por dentro nada falta: CONFIRMADO, uma cobrança no livro. Mas CobrarPagamento teve 2 tentativas",
            ),
            Clue(
                _STATEMENT,
                ('"chave": "cesta-cobranca-{pedido}-', '"estado": "aprovada"'),
                "no extrato do gateway há duas cobranças aprovadas, cada uma com uma chave",
            ),
        ),
        causa="A chave de idempotência muda a cada tentativa, e a função não olha o livro antes de cobrar: para o "
        "gateway são duas compras.",
        conserto="A chave se deriva do pedido (cesta-cobranca-ID) e é a mesma em toda tentativa; o livro diz "
        "INICIADA antes da chamada e APROVADA depois dela. A segunda cobrança se estorna no painel do gateway.",
        prevencao=(
            Prevention(
                "Uma tentativa depois de outra cujo fim não se conhece é a mesma cobrança.",
                (
                    "tests/unit/handlers/test_cobrar_pagamento.py::test_an_attempt_after_an_unknown_one_is_the_same_charge",
                ),
            ),
            Prevention(
                "Duas tentativas ao mesmo tempo cobram no máximo uma vez.",
                ("tests/unit/handlers/test_interleavings.py::test_two_charges_of_one_order_charge_at_most_once",),
            ),
            Prevention(
                "A consulta ao gateway acha duas cobranças de um pedido e chama uma pessoa, em vez de escolher uma.",
                (
                    "tests/unit/handlers/test_gateway_http.py::test_an_answer_about_something_else_is_a_fault_for_a_person",
                ),
            ),
        ),
    ),
    Exercise(
        numero=5,
        titulo="Task de negócio sem Catch",
        origem=_BREAKS_OF.format(1),
        relato="Desde a última implantação, toda confirmação que falha deixa o pedido pela metade. "
        "O pedido {pedido} é um deles.",
        quebra=partial(edited_state, state=Etapa.CONFIRMAR_PEDIDO, edit=_without_catch),
        pedido=Order(came_to_an_end, falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"}),
        pistas=(
            Clue(
                _ORDER,
                ("ConfirmarPedido", "FAILED"),
                "a execução acaba FAILED em ConfirmarPedido, sem nenhum estado de compensação depois dele",
            ),
            Clue(
                _DEPLOYED,
                ("SG205", "ConfirmarPedido: não tem Catch", "NÃO PROVADA", "dinheiro cobrado: sim"),
                "o achado diz o que falta; o contraexemplo conta o caminho que deixa dinheiro e estoque sem dono",
            ),
        ),
        causa="O Catch de ConfirmarPedido foi removido: a falha não leva a EstornarPagamento, e a execução morre ali.",
        conserto="Todo Task com efeito tem um Catch que leva à compensação daquele passo; implante a definição "
        "compilada.",
        prevencao=(
            Prevention("O achado e a prova, em cesta saga verificar.", ("SG205", "SG901")),
            Prevention(
                "pulumi preview prova a saga antes de declarar qualquer recurso, e falha com o contraexemplo.",
                ("tests/infra/test_saga_proof.py::test_a_preview_with_one_wrong_arrow_fails_with_its_counterexample",),
            ),
        ),
    ),
    Exercise(
        numero=6,
        titulo="Reserva sem condição de idempotência",
        origem=_BREAKS_OF.format(2),
        relato="Havia 10 unidades de {sku}. Vendeu-se uma, no pedido {pedido}, e o saldo é 8.",
        quebra=partial(faulty_function, etapa=Etapa.RESERVAR_ESTOQUE, module="reservar_sem_condicao"),
        pedido=Order(came_to_an_end, falhas={Etapa.RESERVAR_ESTOQUE.value: "depois:1"}),
        pistas=(
            Clue(
                _STOCK,
                ("saldo 8, 0 reservada(s)",),
                "nenhum pedido segura a unidade que falta: ela sumiu das contas",
            ),
            Clue(
                _ORDER,
                ("CONFIRMADO", "ReservarEstoque"),
                "o pedido está certo, mas ReservarEstoque teve 2 tentativas, e cada uma baixou o saldo",
            ),
        ),
        causa="A escrita da reserva não tem ConditionExpression: na segunda tentativa o saldo baixa de novo, e a "
        "entrada em reservas, que se escreve por cima, não lembra.",
        conserto="attribute_not_exists(reservas.#pedido) na condição, não só o saldo; o saldo se acerta contando a "
        "prateleira.",
        prevencao=(
            Prevention(
                "Saldo mais reservas só mudam por entrada de mercadoria e por EfetivarReserva.",
                ("tests/unit/handlers/test_stock.py::test_no_sequence_of_moves_loses_or_makes_up_stock",),
            ),
            Prevention(
                "Uma queda em qualquer efeito não perde estoque nem dinheiro.",
                ("tests/crash/test_crash_points.py::test_wherever_something_dies_nothing_is_lost",),
            ),
        ),
    ),
    Exercise(
        numero=7,
        titulo="Fila de compensação sem alarme",
        origem=_BREAKS_OF.format(3),
        relato="O pedido {pedido} falhou duas vezes: na confirmação e no estorno. Ninguém foi chamado.",
        quebra=partial(removed_alarms, suffixes=("compensacao-pendente", "caso-novo")),
        pedido=_REFUND_FAILS,
        pistas=(
            Clue(_CASES, ("{pedido}",), "a mensagem está na fila: basta olhar, mas ninguém sabe que deve"),
            Clue(
                _ALARMS,
                ("compensacao-pendente", "INEXISTENTE", "o programa o declara e ele não existe na conta"),
                "dois alarmes que o programa declara não existem na conta",
            ),
        ),
        causa="Os alarmes da fila humana foram apagados da conta.",
        conserto="pulumi up --refresh os cria de novo.",
        prevencao=(
            Prevention(
                "O que se vigia é uma lista fechada, comparada com o que pode dar errado.",
                ("tests/infra/test_alarms.py::test_the_human_queues_alarm_watches_that_queue_and_rings",),
            ),
            Prevention(
                "cesta alarmes sai com 1 quando falta um alarme: vale como passo do pipeline.",
                ("tests/e2e/scrap/test_exercises.py::test_the_given_commands_show_the_fault",),
            ),
        ),
    ),
    Exercise(
        numero=8,
        titulo="Um Catch que aponta para o estado errado",
        origem="A falha que nenhuma das provas do módulo pega sozinha",
        relato="O pedido {pedido} terminou FALHOU_SEM_RESERVA, a execução está verde, e a cliente diz que pagou.",
        quebra=partial(edited_state, state=Etapa.CONFIRMAR_PEDIDO, edit=_caught_by_nobody_who_undoes),
        pedido=Order(came_to_an_end, falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"}),
        pistas=(
            Clue(
                _ORDER,
                ("FALHOU_SEM_RESERVA", "SUCCEEDED", "1 unidade(s) de {sku}"),
                'a execução terminou bem, e o pedido que "falhou sem reserva" tem reserva e cobrança',
            ),
            Clue(
                _DEPLOYED,
                ("SG901", "A aresta errada: ConfirmarPedido, Catch [States.ALL] → RegistrarFalhaSemCompensacao."),
                "a definição é bem formada, e o contraexemplo aponta a seta errada",
            ),
        ),
        causa="O Catch de ConfirmarPedido leva a RegistrarFalhaSemCompensacao em vez de EstornarPagamento. O nome "
        "existe, e por isso nem a AWS nem os verificadores de ASL reclamam.",
        conserto="Implante a definição compilada; o pedido vira caso quando o conciliador rever os encerrados, e "
        "cesta intervencao reprocessar o desfaz.",
        prevencao=(
            Prevention("Só a prova pega: ela anda por todo caminho de falhas.", ("SG901",)),
            Prevention(
                "Cada seta errada possível da nossa saga é achada.",
                ("tests/saga/test_explorer.py::test_what_a_wrong_arrow_loses_is_found",),
            ),
        ),
    ),
)


def exercise_of(number: int) -> Exercise | None:
    """The exercise of that number, if there is one."""
    return next((each for each in EXERCISES if each.numero == number), None)
