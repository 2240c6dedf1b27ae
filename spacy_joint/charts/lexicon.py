"""The words of tags: probabilities of known words, and of classes of rare and unknown ones.

A tag emits a frequent word directly, and a rare one directly or by the word's class, of which all words are equally
likely. A word that is not known has its class only. The class of a word is its shape and the last letters of it, as in
`lower:ing`; classes that are too rare have fewer letters. The first word of a sentence is known if it is in lower case.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

Tags = Sequence[tuple[str, float]]
"""Tags, and the probability of a word, or a class, given each."""
TaggedWord = tuple[str, Mapping[str, float]]
"""A word, and its share in each tag, which add up to 1."""

# A word is rare if it occurs at most this often in training; its class has this share of its occurrences.
RARE = 5
SHARE = 0.5
# A class has at least this many occurrences of rare words.
LEAST = 10
LETTERS = 3


class WordClass(NamedTuple):
    """A class of words: how many words share it, and its tags."""

    n_words: int
    tags: Tags


def list_classes(word: str, *, is_first: bool = False) -> list[str]:
    """The possible classes of a word, from the most specific to that of all words."""
    if any(map(str.isdigit, word)):
        shape = "digits"
    elif not any(map(str.isalpha, word)):
        shape = "marks"
    elif word.islower():
        shape = "lower"
    elif word.isupper() and len(word) > 1:
        shape = "upper"
    elif word[0].isupper():
        shape = "first" if is_first else "title"
    else:
        shape = "mixed"
    shape += "-" if "-" in word[1:] else ""
    ending = "".join("0" if character.isdigit() else character for character in word[-LETTERS:].lower())
    return [*(f"{shape}:{ending[start:]}" for start in range(len(ending))), f"{shape}:", ":"]


class Lexicon:
    """The tags of known words, the rare ones of these, which their classes emit, too, and the classes. Constant."""

    def __init__(self, words: Mapping[str, Tags], rare: Iterable[str], classes: Mapping[str, WordClass]) -> None:
        self.words, self.rare, self.classes = dict(words), frozenset(rare), dict(classes)

    def totals(self) -> Mapping[str, float]:
        """The total probability of each tag's words and classes. What is no probability makes it infinite."""
        totals: defaultdict[str, float] = defaultdict(float)
        for n_words, tags in (*((1, tags) for tags in self.words.values()), *self.classes.values()):
            for tag, probability in tags:
                totals[tag] += probability if probability / n_words > 0 and probability <= 1 else float("inf")
        return totals

    def find_tags(self, word: str, *, is_first: bool = False) -> dict[str, float]:
        """The tags of a word, with its probability given each; none if it is unknown and there are no classes."""
        if is_first and word not in self.words and word.lower() in self.words:
            word = word.lower()
        found = dict(self.words.get(word, ()))
        if word not in self.words or word in self.rare:
            names = (name for name in list_classes(word, is_first=is_first) if name in self.classes)
            n_words, tags = self.classes.get(next(names, ""), WordClass(1, ()))
            for tag, probability in tags:
                found[tag] = found.get(tag, 0.0) + probability / n_words
        return found


def choose_classes(sentences: Sequence[Sequence[str]]) -> dict[str, str]:
    """The class of each rare word."""
    of_word = Counter(word for words in sentences for word in words)
    first = Counter(words[0] for words in sentences if words)
    rare = [word for word, count in of_word.items() if count <= RARE]
    in_class: Counter[str] = Counter()
    # A word that is first more often than not is taken for one that is usually first.
    names = {word: list_classes(word, is_first=2 * first[word] > of_word[word]) for word in rare}
    for word in rare:
        in_class.update(dict.fromkeys(names[word], of_word[word]))
    # The words of a class are those for which no more specific one is frequent enough.
    return {word: next((name for name in names[word] if in_class[name] >= LEAST), names[word][-1]) for word in rare}


def estimate_lexicon(sentences: Sequence[Sequence[TaggedWord]], outside: Mapping[str, float]) -> Lexicon:
    """Estimate a lexicon by relative frequencies. outside: How often each tag occurs without a word below it."""
    counts: defaultdict[tuple[str, str], float] = defaultdict(float)
    for word, tags in chain.from_iterable(sentences):
        for tag, share in tags.items():
            counts[word, tag] += share
    of_tag: defaultdict[str, float] = defaultdict(float, outside)
    for (_, tag), count in counts.items():
        of_tag[tag] += count
    chosen = choose_classes([[word for word, _ in sentence] for sentence in sentences])
    n_words = Counter(chosen.values())
    words: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    tags_of: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (word, tag), count in sorted(counts.items()):
        share = SHARE if word in chosen else 0.0
        words[word].append((tag, (1 - share) * count / of_tag[tag]))
        if share:
            tags_of[chosen[word]][tag] += count
    classes = {}
    for name, of_class in tags_of.items():
        shares = tuple((tag, SHARE * count / of_tag[tag]) for tag, count in sorted(of_class.items()))
        classes[name] = WordClass(n_words[name], shares)
    return Lexicon(words, chosen, classes)
