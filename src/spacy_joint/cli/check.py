"""`check`: describe a corpus and warn of problems, since `spacy debug data` only knows spaCy's own components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from wasabi import msg

from ..errors import Errors, JointValueError
from .documents import DOCUMENTS, DocumentsOption, read_documents

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

    from ..annotation.constituency_trees import Tree

# Labels with fewer words are hardly learnt.
MIN_WORDS = 5


def check(
    corpus: Annotated[
        Path,
        typer.Argument(
            help="Annotated documents: .conllu or .spacy file, constituency treebank, or directory of files."
        ),
    ],
    documents: DocumentsOption = DOCUMENTS,
    language: Annotated[
        str | None, typer.Option(help="Check whether the tokenizer of this language makes the words of the corpus.")
    ] = None,
    tokenizer: Annotated[str | None, typer.Option(help="Registered tokenizer to check instead of its default.")] = None,
    pipeline: Annotated[
        str | None, typer.Option(help="Path or package of a pipeline whose tokenizer is checked.")
    ] = None,
) -> None:
    """Describe a corpus (sizes, lengths, labels, non-projective and discontinuous trees, how well a tokenizer makes its
    words), and warn of problems for training."""
    from spacy.vocab import Vocab

    from ..annotation.constituents import CONSTITUENTS, get_trees

    docs = [doc for doc in read_documents(corpus, Vocab(), documents) if len(doc)]
    if not docs:
        raise JointValueError(Errors.J413, path=corpus)
    divided = [doc for doc in docs if doc.has_annotation("SENT_START")]
    sentences = [sentence for doc in divided for sentence in doc.sents]
    trees = [sentence for sentence in sentences if sentence.doc.has_annotation("DEP")]
    rows = [
        ("Documents", f"{len(docs):,}"),
        ("Sentences", f"{len(sentences):,}"),
        ("Words", f"{sum(map(len, docs)):,}"),
        ("Words per document", _describe([len(doc) for doc in docs])),
        ("Sentences per document", _describe([len(list(doc.sents)) for doc in divided])),
        ("Words per sentence", _describe([len(sentence) for sentence in sentences])),
        ("Tags", f"{len({token.tag for doc in docs for token in doc} - {0}):,}"),
    ]
    if trees:
        crossing = sum(not _is_projective(tree) for tree in trees)
        rows.append(("Non-projective trees", f"{crossing:,} ({100 * crossing / len(trees):.1f} %)"))
    constituents = [tree for doc in docs if CONSTITUENTS in doc.spans for tree in get_trees(doc)]
    categories = Counter(label for tree in constituents for label in _list_categories(tree))
    if constituents:
        rows += _describe_constituents(constituents)
    msg.table(rows, title=str(corpus))
    labels = Counter(token.dep_ for tree in trees for token in tree if token.dep)
    if labels:
        msg.table(
            [(label, f"{n:,}") for label, n in labels.most_common()], header=("Label", "Words"), aligns=("l", "r")
        )
    if categories:
        header = ("Category", "Constituents")
        msg.table([(label, f"{n:,}") for label, n in categories.most_common()], header=header, aligns=("l", "r"))
    for warning in [*_list_warnings(docs, divided, trees, labels, constituents), *_find_oddities(constituents)]:
        msg.warn(warning)
    if language or tokenizer or pipeline:
        _check_tokenizer(docs, language, tokenizer, pipeline)


def _check_tokenizer(docs: list[Doc], language: str | None, tokenizer: str | None, pipeline: str | None) -> None:
    import warnings

    import spacy

    from .. import load
    from ..pipes.word_scores import report_unfit, score_words

    if pipeline is not None:
        nlp = load(pipeline)
    else:
        config = {"nlp": {"tokenizer": {"@tokenizers": tokenizer}}} if tokenizer else {}
        nlp = spacy.blank(language or "xx", config=config)
    scores = score_words(nlp.tokenizer, docs, max_words=None)
    rows = [
        ("Words, precision", f"{scores.precision:.2f}"),
        ("Words, recall", f"{scores.recall:.2f}"),
        ("Words, F1", f"{scores.f_score:.2f}"),
    ]
    msg.table(rows, title=pipeline or tokenizer or f"Tokenizer of {language}", aligns=("l", "r"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report_unfit(scores, nlp.tokenizer)
    for each in caught:
        msg.warn(str(each.message))


def _describe(lengths: Sequence[int]) -> str:
    import numpy as np

    if not lengths:
        return "-"
    low, middle, high, highest = (int(value) for value in np.percentile(lengths, [0, 50, 95, 100], method="lower"))
    return f"{low} to {highest}, half up to {middle}, 95 % up to {high}"


def _is_projective(tree: Span) -> bool:
    """Whether no two arcs of a sentence cross, including the arc from before its first word to the root."""
    import numpy as np

    arcs = np.array(
        [(-1 if token.head.i == token.i else token.head.i - tree.start, token.i - tree.start) for token in tree]
    )
    low, high = arcs.min(axis=1), arcs.max(axis=1)
    return not ((low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)).any()


def _list_categories(tree: Tree) -> list[str]:
    return [label for label, _, _ in _list_constituents(tree)]


def _list_constituents(tree: Tree) -> list[tuple[str, int, Tree]]:
    """The category and the number of blocks of each constituent below the root, and the constituent."""
    from ..annotation.constituency_trees import count_blocks

    nodes = tree.yields()[1:]
    return [(node.label, count_blocks(words), node) for node, words in nodes if not node.is_preterminal]


def _describe_constituents(trees: Sequence[Tree]) -> list[tuple[str, str]]:
    blocks = [[n for _, n, _ in _list_constituents(tree)] for tree in trees]
    n_constituents = sum(map(len, blocks))
    discontinuous = sum(n > 1 for tree in blocks for n in tree)
    with_gaps = sum(any(n > 1 for n in tree) for tree in blocks)
    return [
        ("Constituents", f"{n_constituents:,}"),
        ("Discontinuous constituents", f"{discontinuous:,} ({100 * discontinuous / max(n_constituents, 1):.2f} %)"),
        ("Discontinuous sentences", f"{with_gaps:,} ({100 * with_gaps / len(trees):.2f} %)"),
        ("Most gaps of a constituent", f"{max((n for tree in blocks for n in tree), default=1) - 1}"),
    ]


def _find_oddities(trees: Sequence[Tree]) -> list[str]:
    """What is odd in constituency trees."""
    from ..constituency.discontinuity import attach_root_children

    warnings = []
    nodes = [[node for _, _, node in _list_constituents(tree)] for tree in trees]
    flat = sum(not constituents for constituents in nodes)
    if flat:
        warnings.append(f"{flat:,} sentences have no constituents below their root.")
    repeated = sum(
        len(node.children) == 1 and not node.children[0].is_preterminal and node.children[0].label == node.label
        for constituents in nodes
        for node in constituents
    )
    if repeated:
        warnings.append(f"{repeated:,} constituents have a single child of the same category.")
    categories = {node.label for constituents in nodes for node in constituents}
    shared = sorted(categories & {node.label for tree in trees for node in tree.preterminals()})
    if shared:
        warnings.append(
            f"{len(shared)} categories are also tags, so that head rules confuse them: {', '.join(shared)}."
        )
    with_gaps = [tree for tree in trees if not tree.is_continuous]
    spurious = sum(attach_root_children(tree).is_continuous for tree in with_gaps)
    if spurious:
        warnings.append(
            f"{spurious:,} sentences are discontinuous only around what hangs from the root: "
            "`spacy joint convert --root-attach` attaches it elsewhere."
        )
    return warnings


def _list_warnings(
    docs: list[Doc], divided: list[Doc], trees: list[Span], labels: Counter[str], constituents: list[Tree]
) -> list[str]:
    warnings = []
    if len(divided) < len(docs):
        warnings.append(
            f"{len(docs) - len(divided)} documents have no sentence boundaries: no component can learn from them."
        )
    elif all(len(list(doc.sents)) == 1 for doc in docs):
        warnings.append(
            "All documents have one sentence: boundaries cannot be learnt. If a conversion lost the documents, "
            "`spacy joint convert --documents` can restore them."
        )
    if not trees and not constituents:
        warnings.append("There are no trees: the joint parser cannot be trained.")
    if not any(doc.has_annotation("TAG") for doc in docs):
        warnings.append("There are no tags (TAG): a tagger cannot be trained, and `keep` cannot include them.")
    if not any(doc.has_annotation("POS") for doc in docs):
        warnings.append("There are no parts of speech (POS): punctuation cannot be removed by augmentation.")
    rare = sorted(label for label, n in labels.items() if n < MIN_WORDS)
    if rare:
        warnings.append(f"{len(rare)} labels have fewer than {MIN_WORDS} words: {', '.join(rare)}.")
    return warnings
