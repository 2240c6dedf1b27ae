"""Describing a corpus, and finding problems for training."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from spacy.pipeline._parser_internals.nonproj import is_nonproj_tree
from spacy.tokens import Doc

from ..annotation.constituents import CONSTITUENTS, get_trees
from ..trees.constituency_trees import count_blocks
from ..trees.discontinuity import attach_root_children

# Labels with fewer words can hardly be learnt.
MIN_WORDS = 5


class Contents:
    """The sentences and trees of documents, and counts of words and constituents by label."""

    def __init__(self, docs: Sequence[Doc]) -> None:
        self.docs = docs
        self.divided = [doc for doc in docs if doc.has_annotation("SENT_START")]
        self.sentences = [sentence for doc in self.divided for sentence in doc.sents]
        self.trees = [sentence for sentence in self.sentences if sentence.doc.has_annotation("DEP")]
        self.labels = Counter(token.dep_ for tree in self.trees for token in tree if token.dep)
        self.constituency_trees = [tree for doc in docs if CONSTITUENTS in doc.spans for tree in get_trees(doc)]
        # The constituents below the root of each tree, with their words.
        yields = [tree.yields()[1:] for tree in self.constituency_trees]
        self.constituents = [[(node, words) for node, words in nodes if not node.is_preterminal] for nodes in yields]
        self.categories = Counter(node.label for nodes in self.constituents for node, _ in nodes)

    def describe(self) -> list[tuple[str, str]]:
        """Makes rows of names and values."""
        rows = [
            ("Documents", f"{len(self.docs):,}"),
            ("Sentences", f"{len(self.sentences):,}"),
            ("Words", f"{sum(map(len, self.docs)):,}"),
            ("Words per document", _summarise([len(doc) for doc in self.docs])),
            ("Sentences per document", _summarise([len(list(doc.sents)) for doc in self.divided])),
            ("Words per sentence", _summarise([len(sentence) for sentence in self.sentences])),
            ("Tags", f"{len({token.tag for doc in self.docs for token in doc} - {0}):,}"),
        ]
        if self.trees:
            n_crossing = sum(is_nonproj_tree([token.head.i - tree.start for token in tree]) for tree in self.trees)
            rows.append(("Non-projective trees", _share(n_crossing, len(self.trees), 1)))
        if self.constituency_trees:
            gaps = [[count_blocks(words) - 1 for _, words in nodes] for nodes in self.constituents]
            counts = [n for tree_gaps in gaps for n in tree_gaps]
            rows += [
                ("Constituents", f"{len(counts):,}"),
                ("Discontinuous constituents", _share(sum(n > 0 for n in counts), len(counts), 2)),
                ("Discontinuous sentences", _share(sum(any(tree_gaps) for tree_gaps in gaps), len(gaps), 2)),
                ("Most gaps of a constituent", f"{max(counts, default=0)}"),
            ]
        return rows

    def find_problems(self) -> list[str]:
        """Finds missing annotation and odd constituency trees; returns messages."""
        n_undivided = len(self.docs) - len(self.divided)
        are_single = not n_undivided and len(self.sentences) == len(self.docs)
        has = {name: any(doc.has_annotation(name) for doc in self.docs) for name in ("TAG", "POS")}
        rare = sorted(label for label, n in self.labels.items() if n < MIN_WORDS)
        flat = sum(not nodes for nodes in self.constituents)
        repeated = sum(
            len(node.children) == 1 and not node.children[0].is_preterminal and node.children[0].label == node.label
            for nodes in self.constituents
            for node, _ in nodes
        )
        trees = self.constituency_trees
        shared = sorted(self.categories.keys() & {node.label for tree in trees for node in tree.preterminals()})
        spurious = sum(not tree.is_continuous and attach_root_children(tree).is_continuous for tree in trees)
        problems = {
            f"{n_undivided} documents have no sentence boundaries: no component can learn from them.": n_undivided,
            "All documents have one sentence: boundaries cannot be learnt. If a conversion lost the documents, "
            "`spacy joint convert --documents` can restore them.": are_single,
            "There are no trees: the joint parser cannot be trained.": not self.trees and not trees,
            "There are no tags (TAG): a tagger cannot be trained, and `keep` cannot include them.": not has["TAG"],
            "There are no parts of speech (POS): punctuation cannot be removed by augmentation.": not has["POS"],
            f"{len(rare)} labels have fewer than {MIN_WORDS} words: {', '.join(rare)}.": rare,
            f"{flat:,} sentences have no constituents below their root.": flat,
            f"{repeated:,} constituents have a single child of the same category.": repeated,
            f"{len(shared)} categories are also tags, so that head rules confuse them: {', '.join(shared)}.": shared,
            f"{spurious:,} sentences are discontinuous only around what hangs from the root: "
            "`spacy joint convert --root-attach` attaches it elsewhere.": spurious,
        }
        return [problem for problem, is_found in problems.items() if is_found]


def _share(n: int, total: int, digits: int) -> str:
    return f"{n:,} ({100 * n / max(total, 1):.{digits}f} %)"


def _summarise(lengths: Sequence[int]) -> str:
    if not lengths:
        return "-"
    low, middle, high, highest = (int(value) for value in np.percentile(lengths, [0, 50, 95, 100], method="lower"))
    return f"{low} to {highest}, half up to {middle}, 95 % up to {high}"
