// The page of `python -m spacy joint serve`: sends the text and shows the response. All output is set as text or as the
// address of an image, never as HTML.
"use strict";

const byId = (id) => document.getElementById(id);
let limit = Infinity;
let findsConstituents = false;
let running = new AbortController();
// What is shown: the request and its answer.
let shown = null;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

// A table. A cell is a string or an element.
function makeTable(header, rows) {
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
    for (const cell of row) line.insertCell().append(cell);
  }
  return table;
}

// A tag or a label, explained on hovering.
function makeTerm(term, explanations) {
  if (!explanations.has(term)) return term;
  const element = make("abbr", term);
  element.title = explanations.get(term);
  return element;
}

// What is highlighted: places in the text with a kind, and what to tell on hovering.
function listMarks(found) {
  const marks = [];
  for (const { contents, cue, speaker } of found.quotations) {
    for (const content of contents) marks.push({ ...content, kind: "quotation", title: `${content.type} quotation` });
    if (cue) marks.push({ ...cue, kind: "cue", title: "cue of a quotation" });
    if (speaker) marks.push({ ...speaker, kind: "speaker", title: "speaker of a quotation" });
  }
  for (const hedge of found.hedges ?? []) {
    marks.push({ ...hedge, kind: "hedge", title: found.explanations.get(hedge.label) ?? hedge.label });
  }
  return marks;
}

// A part of the text in pieces, cut where a mark begins or ends, since marks may overlap.
function makePieces(characters, start, end, marks) {
  const inside = marks.filter((mark) => mark.start < end && mark.end > start);
  const places = [start, end, ...inside.flatMap((mark) => [mark.start, mark.end])];
  const cuts = [...new Set(places)].filter((cut) => start <= cut && cut <= end).sort((a, b) => a - b);
  return cuts.slice(1).map((next, index) => {
    const cut = cuts[index];
    const text = characters.slice(cut, next).join("");
    const over = inside.filter((mark) => mark.start <= cut && next <= mark.end);
    if (!over.length) return text;
    const piece = make("mark", text, over.map((mark) => mark.kind).join(" "));
    piece.title = over.map((mark) => mark.title).join("; ");
    const hedges = over.filter((mark) => mark.kind === "hedge");
    piece.classList.toggle("first", hedges.some((mark) => mark.start === cut));
    piece.classList.toggle("last", hedges.some((mark) => mark.end === next));
    return piece;
  });
}

// The words of a sentence, without the columns that the pipeline leaves empty.
function makeWords(sentence, explanations) {
  const columns = [
    ["", "id"],
    ["Word", "text"],
    ["Lemma", "lemma"],
    ["Tag", "tag"],
    ["Part of speech", "pos"],
    ["Morphology", "morph"],
    ["Label", "dep"],
    ["Head", "head"],
  ].filter(([, key]) => sentence.tokens.some((token) => token[key]));
  const makeCell = (token, key) => {
    if (key === "head") return token.head ? `${token.head} ${sentence.tokens[token.head - 1].text}` : "";
    return ["tag", "pos", "dep"].includes(key) ? makeTerm(token[key], explanations) : String(token[key]);
  };
  return makeTable(
    columns.map(([title]) => title),
    sentence.tokens.map((token) => columns.map(([, key]) => makeCell(token, key))),
  );
}

function describeHeads(sentence) {
  return "Heads: " + sentence.tokens.map((token) =>
    `${token.text} ← ${token.head ? sentence.tokens[token.head - 1].text : "root"} (${token.dep})`).join(", ");
}

function describeConstituents(tree) {
  return new DOMParser().parseFromString(tree, "image/svg+xml").querySelector("desc").textContent;
}

function makeTree(sentence, tree, kind) {
  const image = make("img");
  image.alt = kind === "constituents" ? describeConstituents(tree) : describeHeads(sentence);
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(tree);
  return image;
}

// A box that can be scrolled, also by keyboard.
function makeScrolling(name, className, ...content) {
  const box = make("div", undefined, `scrolling ${className}`);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  box.append(...content);
  return box;
}

async function drawTree(frame, text, sentence, number, kind) {
  try {
    const { tree } = await ask("api/tree", { ...makeRequest(text), sentence: number, kind });
    frame.replaceChildren(makeTree(sentence, tree, kind));
  } catch (error) {
    frame.replaceChildren(make("p", error.message, "failed"));
  }
}

