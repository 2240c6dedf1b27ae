"""Targets for corpus readers: bytes become files, which must be read or refused.

For formats with two files, one input has text and annotation, separated by DIVIDER, so that both are mutated together.
"""

import zlib
from collections import deque
from collections.abc import Callable
from functools import cache, lru_cache, partial
from io import StringIO
from itertools import count, islice
from math import log
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.charts.cyk import ChartParser
from spacy_joint.charts.grammar import Grammar
from spacy_joint.corpora.brat import read_brat
from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.constituency_treebanks import FORMATS as TREE_FORMATS
from spacy_joint.corpora.constituency_treebanks import read_tree_documents, read_treebank
from spacy_joint.corpora.docbin import create_docbin_corpus
from spacy_joint.corpora.litbank import read_litbank
from spacy_joint.corpora.quotations import JACKKNIFED, create_quotation_corpus
from spacy_joint.corpora.tagged import read_tagged
from spacy_joint.errors import JointError
from spacy_joint.files.reading import read_lines
from spacy_joint.ordering.phrases import read_phrases
from spacy_joint.transcripts import FORMATS, make_doc
from spacy_joint.transcripts import read as read_transcript

from ..corpora.conftest import DOGS, as_conllu
from ..corpora.test_conllu_multiword import GERMAN
from ..corpora.test_constituency_treebanks import TREES
from ..corpora.test_tree_formats import ALPINO, NEGRA, QUESTION

DIVIDER = b"\x00\x00"

BRAT_TEXT = 'The company blamed a broken pump.\n\n"It is always the pump," Olaf Berg joked.\n'
BRAT = """T1\tSource 0 11\tThe company
T2\tCue 12 18\tblamed
T3\tContent 19 25;26 32\ta broken pump
E1\tAttribution:T2 Content:T3 Cue:T2 Source:T1
T4\tContent 35 59\t"It is always the pump,"
E2\tAttribution:T4 Content2:T4
#1\tAnnotatorNotes T1\tsure
"""
LITBANK_TEXT = "` ` Wait ! ''\nsaid Nora , who had seen it .\n“ Why ? ” he asked .\n"
LITBANK = (
    "QUOTE\tQ1\t0\t0\t0\t4\t` ` Wait ! ''\nATTRIB\tQ1\tnora-1\nQUOTE\tQ2\t2\t0\t2\t3\t“ Why ? ”\nATTRIB\tQ2\thim-2\n"
)
TAGGED = "The/at Fulton/np-tl County's/np$ jury/nn said/vbd ``/`` 1\\/2/cd\n\nno/rb ?/.\n"
PHRASES = '[["big", "JJ"], ["red", "JJ"], ["ball", "NN"]]\n[["old", ""], ["30-year", "CD"], null]\n'
GRAMMAR = """pcfg 1
root R
binary 2
A -> A B 0.25
R -> A B 0.5
unary 2
A -> B 0.25
B -> A 0.5
words 2
a A 0.25 B 0.125
b B 0.125
rare 1
b
classes 1
: 2 A 0.125 B 0.0625
end
"""
TEXT = "“We will rebuild the big red bridge,” said Kim.\n\nbut i don't know where it went  he added\t:-)\n"
TRANSCRIPTS = (
    ">> ANNA [00:01]: so we\nleft\n\nBen (laughs): no: why?\n",
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<i>ANNA: so</i>\r\n\r\n"
    "2\r\n00:00:02,500 --> 00:01:00,000\r\n- no\r\n- why\r\n",
    "WEBVTT\n\nNOTE so\n\n1\n00:01.000 --> 00:02.000 align:start\n<v Anna>so <00:01.500>we &amp;</v>\n♪ la\n",
    '{"segments": [{"start": 0, "end": 1.5, "text": " So we", "speaker": "A", "words": '
    '[{"word": " So", "start": 0.1, "end": 0.5}]}]}',
    '{"transcription": [{"offsets": {"from": 0, "to": 900}, "text": " So", "tokens": [{"text": " So", "offsets": '
    '{"from": 0, "to": 900}}], "speaker_turn_next": true}]}',
)


