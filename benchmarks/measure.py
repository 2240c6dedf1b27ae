"""Shared by all benchmarks: reading and scoring documents, timing, fresh processes, and writing tables (figures.py).

Import this before anything that loads numpy: it limits BLAS to one thread, and BLAS reads this limit only once. The
scripts define what is measured, and against which targets.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["BLIS_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import spacy
import typer
from figures import format_table as format_table
from figures import replace_section as replace_section
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

import spacy_joint
from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.corpora.examples import make_example
from spacy_joint.scoring.boundaries_and_trees import score_boundaries_and_trees
from spacy_joint.scoring.tags import score_tags
from spacy_joint.training.unpunctuated import unpunctuate

PARSER = "joint_sbd_parser"
Output = Annotated[Path | None, typer.Option(help="JSON file to write.")]
Document = Annotated[Path | None, typer.Option(help="Page, README or below docs, in which to replace the section.")]
# Attachment scores count all tokens.
MEASURES = {"tag acc.": "tag_acc", "boundary F1": "boundary_f", "UAS": "dep_uas_punct", "LAS": "dep_las_punct"}


def find_pipeline(name: str) -> Path:
    """Find the directory of a pipeline, by its path or package."""
    return spacy_joint.find_pipeline(name)[1]


def find_split(treebank: Path, split: str) -> Path:
    """The path of one split of a treebank."""
    found = sorted(treebank.glob(f"*-{split}.conllu"))
    if len(found) != 1:
        raise typer.BadParameter(f"{treebank} has {len(found)} files *-{split}.conllu, not one.")
    return found[0]


def load_with_beam(model: str | Path, beam_width: int, component: str = PARSER) -> Language:
    """Load a pipeline of which one component, by default the joint parser, predicts with this beam."""
    return spacy.load(model, config={"components": {component: {"model": {"beam_width": beam_width}}}})


def read_references(path: Path, vocab: Vocab, *, starred: bool = False) -> list[Doc]:
    """Read the documents of a CoNLL-U file; starred: lower-cased and without punctuation."""
    references = list(read_conllu(path, vocab))
    if not starred:
        return references
    variants = (unpunctuate(reference) for reference in references)
    return [variant for variant in variants if variant is not None]


def read_tagged(path: Path, vocab: Vocab) -> list[Doc]:
    """Read the documents of a CoNLL-U file with only their tokens and tags."""
    return [make_example(reference, ["TAG"]).predicted for reference in read_references(path, vocab)]


def score_documents(nlp: Language, references: list[Doc]) -> dict[str, float]:
    """Annotate the tokens of documents, which share the pipeline's vocabulary, and score the predictions."""
    scores = score_all(nlp.pipe, references)
    return {name: scores[key] for name, key in MEASURES.items()}


def score_all(annotate: Callable[[list[Doc]], Iterable[Doc]], references: list[Doc]) -> dict[str, Any]:
    """Score the tags, boundaries and trees of any function that annotates the tokens of documents."""
    predicted = annotate([make_example(reference).predicted for reference in references])
    examples = [Example(doc, reference) for doc, reference in zip(predicted, references, strict=True)]
    return {**score_tags(examples), **score_boundaries_and_trees(examples)}


def count_words(docs: Sequence[Doc]) -> int:
    """Count the tokens of documents."""
    return sum(len(doc) for doc in docs)


def time_annotation(annotate: Callable[[list[Doc]], object], docs: Sequence[Doc]) -> float:
    """Measure the CPU seconds needed to annotate fresh copies of documents in this thread.

    On an idle machine they equal wall-clock time; on a busy one they are less affected.
    """
    copies = [doc.copy() for doc in docs]
    start = time.process_time()
    annotate(copies)
    return time.process_time() - start


def interleave(systems: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Measure systems in turn, so that other load affects all of them alike; return the median of each.

    systems: Functions that measure one system once. The first round is a warm-up.
    """
    times: dict[str, list[float]] = {name: [] for name in systems}
    for number in range(rounds + 1):
        for name, measure in systems.items():
            seconds = measure()
            if number:
                times[name].append(seconds)
    return {name: median(seconds) for name, seconds in times.items()}


def measure_in_fresh_process(measure: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call a function in a new process, so that the peak memory measured there is that of the call alone."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measure, *arguments).result()


def get_peak_memory() -> int:
    """The peak memory of this process, in bytes."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Not from `getrusage`, which on Linux starts at the peak of the parent process.
        found = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(found["VmHWM"].removesuffix("kB")) * 1024
    # Not available on Windows; macOS counts bytes.
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@contextmanager
def draw(path: Path, n_panels: int, width: float, height: float) -> Iterator[Sequence[Any]]:
    """Yield the axes of a row of panels to draw on, and save the figure with reproducible bytes: no date, no random
    names."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = path.stem
    figure, (panels,) = plt.subplots(1, n_panels, figsize=(width, height), layout="constrained", squeeze=False)
    yield panels
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def percent(share: float | None) -> str:
    """A share in percent; "-" if there is none."""
    return "-" if share is None else f"{100 * share:.1f}"


def report(
    text: str, results: Mapping[str, Any], output: Path | None, document: Path | None = None, section: str = ""
) -> None:
    """Print tables; write results to a file, and the tables to a section of a page, if these are given."""
    print(text)
    write_results(results, output)
    replace_section(document, section, f"{text}\n")


def write_results(results: Mapping[str, Any], output: Path | None) -> None:
    """Write results as JSON, if an output file is given."""
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf8")
