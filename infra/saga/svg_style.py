"""The style sheet of the pictures: for a document of its own, or for a page that holds several."""

from __future__ import annotations

from typing import Final

__all__ = ["FORCED", "STYLE"]

STYLE: Final = """
  svg { color-scheme: light dark; }
  .fundo { fill: #ffffff; } .caixa { fill: #f6f8fa; stroke: #24292f; stroke-width: 1.4; }
  .pessoa { fill: #eef1f4; stroke-width: 2.6; } .fim { fill: #24292f; stroke: #24292f; }
  text { fill: #1f2328; font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-anchor: middle; }
  .rotulo { font-size: 10.5px; } .lenda { text-anchor: start; }
  .linha { fill: none; stroke: #24292f; stroke-width: 1.5; } .ponta { fill: #24292f; stroke: none; }
  .forward { stroke-width: 3.6; } .failure { stroke-dasharray: 6 4; } .answer { stroke-dasharray: 10 3 2 3; }
  .marca { fill: none; stroke: #f2a65a; stroke-width: 11; stroke-linecap: round; opacity: .65; }
  .passo { fill: #b35300; } .numero { fill: #ffffff; font-weight: bold; font-size: 11px; }
  .linha.percorrida { stroke-width: 4; } .linha.outra { stroke: #8c959f; stroke-width: 1.2; }
  .failure.percorrida { stroke-dasharray: 9 5; } .ponta.outra, .fim.outra { fill: #8c959f; stroke: none; }
  .caixa.percorrida { stroke-width: 3; } .caixa.outra { fill: #ffffff; stroke: #8c959f; stroke-width: 1.2; }
  text.outra { fill: #59636e; } text.percorrida { font-weight: bold; }
  .caixa.aqui { fill: #24292f; stroke: #24292f; stroke-width: 4; } text.aqui { fill: #ffffff; }
  @media screen and (prefers-color-scheme: dark) {
    .fundo { fill: #0d1117; } .caixa { fill: #161b22; stroke: #d1d7e0; } .pessoa { fill: #21262d; }
    .fim { fill: #d1d7e0; stroke: #d1d7e0; } .ponta { fill: #d1d7e0; } .linha { stroke: #d1d7e0; }
    text { fill: #e6edf3; } .marca { stroke: #9e5a1c; } .passo { fill: #ffb26b; } .numero { fill: #0d1117; }
    .linha.outra { stroke: #656c76; } .ponta.outra, .fim.outra { fill: #656c76; }
    .caixa.outra { fill: #0d1117; stroke: #656c76; } text.outra { fill: #9198a1; }
    .caixa.aqui { fill: #e6edf3; stroke: #e6edf3; } text.aqui { fill: #0d1117; }
  }
"""

FORCED: Final = """
  @media (forced-colors: active) {
    svg { forced-color-adjust: none; } .fundo, .caixa, .caixa.outra, .pessoa { fill: Canvas; stroke: CanvasText; }
    .fundo { stroke: none; } text, text.outra, .rotulo { fill: CanvasText; }
    .linha, .linha.outra { stroke: CanvasText; }
    .ponta, .fim, .ponta.outra, .fim.outra { fill: CanvasText; } .passo, .caixa.aqui { fill: Highlight; }
    .numero, text.aqui { fill: HighlightText; }
  }
"""
"""For readers who have set their own few colours: the system's, and everything still told by width and number."""