def _blank() -> Language:
    """A pipeline whose vocabulary is renewed only now and then: creating one takes longer than reading a small file."""
    return _make_blank(next(_uses) // 1000)


_uses = count()


@lru_cache(maxsize=1)
def _make_blank(_: int) -> Language:
    return spacy.blank("en")


def _make_docbin() -> bytes:
    """An uncompressed DocBin, because mutations of compressed data would only test zlib."""
    vocab = Vocab()
    words = ["he", "said", "we", "won", "\n", "go", "on"]
    doc = Doc(
        vocab,
        words=words,
        tags=["PRP", "VBD", "PRP", "VBD", "_SP", "VB", "RP"],
        pos=["PRON", "VERB", "PRON", "VERB", "SPACE", "VERB", "ADP"],
        heads=[1, 1, 3, 1, 3, 5, 5],
        deps=["nsubj", "ROOT", "nsubj", "ccomp", "dep", "ROOT", "prt"],
        lemmas=words,
        morphs=["Number=Sing", "", "", "", "", "", ""],
    )
    doc.spans["quotations"] = [Span(doc, 2, 4, label="INDIRECT", span_id="Q1")]
    doc.spans["cues"] = doc.spans[JACKKNIFED] = [Span(doc, 1, 2, label="CUE")]
    other = Doc(vocab, words=["yes"], tags=["UH"])
    other.spans[JACKKNIFED] = []
    return zlib.decompress(DocBin(docs=[doc, other], store_user_data=True).to_bytes())


_exhaust = deque(maxlen=0).extend


def _write(content: bytes, path: Path) -> Path:
    path.write_bytes(content)
    return path


def read_as_conllu(content: bytes, directory: Path) -> None:
    path = _write(content, directory / "fuzzed.conllu")
    refused = None
    for documents in ("newdoc", "sent_id", 1):
        try:
            _exhaust(read_conllu(path, _blank().vocab, documents=documents))
        except ValueError as error:
            # One way of splitting documents may read what another refuses.
            refused = error
            if not str(error).startswith("[J"):
                raise
    if refused:
        raise refused


def read_as_trees(suffix: str, content: bytes, directory: Path) -> None:
    """Read a constituency treebank, and write it in all formats."""
    path = _write(content, directory / f"fuzzed{suffix}")
    _exhaust(read_tree_documents(path, _blank().vocab, sentences=2, traces="cross"))
    trees = list(read_treebank(path, traces="cross"))
    for name, known in TREE_FORMATS.items():
        written = StringIO()
        try:
            known.write(trees, written)
        except JointError:
            continue
        again = list(known.read(_write(written.getvalue().encode("utf8"), directory / "written")))
        assert len(again) == len(trees), name


def read_as_brat(content: bytes, directory: Path) -> None:
    text, _, annotation = content.partition(DIVIDER)
    _write(text, directory / "fuzzed.txt")
    _exhaust(read_brat(_write(annotation, directory / "fuzzed.ann"), _blank().make_doc))


def read_as_litbank(content: bytes, directory: Path) -> None:
    text, _, annotation = content.partition(DIVIDER)
    _write(text, directory / "fuzzed.txt")
    _exhaust(read_litbank(_write(annotation, directory / "fuzzed.ann"), _blank().vocab))


def read_as_tagged(content: bytes, directory: Path) -> None:
    _exhaust(read_tagged(_write(content, directory / "fuzzed.tagged")))


def read_as_phrases(content: bytes, directory: Path) -> None:
    _exhaust(read_phrases(_write(content, directory / "fuzzed.jsonl")))


def read_as_grammar(content: bytes, directory: Path) -> None:
    """Read a grammar, and parse a known word, and another one, with it."""
    grammar = Grammar.from_text(content.decode("utf8", errors="replace"))
    words = [*islice(grammar.lexicon.words, 2), "zqx"]
    tags = [[(tag, log(share)) for tag, share in grammar.lexicon.find_tags(word).items()] for word in words]
    parser = ChartParser(grammar)
    for n in range(1, len(tags) + 1):
        score, nodes, _ = parser.parse(tags[:n])
        assert score > -float("inf") or not nodes
    assert Grammar.from_text(grammar.to_text()).to_text() == grammar.to_text()


def read_as_corpus(make: Callable[[Path], Any], content: bytes, directory: Path) -> None:
    # Compressed or not: see `_make_docbin`.
    if content[:1] != b"\x78":
        content = zlib.compress(content, 1)
    _exhaust(make(_write(content, directory / "fuzzed.spacy"))(_blank()))


@cache
def _load() -> Language:
    nlp = spacy_joint.load(beam_width=2)
    nlp.add_pipe("quotation_spans")
    nlp.enable_pipe("prenominal_orderer")
    return nlp


def annotate_text(content: bytes, directory: Path) -> None:
    """Process a file like `spacy joint annotate` and `quotes`."""
    nlp = _load()
    with nlp.memory_zone(), _write(content, directory / "fuzzed.txt").open("rb") as file:
        doc = nlp("".join(read_lines(file, "fuzzed.txt")))
        assert all(token.head in sentence for sentence in doc.sents for token in sentence)
        doc.to_bytes()


def read_as_transcript(content: bytes, directory: Path) -> None:
    """Read a file in each format, one of which must accept it."""
    path = _write(content, directory / "fuzzed.txt")
    refusals = []
    formats = [format for format in FORMATS if format != "text"]
    for format in formats:
        try:
            transcript = read_transcript(path, format)
        except JointError as error:
            refusals.append(error)
            continue
        assert all(0 <= start < len(transcript.text) for start in transcript.sentence_starts)
        make_doc(_blank(), transcript)
    if len(refusals) == len(formats):
        raise refusals[-1]


READERS: dict[str, tuple[Callable[[bytes, Path], None], Callable[[], list[bytes]]]] = {
    "conllu": (read_as_conllu, lambda: [as_conllu(f"{GERMAN}\n{DOGS}").encode("utf8")]),
    "brackets": (partial(read_as_trees, ".ptb"), lambda: [TREES.encode("utf8")]),
    "discbrackets": (partial(read_as_trees, ".discbracket"), lambda: [QUESTION.encode("utf8")]),
    "negra": (partial(read_as_trees, ".export"), lambda: [NEGRA.encode("utf8")]),
    "alpino": (partial(read_as_trees, ".xml"), lambda: [ALPINO.encode("latin-1")]),
    "brat": (read_as_brat, lambda: [DIVIDER.join((BRAT_TEXT.encode("utf8"), BRAT.encode("utf8")))]),
    "litbank": (read_as_litbank, lambda: [DIVIDER.join((LITBANK_TEXT.encode("utf8"), LITBANK.encode("utf8")))]),
    "tagged": (read_as_tagged, lambda: [TAGGED.encode("utf8"), "Ärger/nn".encode("latin-1")]),
    "phrases": (read_as_phrases, lambda: [PHRASES.encode("utf8")]),
    "grammar": (read_as_grammar, lambda: [GRAMMAR.encode("utf8")]),
    "transcript": (read_as_transcript, lambda: [text.encode("utf8") for text in TRANSCRIPTS]),
    "text": (annotate_text, lambda: [TEXT.encode("utf8")]),
    "docbin": (
        partial(read_as_corpus, partial(create_docbin_corpus, keep=["TAG"])),
        lambda: [_make_docbin(), zlib.compress(_make_docbin())],
    ),
    "quotations": (
        partial(read_as_corpus, partial(create_quotation_corpus, cues=JACKKNIFED)),
        lambda: [_make_docbin()],
    ),
}
