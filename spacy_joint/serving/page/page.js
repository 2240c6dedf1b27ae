// The page of `python -m spacy joint serve`: sends the text and shows the response. All output is set as text or as the
// address of an image, never as HTML.
"use strict";

const byId = (id) => document.getElementById(id);
let limit = Infinity;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

// A table, or a note if there are no rows. A cell is a string, or a string and a class.
function makeTable(header, rows, empty) {
  if (!rows.length) return make("p", empty, "note");
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
    for (const cell of row) line.append(make("td", ...[cell].flat()));
  }
  return table;
}

function makeTree(sentence) {
  const figure = make("figure");
  figure.append(make("figcaption", sentence.text));
  if (sentence.tree !== null) {
    const image = make("img");
    image.alt = "Heads: " + sentence.tokens.map((token) =>
      `${token.text} ← ${token.head ? sentence.tokens[token.head - 1].text : "root"} (${token.dep})`).join(", ");
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(sentence.tree);
    const frame = make("div", undefined, "tree");
    // Makes wide trees scrollable by keyboard.
    frame.tabIndex = 0;
    frame.append(image);
    figure.append(frame);
  }
  return figure;
}

function show(found) {
  const sentences = found.sentences === null
    ? [make("p", "This pipeline finds no sentences: it has no joint_sbd_parser or other component for them.", "note")]
    : found.sentences.map(makeTree);
  byId("sentences").replaceChildren(...sentences);
  byId("quotations").replaceChildren(makeTable(
    ["Type", "Quotation", "Cue", "Speaker"],
    found.quotations.map((quotation) => [
      quotation.type,
      quotation.contents.map((content) => content.text).join(" … "),
      quotation.cue ? quotation.cue.text : "",
      quotation.speaker ? quotation.speaker.text : "",
    ]),
    "None.",
  ));
  byId("modifiers").replaceChildren(found.modifiers === null
    ? make("p", "This pipeline has no prenominal_orderer.", "note")
    : makeTable(
      ["Phrase", "Order", "Best order", "Margin"],
      found.modifiers.map((phrase) => [
        phrase.text,
        phrase.label === "ODD" ? ["odd", "odd"] : "fine",
        phrase.best,
        phrase.margin.toFixed(2),
      ]),
      "No noun has two or more modifiers before it.",
    ));
  byId("hedges").replaceChildren(found.hedges === null
    ? make("p", "This pipeline has no hedge_chunker, and none is shipped. Use a pipeline that you have trained: " +
        "python -m spacy joint serve PIPELINE.", "note")
    : makeTable(
      ["Label", "Hedge", "Structure"],
      found.hedges.map((hedge) => [hedge.label, hedge.text, hedge.structure]),
      "None.",
    ));
  byId("results").hidden = false;
}

function report(message, failed) {
  byId("status").textContent = message;
  byId("status").className = failed ? "failed" : "";
}

async function ask(address, options) {
  const answer = await fetch(address, options);
  const isJson = (answer.headers.get("content-type") || "").startsWith("application/json");
  const body = isJson ? await answer.json() : { detail: await answer.text() };
  if (!answer.ok) throw new Error(body.detail);
  return body;
}

async function annotate(event) {
  event.preventDefault();
  const text = byId("text").value;
  // Counts characters as the server does.
  const length = Array.from(text).length;
  if (length > limit) {
    report(`The text has ${length} characters; ${limit} are allowed.`, true);
    return;
  }
  const button = byId("form").querySelector("button[type=submit]");
  button.disabled = true;
  report("…", false);
  try {
    show(await ask("api/annotate", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text }),
    }));
    report("", false);
  } catch (error) {
    report(error.message, true);
  } finally {
    button.disabled = false;
  }
}

async function start() {
  byId("form").addEventListener("submit", annotate);
  for (const example of document.querySelectorAll(".example")) {
    example.addEventListener("click", () => {
      byId("text").value = example.dataset.text;
      byId("form").requestSubmit();
    });
  }
  try {
    const pipeline = await ask("api/pipeline");
    limit = pipeline.max_characters;
    byId("pipeline").textContent =
      `${pipeline.name} ${pipeline.version}: ${Object.keys(pipeline.components).join(", ")}; up to ${limit} characters`;
  } catch (error) {
    report(error.message, true);
  }
}

start();