function makeDrawing(name, text, sentence, number, kind) {
  const frame = makeScrolling(name, "tree", "…");
  drawTree(frame, text, sentence, number, kind);
  return frame;
}

// The constituents, which are found and drawn when they are opened, and again if that failed.
function makeConstituents(text, sentence, number) {
  const row = make("details", undefined, "constituents");
  const summary = make("summary", "Constituents");
  row.append(summary);
  row.addEventListener("toggle", () => {
    if (!row.open || row.querySelector("img")) return;
    row.replaceChildren(summary, makeDrawing("Constituents", text, sentence, number, "constituents"));
  });
  return row;
}

// A row that shows the words and asks for the tree when it is opened, and again if that failed.
function makeSentence(text, sentence, number, pieces, explanations) {
  const row = make("details", undefined, "sentence");
  const summary = make("summary");
  summary.append(...pieces);
  row.append(summary);
  row.addEventListener("toggle", () => {
    if (!row.open || row.querySelector("img")) return;
    row.replaceChildren(summary);
    if (sentence.tokens.some((token) => token.dep)) {
      row.append(makeDrawing("Tree", text, sentence, number, "dependencies"));
    }
    if (findsConstituents) row.append(makeConstituents(text, sentence, number));
    row.append(makeScrolling("Words", "words", makeWords(sentence, explanations)));
  });
  return row;
}

// The server guesses whether a text is a transcript.
function makeRequest(text) {
  return { text, format: null };
}

function makeText(text, found) {
  // Of transcripts, what was sent has names and times.
  const characters = Array.from(found.text);
  const marks = listMarks(found);
  if (found.sentences === null) {
    const whole = make("p", undefined, "document");
    whole.append(...makePieces(characters, 0, characters.length, marks));
    const note = "This pipeline finds no sentences: it has no joint_sbd_parser or other component for them.";
    return [make("p", note, "note"), whole];
  }
  return found.sentences.map((sentence, number) => makeSentence(
    text, sentence, number, makePieces(characters, sentence.start, sentence.end, marks), found.explanations));
}

// A table, or a note if there are no rows.
function makeTableOrNote(header, rows, note) {
  return rows.length ? makeTable(header, rows) : make("p", note, "note");
}

function makeQuotations({ quotations }) {
  return makeTableOrNote(
    ["Type", "Quotation", "Cue", "Speaker"],
    quotations.map(({ type, contents, cue, speaker }) => [
      type, contents.map((content) => content.text).join(" … "), cue?.text ?? "", speaker?.text ?? "",
    ]),
    "None.",
  );
}

function makeModifiers({ modifiers }) {
  if (modifiers === null) return make("p", "This pipeline has no prenominal_orderer.", "note");
  return makeTableOrNote(
    ["Phrase", "Order", "Best order", "Margin"],
    modifiers.map(({ text, label, best, margin }) => [
      text, label === "ODD" ? make("span", "odd", "odd") : "fine", best, margin.toFixed(2),
    ]),
    "No noun has two or more modifiers before it.",
  );
}

function makeHedges({ hedges, explanations }) {
  if (hedges === null) return make("p", "This pipeline has no hedge_chunker.", "note");
  return makeTableOrNote(
    ["Label", "Hedge", "Structure"],
    hedges.map(({ label, text, structure }) => [makeTerm(label, explanations), text, structure]),
    "None.",
  );
}

function makeExplanation([term, meaning]) {
  const entry = make("div");
  entry.append(make("dt", term), " ", make("dd", meaning));
  return entry;
}

function show(text, found) {
  const rows = makeText(text, found);
  byId("sentences").replaceChildren(...rows);
  if (found.sentences?.length) rows[0].open = true;
  byId("quotations").replaceChildren(makeQuotations(found));
  byId("modifiers").replaceChildren(makeModifiers(found));
  byId("hedges").replaceChildren(makeHedges(found));
  byId("explanations").replaceChildren(...Array.from(found.explanations, makeExplanation));
  byId("glossary").hidden = !found.explanations.size;
  byId("hedge-key").hidden = found.hedges === null;
  byId("link").href = "#" + new URLSearchParams({ text });
  shown = { text, found, isWritten: false };
  byId("written").replaceChildren();
  byId("download-status").textContent = "";
  if (!byId("text-panel").hidden) showWritten();
  byId("results").hidden = false;
}

