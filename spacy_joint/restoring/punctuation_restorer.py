"""`punctuation_restorer`: restores punctuation and capitals after a parser, as a spaCy component.

Each word gets a case and a mark after it, from left to right (system.pxd). Sentences are those of the parser: they
begin with capitals, and full stops, question marks and exclamation marks occur only at their ends. Features see neither
marks nor capitals, so the component can learn from punctuated text. By default, it keeps the marks and capitals that a
text has.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import SPACY
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.restored import (
    ELLIPSIS,
    FINAL,
    INSIDE,
    MARKS,
    MarkedWord,
    attach_mark,
    find_mark,
    is_punctuation,
    list_marked,
    list_texts,
    read_restored,
    write_restored,
)
from ..engine.columns import Columns
from ..engine.learner import Instance
from ..errors import Errors, JointValueError
from ..pipes.abbreviations import read_titles
from ..pipes.arrays import find_runs, preceding
from ..pipes.marks import count_breaks, has_capital
from ..pipes.structured_pipe import StructuredPipe
from ..pipes.token_columns import (
    COLUMNS,
    MIN_CAPITALS,
    MIN_TITLE_CASE,
    MIN_UNPUNCTUATED,
    find_whitespace,
    has_same_tokens,
)
from ..pipes.tree_columns import TREE_COLUMNS
from ..transcripts.words import find_sounds
from .cases import CAPITALISED, CAPITALS, CASES, OTHER, apply_case, capitalise, find_case, find_spelled
from .restoring_columns import PHRASE_COLUMNS, RestoringColumns, WordTree, read_word_tree
from .system import ENDS, KEEPS_CASE, KEEPS_MARK, RestoringSystem

# The keys of the labels: marks, and words with a special spelling that occur at least MIN_COUNT times.
MARKS_KEY, FORMS_KEY = "marks", "forms"
MIN_COUNT = 3
# Markers of items, such as a) and iv.
MARKER = re.compile(r"(?:[a-z]|[ivx]+) ?[.)] ")
# Columns that depend on case, marks or layout, which unpunctuated text lacks.
NOT_READ = ("form", "shape", "style", "glued", "before")


class Restoration(NamedTuple):
    """The words of a text: for each, its case and the mark after it (None: the text is kept), whether it ends a
    sentence, and whether it is part of a sound, such as [MUSIC]."""

    words: list[MarkedWord]
    cases: list[str | None]
    marks: list[str | None]
    ends: list[bool]
    sounds: list[bool]


class PunctuationRestorer(StructuredPipe[Restoration]):
    """Restores marks and capitals."""

    default_templates = Path(__file__).parent / "templates.txt"
    columns = (*(name for name in COLUMNS if name not in NOT_READ), *TREE_COLUMNS, *PHRASE_COLUMNS)
    columns_class = RestoringColumns

    # Labels.

    def collect_labels(self, examples: Iterable[Example]) -> dict[str, list[str]]:
        """Collects the marks of the references, and the most frequent special spelling of each word."""
        marks: set[str] = set()
        cases: dict[str, Counter[str]] = {}
        for example in examples:
            for word in list_marked(example.reference, read_restored(list(example.reference))):
                marks.add(word.mark)
                if find_case(word.text) == OTHER:
                    cases.setdefault(word.text.lower(), Counter())[word.text] += 1
        forms = [max(sorted(counts), key=counts.__getitem__) for counts in cases.values()]
        kept = sorted(form for form in forms if cases[form.lower()][form] >= MIN_COUNT)
        return {MARKS_KEY: sorted(marks & MARKS), FORMS_KEY: kept}

    def flatten_labels(self, labels: dict[str, list[str]]) -> tuple[str, ...]:
        """Joins marks and forms."""
        return (*labels[MARKS_KEY], *labels[FORMS_KEY])

    def extend_labels(self, labels: dict[str, list[str]] | None, added: Sequence[str]) -> dict[str, list[str]]:
        """Adds labels: marks, or words with special capitals, such as iPhone. Raises J070 for other punctuation."""
        extended = {key: [*(labels or {}).get(key, [])] for key in (MARKS_KEY, FORMS_KEY)}
        for label in added:
            if is_punctuation(label) and label not in MARKS:
                raise JointValueError(Errors.J070, name=self.name, label=label)
            extended[MARKS_KEY if label in MARKS else FORMS_KEY].append(label)
        return {key: sorted(set(values)) for key, values in extended.items()}

    def make_system(self, labels: dict[str, list[str]]) -> RestoringSystem:
        """Makes the system with these marks."""
        final = [mark for mark in labels[MARKS_KEY] if mark in FINAL]
        return RestoringSystem(CASES, ["", *(mark for mark in labels[MARKS_KEY] if mark not in FINAL)], final)

    def _set_up(self, labels: Any, templates: str) -> None:
        super()._set_up(labels, templates)
        self._forms = {form.lower(): form for form in labels[FORMS_KEY]}
        system = self.perceptron.system
        biases = dict.fromkeys(filter(None, system.inside), self.cfg["mark_bias"])
        biases |= dict.fromkeys("?？؟", self.cfg["question_bias"])
        marks = enumerate((*system.inside, *system.final), start=len(system.cases))
        self.perceptron.biases = {action: biases[mark] for action, mark in marks if mark in biases}

    # Words.

    def _read_words(self, doc: Doc) -> tuple[np.ndarray, np.ndarray, WordTree, np.ndarray]:
        """Reads the values of the columns, the tokens that are words, and their trees; and constraints: ENDS for words
        that end sentences, KEEPS_MARK for words without a space before the next word."""
        values, tokens = self.get_values(doc)
        tree = read_word_tree(doc, tokens)
        ends = tree.ends
        spaces = (doc.to_array([SPACY]).reshape(len(doc)) != 0) | find_whitespace(doc)
        before = np.append(0, np.cumsum(spaces))
        is_attached = ~ends & (np.diff(before[tokens], append=-1) == 0)
        return values, tokens, tree, np.where(ends, ENDS, np.where(is_attached, KEEPS_MARK, 0)).astype(np.int8)

    def _make_columns(self, values: np.ndarray, tree: WordTree, constraints: np.ndarray) -> Columns:
        info = tree.roots.astype(np.int32)[:, None]
        return Columns(self.perceptron.templates.columns, values, constraints, info)

    # Prediction.

    def predict_doc(self, doc: Doc) -> Restoration:
        """Predicts the cases and marks of a document."""
        values, tokens, tree, constraints = self._read_words(doc)
        ends = constraints == ENDS
        words = list_marked(doc, list_texts(doc))
        if not self.cfg["overwrite"]:
            constraints = constraints | _find_given(words, ends, _find_lines(doc, tokens, ends))
        sounds = find_sounds(doc)[tokens]
        constraints[sounds] |= KEEPS_CASE | KEEPS_MARK
        actions = self.perceptron.predict(self._make_columns(values, tree, constraints))
        cases, marks = self.perceptron.system.build(constraints, actions)
        return Restoration(words, cases, marks, ends.tolist(), sounds.tolist())

    def annotate(self, doc: Doc, prediction: Restoration) -> None:
        """Writes `token._.restored`."""
        texts = list_texts(doc)
        restored = list(texts)
        ends = [*(word.token for word in prediction.words[1:]), len(doc)]
        begins, is_title, titles = True, False, read_titles(doc.lang_)
        spelled = find_spelled([word.text for word in prediction.words]) if doc.lang_ == "en" else repeat(False)
        for word, case, mark, is_end, is_sound, end, is_spelled in zip(*prediction, ends, spelled, strict=False):
            index, text, given_mark = word
            # mr. low, but not mr. and mrs. low
            begins_name = is_title and not doc[index].is_stop
            # Tokenizers may divide titles that are not written as usual: PROF. LOW, prof. low.
            is_title = case is not None and not is_end and f"{text.capitalize()}{given_mark}" in titles
            if case is not None:
                text = apply_case(CAPITALS if is_spelled else case, text.lower(), self._forms)
            opens = begins and not MARKER.match(" ".join((*texts[index : index + 2], "")))
            is_capital = (opens or is_title or begins_name) and not is_sound
            restored[index] = capitalise(text) if is_capital and text == text.lower() else text
            begins = is_end and given_mark not in INSIDE
            if mark is None:
                continue
            given = [token for token in range(index + 1, end) if find_mark(texts[token])]
            for token in given:
                restored[token] = ""
            if given:
                restored[given[0]] = mark
            elif mark:
                # The mark goes after attached tokens, such as closing brackets.
                while index + 1 < end and not doc[index].whitespace_ and not texts[index + 1].isspace():
                    index += 1
                restored[index] = attach_mark(restored[index], mark)
        write_restored(doc, restored)

    # Training.

    def make_instances(self, example: Example) -> list[Instance]:
        """Makes an instance of the known and legal cases and marks of the reference; none without any."""
        reference = list_marked(example.reference, read_restored(list(example.reference)))
        if not any(word.mark or word.text != word.text.lower() for word in reference):
            return []
        values, tokens, tree, constraints = self._read_words(example.predicted)
        system = self.perceptron.system
        texts, marks = _align(example, tokens, reference)
        cases = [None if text is None else find_case(text) for text in texts]
        for index, (text, case, mark) in enumerate(zip(texts, cases, marks, strict=True)):
            if text is None or (case == OTHER and self._forms.get(text.lower()) != text):
                constraints[index] |= KEEPS_CASE
            if mark not in (system.final if constraints[index] & ENDS else system.inside):
                constraints[index] |= KEEPS_MARK
        actions = system.actions(constraints, cases, marks)
        return [Instance(self._make_columns(values, tree, constraints), actions)] if len(actions) else []


def _find_lines(doc: Doc, tokens: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Finds the last words of sentences that are whole lines of several (bool)."""
    has_break = np.array(["\n" in text for text in list_texts(doc)], dtype=bool)
    begins_line = count_breaks(has_break, tokens) > 0
    begins_line[:1] = True
    first = np.maximum.accumulate(np.where(preceding(ends), np.arange(len(ends)), 0))
    return ends & begins_line[first] & np.append(begins_line[1:], True) & has_break.any()


