// Dependency trees as SVG that fits a width: words side by side if there is room, else one below the other. Nothing is
// scaled, so labels stay legible.

const [WORD, LABEL] = [15, 12];
// Pixels between words, levels of arcs, and rows; at the edges; of rounded corners; of arrows.
const [GAP, LEVEL, ROW, EDGE, CORNER, ARROW] = [14, 20, 26, 8, 6, 4];
// The largest share of the width for arcs beside the words.
const ARCS = 0.4;
const canvas = document.createElement("canvas").getContext("2d");

function measure(text, size) {
  canvas.font = `${size}px system-ui, sans-serif`;
  return canvas.measureText(text).width;
}

function clip(text, width, size) {
  const characters = Array.from(text);
  let n = characters.length;
  const cut = () => (n === characters.length ? text : characters.slice(0, n).join("") + "…");
  while (n > 1 && measure(cut(), size) > width) n = Math.min(n - 1, Math.ceil(n * 0.9));
  return cut();
}

function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// The arcs of a tree, each above those that it spans.
function listArcs(tokens) {
  const arcs = tokens.filter(({ head }) => head).map(({ id, head, dep }) => (
    { dependent: id - 1, head: head - 1, first: Math.min(id, head) - 1, last: Math.max(id, head) - 1, dep }
  )).sort((one, other) => one.last - one.first - (other.last - other.first));
  const heights = new Array(tokens.length).fill(0);
  for (const arc of arcs) {
    arc.level = 1 + heights.slice(arc.first, arc.last).reduce((most, height) => Math.max(most, height), 0);
    heights.fill(arc.level, arc.first, arc.last);
  }
  return arcs;
}

// The middles of words side by side, with room for the label of each arc, and the width of all.
function placeWords(tokens, arcs) {
  const halves = tokens.map(({ text, tag }) => Math.max(measure(text, WORD), measure(tag, LABEL)) / 2);
  const middles = [];
  let edge = EDGE;
  tokens.forEach((_, place) => {
    const rooms = arcs.filter(({ last }) => last === place).map(
      ({ first, dep }) => middles[first] + measure(dep, LABEL) + 2 * GAP);
    middles.push(Math.max(edge + halves[place], ...rooms));
    edge = middles[place] + halves[place] + GAP;
  });
  return [middles, edge - GAP + EDGE];
}

// A path from a head to its dependent and its arrow, given the positions along the words and those across them.
function drawArc(from, to, base, height, isDown) {
  const step = Math.sign(to - from) * CORNER;
  const point = (along, across) => (isDown ? `${across} ${along}` : `${along} ${across}`);
  const start = from + step * 0.7;
  const arc = [
    "M", point(start, base), "L", point(start, height + CORNER), "Q", point(start, height), point(start + step, height),
    "L", point(to - step, height), "Q", point(to, height), point(to, height + CORNER), "L", point(to, base),
    "M", point(to - ARROW, base - 2 * ARROW), "L", point(to, base), "L", point(to + ARROW, base - 2 * ARROW),
  ];
  return draw("path", { d: arc.join(" ") });
}

function drawAcross(tokens, arcs, middles, width, isReversed) {
  const turn = (x) => (isReversed ? width - x : x);
  const base = arcs.length ? (arcs.at(-1).level + 0.5) * LEVEL : 0;
  const height = base + 2 * WORD + LABEL + EDGE;
  const svg = draw("svg", { width, height, "text-anchor": "middle" });
  for (const { dependent, head, dep, level } of arcs) {
    const [from, to, across] = [turn(middles[head]), turn(middles[dependent]), base - level * LEVEL];
    svg.append(drawArc(from, to, base, across, false));
    svg.append(draw("text", { x: (from + to) / 2, y: across + ARROW, class: "label" }, dep));
  }
  tokens.forEach(({ text, tag }, place) => {
    const x = turn(middles[place]);
    svg.append(draw("text", { x, y: base + WORD + 3, class: "word" }, text));
    svg.append(draw("text", { x, y: base + 2 * WORD + 6, class: "tag" }, tag));
  });
  return svg;
}

function drawDown(tokens, arcs, width) {
  const n = Math.max(1, ...arcs.map(({ level }) => level));
  const step = Math.min(LEVEL * 0.7, (ARCS * width) / n);
  const base = (n + 0.5) * step;
  const svg = draw("svg", { width, height: tokens.length * ROW + EDGE });
  const middle = (place) => (place + 0.5) * ROW;
  for (const { dependent, head, level } of arcs) {
    svg.append(drawArc(middle(head), middle(dependent), base, base - level * step, true));
  }
  const labels = Math.max(...tokens.map(({ dep }) => measure(dep, LABEL)));
  const start = base + labels + 2 * EDGE;
  tokens.forEach(({ text, tag, dep }, place) => {
    const y = middle(place) + ARROW + 1;
    const word = clip(text, width - start - EDGE, WORD);
    const end = start + measure(word, WORD) + EDGE;
    svg.append(draw("text", { x: base + EDGE, y, class: "label" }, dep), draw("text", { x: start, y, class: "word" }, word));
    if (end + measure(tag, LABEL) < width) svg.append(draw("text", { x: end, y, class: "tag" }, tag));
  });
  return svg;
}

function describe(tokens) {
  return "Heads: " + tokens.map(({ text, head, dep }) =>
    `${text} ← ${head ? tokens[head - 1].text : "root"} (${dep})`).join(", ");
}

// The tree of a sentence, drawn again when the width changes.
export function makeTree({ tokens }, isReversed) {
  const frame = document.createElement("div");
  frame.className = "tree";
  const arcs = listArcs(tokens);
  let drawnWidth = 0;
  const fit = () => {
    const width = Math.floor(frame.clientWidth);
    if (!width || width === drawnWidth) return;
    drawnWidth = width;
    const [middles, needed] = placeWords(tokens, arcs);
    const svg = needed <= width ? drawAcross(tokens, arcs, middles, needed, isReversed) : drawDown(tokens, arcs, width);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", describe(tokens));
    frame.replaceChildren(svg);
  };
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(frame);
  return frame;
}

// Constituents in lines, where a drawing does not fit: a phrase, and indented below it, its parts.
export function outline(brackets) {
  const lines = [];
  let depth = 0;
  for (const [part] of brackets.matchAll(/\(\S+ [^()]*\)|\(\S+|\)/g)) {
    if (part === ")") {
      depth -= 1;
      continue;
    }
    lines.push("  ".repeat(depth) + part.replace(/^\(|\)$/g, ""));
    if (!part.endsWith(")")) depth += 1;
  }
  return lines.join("\n");
}
