"""Small phrases whose order follows a rule: size before age before colour before material."""

from itertools import permutations

from spacy_joint.ordering.phrases import Phrase, Word

SIZES, AGES = ("big", "small", "tiny", "huge"), ("old", "new", "ancient", "young")
COLOURS, MATERIALS = ("red", "green", "blue", "white"), ("wooden", "plastic", "woollen", "golden")
NOUNS = ("ball", "house", "chair", "hat")
KINDS = (SIZES, AGES, COLOURS, MATERIALS)


def make(*texts, head="ball", tag="JJ"):
    return Phrase(tuple(Word(text, tag) for text in texts), Word(head, "NN"))


def make_corpus():
    """Pairs and triples, of all kinds."""
    pairs = [
        make(KINDS[a][i], KINDS[b][(i + shift) % 4], head=NOUNS[(i + a) % 4])
        for a in range(4)
        for b in range(a + 1, 4)
        for i in range(4)
        for shift in range(3)
    ]
    triples = [make(*(KINDS[k][(i + k) % 4] for k in range(4) if k != out)) for out in range(4) for i in range(4)]
    return pairs + triples


def shuffles(phrase):
    return [Phrase(words, phrase.head) for words in permutations(phrase.modifiers)]