def _find_given(words: Sequence[MarkedWord], ends: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Finds the decisions that the text gives (int8 per word, see `RestoringSystem`): marks; in punctuated stretches,
    also the absence of marks within sentences; cases, except in stretches that are all in lower case, in capitals or in
    title case; and where both are given, the absence of marks after `lines`, such as headings."""
    texts = [word.text for word in words]
    # Symbols get no mark after a mark, nor at the beginning of a sentence.
    marked, is_over = [], True
    for (_, text, mark), is_end in zip(words, ends.tolist(), strict=True):
        is_over = mark in FINAL or mark == ELLIPSIS or (is_over and not any(map(str.isalnum, text)))
        marked.append(bool(mark) or is_over)
        is_over |= is_end
    has_mark = np.array(marked, dtype=bool)
    is_unmarked, _ = find_runs(has_mark, MIN_UNPUNCTUATED)
    # Numbers and symbols have no case.
    is_cased = np.array([any(map(str.isalpha, text)) for text in texts], dtype=bool)
    texts = [text for text, has_letters in zip(texts, is_cased.tolist(), strict=True) if has_letters]
    are_capitalised = np.array(list(map(has_capital, texts)), dtype=bool)
    has_lower = np.array([text.isalpha() and not text.isupper() for text in texts], dtype=bool)
    begins_lower = np.array([text.isalpha() and text[0].islower() for text in texts], dtype=bool)
    begins_upper = np.array([text[0].isupper() and text != "I" for text in texts], dtype=bool)
    # Long sentences of edited text are not in lower case.
    _, first, of_sentence = np.unique((np.cumsum(ends) - ends)[is_cased], return_index=True, return_inverse=True)
    in_lower = find_runs(are_capitalised, MIN_TITLE_CASE)[0] & ~begins_upper[first][of_sentence]
    in_capitals, _ = find_runs(has_lower, MIN_CAPITALS)
    in_title, _ = find_runs(begins_lower, MIN_TITLE_CASE, whole=False)
    changes_case = np.append(False, in_lower | in_capitals | in_title)
    # Words without letters join the word before, or the first one.
    keeps_case = ~changes_case[np.maximum(np.cumsum(is_cased), min(len(texts), 1))]
    keeps_mark = has_mark | (~is_unmarked & (~ends | (lines & keeps_case)))
    return (KEEPS_MARK * keeps_mark + KEEPS_CASE * keeps_case).astype(np.int8)


def _align(
    example: Example, tokens: np.ndarray, reference: Sequence[MarkedWord]
) -> tuple[list[str | None], list[str | None]]:
    """Finds the words of the reference for predicted tokens, and the marks after them; None where they are unknown. The
    case of a capitalised word at the beginning of a sentence is unknown, too."""
    texts: dict[int | None, str] = {}
    marks: dict[int | None, str] = {}
    begins = True
    for word in reference:
        if not (begins and find_case(word.text) == CAPITALISED):
            texts[word.token] = word.text
        marks[word.token] = word.mark
        begins = word.mark in FINAL
    indices: list[int | None] = tokens.tolist()
    if not has_same_tokens(example):
        to_reference, to_predicted = example.alignment.x2y, example.alignment.y2x
        found = [to_reference[token].tolist() for token in tokens.tolist()]
        indices = [index[0] if len(index) == 1 == len(to_predicted[index[0]]) else None for index in found]
    return [texts.get(index) for index in indices], [marks.get(index) for index in indices]
