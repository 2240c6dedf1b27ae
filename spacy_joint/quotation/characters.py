"""The characters of an English document: names of one person joined, with their gender, and pronouns resolved.

Deterministic rules, nothing is learnt. A name joins the character whose fullest name has all of its words, given names
counting as equal to their short forms ("Lizzy", "Elizabeth"), unless gender or titles contradict ("Mr. Bennet", "Miss
Bennet"). Where several characters fit, the one mentioned most gets the name, unless the name is more frequent than each
of them: then it is a character of its own ("Mr. Knightley" beside "John Knightley").
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP
from spacy.tokens import Doc, Span

from .marks import Texts
from .names import (
    BOUND,
    BOUND_OTHERS,
    FEMALE,
    MALE,
    Mention,
    Name,
    are_equivalent,
    find_names,
    is_person_noun,
    read_names,
)

PRONOUNS = {
    **dict.fromkeys(("he", "him", "himself"), MALE),
    **dict.fromkeys(("she", "her", "hers", "herself"), FEMALE),
    "his": MALE,
}
POSSESSIVES = frozenset(("his", "her", "my", "our", "your", "their", "'s", "’s"))
ARTICLES = frozenset(("the", "this", "that"))
FIRST_PERSON = frozenset(("i", "me", "myself"))
# Words before a name in an address.
ADDRESSING = frozenset(("oh", "o", "ah", "dear", "my", "poor", "yes", "no", "well", "old", "dearest", "little"))
# The titles of relatives.
FAMILY = {"wife": "mrs", "mother": "mrs", "husband": "mr", "father": "mr", "uncle": "uncle", "aunt": "aunt"}
NARRATOR = "Narrator"
# How far from a name a pronoun may be that tells its gender, and from a pronoun its antecedent, in tokens.
MAX_PRONOUN_DISTANCE = 15
MAX_ANTECEDENT_DISTANCE = 200
# How many more pronouns of one gender there must be than of the other.
MIN_VOTES = 2
# A character that is mentioned this often is not confused with one whose title and surname are more frequent, this
# many times.
MIN_RIVAL, MIN_RATIO = 10, 6
# Narration that has "Mr." and a surname this often, and as often the given name of a man with that surname, speaks of
# two men.
MIN_NARRATED = 25
# People are often subjects, and seldom places. As shares of mentions.
MIN_ACTING_SHARE, MAX_PLACE_SHARE = 0.2, 0.08
# A name used less often does not become the id of a character that is mentioned often.
MIN_USES = 3
POLITE = BOUND | BOUND_OTHERS
PLAIN_TITLES = frozenset(("mr", "mrs", "miss", "ms", "master", "mister"))
# How often a narrator says "I" at least: once in so many words.
MAX_WORDS_PER_NARRATOR = 150
SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "csubj")


@dataclass(eq=False)
class Character:
    """A person of a document.

    names (Counter[str]): What he or she is called, with frequencies.
    gender (str | None): "male", "female" or None.
    """

    names: Counter[str] = field(default_factory=Counter)
    gender: str | None = None
    parsed: list[Name] = field(default_factory=list)
    is_person: bool = False
    first: int = 0

    def make_id(self) -> str:
        """The most frequent of the names with several words, or else of all, without "Mr." and the like before a given
        name."""
        if NARRATOR in self.names or not self.parsed:
            return max(self.names, key=lambda name: (name == NARRATOR, self.names[name]))
        usual = [name for name in self.parsed if self.names[name.text] >= MIN_USES or self.count < MIN_RIVAL]
        # "Elizabeth Bennet", but not a rare "Loo Bounderby" of who is called Louisa.
        usual_name = max(self.parsed, key=lambda name: self.names[name.text])
        least = self.names[usual_name.text] / MIN_RATIO
        full = [name for name in usual if len(name.words) > 1 and "of" not in name.words]
        full = [one for one in full if self.names[one.text] >= least or {*one.words} & {*usual_name.words}]
        best = max(full or usual or self.parsed, key=lambda name: self.names[name.text])
        # "Mrs. Henry Dashwood" is not Henry.
        given = Name((), best.words).gender
        is_own = given == best.gender or (given is None and read_names().married.isdisjoint(best.titles))
        if full and is_own and set(best.titles) <= PLAIN_TITLES:
            return best.text.split(" ", len(best.titles))[-1]
        return best.text

    def has_title(self, titles: Set[str]) -> bool:
        """Whether one of the names has, or is, one of these titles."""
        return any(not titles.isdisjoint(name.titles or name.words[:1]) for name in self.parsed)

    @property
    def count(self) -> int:
        """The number of mentions by name."""
        return self.names.total()


class Reference(NamedTuple):
    """A mention of a character: its tokens, and its head."""

    begin: int
    end: int
    head: int
    character: Character


class Cast:
    """The characters of a document, and where they are mentioned. `inside` says which tokens are quoted (bool)."""

    def __init__(self, doc: Doc, inside: np.ndarray, speakers: Sequence[Span], starts: Sequence[int]) -> None:
        self.doc = doc
        self.starts = starts
        self.inside = inside.tolist()
        self.words: list[str] = Texts(doc).map(lambda text: text.lower().rstrip(".") or text)
        self.is_subject = _find_subjects(doc)
        mentions = find_names(doc, speakers)
        heads = {mention.end - 1: mention for mention in mentions}
        narrated = Counter(mention.name for mention in mentions if not self.inside[mention.begin])
        self.characters, of_name = _join_names(mentions, narrated, self._count_pronouns(mentions))
        self.narrator: Character | None = None
        self.by_noun: dict[str, Character] = {}
        # Those who are only called by nouns, such as "the old man".
        self.unnamed: set[Character] = set()
        # By first token.
        self.references: dict[int, Reference] = {}
        for mention in mentions:
            self._refer(mention.begin, mention.end, mention.end - 1, of_name[mention.name])
        pronouns: list[int] = []
        speaking = Counter(self.words[span.root.i] for span in speakers if self.words[span.start] in ARTICLES)
        for span in speakers:
            root = span.root.i
            named = next((heads[i] for i in range(span.start, span.end) if i in heads), None)
            if self.words[root] in PRONOUNS:
                pronouns.append(root)
            elif self.words[root] in FIRST_PERSON:
                self._refer(span.start, span.end, root, self._get_narrator())
            elif named is not None and (named.begin <= root < named.end or root not in heads):
                of_name[named.name].is_person |= named.begin <= root < named.end
                if not named.begin <= root < named.end and self._is_person(root, speaking):
                    self._refer_noun(span, root)
            elif doc[root].tag_ in ("NN", "") and self._is_person(root, speaking):
                self._refer_noun(span, root)
        self._find_people(mentions, of_name)
        self.characters = [character for character in self.characters if character.is_person]
        self.references = {at: ref for at, ref in self.references.items() if ref.character.is_person}
        self._refer_nouns()
        # What narration alone says of the pronouns that are speakers.
        self.antecedents: dict[int, Character] = {}
        self._resolve_pronouns(frozenset(pronouns))
        self.at = sorted(self.references)
        n_first = sum(word == "i" and not quoted for word, quoted in zip(self.words, self.inside, strict=True))
        if self.narrator is not None and n_first * MAX_WORDS_PER_NARRATOR > len(self.words) - sum(self.inside):
            self._name_narrator(self.narrator)

    def is_singular(self, begin: int, end: int) -> bool:
        """Whether one person may be mentioned: the tokens are "he", "she", or end in a noun in the singular."""
        return self.words[end - 1] in PRONOUNS or self.doc[end - 1].tag_ in ("", "NN", "NNP")

    def find(self, begin: int, end: int) -> Character | None:
        """The character of a mention that is not a pronoun, by the reference that is in it and nearest to its end."""
        return next((self.references[i].character for i in range(end - 1, begin - 1, -1) if i in self.references), None)

    def list_references(self, begin: int, end: int) -> list[Reference]:
        """The references that begin in these tokens, in order."""
        at = self.at[bisect_left(self.at, begin) : bisect_left(self.at, end)]
        return [self.references[i] for i in at]

    def find_paragraph(self, begin: int, end: int) -> tuple[int, int]:
        """The paragraphs around tokens; where there are none, what is next to them."""
        if len(self.starts) <= 1:
            return max(begin - MAX_PRONOUN_DISTANCE, 0), min(end + MAX_PRONOUN_DISTANCE, len(self.words))
        first, last = bisect_right(self.starts, begin) - 1, bisect_left(self.starts, end)
        return self.starts[max(first, 0)], self.starts[last] if last < len(self.starts) else len(self.words)

    def is_vocative(self, reference: Reference) -> bool:
        """Whether a mention in a quotation stands between punctuation, as an address does."""
        after = self.words[reference.end : reference.end + 1] or ["."]
        before = self.words[reference.begin - 1] if reference.begin else "."
        follows = before in ADDRESSING or not before[:1].isalnum()
        return follows and not after[0][:1].isalnum() and after[0] not in ("'s", "’s", "-", "--", "—")

    def _name_narrator(self, narrator: Character) -> None:
        """The narrator is who is addressed most of those whom the narration does not name."""
        addressed: Counter[Character] = Counter()
        narrated: set[Character] = set()
        for reference in self.references.values():
            if not self.inside[reference.head]:
                narrated.add(reference.character)
            elif self.is_vocative(reference):
                addressed[reference.character] += 1
        found = [(count, character) for character, count in addressed.most_common() if character not in narrated]
        if found and (len(found) == 1 or found[0][0] > found[1][0]):
            character = found[0][1]
            narrator.names += character.names
            del narrator.names[NARRATOR]
            narrator.parsed += character.parsed
            narrator.gender = character.gender
            self.characters.remove(character)
            self.references = {
                at: reference._replace(character=narrator) if reference.character is character else reference
                for at, reference in self.references.items()
            }

    def _find_people(self, mentions: Sequence[Mention], of_name: Mapping[Name, Character]) -> None:
        """Takes names for those of people if they are addressed, or if pronouns tell their gender, they act, and nobody
        is in them."""
        acting: Counter[Character] = Counter()
        places: Counter[Character] = Counter()
        addressed: Counter[Character] = Counter()
        narrated = {of_name[mention.name] for mention in mentions if not self.inside[mention.begin]}
        for mention in mentions:
            character = of_name[mention.name]
            acting[character] += self.is_subject[mention.end - 1]
            places[character] += mention.begin > 0 and self.words[mention.begin - 1] in ("at", "in", "near", "from")
            reference = self.references[mention.begin]
            addressed[character] += self.inside[reference.head] and self.is_vocative(reference)
        for character in self.characters:
            if all(name.is_kin for name in character.parsed):
                character.is_person |= character in narrated
                continue
            is_somewhere = places[character] > MAX_PLACE_SHARE * character.count
            acts = acting[character] >= MIN_ACTING_SHARE * character.count and character.count > MIN_VOTES
            is_called = addressed[character] >= MIN_VOTES
            character.is_person |= not is_somewhere and (is_called or (acts and bool(character.gender)))

    def _refer(self, begin: int, end: int, head: int, character: Character) -> None:
        self.references[begin] = Reference(begin, end, head, character)

    def _get_narrator(self) -> Character:
        if self.narrator is None:
            self.narrator = Character(Counter([NARRATOR]), None, [], True, 0)
            self.characters.append(self.narrator)
        return self.narrator

    def _is_person(self, head: int, speaking: Mapping[str, int]) -> bool:
        """Whether a noun is one for a person: by its form, or because it speaks more than once, with an article."""
        word, names = self.words[head], read_names()
        speaks = speaking[word] > 1 and word not in names.things | names.speech
        return is_person_noun(word) or speaks

    def _refer_noun(self, span: Span, head: int) -> None:
        """A speaker without a name, such as "the old man": one character for each noun, or the one with that title."""
        noun = self.words[head]
        if title := FAMILY.get(noun):
            relative = self._find_relative(title, span)
            if relative is not None:
                self._refer(span.start, span.end, head, relative)
                return
        if noun not in self.by_noun:
            titled = None if noun in FAMILY or noun in POLITE else _find_titled(noun, self.characters)
            # "His lady" has no title.
            if titled is not None and self.words[head - 1] not in POSSESSIVES:
                self.by_noun[noun] = titled
                titled.is_person = True
            else:
                gender = read_names().people.get(noun)
                self.by_noun[noun] = Character(Counter(), gender, [], True, head)
                self.characters.append(self.by_noun[noun])
                self.unnamed.add(self.by_noun[noun])
        character = self.by_noun[noun]
        near = self.doc[max(span.start, head - 2) : head + 1]
        words = [token.text for token in near if token.text[0].isalnum()]
        character.names[" ".join(words)] += 1
        self._refer(span.start, span.end, head, character)

    def _find_relative(self, title: str, span: Span) -> Character | None:
        """The character with a title and the surname of whom a relative belongs to."""
        owner = self.references[span.start].character if span.start in self.references else None
        gender = PRONOUNS.get(self.words[span.start])
        if owner is None and gender:
            near = (self.references.get(i) for i in range(span.start - 1, span.start - MAX_ANTECEDENT_DISTANCE, -1))
            owner = next((ref.character for ref in near if ref and ref.character.gender == gender), None)
        if owner is None:
            return None
        surnames = {name.words[-1] for name in owner.parsed}
        found = (
            character
            for character in self.characters
            if character is not owner
            and any(title in name.titles and name.words[-1] in surnames for name in character.parsed)
        )
        return max(found, key=lambda character: (character.count, -character.first), default=None)

    def _refer_nouns(self) -> None:
        """Mentions of the people that speak without a name, with a determiner, outside of quotations."""
        if not self.by_noun:
            return
        for i, word in enumerate(self.words):
            if word not in self.by_noun or self.inside[i] or not i or i - 1 in self.references:
                continue
            if self.words[i - 1] in ARTICLES:
                self._refer(i - 1, i + 1, i, self.by_noun[word])

    def _count_pronouns(self, mentions: Sequence[Mention]) -> dict[Name, Counter[str]]:
        """How often the next pronoun after a name is of a gender, without those before the next name."""
        at = [i for i, word in enumerate(self.words) if word in PRONOUNS]
        votes: dict[Name, Counter[str]] = {}
        for k, mention in enumerate(mentions):
            place = bisect_left(at, mention.end)
            end = mention.end + MAX_PRONOUN_DISTANCE
            if k + 1 < len(mentions):
                end = min(end, mentions[k + 1].begin)
            if place < len(at) and at[place] < end and self.inside[at[place]] == self.inside[mention.begin]:
                votes.setdefault(mention.name, Counter())[PRONOUNS[self.words[at[place]]]] += 1
        return votes

    def _resolve_pronouns(self, speakers: Set[int]) -> None:
        """Links he and she in narration to the last subject of that gender in the paragraphs around, else to the last
        mention. Speakers may be meant by what was said instead, and only get antecedents."""
        last: dict[str, tuple[int, Character]] = {}
        last_subject: dict[str, tuple[int, Character]] = {}
        marked = dict.fromkeys((i for i, word in enumerate(self.words) if word in PRONOUNS and not self.inside[i]))
        for i in sorted({*marked, *self.references}):
            if i in self.references:
                _, _, head, character = self.references[i]
                if self.inside[head]:
                    continue
            else:
                gender = PRONOUNS[self.words[i]]
                near = [
                    found[gender]
                    for found in (last_subject, last)
                    if gender in found and i - found[gender][0] <= MAX_ANTECEDENT_DISTANCE
                ]
                if not near:
                    continue
                head, character = i, near[0][1]
                if i in speakers:
                    self.antecedents[i] = character
                    continue
                self._refer(i, i + 1, i, character)
            for gender in (character.gender,) if character.gender else (MALE, FEMALE):
                if character.gender or gender not in last or i - last[gender][0] > MAX_ANTECEDENT_DISTANCE:
                    last[gender] = (i, character)
                    if self.is_subject[head]:
                        last_subject[gender] = (i, character)


def _find_subjects(doc: Doc) -> list[bool]:
    labels = [doc.vocab.strings[name] for name in SUBJECTS]
    return np.isin(doc.to_array([DEP]), np.array(labels, dtype=np.uint64)).tolist()


def _find_titled(title: str, characters: Iterable[Character]) -> Character | None:
    """The one character with a title, or who is mentioned much more often than others with it."""
    titles = {title, {"doctor": "dr", "professor": "prof", "captain": "capt", "colonel": "col"}.get(title, title)}
    titled = sorted((one for one in characters if one.has_title(titles)), key=lambda one: -one.count)
    is_clear = len(titled) == 1 or (titled and titled[0].count >= MIN_RATIO * titled[1].count)
    return titled[0] if is_clear else None


def _join_names(
    mentions: Sequence[Mention], narrated: Mapping[Name, int], votes: dict[Name, Counter[str]]
) -> tuple[list[Character], dict[Name, Character]]:
    """The characters, and that of each name. `narrated` says how often names are outside of quotations."""
    counts = Counter(mention.name for mention in mentions)
    first: dict[Name, int] = {}
    for mention in mentions:
        first.setdefault(mention.name, mention.begin)
    table = read_names()
    lasts = {name.words[-1] for name in counts if len(name.words) > 1}
    titled = {name.words[-1] for name in counts if name.titles}

    def rank(name: Name) -> tuple[int, int, int]:
        """Fullest names first, then given names, then surnames with titles, then others, then mere titles."""
        if len(name.words) > 1:
            kind = 0
        elif name.is_title:
            kind = 4
        elif not name.titles:
            word = name.words[0]
            kind = 1 if word in table.given_genders and word not in lasts - titled else 3
        else:
            kind = 2
        return kind, -counts[name], first[name]

    characters: list[Character] = []
    of_name: dict[Name, Character] = {}
    by_word: dict[str, list[Character]] = {}
    for name in sorted(counts, key=rank):
        gender = name.gender or _elect(votes.get(name))
        keys = _list_keys(name)
        near = list(dict.fromkeys(character for key in keys for character in by_word.get(key, ())))
        fitting = [character for character in near if _fits(name, gender, character)]
        # "Major Sholto" is rather "Major John Sholto" than "Mr. Thaddeus Sholto".
        fitting = [one for one in fitting if one.has_title(set(name.titles) - PLAIN_TITLES)] or fitting
        chosen = max(fitting, key=lambda character: (character.count, -character.first), default=None)
        if chosen is None and name.is_title:
            chosen = _find_titled(name.words[0], characters)
        # "Mr. Knightley" is not "Mr. John Knightley" if both are frequent.
        is_ambiguous = chosen is not None and bool(name.titles) and chosen.count < counts[name]
        is_ambiguous = is_ambiguous and (len(fitting) > 1 or _is_distinguished(name, chosen, counts))
        if chosen is None or is_ambiguous or _is_relative(name, chosen, narrated):
            chosen = Character(first=first[name])
            characters.append(chosen)
        of_name[name] = chosen
        chosen.parsed.append(name)
        chosen.names[name.text] += counts[name]
        chosen.gender = chosen.gender or gender
        chosen.is_person |= name.is_of_person and not name.is_kin
        chosen.first = min(chosen.first, first[name])
        for key in keys:
            if chosen not in by_word.setdefault(key, []):
                by_word[key].append(chosen)
    return characters, of_name


def _is_distinguished(name: Name, character: Character | None, counts: Mapping[Name, int]) -> bool:
    """Whether a character is often called by a title and surname with a given name between them, though seldom for the
    name without it: "Mr. John Knightley". A woman has a given name of her own: "Mrs. Rachel Lynde"."""
    others = () if character is None else character.parsed
    return any(
        other.titles == name.titles
        and len(other.words) > len(name.words)
        and MIN_RIVAL <= counts[other] <= counts[name] / MIN_RATIO
        and read_names().given_genders.get(other.words[0]) != FEMALE
        for other in others
    )


def _is_relative(name: Name, character: Character, narrated: Mapping[Name, int]) -> bool:
    """Whether narration often has a title and a surname, and as often the given name of who has that surname: few
    writers call one man both "Tom" and "Mr. Gradgrind", or "Henry" and "Captain Tilney"."""
    if not name.titles or FEMALE in (name.gender, character.gender):
        return False
    given = (other for other in character.parsed if other.words[0] in read_names().given_genders and not other.titles)
    least = MIN_NARRATED if set(name.titles) <= PLAIN_TITLES else MIN_RIVAL
    bare = sum(narrated[other] for other in given if len(other.words) == 1 and other.words != name.words)
    return not character.has_title(set(name.titles) - PLAIN_TITLES) and min(narrated[name], bare) >= least


def _elect(votes: Counter[str] | None) -> str | None:
    if votes is None:
        return None
    male, female = votes[MALE], votes[FEMALE]
    if abs(male - female) < MIN_VOTES or max(male, female) < 2 * min(male, female):
        return None
    return MALE if male > female else FEMALE


def _list_keys(name: Name) -> list[str]:
    """The words by which a name may be found: its own, and full forms of a given name."""
    full_forms = read_names().full_forms
    return [*name.words, *sorted(form for form in full_forms.get(name.words[0], ()) if form not in name.words)]


def _fits(name: Name, gender: str | None, character: Character) -> bool:
    names = read_names()
    if gender and character.gender and gender != character.gender:
        return False
    titles = {title for other in character.parsed for title in other.titles}
    mine = set(name.titles)
    if (mine & names.married and titles & names.unmarried) or (mine & names.unmarried and titles & names.married):
        return False
    if name.titles and not gender and character.gender == FEMALE:
        # "Captain Weston" is no "Mrs. Weston".
        return False
    if mine & names.married and not titles & names.married and len(name.words) == 1:
        # Who is called by a given name is rather her daughter.
        bare = sum(character.names[other.text] for other in character.parsed if len(other.words) == 1)
        if 2 * bare > character.count:
            return False
    return any(_are_one(name, other) for other in character.parsed)


def _are_one(name: Name, other: Name) -> bool:
    short, full = sorted((name.words, other.words), key=len)
    if short == full:
        return True
    if len(short) == 1:
        if len(full) == 1:
            both = not name.titles and not other.titles
            return both and are_equivalent(short[0], full[0])
        if short[0] == full[-1]:
            return True
        # "Lady Catherine" is no "Kitty".
        has_rank = bool(name.titles or other.titles)
        return short[0] == full[0] or (not has_rank and len(short[0]) > 1 and are_equivalent(short[0], full[0]))
    return short[-1] == full[-1] and are_equivalent(short[0], full[0])
