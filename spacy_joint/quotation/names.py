"""Names in English text: finds them, splits them into titles and words, and infers gender.

`names.txt` lists titles, given names with their short forms, and nouns for people. Capitalised words are names, unless
the document also uses them as common words; `cast.py` decides which names are those of people.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spacy.attrs import SENT_START, SPACY, TAG
from spacy.tokens import Doc, Span

from ..annotation.restored import list_texts
from ..files.reading import read_word_lists

MALE, FEMALE = "male", "female"
INITIALS = re.compile(r"[A-Z]\.?|([A-Z]\.){2,}")
# The endings of nouns for people.
AGENT = re.compile(r"[a-z]{2,}(er|or|ist|man|woman|boy|girl|(?<!n)ess|oness|ian|eer|ant|(?<!m)ent|ard)")


class Names(NamedTuple):
    """The lists of `names.txt`: words with genders, given names with full forms, and lists that have a field's name."""

    title_genders: Mapping[str, str | None]
    given_genders: Mapping[str, str | None]
    noun_genders: Mapping[str, str | None]  # of people
    full_forms: Mapping[str, frozenset[str]]  # of each given name and short form
    married: frozenset[str]
    unmarried: frozenset[str]
    kin: frozenset[str]  # relatives
    ranks: frozenset[str]  # titles that "of" and a name can follow
    descriptions: frozenset[str]  # titles that are no part of a name: "young Mr. Elton"
    bound_titles: frozenset[str]  # others that are not used alone
    particles: frozenset[str]  # lower-case words within names
    small_words: frozenset[str]  # lower-case words within titles and headings
    things: frozenset[str]  # nouns that seem to be people by their endings or verbs
    speech: frozenset[str]  # nouns for utterances and voices
    other_capitals: frozenset[str]  # capitalised words that are not names of people
    no_names: frozenset[str]  # words that verse capitalises, or a sentence whose start the parser misses; "Question:"

    def is_bound(self, title: str) -> bool:
        """Returns whether a title is not used alone."""
        return title in self.bound_titles or title in self.descriptions


@cache
def read_names() -> Names:
    """Reads the lists of names."""
    lists = read_word_lists(Path(__file__).parent / "names.txt")

    def read(kind: str) -> dict[str, str | None]:
        genders = ((f"male {kind}", MALE), (f"female {kind}", FEMALE), (kind, None))
        return {word: gender for section, gender in genders for word in lists[section]}

    given = read("names")
    full_forms: dict[str, set[str]] = {name: {name} for name in given}
    for nicknames in lists["nicknames"]:
        full, short_forms = nicknames.split(":")
        for short in short_forms.split(","):
            full_forms.setdefault(short, set()).add(full)
    found = {short: {given.get(full) for full in full_forms[short]} for short in full_forms.keys() - given.keys()}
    given |= {short: genders.pop() if len(genders) == 1 else None for short, genders in found.items()}
    plain = {field: lists[kind] for field in Names._fields if (kind := field.replace("_", " ")) in lists}
    forms = {name: frozenset(full) for name, full in full_forms.items()}
    return Names(read("titles"), given, read("people"), forms, **plain)


@dataclass(frozen=True)
class Name:
    """A name in lower case, such as "Miss Elizabeth Bennet", and its text as the document writes it."""

    titles: tuple[str, ...]
    words: tuple[str, ...]
    text: str = field(default="", compare=False)

    @property
    def gender(self) -> str | None:
        """The gender of the titles or given names; None if unknown."""
        names = read_names()
        for title in self.titles:
            if gender := names.title_genders[title]:
                return gender
        if len(self.words) == 1 and self.words[0] in names.title_genders:
            return names.title_genders[self.words[0]]
        # "Mr. Grace" was covered above; a surname alone may look like a given name.
        return names.given_genders.get(self.words[0]) if self.words else None

    @property
    def is_title(self) -> bool:
        """Whether it is a title alone, such as "Countess"."""
        return not self.titles and self.words[0] in read_names().title_genders

    @property
    def is_kin(self) -> bool:
        """Whether it is a kinship term, such as "Father", which may address a character with another name."""
        return not self.titles and self.words[0] in read_names().kin

    @property
    def is_of_person(self) -> bool:
        """Whether its form shows that it names a person."""
        return bool(self.titles) or self.is_title or self.words[0] in read_names().given_genders


class Mention(NamedTuple):
    """A name in a document."""

    begin: int
    end: int
    name: Name


