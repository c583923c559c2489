// What a person would see wrong with the page as it is shown now: a list of findings, empty when all is well.
() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`rola para o lado: ${root.scrollWidth} > ${root.clientWidth}`);

  const numbers = (color) => (color.match(/[\d.]+/g) || []).map(Number);
  const opaque = (color) => color !== "none" && (numbers(color)[3] ?? 1) > 0;
  const light = (color) => {
    const [r, g, b] = numbers(color).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const inside = (rect, x, y) => x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom;

  const behind = (element, rect) => {
    const svg = element.closest("svg");
    if (svg) {
      const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
      const shapes = [...svg.querySelectorAll("rect, polygon, circle")].filter(
        (shape) => shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING &&
          opaque(getComputedStyle(shape).fill) && inside(shape.getBoundingClientRect(), x, y));
      if (shapes.length) return getComputedStyle(shapes[shapes.length - 1]).fill;
    }
    for (let at = svg || element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (opaque(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || ["title", "desc"].includes(element.localName)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0.5 && rect.height > 0.5);
    if (!rects.length) continue;
    texts.push({ element, said: node.data.trim().slice(0, 40), rects });
  }
  if (texts.length < 20) found.push(`só ${texts.length} textos à vista`);

  for (const { element, said, rects } of texts) {
    const style = getComputedStyle(element);
    const color = element.closest("svg") ? style.fill : style.color;
    const back = behind(element, rects[0]);
    const ratio = contrast(color, back);
    if (!(ratio >= 4.5)) found.push(`contraste ${ratio.toFixed(2)} de ${color} em ${back}: ${said}`);
    if (parseFloat(style.fontSize) < 10) found.push(`letra de ${style.fontSize}: ${said}`);
    for (const rect of rects) {
      if (rect.left < -0.5 || rect.right > root.clientWidth + 0.5) found.push(`fora da tela: ${said}`);
    }
    const box = element.previousElementSibling;
    if (box && box.classList.contains("caixa") && element.localName === "text") {
      const edge = box.getBoundingClientRect();
      if (rects[0].left < edge.left + 2 || rects[0].right > edge.right - 2) found.push(`sai da caixa: ${said}`);
    }
  }

  for (let one = 0; one < texts.length; one++) {
    for (let other = one + 1; other < texts.length; other++) {
      for (const a of texts[one].rects) {
        for (const b of texts[other].rects) {
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          // Lines of text touch by their leading; letters overlap by more.
          if (wide > 1 && tall > Math.min(a.height, b.height) * 0.35) {
            found.push(`um sobre o outro: ${texts[one].said} / ${texts[other].said}`);
          }
        }
      }
    }
  }

  const shown = [...document.querySelectorAll("figure svg")].filter((svg) => svg.checkVisibility());
  if (shown.length !== 1) found.push(`${shown.length} desenhos à vista`);
  for (const svg of shown) {
    const frame = svg.getBoundingClientRect();
    const scale = frame.width / svg.viewBox.baseVal.width;
    if (scale < 0.72) found.push(`desenho encolhido a ${scale.toFixed(2)}`);
    for (const shape of svg.querySelectorAll("rect, polygon, circle, path, text")) {
      const edge = shape.getBoundingClientRect();
      const out = edge.left < frame.left - 1 || edge.right > frame.right + 1;
      if (out || edge.top < frame.top - 1 || edge.bottom > frame.bottom + 1) {
        found.push(`cortado do desenho: ${shape.outerHTML.slice(0, 60)}`);
      }
    }
    // Told by width, whatever the colours.
    const widths = (selector) =>
      [...svg.querySelectorAll(selector)].map((shape) => parseFloat(getComputedStyle(shape).strokeWidth));
    for (const kind of ["path.linha", "g .caixa"]) {
      const went = Math.min(...widths(`${kind}.percorrida`), 99);
      const not = Math.max(...widths(`${kind}.outra`), 0);
      if (went < not * 2) found.push(`${kind}: percorrido ${went}, não percorrido ${not}`);
    }
  }
  return found;
}
