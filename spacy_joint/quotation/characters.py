"""Joins the names of one person into a character, in English documents.

The rules are deterministic; nothing is learnt. A name joins the character whose fullest name has all of its words,
where given names equal their short forms ("Lizzy", "Elizabeth"), unless genders or titles contradict ("Mr. Bennet",
"Miss Bennet"). If several characters fit, the one mentioned most gets the name, unless the name is more frequent than
each of them: then it becomes a separate character ("Mr. Knightley" beside "John Knightley").
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from .names import FEMALE, MALE, Mention, Name, are_equivalent, read_names

NARRATOR = "Narrator"
# The minimum lead of the pronouns of one gender over those of the other.
MIN_VOTES = 2
# Names this frequent distinguish characters, even from one that is this many times as frequent.
MIN_RIVAL, MIN_RATIO = 10, 6
# If narration has both "Mr." with a surname and the given name of a man with that surname this often, they are two men.
MIN_NARRATED = 25
# Names used less often do not become the id of a frequent character.
MIN_USES = 3
PLAIN_TITLES = frozenset(("mr", "mrs", "miss", "ms", "master", "mister"))


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
        """Returns the most frequent name of several words, or else of all, without "Mr." before a given name."""
        if NARRATOR in self.names or not self.parsed:
            return max(self.names, key=lambda name: (name == NARRATOR, self.names[name]))
        counts = {name: self.names[name.text] for name in self.parsed}
        usual = max(counts, key=counts.__getitem__)
        frequent = [name for name in counts if counts[name] >= MIN_USES or self.count < MIN_RIVAL]
        full = [name for name in frequent if len(name.words) > 1 and "of" not in name.words]
        # Louisa can be "Louisa Gradgrind", but not a rare "Loo Bounderby".
        full = [name for name in full if counts[name] * MIN_RATIO >= counts[usual] or {*name.words} & {*usual.words}]
        best = max(full or frequent or [usual], key=counts.__getitem__)
        # "Mrs. Henry Dashwood" is not Henry.
        given = Name((), best.words).gender
        is_own = given == best.gender or (given is None and read_names().married.isdisjoint(best.titles))
        if full and is_own and set(best.titles) <= PLAIN_TITLES:
            return best.text.split(" ", len(best.titles))[-1]
        return best.text

    def has_title(self, titles: Set[str]) -> bool:
        """Returns whether one of the names has, or is, one of these titles."""
        return any(not titles.isdisjoint(name.titles or name.words * name.is_title) for name in self.parsed)

    @property
    def count(self) -> int:
        """The number of mentions by name."""
        return self.names.total()


def find_titled(title: str, characters: Iterable[Character]) -> Character | None:
    """Finds the only character with a title, or the one mentioned much more often than the others with it."""
    titles = {title, {"doctor": "dr", "professor": "prof", "captain": "capt", "colonel": "col"}.get(title, title)}
    titled = [character for character in characters if character.has_title(titles)]
    titled.sort(key=lambda character: -character.count)
    is_clear = len(titled) == 1 or (titled and titled[0].count >= MIN_RATIO * titled[1].count)
    return titled[0] if is_clear else None


def join_names(
    mentions: Sequence[Mention], narrated: Mapping[Name, int], votes: dict[Name, Counter[str]]
) -> tuple[list[Character], dict[Name, Character]]:
    """Joins names; returns the characters, and the character of each name. `narrated` counts names in narration."""
    counts = Counter(mention.name for mention in mentions)
    first: dict[Name, int] = {}
    for mention in mentions:
        first.setdefault(mention.name, mention.begin)
    table = read_names()

    def rank(name: Name) -> tuple[int, int, int]:
        """Orders names: the fullest, given names, surnames with titles, other names, mere titles."""
        if len(name.words) > 1:
            kind = 0
        elif name.is_title:
            kind = 4
        elif not name.titles:
            kind = 1 if name.words[0] in table.given_genders else 3
        else:
            kind = 2
        return kind, -counts[name], first[name]

    characters: list[Character] = []
    by_name: dict[Name, Character] = {}
    by_word: dict[str, list[Character]] = {}
    for name in sorted(counts, key=rank):
        gender = name.gender or _choose_gender(votes.get(name, Counter()))
        keys = _list_keys(name)
        near = list(dict.fromkeys(character for key in keys for character in by_word.get(key, ())))
        fitting = [character for character in near if _fits(name, gender, character)]
        # "Major Sholto" is "Major John Sholto" rather than "Mr. Thaddeus Sholto".
        fitting = [fit for fit in fitting if fit.has_title(set(name.titles) - PLAIN_TITLES)] or fitting
        chosen = max(fitting, key=lambda character: (character.count, -character.first), default=None)
        if chosen is None and name.is_title:
            chosen = find_titled(name.words[0], characters)
        # "Mr. Knightley" is not "Mr. John Knightley" if both are frequent.
        is_ambiguous = (
            chosen is not None
            and bool(name.titles)
            and chosen.count < counts[name]
            and (len(fitting) > 1 or _is_distinguished(name, chosen, counts))
        )
        if chosen is None or is_ambiguous or _is_relative(name, chosen, narrated):
            chosen = Character(first=first[name])
            characters.append(chosen)
        by_name[name] = chosen
        chosen.parsed.append(name)
        chosen.names[name.text] += counts[name]
        chosen.gender = chosen.gender or gender
        chosen.is_person |= name.is_of_person and not name.is_kin
        chosen.first = min(chosen.first, first[name])
        for key in keys:
            if chosen not in by_word.setdefault(key, []):
                by_word[key].append(chosen)
    return characters, by_name


def _is_distinguished(name: Name, character: Character, counts: Mapping[Name, int]) -> bool:
    """Returns whether a character also has this name with a given name, rarely but often enough: "Mr. John Knightley".
    Women's given names do not count: "Mrs. Rachel Lynde" is Mrs. Lynde."""
    return any(
        other.titles == name.titles
        and len(other.words) > len(name.words)
        and MIN_RIVAL <= counts[other] <= counts[name] / MIN_RATIO
        and read_names().given_genders.get(other.words[0]) != FEMALE
        for other in character.parsed
    )


