"""A lexicon: the probabilities of words given tags, and of classes of rare and unknown words.

A tag emits a frequent word directly, and a rare one directly or by the word's class, in which all words are equally
likely. An unknown word only has its class. The class of a word is its shape and its last letters, as in `lower:ing`;
classes that are too rare have fewer letters. The first word of a sentence counts as known if it is known in lower case.
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
    """A class of words: the number of words that share it, and its tags."""

    n_words: int
    tags: Tags


def list_classes(word: str, *, is_first: bool = False) -> list[str]:
    """List the possible classes of a word, from the most specific to that of all words."""
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
    """The tags of known words, the rare words among them, which their classes also emit, and the classes. Constant."""

    def __init__(self, words: Mapping[str, Tags], rare: Iterable[str], classes: Mapping[str, WordClass]) -> None:
        self.words, self.rare, self.classes = dict(words), frozenset(rare), dict(classes)

    def totals(self) -> Mapping[str, float]:
        """Add up the probabilities of each tag's words and classes. An invalid probability makes a total infinite."""
        totals: defaultdict[str, float] = defaultdict(float)
        for n_words, tags in (*((1, tags) for tags in self.words.values()), *self.classes.values()):
            for tag, probability in tags:
                totals[tag] += probability if probability / n_words > 0 and probability <= 1 else float("inf")
        return totals

    def find_tags(self, word: str, *, is_first: bool = False) -> dict[str, float]:
        """Find the tags of a word, with its probability given each; none if it is unknown and there are no classes."""
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
    """Choose the class of each rare word."""
    word_counts = Counter(word for words in sentences for word in words)
    first = Counter(words[0] for words in sentences if words)
    rare = [word for word, count in word_counts.items() if count <= RARE]
    class_counts: Counter[str] = Counter()
    # A word that most often comes first in a sentence gets the class of a first word.
    names = {word: list_classes(word, is_first=2 * first[word] > word_counts[word]) for word in rare}
    for word in rare:
        class_counts.update(dict.fromkeys(names[word], word_counts[word]))
    # The words of a class are those for which no more specific class is frequent enough.
    return {word: next((name for name in names[word] if class_counts[name] >= LEAST), names[word][-1]) for word in rare}


def estimate_lexicon(sentences: Sequence[Sequence[TaggedWord]], outside: Mapping[str, float]) -> Lexicon:
    """Estimate a lexicon by relative frequencies. outside: How often each tag occurs without a word below it."""
    counts: defaultdict[tuple[str, str], float] = defaultdict(float)
    for word, tags in chain.from_iterable(sentences):
        for tag, share in tags.items():
            counts[word, tag] += share
    tag_counts: defaultdict[str, float] = defaultdict(float, outside)
    for (_, tag), count in counts.items():
        tag_counts[tag] += count
    chosen = choose_classes([[word for word, _ in sentence] for sentence in sentences])
    n_words = Counter(chosen.values())
    words: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    class_tags: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (word, tag), count in sorted(counts.items()):
        share = SHARE if word in chosen else 0.0
        words[word].append((tag, (1 - share) * count / tag_counts[tag]))
        if share:
            class_tags[chosen[word]][tag] += count
    classes = {}
    for name, class_counts in class_tags.items():
        shares = tuple((tag, SHARE * count / tag_counts[tag]) for tag, count in sorted(class_counts.items()))
        classes[name] = WordClass(n_words[name], shares)
    return Lexicon(words, chosen, classes)
