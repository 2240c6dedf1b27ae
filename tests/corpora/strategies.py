"""Random annotated documents for property tests."""

from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

WORDS = st.text(alphabet="aBéß.,", min_size=1, max_size=4)
# spaCy finds boundaries of highly non-projective trees in a bounded number of passes, enough for ten words.
LONGEST = 10


@st.composite
def trees(draw, max_size=LONGEST):
    """Heads of one tree, projective or not; the root is its own head."""
    size = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(size)))
    heads = [0] * size
    heads[order[0]] = order[0]
    for rank in range(1, size):
        heads[order[rank]] = order[draw(st.integers(0, rank - 1))]
    return heads


@st.composite
def documents(draw):
    """A document of one to four sentences with trees and all other gold annotation."""
    vocab = Vocab()
    heads, deps = [], []
    for tree in draw(st.lists(trees(), min_size=1, max_size=4)):
        start = len(heads)
        for word, head in enumerate(tree):
            heads.append(start + head)
            deps.append("ROOT" if head == word else draw(st.sampled_from(["nsubj", "obj", "acl:relcl"])))
    size = len(heads)

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    return Doc(
        vocab,
        words=column(WORDS),
        spaces=column(st.booleans()),
        tags=column(st.sampled_from(["NN", "VB", "."])),
        pos=column(st.sampled_from(["NOUN", "VERB", "PUNCT", "PUNCT"])),
        morphs=column(st.sampled_from(["", "Number=Plur", "Mood=Ind|Tense=Past"])),
        lemmas=column(WORDS),
        heads=heads,
        deps=deps,
    )
