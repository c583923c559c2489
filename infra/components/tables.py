"""The two tables: orders and stock (design §5)."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from infra.names import INDICE_PENDENTES, INDICE_VERIFICACOES, Names

__all__ = ["Tables"]


class Tables(pulumi.ComponentResource):
    """``cesta-pedidos`` and ``cesta-estoque``, on demand, with point-in-time recovery.

    In prod they cannot be deleted by mistake in any of three ways: DynamoDB refuses (deletion protection), Pulumi
    refuses (protect), and a table dropped from the program stays where it is (retain on delete). Other stacks can be
    destroyed and created again at will.

    Attributes:
        pedidos: the orders.
        estoque: the stock.
    """

    def __init__(self, names: Names, *, protegidas: bool) -> None:
        super().__init__("cesta:dados:Tabelas", "tabelas")
        opts = pulumi.ResourceOptions(parent=self, protect=protegidas, retain_on_delete=protegidas)
        self.pedidos = aws.dynamodb.Table(
            "pedidos",
            name=names.tabela_pedidos,
            billing_mode="PAY_PER_REQUEST",
            hash_key="pedidoId",
            attributes=[
                {"name": "pedidoId", "type": "S"},
                {"name": "status", "type": "S"},
                {"name": "pendenteDesde", "type": "S"},
                {"name": "verificarEm", "type": "S"},
            ],
            # Sparse: only orders not settled yet have `pendenteDesde`. Never projects the card token.
            global_secondary_indexes=[
                {
                    "name": INDICE_PENDENTES,
                    "hash_key": "status",
                    "range_key": "pendenteDesde",
                    "projection_type": "INCLUDE",
                    "non_key_attributes": ["criadoEm"],
                },
                # Sparse too: closed orders that are looked at once more, until money and stock are seen to be right.
                {
                    "name": INDICE_VERIFICACOES,
                    "hash_key": "status",
                    "range_key": "verificarEm",
                    "projection_type": "KEYS_ONLY",
                },
            ],
            point_in_time_recovery={"enabled": True},
            # The account's own KMS key for DynamoDB, not the service's: each use of it is in CloudTrail.
            server_side_encryption={"enabled": True},
            deletion_protection_enabled=protegidas,
            opts=opts,
        )
        self.estoque = aws.dynamodb.Table(
            "estoque",
            name=names.tabela_estoque,
            billing_mode="PAY_PER_REQUEST",
            hash_key="sku",
            attributes=[{"name": "sku", "type": "S"}],
            point_in_time_recovery={"enabled": True},
            server_side_encryption={"enabled": True},
            deletion_protection_enabled=protegidas,
            opts=opts,
        )
        self.register_outputs({})
