"""Finds the characters of an English document, and their mentions: names, nouns and pronouns.

The rules are deterministic; nothing is learnt. `characters.py` joins the names of one person.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP
from spacy.tokens import Doc, Span, Token

from ..annotation.quotations import Run
from ..annotation.restored import list_texts
from .characters import MIN_VOTES, NARRATOR, Character, find_titled, join_names
from .names import FEMALE, MALE, Mention, Name, find_names, is_person_noun, read_names

PRONOUNS = dict.fromkeys(("he", "him", "his", "himself"), MALE)
PRONOUNS |= dict.fromkeys(("she", "her", "hers", "herself"), FEMALE)
POSSESSIVES = frozenset(("his", "her", "my", "our", "your", "their", "'s", "’s"))
ARTICLES = frozenset(("the", "this", "that"))
# The tags of determiners and of words before a name in an apposition, and the ends of an apposition.
DETERMINERS = frozenset(("DT", "PRP$"))
BEFORE_NAME = DETERMINERS | {"JJ", "NN"}
ENDINGS = frozenset((",", ".", ";", ":", "-", "--", "—"))
INDEFINITE = frozenset(("a", "an", "one", "another", "somebody", "someone"))
# The tags of singular nouns. Taggers take rare ones for names, such as "mariner".
NOUNS = frozenset(("", "NN", "NNP"))
PLURALS = frozenset(("NNS", "NNPS"))
SEVERAL = frozenset(("and", "they", "we", "both"))
FIRST_PERSON = frozenset(("i", "me", "myself"))
# Words before a name in an address.
ADDRESSING = frozenset(("oh", "o", "ah", "dear", "my", "poor", "yes", "no", "well", "old", "dearest", "little"))
# The titles of relatives.
FAMILY = {"wife": "mrs", "mother": "mrs", "husband": "mr", "father": "mr", "uncle": "uncle", "aunt": "aunt"}
# The maximum distances, in tokens, from a name to a pronoun that shows its gender, and from a pronoun to its
# antecedent, also if that is a subject.
MAX_PRONOUN_DISTANCE = 15
MAX_ANTECEDENT_DISTANCE, MAX_ACTING_DISTANCE = 200, 75
# The minimum share of a person's mentions that are subjects, and the maximum share that follow "in" and the like.
MIN_ACTING_SHARE, MAX_PLACE_SHARE = 0.2, 0.08
# A narrator says "I" at least once in this number of words.
MAX_WORDS_PER_NARRATOR = 150
SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "csubj")
MAIN = frozenset(("ROOT", "parataxis"))


class Reference(NamedTuple):
    """A mention of a character: its tokens and its head."""

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
        self.words = [text.lower().rstrip(".") or text for text in list_texts(doc)]
        labels = [doc.vocab.strings[label] for label in SUBJECTS]
        self.is_subject = np.isin(doc.to_array([DEP]), np.array(labels, dtype=np.uint64)).tolist()
        self.is_main = [is_subject and _is_main(doc[i].head) for i, is_subject in enumerate(self.is_subject)]
        mentions = find_names(doc, speakers)
        heads = {mention.end - 1: mention for mention in mentions}
        begins = {mention.begin: mention for mention in mentions}
        for begin, end, _ in mentions:
            # The head of a full name is its first word.
            self.is_subject[end - 1] |= any(self.is_subject[begin:end])
            self.is_main[end - 1] |= any(self.is_main[begin:end])
        narrated = Counter(mention.name for mention in mentions if not self.inside[mention.begin])
        self.characters, by_name = join_names(mentions, narrated, self._count_genders(mentions))
        self.narrator: Character | None = None
        self.by_noun: dict[str, Character] = {}
        # Characters without a name, such as "the old man".
        self.unnamed: set[Character] = set()
        # References by their first token.
        self.references: dict[int, Reference] = {}
        for mention in mentions:
            self._add(mention.begin, mention.end, mention.end - 1, by_name[mention.name])
        pronouns: list[int] = []
        speaking = Counter(self.words[span.root.i] for span in speakers if self.words[span.start] in ARTICLES)
        for span in speakers:
            root = span.root.i
            named = [heads[i] for i in range(span.start, span.end) if i in heads]
            # Also in "the painter Ann Lee", whose head parsers may take for that of all.
            own = next((mention for mention in named if mention.begin - 1 <= root < mention.end), None)
            person = own or self._find_apposition(span, begins)
            if self.words[root] in PRONOUNS:
                pronouns.append(root)
            elif self.words[root] in FIRST_PERSON:
                self._add(span.start, span.end, root, self._get_narrator())
            elif person is not None:
                by_name[person.name].is_person = True
                if own is None:
                    self._add(span.start, span.end, root, by_name[person.name])
            elif doc[root].tag_ in NOUNS and self._is_person(root, speaking):
                self._add_noun_speaker(span, root)
        self._mark_people(mentions, narrated, by_name)
        self.characters = [character for character in self.characters if character.is_person]
        self.references = {at: ref for at, ref in self.references.items() if ref.character.is_person}
        self._add_noun_mentions()
        # The antecedents of pronouns that are speakers, by narration alone.
        self.antecedents: dict[int, Character] = {}
        self._resolve_pronouns(frozenset(pronouns))
        self.present: set[Character] = set()
        self.at = sorted(self.references)
        n_first = sum(word == "i" and not quoted for word, quoted in zip(self.words, self.inside, strict=True))
        is_told = n_first * MAX_WORDS_PER_NARRATOR > len(self.words) - sum(self.inside)
        if self.narrator is not None and is_told:
            self._identify_narrator(self.narrator)
        # Characters that are present, not only spoken about. An author who says "I" now and then is not.
        self.present = {
            ref.character
            for ref in self.references.values()
            if (not self.inside[ref.head] and (is_told or ref.character is not self.narrator)) or self.is_vocative(ref)
        }

    def _find_apposition(self, span: Span, begins: Mapping[int, Mention]) -> Mention | None:
        """Finds Ann Lee in "the mayor, Ann Lee, said", in "her sister, the painter Ann Lee, said" and in "the mayor of
        the town, Ann Lee, said"."""
        comma = next((i for i in range(span.end, span.root.right_edge.i) if self.words[i] == ","), span.end)
        at = comma + 1
        while at < len(self.words) and self.doc[at].tag_ in BEFORE_NAME and at not in begins:
            at += 1
        named = begins.get(at)
        is_apposed = self.words[comma : comma + 1] == [","]
        return named if named and is_apposed and set(self.words[named.end : named.end + 1]) <= ENDINGS else None

    def is_one_person(self, begin: int, end: int) -> bool:
        """Returns whether tokens can mention one person: they are "he" or "she", or end in a singular noun, but not in
        "company" or "voice"."""
        word, names = self.words[end - 1], read_names()
        is_noun = self.doc[end - 1].tag_ in NOUNS and word not in names.things and word not in names.speech
        return (is_noun and not self._are_several(begin, end)) or word in PRONOUNS

    def may_speak(self, begin: int, end: int) -> bool:
        """Returns whether a mention says who speaks: it is a known character, a pronoun, a name, several people or
        somebody new ("a voice"), or a voice, but not "the other"."""
        word, last = self.doc[end - 1], self.words[end - 1]
        is_new = word.tag_ in PLURALS or self.words[begin] in INDEFINITE or self._are_several(begin, end)
        is_named = not word.text[0].islower() or last in read_names().speech
        return is_new or is_named or last in PRONOUNS or self.find(begin, end) is not None

    def find_gender(self, mention: Run | None) -> str | None:
        """Returns the gender of a mention that is "he" or "she"; None of others."""
        return PRONOUNS.get(self.words[mention[0]]) if mention is not None and mention[1] - mention[0] == 1 else None

    def find(self, begin: int, end: int) -> Character | None:
        """Finds the character of a mention that is not a pronoun: of the last reference in it, but not of "his" in "his
        valet", of Ann in "Ann's aunt", or of Paris in "Ann of Paris"."""
        names = [i for i in range(begin, end) if i in self.references]
        near = (self.references[i] for i in reversed(names) if "of" not in self.words[names[0] : i])
        own = (ref for ref in near if ref.end == end or not {self.words[ref.begin], self.words[ref.end]} & POSSESSIVES)
        return None if self._are_several(begin, end) else next((ref.character for ref in own), None)

    def _are_several(self, begin: int, end: int) -> bool:
        """Returns whether tokens mention several people: "they", "Ann and Bo"."""
        return not SEVERAL.isdisjoint(self.words[begin:end])

    def list_references(self, begin: int, end: int) -> list[Reference]:
        """Lists the references that begin in these tokens, in order."""
        at = self.at[bisect_left(self.at, begin) : bisect_left(self.at, end)]
        return [self.references[i] for i in at]

    def find_paragraph(self, begin: int, end: int) -> tuple[int, int]:
        """Finds the paragraphs around tokens; without paragraphs, the nearest words."""
        if len(self.starts) <= 1:
            return max(begin - MAX_PRONOUN_DISTANCE, 0), min(end + MAX_PRONOUN_DISTANCE, len(self.words))
        first, last = bisect_right(self.starts, begin) - 1, bisect_left(self.starts, end)
        return self.starts[max(first, 0)], self.starts[last] if last < len(self.starts) else len(self.words)

    def is_paragraph(self, begin: int, end: int) -> bool:
        """Returns whether tokens are all the words of a paragraph."""
        first, last = self.find_paragraph(begin, end)
        return not any(word[:1].isalnum() for word in (*self.words[first:begin], *self.words[end:last]))

    def is_vocative(self, reference: Reference) -> bool:
        """Returns whether a mention in a quotation is an address: it stands between punctuation."""
        after = self.words[reference.end] if reference.end < len(self.words) else "."
        before = self.words[reference.begin - 1] if reference.begin else "."
        follows = before in ADDRESSING or not before[:1].isalnum()
        return follows and not after[:1].isalnum() and after not in ("'s", "’s", "-", "--", "—")

    def _identify_narrator(self, narrator: Character) -> None:
        """Joins the narrator with the character addressed most among those that the narration does not name."""
        addressed: Counter[Character] = Counter()
        narrated: set[Character] = set()
        for reference in self.references.values():
            if not self.inside[reference.head]:
                narrated.add(reference.character)
            elif self.is_vocative(reference):
                addressed[reference.character] += 1
        found = [(count, character) for character, count in addressed.most_common() if character not in narrated]
        if found and (len(found) == 1 or found[0][0] > found[1][0]):
            self.narrator = found[0][1]
            del narrator.names[NARRATOR]
            self.join(self.narrator, narrator)

    def join(self, character: Character, other: Character) -> None:
        """Makes another character the same person, who keeps his or her name."""
        character.names += other.names
        character.gender = character.gender or other.gender
        self.characters.remove(other)
        self.references = {
            at: reference._replace(character=character) if reference.character is other else reference
            for at, reference in self.references.items()
        }
        self.antecedents = {at: character if who is other else who for at, who in self.antecedents.items()}
        self.present = {character if who is other else who for who in self.present}

    def _mark_people(
        self, mentions: Sequence[Mention], narrated: Mapping[Name, int], by_name: Mapping[Name, Character]
    ) -> None:
        """Marks the characters that are people: addressed, or acting and with a gender, and not places."""
        acting: Counter[Character] = Counter()
        places: Counter[Character] = Counter()
        addressed: Counter[Character] = Counter()
        for mention in mentions:
            character = by_name[mention.name]
            acting[character] += self.is_subject[mention.end - 1]
            places[character] += mention.begin > 0 and self.words[mention.begin - 1] in ("at", "in", "near", "from")
            reference = self.references[mention.begin]
            addressed[character] += self.inside[reference.head] and self.is_vocative(reference)
        for character in self.characters:
            if all(name.is_kin for name in character.parsed):
                character.is_person |= any(narrated[name] for name in character.parsed)
                continue
            is_somewhere = places[character] > MAX_PLACE_SHARE * character.count
            acts = acting[character] >= MIN_ACTING_SHARE * character.count and character.count > MIN_VOTES
            is_called = addressed[character] >= MIN_VOTES
            # Not the month in "in May", nor a place that "speaks".
            is_named = any(name.is_of_person for name in character.parsed)
            most = character.count - 1 if is_named else max(MIN_VOTES, 2 * MAX_PLACE_SHARE * character.count)
            character.is_person &= places[character] <= most
            character.is_person |= not is_somewhere and (is_called or (acts and bool(character.gender)))

    def _add(self, begin: int, end: int, head: int, character: Character) -> None:
        self.references[begin] = Reference(begin, end, head, character)

    def _get_narrator(self) -> Character:
        if self.narrator is None:
            self.narrator = Character(Counter([NARRATOR]), is_person=True)
            self.characters.append(self.narrator)
        return self.narrator

    def _is_person(self, head: int, speaking: Mapping[str, int]) -> bool:
        """Returns whether a noun means a person: by its form, or as a speaker more than once, with an article."""
        word, names = self.words[head], read_names()
        return is_person_noun(word) or (speaking[word] > 1 and word not in names.things | names.speech)

    def _add_noun_speaker(self, span: Span, head: int) -> None:
        """Adds a speaker without a name ("the old man"): one character per noun, or the one with that title."""
        noun = self.words[head]
        relative = self._find_relative(FAMILY[noun], span) if noun in FAMILY else None
        if relative is not None:
            self._add(span.start, span.end, head, relative)
            return
        if noun not in self.by_noun:
            character = None if noun in FAMILY or read_names().is_bound(noun) else find_titled(noun, self.characters)
            # "His lady" is not a Lady.
            if character is None or self.words[head - 1] in POSSESSIVES:
                character = Character(gender=read_names().noun_genders.get(noun), first=head)
                self.characters.append(character)
                self.unnamed.add(character)
            character.is_person = True
            self.by_noun[noun] = character
        first = next((i for i in range(head, span.start, -1) if self.doc[i].tag_ in DETERMINERS), span.start)
        self.by_noun[noun].names[" ".join(self.doc[first : head + 1].text.split())] += 1
        self._add(span.start, span.end, head, self.by_noun[noun])

    def _find_relative(self, title: str, span: Span) -> Character | None:
        """Finds the character with a title and the surname of the person whose relative a span mentions."""
        owner = self.references[span.start].character if span.start in self.references else None
        gender = PRONOUNS.get(self.words[span.start])
        if owner is None and gender:
            near = (self.references.get(i) for i in range(span.start - 1, span.start - MAX_ANTECEDENT_DISTANCE, -1))
            narrated = (ref.character for ref in near if ref and not self.inside[ref.head])
            owner = next((character for character in narrated if character.gender == gender), None)
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

    def _add_noun_mentions(self) -> None:
        """Adds the mentions of speakers without a name that have an article, outside quotations."""
        for begin, (article, noun) in enumerate(pairwise(self.words)):
            i = begin + 1
            if noun in self.by_noun and article in ARTICLES and not self.inside[i] and begin not in self.references:
                self._add(begin, i + 1, i, self.by_noun[noun])

    def _count_genders(self, mentions: Sequence[Mention]) -> dict[Name, Counter[str]]:
        """Counts the genders of the first pronouns after each name, up to the next name."""
        at = [i for i, word in enumerate(self.words) if word in PRONOUNS]
        votes: dict[Name, Counter[str]] = {}
        following = [*(mention.begin for mention in mentions[1:]), len(self.words)]
        for mention, limit in zip(mentions, following, strict=False):
            place, end = bisect_left(at, mention.end), min(mention.end + MAX_PRONOUN_DISTANCE, limit)
            if place < len(at) and at[place] < end and self.inside[at[place]] == self.inside[mention.begin]:
                votes.setdefault(mention.name, Counter())[PRONOUNS[self.words[at[place]]]] += 1
        return votes

    def _resolve_pronouns(self, speakers: Set[int]) -> None:
        """Links "he" and "she" in narration to the last subject of that gender close by, of a main clause unless it is
        the first in its paragraph, else to the last mention. Pronouns that are speakers only get antecedents, because
        the conversation may decide otherwise."""
        last: dict[str, tuple[int, Character]] = {}
        last_acting: dict[str, tuple[int, Character]] = {}
        pronouns = {i for i, word in enumerate(self.words) if word in PRONOUNS and not self.inside[i]}
        for i in sorted(pronouns | self.references.keys()):
            if i in self.references:
                _, _, head, character = self.references[i]
                if self.inside[head] or character is self.narrator:
                    continue
            else:
                gender = PRONOUNS[self.words[i]]
                near = [
                    found[gender]
                    for found, most in ((last_acting, MAX_ACTING_DISTANCE), (last, MAX_ANTECEDENT_DISTANCE))
                    if gender in found and i - found[gender][0] <= most
                ]
                if not near:
                    continue
                head, character = i, near[0][1]
                if i in speakers:
                    self.antecedents[i] = character
                    continue
                self._add(i, i + 1, i, character)
            start = self.starts[bisect_right(self.starts, i) - 1] if self.starts else 0
            for gender in (character.gender,) if character.gender else (MALE, FEMALE):
                if character.gender or gender not in last or i - last[gender][0] > MAX_ANTECEDENT_DISTANCE:
                    last[gender] = (i, character)
                    is_first = gender not in last_acting or last_acting[gender][0] < start
                    if self.is_main[head] or (self.is_subject[head] and is_first):
                        last_acting[gender] = (i, character)


def _is_main(verb: Token) -> bool:
    while verb.dep_ == "conj" and verb.head.i != verb.i:
        verb = verb.head
    return verb.dep_ in MAIN
