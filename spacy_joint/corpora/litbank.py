"""Direct speech in LitBank's format: tab-separated `NAME.ann` next to `NAME.txt`, with one tokenised sentence per line.

Lines of the annotation are `ATTRIB id speaker` and `QUOTE id sentence token sentence token text`, where both ends are
inclusive and counted from 0. Speakers are characters of the novel, not words of its text, so they become the `kb_id_`
of quotations.
"""

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..annotation.quotations import QUOTATIONS, find_type
from ..errors import Errors, JointFileNotFoundError, JointValueError
from ..files.reading import list_files, read_text

SUFFIX = ".ann"


def read_litbank(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read documents with quotations and, as `kb_id_`, their speakers from an `.ann` file, or those of a directory
    (J101, J102, J140, J142, J403). The sentences and tokens of the file are kept."""
    for file in list_files(path, SUFFIX):
        text_file = file.with_suffix(".txt")
        if not text_file.is_file():
            raise JointFileNotFoundError(Errors.J140, file=file, text=text_file)
        sentences = [line.split() for line in read_text(text_file).removesuffix("\n").split("\n")]
        doc = Doc(
            vocab,
            words=[word for sentence in sentences for word in sentence],
            sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
        )
        first = [0, *accumulate(map(len, sentences))]
        lines = [line.rstrip("\r").split("\t") for line in read_text(file).split("\n")]
        speakers = {line[1]: line[2] for line in lines if line[0] == "ATTRIB" and len(line) > 2}
        spans = []
        for number, line in enumerate(lines, start=1):
            if line[0] == "QUOTE":
                begin, end = _find_run(line, first, file, number)
                label = find_type(doc, begin, end)
                speaker = speakers.get(line[1], "")
                spans.append(Span(doc, begin, end, label=label, kb_id=speaker, span_id=line[1]))
        doc.spans[QUOTATIONS] = sorted(spans, key=lambda span: span.start)
        yield doc


def _find_run(line: list[str], first: list[int], file: Path, number: int) -> tuple[int, int]:
    try:
        begin_sentence, begin, end_sentence, end = map(int, line[2:6])
        run = first[begin_sentence] + begin, first[end_sentence] + end + 1
        if not 0 <= run[0] < run[1] <= first[-1]:
            raise IndexError
    except (IndexError, ValueError) as error:
        found, expected = "\t".join(line), "`QUOTE id sentence token sentence token text` within the text"
        raise JointValueError(Errors.J142, file=file, line=number, found=found, expected=expected) from error
    return run