def find_names(doc: Doc, speaking: Iterable[Span] = ()) -> list[Mention]:
    """Finds the names in a document, in order, including capitalised words in mentions of speakers (`speaking`)."""
    table = read_names()
    words = list_texts(doc)
    rows = doc.to_array([TAG, SENT_START, SPACY])
    tags = rows[:, 0].tolist()
    proper = {tag for tag in set(tags) if not tag or doc.vocab.strings[tag].startswith("NNP")}
    is_proper = [tag in proper for tag in tags]
    starts = (rows[:, 1] == 1).tolist()
    spaces = rows[:, 2].tolist()
    counts = Counter(words)
    capitals = {word for word in counts if word[:1].isupper() and _strip(word)}
    # Common words are often written in lower case, or seldom tagged as names.
    named = Counter(word for word, is_name in zip(words, is_proper, strict=True) if is_name)
    titles = {word for word in capitals if _strip(word) in table.title_genders}
    usual = {
        word
        for word in capitals
        if (lower := _strip(word)) not in table.other_capitals
        and (lower in table.given_genders or counts[lower] <= named[word])
        and named[word] * 2 > counts[word]
    }
    others = {word for word in capitals - titles if _strip(word) not in table.no_names}
    given = table.given_genders
    for span in speaking:
        # The first word of a sentence may be a common one, but not in "ANNA: Come in."
        is_common = starts[span.start] and words[span.end : span.end + 1] not in ([":"], ["."])
        spoken = others.intersection(words[span.start + is_common : span.end])
        usual |= {word for word in spoken if counts[_strip(word)] * 2 <= counts[word]}
    found: list[Mention] = []
    n, i = len(words), 0

    def is_capital(at: int) -> bool:
        """Returns whether a word has a capital that its position does not explain."""
        if not (0 < at < n and words[at] in capitals and is_proper[at] and not starts[at]):
            return False
        return words[at - 1][:1].isalnum() and _strip(words[at]) not in table.other_capitals

    def is_part(at: int) -> bool:
        """Returns whether a word belongs to a name. In "the White Rabbit", each word supports the other."""
        if words[at] in usual:
            return words[at] not in titles or words[at - 1] == "the" or (at > begin and _strip(words[at - 1]) in given)
        return is_capital(at) and words[at] not in titles and (at > begin or is_capital(at + 1))

    while i < n:
        begin = i
        if not (words[i] in titles or is_part(i)):
            i += 1
            continue
        while i < n and words[i] in titles:
            i += 1
        first = i
        while i < n:
            if is_part(i) and (i == begin or not starts[i]):
                i += 1
            elif i > begin and not starts[i] and (after := _pass_particles(words, begin, i)) > i and after < n:
                if words[after] not in usual:
                    break
                i = after + 1
            elif i > begin and i + 1 < n and INITIALS.fullmatch(words[i]) and words[i + 1] in usual:
                i += 2  # as in "John H. Watson" and "Rep. G.K. Lee"
            elif i > first and words[i] == "-" and is_proper[min(i + 1, n - 1)] and not spaces[i - 1] | spaces[i]:
                i += 2  # "Jean-Paul"
            else:
                break
        mention = _parse(words, begin, first, i)
        if mention is not None:
            found.append(mention)
    written: dict[Name, Counter[str]] = {}
    for mention in found:
        written.setdefault(mention.name, Counter())[mention.name.text] += 1
    usually = {name: replace(name, text=forms.most_common(1)[0][0]) for name, forms in written.items()}
    return [mention._replace(name=usually[mention.name]) for mention in found]


def are_capitalised(words: Iterable[str]) -> bool:
    """Returns whether words are written as in a title: with capitals, except for small ones."""
    return all(word[0].isupper() or word in read_names().small_words for word in words)


def _pass_particles(words: Sequence[str], begin: int, i: int) -> int:
    """Returns the end of the particles at `i`, such as "van der", in a name that begins at `begin`."""
    if words[i] == "of" and _strip(words[begin]) in read_names().ranks:
        return i + 1
    while i < len(words) and words[i] in read_names().particles:
        i += 1
    return i


def _parse(words: Sequence[str], begin: int, first: int, end: int) -> Mention | None:
    table, titles = read_names(), {word: _strip(word) for word in words[begin:first]}
    rest = " ".join(words[first:end]).replace(" - ", "-").split()
    if rest:
        # "Young Mr. Elton", but "Lady Russell".
        kept = [word for word, title in titles.items() if title not in table.descriptions]
        text = " ".join((*kept, *rest))
        parts = [word for word in rest if word not in table.particles]
        return Mention(begin, end, Name(tuple(titles[word] for word in kept), tuple(map(_strip, parts)), text))
    last = titles[words[first - 1]]
    if table.is_bound(last):
        return None
    return Mention(first - 1, first, Name((), (last,), words[first - 1]))


def _strip(word: str) -> str:
    """Returns a word in lower case without the stop of an abbreviation; empty if it is not a word."""
    lower = word.lower().rstrip(".")
    return lower if lower.replace("'", "").replace("’", "").replace("-", "").isalpha() else ""


def is_person_noun(noun: str) -> bool:
    """Returns whether a common noun in lower case means people, or animals that speak in stories: by the lists, or by
    its ending."""
    names = read_names()
    last = noun.rpartition("-")[2]
    return last in names.noun_genders or bool(AGENT.fullmatch(last) and last not in names.things)


def are_equivalent(given: str, other: str) -> bool:
    """Returns whether two given names are equal, one is an initial of the other, or both have a full form in common."""
    if given == other:
        return True
    if 1 in (len(given), len(other)):
        return given[0] == other[0]
    full_forms = read_names().full_forms
    return not full_forms.get(given, frozenset()).isdisjoint(full_forms.get(other, ()))
