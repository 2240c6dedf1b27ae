// The page of `python -m spacy joint serve`: sends the text, shows the answer, and keeps the text in the address.

import { byId, make, makeScrolling, makeText, showPages } from "./elements.js";
import * as shows from "./sentences.js";
import { makeTree, outline } from "./trees.js";

// The maximum length of a text in an address: what mail and chat programs accept.
const MOST_IN_ADDRESS = 8000;
// The smallest scale at which drawings of constituents are legible.
const SMALLEST = 0.75;
const HINT = "Type or paste a text, drop a file on the field, or choose an example.";

let server = { max_characters: Infinity, pipelines: [] };
let running = new AbortController();
// The request on display, its answer, and explanations of tags and labels.
let shown = null;

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

function report(message, isFailure = false) {
  byId("status").textContent = message;
  byId("status").className = isFailure ? "failed" : "";
}

// Results of another text must not look like those of this one.
function hide(message, isFailure = false) {
  byId("results").hidden = true;
  byId("warnings").replaceChildren();
  report(message, isFailure);
}

async function annotate() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const text = byId("text").value;
  // The server guesses whether a text is a transcript.
  const request = { text, format: null, pipeline: byId("pipelines").value || null };
  setAddress(request);
  if (!text.trim()) {
    hide(HINT);
    return;
  }
  // Counts characters as the server does.
  const length = Array.from(text).length;
  if (length > server.max_characters) {
    hide(`The text has ${length} characters; ${server.max_characters} are allowed.`, true);
    return;
  }
  report("…");
  try {
    const found = await ask("api/annotate", { ...request, phrases: false }, signal);
    show(request, found);
    report(found.sentences === null ? "" : `Sentences: ${found.sentences.length}`);
  } catch (error) {
    if (!signal.aborted) hide(error.message, true);
  }
}

function show(request, found) {
  const explanations = new Map(Object.entries(found.explanations));
  shown = { request, found, explanations, hasPhrases: false };
  // For transcripts, the text that was sent has names and times.
  const characters = Array.from(found.text);
  const hues = shows.listSpeakers(found);
  const marks = shows.listMarks(found, hues);
  describePipeline(found.pipeline);
  byId("warnings").replaceChildren(...found.warnings.map((warning) => make("p", warning)));
  byId("readable").textContent = found.readable;
  byId("quotation-key").hidden = !found.quotations.length;
  byId("confidence-key").hidden = !found.sentences?.some(({ probability }) => probability !== null);
  if (found.sentences === null) {
    const note = "This pipeline finds no sentences: it has no joint_sbd_parser or other component for them.";
    const whole = makeText("p", undefined, "document");
    whole.append(...shows.makePieces(characters, 0, characters.length, marks));
    byId("sentences").replaceChildren(make("p", note, "note"), whole);
    byId("trees").replaceChildren(make("p", note, "note"));
  } else {
    showPages(byId("sentences"), found.sentences, (some, first) => shows.makeSentences(some, first, characters, marks));
    showPages(byId("trees"), found.sentences, makeRows);
  }
  showList("quotations", found.quotations, "None.", (some) => shows.makeQuotations(some, hues));
  byId("explanations").replaceChildren(...Array.from(explanations, makeExplanation));
  byId("glossary").hidden = !explanations.size;
  byId("download-status").textContent = "";
  byId("results").hidden = false;
  if (!byId("more-panel").hidden) showPhrases();
}

function showList(name, items, note, makePage) {
  if (items.length) showPages(byId(name), items, makePage);
  else byId(name).replaceChildren(make("p", note, "note"));
}

function makeExplanation([term, meaning]) {
  const entry = make("div");
  entry.append(make("dt", term), " ", make("dd", meaning));
  return entry;
}

function describePipeline({ name, version, components }) {
  byId("pipeline").textContent = `${name} ${version}: ${Object.keys(components).join(", ")}`;
}

// Rows that show the tree and the words of a sentence when they are opened. The first one is open.
function makeRows(sentences, first) {
  const { request, explanations, found } = shown;
  const rows = make("div");
  rows.append(...sentences.map((sentence, index) => {
    const row = make("details", undefined, "sentence");
    const summary = makeText("summary", sentence.text);
    row.append(summary);
    row.addEventListener("toggle", () => {
      if (!row.open || row.children.length > 1) return;
      if (sentence.tokens.some(({ dep }) => dep)) row.append(makeTree(sentence, isRightToLeft(summary)));
      if (found.pipeline.finds_constituents) row.append(makeConstituents(request, first + index));
      row.append(makeScrolling("Words", shows.makeWords(sentence, explanations)));
    });
    row.open = index === 0;
    return row;
  }));
  return rows;
}

