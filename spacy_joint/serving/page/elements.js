// Elements of the page. Text is set as text, never as HTML.

// Items on a page of a long list.
const PAGE = 50;

export const byId = (id) => document.getElementById(id);

export function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

// Text in its own direction.
export function makeText(tag, text, className) {
  const element = make(tag, text, className);
  element.dir = "auto";
  return element;
}

// A table. A cell is a string or an element.
export function makeTable(header, rows) {
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const title of header) {
    const cell = make("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const cell of row) {
      const place = line.insertCell();
      place.dir = "auto";
      place.append(cell);
    }
  }
  return table;
}

// A tag or a label, explained on hovering.
export function makeTerm(term, explanations) {
  if (!explanations.has(term)) return term;
  const element = make("abbr", term);
  element.title = explanations.get(term);
  return element;
}

// A box that can be scrolled, also by keyboard.
export function makeScrolling(name, content) {
  const box = make("div", undefined, "scrolling");
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  box.append(content);
  return box;
}

// Shows items in a box, a page at a time. `makePage` makes an element of some items and the number of the first one.
export function showPages(box, items, makePage) {
  const place = make("span");
  place.setAttribute("role", "status");
  const [back, on] = ["Previous", "Next"].map((name) => make("button", name, "quiet"));
  const content = make("div");
  const turn = (first) => {
    const end = Math.min(first + PAGE, items.length);
    place.textContent = `${first + 1}–${end} of ${items.length}`;
    [back.disabled, on.disabled] = [first === 0, end === items.length];
    back.onclick = () => turn(first - PAGE);
    on.onclick = () => turn(end);
    content.replaceChildren(makePage(items.slice(first, end), first));
  };
  turn(0);
  const pages = make("nav", undefined, "pages");
  pages.setAttribute("aria-label", "Pages");
  pages.append(back, place, on);
  box.replaceChildren(...(items.length > PAGE ? [pages] : []), content);
}
