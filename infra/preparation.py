"""What must hold before a single resource is declared: good settings, a proved saga, zips that could be built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi

from infra import packaging
from infra.config import Settings, load
from infra.config_errors import SettingsError
from infra.saga.errors import SagaError
from infra.sagas.ours import prove_ours

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from infra.packaging import Package

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """What the program is composed from.

    Attributes:
        settings: the stack's.
        steps_zip: the steps' code.
        api_zip: the API's and the starter's.
    """

    settings: Settings
    steps_zip: Path
    api_zip: Path


def prepare(build: Callable[[Package], Path]) -> Prepared:
    """Load, prove and build.

    Args:
        build: makes a zip and says where it is.

    Raises:
        pulumi.RunError: a setting is wrong, the saga is not proved with it, or a zip cannot be built; the CLI prints
            its text as it is.
    """
    try:
        settings = load(pulumi.Config())
        prove_ours(settings.saga)
        prepared = Prepared(settings, build(packaging.HANDLERS), build(packaging.API))
    except (SettingsError, SagaError, packaging.PackagingError) as error:
        raise pulumi.RunError(str(error)) from None
    if settings.gateway_provisorio:
        pulumi.log.warn("cesta:gatewayUrl ainda é o endereço de exemplo: toda cobrança vai falhar")
    return prepared
