"""Random annotated documents for property tests."""

from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..parsing.strategies import trees

WORDS = st.text(alphabet="aBéß.,", min_size=1, max_size=4)


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
