"""The dashboard of the stack (`infra.observability.panel`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from infra.observability.panel import body

if TYPE_CHECKING:
    from infra.components.alarms import Alarms
    from infra.config import Settings
    from infra.names import Names

__all__ = ["Dashboard"]


class Dashboard(pulumi.ComponentResource):
    """``cesta-saga``: the questions of whoever is on call, and what answers each."""

    def __init__(self, names: Names, settings: Settings, alarms: Alarms) -> None:
        super().__init__("cesta:observacao:Painel", "painel")
        shown = body(alarms.sources, settings.limites, region=aws.get_region_output().region, alarms=alarms.arns)
        aws.cloudwatch.Dashboard(
            "saga",
            dashboard_name=names.painel,
            dashboard_body=pulumi.Output.json_dumps(shown, ensure_ascii=False),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})
