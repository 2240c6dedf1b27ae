"""What test_calls.py calls: tiny trained pipelines, odd documents, and what a fresh process says of them."""

import os
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, ORTH, POS, SENT_START, SPACY, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_joint.annotation.constituents import set_trees
from spacy_joint.annotation.custom_columns import GUIDE_COLUMNS, GUIDE_LABEL, name_span_columns
from spacy_joint.corpora.conllu import create_conllu_corpus
from spacy_joint.trees.constituency_trees import read_trees

from ..guiding.learning import make_tok2vec
from .saved import make_quoted

ASSETS = Path(__file__).parents[2] / "assets"
MODEL = {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 10, "min_changes": 1, "n_tables": 1}
BEAM = {"model": {**MODEL, "beam_width": 2}}
TOK2VEC = make_tok2vec(16, 50, width=16, depth=1)
EDGES: dict[str, Any] = {"edges": [0.0, 1.0]}
GUIDED = {"columns": {**dict.fromkeys(GUIDE_COLUMNS, EDGES), GUIDE_LABEL: {}}}
# Components by name, in the order in which pipelines have some of them.
COMPONENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "guide": ("parser_guide", {"model": {"@architectures": "spacy_joint.ParserGuide.v1", "tok2vec": TOK2VEC}}),
    "span_guide": ("span_guide", {"model": {"@architectures": "spacy_joint.SpanGuide.v1", "tok2vec": TOK2VEC}}),
    "tagger": ("sequence_tagger", BEAM),
    "starts": ("sequence_tagger", {**BEAM, "attribute": "POS", "order": 1, "sentence_starts": True}),
    "parser": ("joint_sbd_parser", {**BEAM, "boundary_margins": True}),
    "late_parser": ("joint_sbd_parser", {**BEAM, "sb_position": "late", "unpunctuated_bias": 1.0}),
    "guided_parser": ("joint_sbd_parser", {**BEAM, **GUIDED}),
    "morphologizer": ("sequence_morphologizer", BEAM),
    "lemmatizer": ("sequence_lemmatizer", BEAM),
    "segmenter": ("hedge_segmenter", BEAM),
    "split_chunker": ("hedge_chunker", {**BEAM, "joint": False, "groups": True}),
    "chunker": ("hedge_chunker", BEAM),
    "gap_parser": ("constituency_parser", BEAM),
    "swap_parser": ("constituency_parser", {**BEAM, "system": "swap"}),
    "chart_parser": ("chart_parser", {"split_cycles": 1, "width": 4, "cut_long": True}),
    "orderer": (
        "prenominal_orderer",
        {"model": {"@architectures": "spacy_joint.OrderPerceptron.v1", "table_bits": 8, "n_tables": 1}},
    ),
    "rules": ("quotation_spans", {"spans_key": "chain_quotations"}),
    "cues": ("quotation_cues", BEAM),
    "spans": ("quotation_spans", {**BEAM, "method": "semimarkov"}),
    "guided_spans": (
        "quotation_spans",
        {**BEAM, "method": "greedy", "columns": dict.fromkeys(name_span_columns("quotations"), EDGES)},
    ),
    "expander": ("multiword_expander", {}),
}
# The combinations of components that are tested. There are few, since each needs the oracle.
N_PIPELINES = 60
TEXTS = (
    *("", "a", " ", "\n\n", " \t\n ", "  hello", "\nhello there how   are you \n\n i am fine thanks\n\n"),
    *("zqxj \U0001f600 ñandú 你好 \u200b x\u0301", "I think so. Do you, too?", "DID YOU GET IT", "((((((((((((((("),
    'Kim said : " the big red ball was sold " . she left', "„Nein“, sagte sie, »so nicht«. ‘Why?’ he asked.",
    "yeah just got back from the market did you get the big old red tickets", "don't can't gonna 1,000.50 e-mail u.s.",
    "The old man said that the small black dog slept. “It was raining,” she added, “and cold.” Then they left.",
)  # fmt: skip
ATTRIBUTES = [ORTH, SPACY, TAG, POS, MORPH, LEMMA, DEP, HEAD, SENT_START]
CODE = r"\[([JE]\d+)\]"
# Exact values, and those that depend on the size of a batch in their last digits; or the code of an error.
Result = tuple[list[Any], list[float]] | str


def make_examples(nlp: Language, seed: int = 0) -> list[Example]:
    """A few documents with all annotation."""
    examples = list(
        create_conllu_corpus(ASSETS / "tiny_train.conllu", keep=["TAG", "POS", "DEP", "HEAD"], limit=3)(nlp)
    )
    trees = read_trees(ASSETS / "tiny_train.ptb")
    for example in examples:
        set_trees(example.reference, islice(trees, len(list(example.reference.sents))))
    quoted = make_quoted(nlp.vocab)
    quoted.set_ents([])
    words, tags, deps = zip(*((token.text, token.tag_, token.dep_) for token in quoted), strict=True)
    heads = [token.head.i for token in quoted]
    predicted = Doc(nlp.vocab, words=list(words), tags=list(tags), deps=list(deps), heads=heads)
    return [*examples, Example(predicted, quoted)][seed % 2 :]


def make_library(path: Path) -> None:
    """Writes a pipeline of all components, trained a little."""
    library = spacy.blank("en")
    for name, (factory, config) in COMPONENTS.items():
        nlp = spacy.blank("en")
        nlp.add_pipe(factory, name=name, config=config)
        fix_random_seed(0)
        examples = make_examples(nlp)
        for example in examples:
            if name == "split_chunker":
                library.get_pipe("segmenter")(example.predicted)
            if "guided" in name:
                example.predicted._.token_columns = {
                    column: [
                        token.shape_ if column == GUIDE_LABEL else len(token) % 3 - 1 for token in example.predicted
                    ]
                    for column in nlp.get_pipe(name).custom_columns.names
                }
        nlp.initialize(lambda examples=examples: examples)
        for _ in range(3):
            nlp.update(examples)
        library.add_pipe(name, source=nlp)
    library.to_disk(path)


