"""``docs/pedido.md``, as `make screenshots` last wrote it, shows every end of an order and how to read it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from handlers.domain.status import Status
from infra.packaging import ROOT
from tests.pictures.orders import DOCUMENT, IMAGES
from tests.pictures.scenes import SCENES

if TYPE_CHECKING:
    from tests.pictures.scenes import Scene

pytestmark = pytest.mark.unit

TEXT = DOCUMENT.read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"```\n\$ cesta pedido (\S+)\n(.*?)```", TEXT, re.DOTALL))
FEW_BYTES = 600_000
"""All pictures of orders together: a clone should not carry more."""


def test_every_status_has_its_real_output() -> None:
    assert {status for text in SHOWN.values() for status in re.findall(r"\(([A-Z_]+)\)\n", text)} >= set(Status)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_every_scene_is_told_and_says_how_to_read_it(scene: Scene) -> None:
    assert f"### {scene.title}\n\n{scene.reading}\n" in TEXT
    for line in ("Onde parou:", "Dinheiro:", "Estoque:", "Execução:", "Próximo passo:"):
        assert line in SHOWN[scene.name]


def test_every_reading_speaks_of_the_money() -> None:
    silent = [scene.name for scene in SCENES if not re.search(r"dinheiro|cobrad|cobrança|pagou", scene.reading)]
    assert silent == []


def test_every_picture_is_there_and_they_are_small() -> None:
    pictures = set(re.findall(r"\(img/([^)]+)\)", TEXT))
    assert len(pictures) == sum(scene.pictured for scene in SCENES) + 1
    assert pictures == {path.name for path in IMAGES.glob("pedido-*.png")}
    assert sum((IMAGES / name).stat().st_size for name in pictures) < FEW_BYTES


def test_nothing_of_the_machine_that_wrote_it_is_in_it() -> None:
    assert str(ROOT) not in TEXT
    assert not re.search(r"(?<!\w)/(tmp|home|root)/|arn:aws", TEXT)