function report(message, failed) {
  byId("status").textContent = message;
  byId("status").className = failed ? "failed" : "";
}

// Results of another text must not look like those of this one.
function fail(message) {
  byId("results").hidden = true;
  report(message, true);
}

async function ask(address, request, signal) {
  const post = request && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  };
  let answer, content;
  try {
    answer = await fetch(address, { ...post, signal });
    content = await answer.json();
  } catch {
    throw new Error("The server does not answer. Start it again, or try again later.");
  }
  if (!answer.ok) throw new Error(content.detail);
  return content;
}

async function annotate() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const text = byId("text").value;
  // Counts characters as the server does.
  const length = Array.from(text).length;
  if (length > limit) {
    fail(`The text has ${length} characters; ${limit} are allowed.`);
    return;
  }
  report("…", false);
  try {
    const found = await ask("api/annotate", makeRequest(text), signal);
    found.explanations = new Map(Object.entries(found.explanations));
    show(text, found);
    report(found.sentences === null ? "" : `Sentences: ${found.sentences.length}`, false);
  } catch (error) {
    if (!signal.aborted) fail(error.message);
  }
}

// The readable text, which is asked for when its tab is opened, and again if that failed.
async function showWritten() {
  const asked = shown;
  if (asked === null || asked.isWritten) return;
  asked.isWritten = true;
  let text, className = "written";
  byId("written").textContent = "…";
  try {
    text = (await ask("api/write", { ...makeRequest(asked.text), to: "text" })).written;
  } catch (error) {
    text = error.message;
    className += " failed";
    asked.isWritten = false;
  }
  if (asked !== shown) return;
  byId("written").textContent = text;
  byId("written").className = className;
}

function choose(tab) {
  for (const each of document.querySelectorAll("[role=tab]")) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = !isChosen;
  }
  if (tab.id === "text-tab") showWritten();
}

// Tabs are moved between by arrows.
function moveTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = Array.from(document.querySelectorAll("[role=tab]"));
  const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
  choose(next);
  next.focus();
}

async function download({ to, suffix }) {
  const { text, found } = shown;
  try {
    const content = to
      ? (await ask("api/write", { ...makeRequest(text), to })).written
      : JSON.stringify({ ...found, explanations: Object.fromEntries(found.explanations) }, null, 1);
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
    link.download = `transcript.${suffix}`;
    link.click();
    URL.revokeObjectURL(link.href);
    byId("download-status").textContent = "";
  } catch (error) {
    byId("download-status").textContent = error.message;
  }
}

async function openFile(file) {
  if (!file) return;
  byId("text").value = await file.text();
  annotate();
}

// A file that is dropped on the text replaces it.
function takeFiles() {
  const field = byId("text");
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  field.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    field.classList.add("dropping");
  });
  field.addEventListener("dragleave", () => field.classList.remove("dropping"));
  field.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    field.classList.remove("dropping");
    openFile(event.dataTransfer.files[0]);
  });
  byId("file").addEventListener("change", (event) => {
    openFile(event.target.files[0]);
    // So that the same file can be opened again.
    event.target.value = "";
  });
}

// Annotates the text in the address, which `Link to this text` put there.
function restore() {
  const text = new URLSearchParams(location.hash.slice(1)).get("text");
  if (text === null || text === byId("text").value) return;
  byId("text").value = text;
  annotate();
}

async function start() {
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    annotate();
  });
  byId("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) annotate();
  });
  for (const example of document.querySelectorAll(".example")) {
    example.addEventListener("click", () => {
      byId("text").value = example.dataset.text;
      annotate();
    });
  }
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", moveTab);
  }
  choose(byId("sentences-tab"));
  for (const button of document.querySelectorAll(".download")) {
    button.addEventListener("click", () => download(button.dataset));
  }
  takeFiles();
  addEventListener("hashchange", restore);
  restore();
  try {
    const pipeline = await ask("api/pipeline");
    limit = pipeline.max_characters;
    findsConstituents = pipeline.finds_constituents;
    byId("pipeline").textContent =
      `${pipeline.name} ${pipeline.version}: ${Object.keys(pipeline.components).join(", ")}; up to ${limit} characters`;
  } catch (error) {
    fail(error.message);
  }
}

start();
