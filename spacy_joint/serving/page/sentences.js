// Results as elements: sentences with their quotations, words, and tables.

import { make, makeTable, makeTerm, makeText } from "./elements.js";

// Colours are the same for quotations with the same name.
const nameSpeaker = ({ character, speaker }) => character ?? speaker?.text ?? "";
// Degrees between the hues of speakers: they never repeat, and neighbours differ most.
const GOLDEN_ANGLE = 137.5;

// Speakers of quotations and their hues, in the order in which they are first quoted.
export function listSpeakers({ quotations }) {
  const names = [...new Set(quotations.map(nameSpeaker))].filter(Boolean);
  return new Map(names.map((name, index) => [name, Math.round(index * GOLDEN_ANGLE + 45) % 360]));
}

function colour(element, hue) {
  if (hue !== undefined) element.style.setProperty("--hue", hue);
  element.classList.toggle("spoken", hue !== undefined);
  return element;
}

// Highlights: places in the text with a kind, a hue, and a tooltip.
export function listMarks(found, hues) {
  return found.quotations.flatMap((quotation) => {
    const hue = hues.get(nameSpeaker(quotation));
    const place = (part, kind, title) => (part ? [{ start: part.start, end: part.end, kind, title, hue }] : []);
    return [
      ...quotation.contents.flatMap((content) => place(content, "quotation", `${content.type} quotation`)),
      ...place(quotation.cue, "cue", "cue of a quotation"),
      ...place(quotation.speaker, "speaker", "speaker of a quotation"),
    ];
  });
}

// A part of the text in pieces, cut where a mark begins or ends, since marks may overlap.
export function makePieces(characters, start, end, marks) {
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
    return colour(piece, over[0].hue);
  });
}

function formatTime(seconds) {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  return `${minutes}:${String(rest).padStart(2, "0")}`;
}

// The speaker and the time of a sentence of a transcript.
function makeSpeech({ speaker, start_time: time }) {
  const known = [speaker, time === null ? null : formatTime(time)].filter(Boolean);
  return known.length ? [makeText("span", known.join(" · "), "speech"), " "] : [];
}

// The probability that a sentence starts here.
function makeConfidence({ probability }) {
  if (probability === null) return [];
  const share = `${Math.round(100 * probability)}%`;
  const element = make("span", share, "confidence");
  element.title = `A sentence starts here with a probability of ${share}`;
  element.style.setProperty("--share", share);
  return [element];
}

export function makeSentences(sentences, first, characters, marks) {
  const list = make("ol", undefined, "sentences");
  list.start = first + 1;
  list.append(...sentences.map((sentence) => {
    const item = make("li");
    const text = makeText("div");
    text.append(...makeSpeech(sentence), ...makePieces(characters, sentence.start, sentence.end, marks));
    item.append(text, ...makeConfidence(sentence));
    return item;
  }));
  return list;
}

// The words of a sentence, without the columns that the pipeline leaves empty.
export function makeWords(sentence, explanations) {
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

export function makeQuotations(quotations, hues) {
  return makeTable(
    ["Speaker", "Quotation", "Cue", "Type"],
    quotations.map((quotation) => {
      const said = quotation.contents.map((content) => content.text).join(" … ");
      const [name, words] = [nameSpeaker(quotation), said].map(
        (text) => colour(make("mark", text, "quotation"), hues.get(nameSpeaker(quotation))));
      return [name, words, quotation.cue?.text ?? "", quotation.type];
    }),
  );
}

export function makeModifiers(modifiers) {
  return makeTable(
    ["Phrase", "Order", "Best order", "Margin"],
    modifiers.map(({ text, label, best, margin }) => [
      text, label === "ODD" ? make("span", "odd", "odd") : "fine", best, margin.toFixed(2),
    ]),
  );
}

export function makeHedges(hedges, explanations) {
  return makeTable(
    ["Label", "Hedge", "Structure"],
    hedges.map(({ label, text, structure }) => [makeTerm(label, explanations), text, structure]),
  );
}
