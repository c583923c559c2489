"""The order page's style sheet. Nothing is said by colour alone; light, dark, forced colours, paper, narrow screens."""

from __future__ import annotations

from typing import Final

__all__ = ["PAGE_STYLE"]

PAGE_STYLE: Final = """
  :root {
    color-scheme: light dark;
    --fundo: #ffffff; --papel: #f6f8fa; --linha: #d1d9e0; --forte: #24292f; --texto: #1f2328; --suave: #59636e;
    --bem: #116329; --atencao: #8a4600; --perigo: #b3141f; --sobre: #ffffff;
  }
  @media screen and (prefers-color-scheme: dark) {
    :root {
      --fundo: #0d1117; --papel: #161b22; --linha: #3d444d; --forte: #d1d7e0; --texto: #e6edf3; --suave: #9198a1;
      --bem: #5fd17c; --atencao: #ffb26b; --perigo: #ff9492; --sobre: #0d1117;
    }
  }
  * { box-sizing: border-box; }
  body {
    margin: 0; background: var(--fundo); color: var(--texto); overflow-wrap: anywhere;
    font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  }
  header, main, footer { max-width: 1360px; margin: 0 auto; padding: 0 24px; }
  header { padding-top: 24px; }
  h1, h2, p, dl, dd, ol, ul, figure { margin: 0; padding: 0; }
  h1 { font-size: 30px; line-height: 1.2; }
  h2 { font-size: 18px; margin-bottom: 12px; }
  code, .hora { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .86em; }
  .sobre, .suave { color: var(--suave); font-size: 14px; }
  .onde { margin-top: 6px; font-size: 18px; }
  .acao {
    display: inline-block; margin-bottom: 8px; padding: 3px 12px; border: 2px solid; border-radius: 4px;
    font-weight: 700; font-size: 14px; letter-spacing: .02em; text-transform: uppercase;
  }
  .nada { color: var(--bem); } .esperar, .acompanhar { color: var(--atencao); border-style: dashed; }
  .decidir { color: var(--sobre); background: var(--perigo); border-color: var(--perigo); }
  .fatos { display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr)); gap: 16px; margin: 24px 0 16px; }
  .fatos > div { padding: 14px 16px; background: var(--papel); border: 1px solid var(--linha); border-radius: 8px; }
  dt { color: var(--suave); font-size: 13px; font-weight: 600; }
  dd { font-size: 17px; line-height: 1.4; }
  dd .suave { display: block; }
  .passo-seguinte { padding: 14px 16px; border: 2px solid var(--forte); border-radius: 8px; margin-bottom: 28px; }
  .passo-seguinte h2 { margin-bottom: 4px; }
  .comando {
    display: block; margin-top: 8px; padding: 8px 12px; background: var(--papel); border: 1px solid var(--linha);
    border-radius: 6px; white-space: pre-wrap;
  }
  .colunas { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 32px; align-items: start; }
  figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
  figure text, .rolagem text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
  figcaption { margin-top: 8px; }
  .estreito { display: none; }
  .tempo { list-style: none; }
  .tempo li {
    display: grid; grid-template-columns: 5.2em minmax(0, 1fr); column-gap: 14px; padding: 7px 0 7px 12px;
    border-left: 3px solid var(--linha);
  }
  .tempo .dia { display: block; padding: 10px 0 4px 12px; font-weight: 700; }
  .tempo .falhou, .tempo .interrompido { border-left: 6px double var(--perigo); padding-left: 9px; }
  .tempo .esperando, .tempo .andamento { border-left: 6px solid var(--forte); padding-left: 9px; }
  .tempo .pessoa { background: var(--papel); }
  .hora { color: var(--suave); padding-top: 2px; }
  .resultado { font-size: 13px; font-weight: 700; padding: 0 6px; border: 1px solid; border-radius: 3px; }
  .falhou .resultado, .interrompido .resultado { color: var(--perigo); }
  .concluido .resultado { color: var(--bem); border-color: transparent; padding: 0; }
  .esperando .resultado, .andamento .resultado {
    color: var(--sobre); background: var(--forte); border-color: var(--forte);
  }
  .quem { margin-top: 32px; }
  table { border-collapse: collapse; width: 100%; }
  th { text-align: left; font-size: 13px; color: var(--suave); }
  th, td { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--linha); vertical-align: top; }
  details { margin-top: 20px; }
  summary { cursor: pointer; font-weight: 600; }
  .rolagem { overflow-x: auto; margin-top: 12px; }
  .rolagem svg { max-width: none; }
  footer { padding-top: 28px; padding-bottom: 28px; }
  :focus-visible { outline: 3px solid var(--forte); outline-offset: 2px; }
  @media (max-width: 1080px) { .colunas { grid-template-columns: minmax(0, 1fr); } }
  @media (max-width: 720px) {
    header, main, footer { padding-left: 16px; padding-right: 16px; }
    h1 { font-size: 25px; }
    .largo { display: none; } .estreito { display: block; }
    .quem thead { display: none; }
    .quem tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--linha); }
    .quem td { display: block; padding: 0; border: 0; }
  }
  @media (forced-colors: active) {
    .acao { border-color: currentColor; } .decidir { border-width: 4px; } .concluido .resultado { border: 0; }
    .tempo li { border-left-color: CanvasText; }
  }
  @media print {
    body { font-size: 12px; } .largo { display: none; } .estreito { display: block; } details { display: none; }
    .colunas { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 16px; }
    li, tr, .fatos > div, .passo-seguinte { break-inside: avoid; }
  }
"""
