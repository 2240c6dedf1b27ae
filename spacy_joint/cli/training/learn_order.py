"""`learn-order`: train a `prenominal_orderer` on treebanks and on any text that a pipeline can tag."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from wasabi import msg

from ...about import __version__
from ...errors import Errors, JointValueError
from ...files.atomic import atomic_write, atomic_write_directory, check_directory
from ...files.resources import read_word_classes
from ...files.steps import digest, digest_directory, digest_json
from ...ordering.phrases import Phrase, has_repeats, read_phrases, write_phrases
from ..options import ModelOption, SeedOption, show_progress

COMPONENT = "prenominal_orderer"


def learn_order(
    corpora: Annotated[
        list[Path],
        typer.Argument(help=".mrg, .ptb (trees), .conllu, .spacy, .tagged, .txt, .jsonl (phrases) files; directories."),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output directory of the pipeline. Default: do not train.")
    ] = None,
    model: ModelOption = None,
    word_classes: Annotated[Path | None, typer.Option(help="File written by `word-classes`.", exists=True)] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the phrases.")] = 15,
    dropout: Annotated[float, typer.Option(min=0, max=1, help="Share of features to drop at random.")] = 0.5,
    table_bits: Annotated[int, typer.Option(min=8, max=30, help="Base-2 logarithm of the number of weights.")] = 21,
    tables: Annotated[int, typer.Option(min=1, help="Weight tables to average.")] = 4,
    language: Annotated[str, typer.Option(help="Language of the pipeline.")] = "en",
    seed: SeedOption = 0,
    phrases: Annotated[Path | None, typer.Option(help="Output .jsonl file of phrases.", dir_okay=False)] = None,
) -> None:
    """Learn the order of modifiers before nouns.

    The order in the text is taken as correct. After an interruption, the same command continues after the last file.
    With `--phrases` alone, phrases are extracted but nothing is trained.
    """
    goal = output or phrases
    if goal is None:
        raise JointValueError(Errors.J716, option="learn-order", needed="--output, --phrases or both")
    if output is not None:
        check_directory(output)
        nlp = spacy.blank(language)
        component: Any = nlp.add_pipe(COMPONENT, config={"model": {"table_bits": table_bits, "n_tables": tables}})
        classes = read_word_classes(word_classes)
    parts = goal.with_name(f"{goal.name}.parts")
    found = [phrase for phrase in _collect(corpora, parts, model) if not has_repeats(phrase)]
    if not found:
        source = ", ".join(map(str, corpora))
        raise JointValueError(Errors.J330, source=source, what="phrases with two or more modifiers")
    if phrases is not None:
        with atomic_write(phrases) as path:
            write_phrases(found, path)
        msg.good(f"{phrases}: {len(found):,} phrases")
    if output is not None:
        learning = component.fit(found, epochs=epochs, dropout=dropout, seed=seed, word_classes=classes)
        with show_progress(True, total=1, desc="Learning", bar_format="{l_bar}{bar}| {remaining}") as bar:
            for done in learning:
                bar.update(done - bar.n)
        with atomic_write_directory(output) as path:
            nlp.to_disk(path)
        msg.good(f"{output}: from {len(found):,} phrases (seed {seed})")
    shutil.rmtree(parts, ignore_errors=True)


def _collect(corpora: list[Path], parts: Path, model: str | None) -> Iterator[Phrase]:
    """Yields the phrases of all files, each of which is processed once, even if the command is restarted."""
    from ... import load
    from ...ordering.corpus import TEXT, list_corpus, read_corpus

    files = [file for path in corpora for file in list_corpus(path)]
    nlp = load(model) if any(file.suffix == TEXT for file in files) else None
    used = digest_directory(nlp.path) if nlp is not None and nlp.path is not None else None
    with show_progress(True, total=sum(file.stat().st_size for file in files), unit="B", unit_scale=True) as bar:
        for file in files:
            bar.set_description(file.name)
            # Named by the input, so that a restarted command finds it.
            made_from = digest_json([__version__, used, file.suffix, digest(file)])
            part = parts / f"{made_from[:32]}.jsonl"
            if not part.is_file():
                with atomic_write(part) as path:
                    write_phrases(read_corpus(file, nlp), path)
            yield from read_phrases(part)
            bar.update(file.stat().st_size)