def load(library: Path, names: tuple[str, ...], threads: int = 1) -> Language:
    """A pipeline of some components."""
    config = {f"components.{name}.model.threads": threads for name in names if "beam_width" in str(COMPONENTS[name][1])}
    return spacy.load(library, exclude=[name for name in COMPONENTS if name not in names], config=config)


def _join(doc: Doc) -> Doc:
    return Doc.from_docs([doc, Doc(doc.vocab, words=["two", "red", "Big", "balls", "."])])


def _merge(doc: Doc) -> Doc:
    if len(doc) > 2:
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[:2])
            if len(doc[-1]) > 1:
                retokenizer.split(doc[-1], [doc[-1].text[:1], doc[-1].text[1:]], heads=[(doc[-1], 1), doc[-1]])
    return doc


def _copy(doc: Doc, vocab: Vocab | None = None, **annotation: Any) -> Doc:
    words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab if vocab is None else vocab, **{"words": words, "spaces": spaces, **annotation})


# Ways to change the document of a text.
FORMS: tuple[Callable[[Doc], Doc], ...] = (
    lambda doc: doc,
    lambda doc: _copy(doc, Vocab()),
    lambda doc: _copy(doc, spaces=[token.i % 2 == 0 for token in doc]),
    lambda doc: _copy(doc, tags=["NN" if token.i % 2 else "odd" for token in doc]),
    lambda doc: _copy(doc, heads=[max(token.i - 1, 0) for token in doc], deps=["dep" for _ in doc]),
    lambda doc: _copy(doc, sent_starts=[(True, None, False)[token.i % 3] for token in doc]),
    _join,
    lambda doc: doc[len(doc) // 3 :].as_doc(),
    _merge,
)
N_INPUTS = len(TEXTS) * len(FORMS)
# The inputs of another vocab.
FOREIGN = range(len(TEXTS), 2 * len(TEXTS))


def make_input(nlp: Language, number: int) -> Doc:
    """The document of a number below N_INPUTS."""
    return FORMS[number // len(TEXTS)](nlp.make_doc(TEXTS[number % len(TEXTS)]))


def get_code(error: BaseException) -> str:
    """The code of an error; errors without a code are raised."""
    if found := re.match(CODE, str(error)):
        return found[1]
    raise error


def flatten(value: Any, exact: list[Any], floats: list[float]) -> None:
    """Adds a value of any type, with spans as their places."""
    if isinstance(value, float | np.floating):
        floats.append(float(value))
    elif isinstance(value, dict):
        flatten(sorted(value.items(), key=repr), exact, floats)
    elif isinstance(value, np.ndarray):
        flatten(value.tolist(), exact, floats)
    elif isinstance(value, Span):
        exact.append((value.start, value.end, value.label, value.id, value.kb_id))
    elif isinstance(value, str | int | bytes | None):
        exact.append(value)
    elif hasattr(value, "__iter__"):
        exact.append("(")
        for part in value:
            flatten(part, exact, floats)
    else:
        flatten(vars(value), exact, floats)


def describe(doc: Doc) -> Result:
    """All annotation of a document."""
    exact: list[Any] = [
        (name, *row) for name, row in zip(ATTRIBUTES, doc.to_array(ATTRIBUTES).T.tolist(), strict=False)
    ]
    floats: list[float] = []
    for key in sorted(doc.spans):
        flatten([key, list(doc.spans[key]), doc.spans[key].attrs], exact, floats)
    flatten(doc.user_data, exact, floats)
    return exact, floats


def attempt(call: Callable[[], Doc]) -> Result:
    """The annotation of a document, or the code of an error."""
    try:
        return describe(call())
    except Exception as error:
        return get_code(error)


def are_same(one: Result, other: Result) -> bool:
    if not isinstance(one, tuple) or not isinstance(other, tuple):
        return one == other
    if one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    # Nearly all are equal, and `allclose` is slow.
    return one[1] == other[1] or np.allclose(one[1], other[1], atol=1e-3, equal_nan=True)


def in_fork(call: Callable[[], Any]) -> Any:
    """The result of a call in a forked process."""
    receive, send = os.pipe()
    if not (child := os.fork()):
        try:
            with os.fdopen(send, "wb") as file:
                pickle.dump(call(), file)
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as file:
        content = file.read()
    os.waitpid(child, 0)
    return pickle.loads(content)


class Oracle:
    """What fresh processes say, which is kept in a directory."""

    def __init__(self, directory: Path) -> None:
        self.library, self.directory = directory / "library", directory
        make_library(self.library)
        self.get = cache(self._get)

    def _get(self, names: tuple[str, ...]) -> list[Result]:
        path = self.directory / f"{'-'.join(names)}.pickle"
        if not path.exists():
            command = [sys.executable, "-m", "tests.fuzz.pipelines", self.library.absolute(), path.absolute(), *names]
            subprocess.run(command, check=True, cwd=ASSETS.parent)
        return pickle.loads(path.read_bytes())


def annotate_afresh(library: Path, names: tuple[str, ...]) -> list[Result]:
    """The results of a pipeline for all inputs, each in a new process."""
    warnings.simplefilter("ignore")
    nlp = load(library, names)
    return [in_fork(lambda number=number: attempt(lambda: nlp(make_input(nlp, number)))) for number in range(N_INPUTS)]


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(pickle.dumps(annotate_afresh(Path(sys.argv[1]), tuple(sys.argv[3:]))))