def _is_relative(name: Name, character: Character, narrated: Mapping[Name, int]) -> bool:
    """Returns whether narration often uses this name, with a title, and the given name of the character: few writers
    call one man both "Tom" and "Mr. Gradgrind", or "Henry" and "Captain Tilney"."""
    if not name.titles or FEMALE in (name.gender, character.gender):
        return False
    given = (other for other in character.parsed if other.words[0] in read_names().given_genders and not other.titles)
    least = MIN_NARRATED if set(name.titles) <= PLAIN_TITLES else MIN_RIVAL
    bare = sum(narrated[other] for other in given if len(other.words) == 1 and other.words != name.words)
    return not character.has_title(set(name.titles) - PLAIN_TITLES) and min(narrated[name], bare) >= least


def _choose_gender(votes: Counter[str]) -> str | None:
    male, female = votes[MALE], votes[FEMALE]
    if abs(male - female) < MIN_VOTES or max(male, female) < 2 * min(male, female):
        return None
    return MALE if male > female else FEMALE


def _list_keys(name: Name) -> list[str]:
    """Lists the words that find a name: its own, and the full forms of its given name."""
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
        # "Captain Weston" is not "Mrs. Weston".
        return False
    if name.titles and gender == FEMALE and titles and not character.gender:
        # "Miss Campbell" is not "Colonel Campbell".
        return False
    if mine & names.married and not titles & names.married and len(name.words) == 1:
        # A character called by a given name is more likely her daughter.
        bare = sum(character.names[other.text] for other in character.parsed if len(other.words) == 1)
        if 2 * bare > character.count:
            return False
    return any(_is_compatible(name, other) for other in character.parsed)


def _is_compatible(name: Name, other: Name) -> bool:
    short, full = sorted((name.words, other.words), key=len)
    if short == full:
        return True
    if len(short) == 1:
        if len(full) == 1:
            both = not name.titles and not other.titles
            return both and are_equivalent(short[0], full[0])
        if short[0] == full[-1]:
            return True
        # "Lady Catherine" is not "Kitty".
        has_rank = bool(name.titles or other.titles)
        return short[0] == full[0] or (not has_rank and len(short[0]) > 1 and are_equivalent(short[0], full[0]))
    return short[-1] == full[-1] and are_equivalent(short[0], full[0])
