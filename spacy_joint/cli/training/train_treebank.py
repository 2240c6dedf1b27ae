"""`train-treebank`: from a treebank in CoNLL-U to an installable package, in one command."""

from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer
from spacy.cli.package import FILENAMES_DOCS
from spacy.util import get_lang_class
from wasabi import msg

from ...errors import Errors, JointValueError, check_value, require_packages
from ...files.reading import read_json_object, require_file
from ...files.resources import read_word_classes
from ..options import Kind, SeedOption, SubtypesOption, WeightBitsOption
from .configs import CONFIGS


def train_treebank(
    ctx: typer.Context,
    treebank: Annotated[
        list[Path] | None, typer.Argument(help=".conllu files with train, dev or test in their names, or directories.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Output directory.")] = Path("training"),
    language: Annotated[str | None, typer.Option("--language", "-l", help="Language. Default: by file names.")] = None,
    name: Annotated[str | None, typer.Option(help="Package name without language. Default: joint_TREEBANK.")] = None,
    version: Annotated[str, typer.Option(help="Version of the package.")] = "0.1.0",
    train: Annotated[list[Path] | None, typer.Option(help="Training set, under any name.")] = None,
    dev: Annotated[list[Path] | None, typer.Option(help="Development set, under any name.")] = None,
    test: Annotated[list[Path] | None, typer.Option(help="Test set, under any name.")] = None,
    documents: Annotated[
        str | None, typer.Option(help="Ends of documents: newdoc, sent_id or a number. Default: newdoc, or 10.")
    ] = None,
    kind: Annotated[Kind, typer.Option(help="Text to train on.")] = "both",
    tags: Annotated[
        Literal["auto", "both", "upos", "xpos"],
        typer.Option(
            help="TAG is XPOS, POS is UPOS (both); both are UPOS (upos); or no POS, features, lemmas (xpos). auto: "
            "upos if there are more than 100 XPOS, else both."
        ),
    ] = "auto",
    subtypes: SubtypesOption = True,
    tokenizer: Annotated[
        str, typer.Option(help="rules (and exceptions), characters (learnt), auto (the better), or a registered name.")
    ] = "auto",
    texts: Annotated[list[Path] | None, typer.Option(help=".txt files to learn word classes from, too.")] = None,
    word_classes: Annotated[Path | None, typer.Option(help="File written by `word-classes`. Default: learnt.")] = None,
    transformer: Annotated[
        str | None, typer.Option(help="Name or directory of a transformer to guide the parser. Default: no guide.")
    ] = None,
    meta: Annotated[
        Path | None,
        typer.Option(help="meta.json with fields such as license, or its directory, with README.md and LICENSE."),
    ] = None,
    weight_bits: WeightBitsOption = 8,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds of jackknifed tags.")] = 5,
    make_package: Annotated[bool, typer.Option("--package/--no-package", help="Whether to make a package.")] = True,
    seed: SeedOption = 0,
) -> None:
    """Train, evaluate and package a treebank pipeline.

    The pipeline has a tokenizer, a tagger, a parser, and, if the treebank has such annotation, a morphologizer, a
    lemmatizer and a multiword_expander. The output directory has the finished `pipeline`, its `scores.json`, the
    `package`, and intermediate `steps`, from which an interrupted run continues. The configs can be overridden as for
    `spacy train`, e.g. with --training.max_epochs 5; settings of a component, such as
    --components.joint_sbd_parser.model.beam_width 4, apply to its own training.
    """
    from ...corpora.treebank import SPLITS, find_splits, name_treebank
    from ...guiding.onnx_transformer import EXPORT
    from ...training.treebank import TreebankTraining

    if word_classes is None:
        require_packages("train", "scipy")
    # Refuses other files.
    read_word_classes(word_classes)
    if transformer:
        require_packages(*EXPORT)
    named = dict(zip(SPLITS, (train, dev, test), strict=True))
    splits = {split: list(named[split] or files) for split, files in find_splits(treebank or []).items()}
    for file in chain(*splits.values(), texts or []):
        require_file(file)
    found_language, found_name = name_treebank(splits)
    code = language or found_language
    if code is None:
        raise JointValueError(Errors.J525)
    try:
        get_lang_class(code)
    except ImportError as error:
        if language:
            raise JointValueError(Errors.J524, language=language) from error
        # The name includes the code, so packages of several such languages can be installed together.
        language, found_name = "xx", f"{code}_{found_name}"
        msg.info(f"spaCy has no language '{code}', so that of the pipeline is xx")
    language = language or code
    name = name or f"joint_{found_name or 'treebank'}"
    allowed = "letters, digits and underscores, with a letter or digit at both ends"
    check_value("The name of the package", name, name.isidentifier() and name.strip("_") == name, allowed)
    notices = [file for name in FILENAMES_DOCS if meta and (file := meta / name).is_file()]
    given = read_json_object(meta / "meta.json" if meta.is_dir() else meta) if meta else {}
    training = TreebankTraining(output, CONFIGS, language, splits, ctx.obj, seed, transformer)
    msg.info(f"Language {language}, seed {seed}")
    training.read_corpora(documents, tags, subtypes)
    # First, since the name of the tokenizer may be unknown.
    training.make_tokenizer(tokenizer)
    training.choose_features()
    training.make_word_classes(texts or [], word_classes)
    training.jackknife(kind, folds)
    description = f"Trained on {', '.join(file.name for file in splits['train'] or splits['dev'])}."
    fields = {"name": name, "version": version, "description": description, **given}
    trained = training.train_components(kind)
    training.choose_biases(trained)
    training.finish(trained, fields, weight_bits)
    training.calibrate(kind, notices)
    training.evaluate()
    if make_package:
        training.make_package(name, version)
