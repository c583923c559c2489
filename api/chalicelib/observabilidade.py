"""Logs and metrics of the API and the starter.

No exception's text is ever logged: botocore puts parameter values into its messages, and one of ours is the card
token. A failure is told by its class, AWS error code and place in the code, and that is enough to find it.
"""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import single_metric
from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import ClientError

from handlers.domain.redaction import make_logger
from handlers.domain.settings import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["contar", "descrever", "logger"]

logger: Final = make_logger()


def contar(nome: str, quantas: int = 1) -> None:
    """Count something, as a CloudWatch metric in EMF.

    One line per metric: a shared buffer of metrics would not stand the starter's threads.
    """
    namespace = os.environ.get("POWERTOOLS_METRICS_NAMESPACE", "Cesta")
    with single_metric(name=nome, unit=MetricUnit.Count, value=quantas, namespace=namespace) as metrica:
        metrica.add_dimension(name="service", value=os.environ.get("POWERTOOLS_SERVICE_NAME", "cesta"))


def descrever(erro: BaseException) -> Mapping[str, str]:
    """What may be logged of an exception."""
    descricao = {"erro": type(erro).__name__}
    if isinstance(erro, ClientError):
        descricao["codigo"] = erro.response.get("Error", {}).get("Code", "")
    if isinstance(erro, SettingError):
        descricao["mensagem"] = str(erro)  # ours: it names a variable and holds no value
    quadros = traceback.extract_tb(erro.__traceback__)
    if quadros:
        descricao["onde"] = f"{Path(quadros[-1].filename).name}:{quadros[-1].lineno}"
    return descricao