function isRightToLeft(element) {
  return getComputedStyle(element).direction === "rtl";
}

// The constituents, requested when they are opened, and again if that failed.
function makeConstituents(request, sentence) {
  const row = make("details", undefined, "constituents");
  const summary = make("summary", "Constituents");
  row.append(summary);
  row.addEventListener("toggle", async () => {
    if (!row.open || row.querySelector("img, pre")) return;
    row.replaceChildren(summary, make("p", "…"));
    try {
      const { tree } = await ask("api/tree", { ...request, sentence, kind: "constituents" });
      row.lastChild.replaceWith(makeDrawing(tree, row.clientWidth));
    } catch (error) {
      row.lastChild.replaceWith(make("p", error.message, "failed"));
    }
  });
  return row;
}

function makeDrawing(tree, width) {
  const drawing = new DOMParser().parseFromString(tree, "image/svg+xml");
  const brackets = drawing.querySelector("desc").textContent;
  if (drawing.documentElement.getAttribute("width") * SMALLEST > width) return make("pre", outline(brackets));
  const image = make("img");
  image.alt = brackets;
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(tree);
  return image;
}

// Modifiers and hedges, requested when their tab is opened, and again if that failed.
async function showPhrases() {
  const asked = shown;
  if (asked === null || asked.hasPhrases) return;
  asked.hasPhrases = true;
  for (const name of ["modifiers", "hedges"]) byId(name).replaceChildren(make("p", "…", "note"));
  try {
    const { modifiers, hedges, explanations } = await ask("api/annotate", asked.request);
    if (asked !== shown) return;
    const meanings = new Map(Object.entries(explanations));
    const note = "No noun has two or more modifiers before it.";
    showList("modifiers", modifiers ?? [], modifiers ? note : "This pipeline has no prenominal_orderer.", shows.makeModifiers);
    showList("hedges", hedges ?? [], hedges ? "None." : "This pipeline has no hedge_chunker.",
      (some) => shows.makeHedges(some, meanings));
  } catch (error) {
    asked.hasPhrases = false;
    if (asked === shown) byId("modifiers").replaceChildren(make("p", error.message, "failed"));
  }
}

function choose(tab) {
  for (const each of document.querySelectorAll("[role=tab]")) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = !isChosen;
  }
  if (tab.id === "more-tab") showPhrases();
}

// Arrow keys move between tabs.
function moveTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = Array.from(document.querySelectorAll("[role=tab]"));
  const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
  choose(next);
  next.focus();
}

async function download({ to, suffix }) {
  const { request, found } = shown;
  try {
    const content = to ? (await ask("api/write", { ...request, to })).written : JSON.stringify(found, null, 1);
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
    // Allows opening the same file again.
    event.target.value = "";
  });
}

// The address holds the text and the pipeline after its #, which browsers do not send, unless the text is too long.
function setAddress({ text, pipeline }) {
  const kept = { text, ...(pipeline && pipeline !== server.pipelines[0] ? { pipeline } : {}) };
  const fragment = `#${new URLSearchParams(kept)}`;
  const fits = fragment.length <= MOST_IN_ADDRESS;
  history.replaceState(null, "", fits ? fragment : location.pathname);
  byId("too-long").hidden = fits;
}

// Annotates the text in the address, or else the first example.
function restore() {
  const kept = new URLSearchParams(location.hash.slice(1));
  if (server.pipelines.includes(kept.get("pipeline"))) byId("pipelines").value = kept.get("pipeline");
  byId("text").value = kept.get("text") ?? document.querySelector(".example").dataset.text;
  annotate();
}

function listen() {
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    annotate();
  });
  byId("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) annotate();
  });
  byId("pipelines").addEventListener("change", annotate);
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
  for (const button of document.querySelectorAll(".download")) {
    button.addEventListener("click", () => download(button.dataset));
  }
  takeFiles();
  addEventListener("hashchange", restore);
}

async function start() {
  listen();
  choose(byId("text-tab"));
  try {
    server = await ask("api/pipeline");
  } catch (error) {
    hide(error.message, true);
    return;
  }
  describePipeline(server);
  byId("pipelines").replaceChildren(...server.pipelines.map((name) => make("option", name)));
  byId("choice").hidden = server.pipelines.length < 2;
  restore();
}

start();
