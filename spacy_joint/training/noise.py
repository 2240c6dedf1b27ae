"""Noisy copies of documents, as people and machines write them: capitals, wrong commas, typos, spoken words, misheard
words, line breaks.

Trees, tags and boundaries stay correct. Added words follow Universal Dependencies: a filler is `discourse`, a repeated
word the `reparandum` of its repetition, and the last word of a number its head. Rates are estimates where no source is
given.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from spacy.language import Language
from spacy.symbols import ADP, AUX, CCONJ, DET, NUM, PART, PRON, PROPN, PUNCT, SCONJ, SYM
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..corpora.examples import Augmenter
from ..errors import check_range, check_value
from ..pipes.token_columns import SPACE_TAGS
from .rewriting import Added, Word, copy_words, require_same_tokens, require_words, rewrite, rewrite_example
from .unpunctuated import find_spoken

# Turns a document into the words of a copy.
Change = Callable[[Doc, random.Random], list[Word]]

COMMA = ","
REMOVED_COMMAS = 0.5
ADDED_COMMAS = 0.02  # per space between words
TYPOS, TYPO_LENGTH = 0.1, 4  # per word; minimum letters of a word
FILLERS = 0.03  # per space before a word
BREAK = {**SPACE_TAGS, "MORPH": "", "DEP": "dep"}
FILLER = {"TAG": "UH", "POS": "INTJ", "MORPH": "", "DEP": "discourse"}
REPETITIONS = 0.05  # per word of these parts of speech
REPEATED = frozenset((ADP, AUX, CCONJ, DET, PRON, SCONJ))
# Per word. ESPnet omits 2.6 %, replaces 9.2 % and adds 5.4 % of the words of Earnings-21. Replacements and additions
# are rarer here, because many of ESPnet's are numbers that it spells out.
UNHEARD, MISHEARD, IMAGINED = 0.026, 0.069, 0.02
REDUCTIONS = 0.5  # per word, or pair of words, that can be reduced
WIDTHS = (60, 80)  # the maximum length of wrapped lines is between them, in characters
# As tokenized in EWT and GUM.
REDUCED_BEFORE_TO = {"going": ("gon", "na"), "want": ("wan", "na"), "got": ("got", "ta")}
REDUCED = {"because": "cause"}

NUMBER = re.compile(r"0|[1-9]\d{0,3}|[1-9]\d{0,2}(,\d{3}){1,2}")
YEAR = re.compile(r"1[1-9]\d\d|20[1-9]\d")
ONES = (  # noqa: SIM905
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
POWERS = {1_000_000: "million", 1000: "thousand", 100: "hundred"}


def write_all_caps(doc: Doc, _: random.Random) -> list[Word]:
    """Write a document LIKE THIS."""
    return [word._replace(text=word.text.upper()) for word in copy_words(doc)]


def write_title_case(doc: Doc, _: random.Random) -> list[Word]:
    """Write a document Like This, Don't You Think?"""
    words = copy_words(doc)
    for index, word in enumerate(words):
        # Not clitics.
        if not index or words[index - 1].space or not words[index - 1].text[-1].isalnum():
            words[index] = word._replace(text=word.text[:1].upper() + word.text[1:].lower())
    return words


def change_commas(doc: Doc, rng: random.Random) -> list[Word]:
    """Remove half of the commas, and add others annotated like the first one. Without a comma, change nothing."""
    comma = next((token for token in doc if token.text == COMMA), None)
    if comma is None:
        return []
    given = {**_describe(comma), "DEP": "punct"}
    words: list[Word] = []
    for word in copy_words(doc):
        token = doc[word.source]
        if token.text == COMMA and rng.random() < REMOVED_COMMAS:
            if words and word.space:
                words[-1] = words[-1]._replace(space=True)
            continue
        is_inside = token.i and not token.is_sent_start and token.text.isalpha() and doc[token.i - 1].text.isalpha()
        if is_inside and _begins(token) and rng.random() < ADDED_COMMAS:
            words[-1] = words[-1]._replace(space=False)
            words.append(Word(COMMA, True, token.i, given, Added.TO_CLAUSE))
        words.append(word)
    return words


def write_typos(doc: Doc, rng: random.Random) -> list[Word]:
    """Misspell some words."""
    letters = "".join(filter(str.isalpha, doc.text.lower()))
    return [
        word._replace(text=misspell(word.text, letters, rng))
        if word.text.isalpha() and len(word.text) >= TYPO_LENGTH and rng.random() < TYPOS
        else word
        for word in copy_words(doc)
    ]


def misspell(word: str, letters: str, rng: random.Random) -> str:
    """Omit, add, replace or swap letters inside a word of at least three letters, the commonest misspellings (Damerau
    1964, doi:10.1145/363958.363994), choosing from `letters`."""
    index = rng.randrange(1, len(word) - 1)
    before, letter, after = word[:index], word[index], word[index + 1 :]
    other = rng.choice(letters)
    swapped = before + after[0] + letter + after[1:]
    return rng.choice((before + after, before + letter + other + after, before + other + after, swapped))


def imitate_speech(doc: Doc, rng: random.Random) -> list[Word]:
    """Write a document (J126) as spoken English: fillers, repeated words, numbers as words, "gonna". Numbers beside a
    symbol, as in "$5", stay, because they are spoken in another order."""
    require_words(doc)
    reduced = dict(_reduce(doc, rng))
    words: list[Word] = []
    for word in copy_words(doc):
        token = doc[word.source]
        spoken = [word._replace(text=reduced.get(token.i, word.text))]
        is_joined = token.text == "to" and token.i in reduced
        if is_joined:
            words[-1] = words[-1]._replace(space=False)
        if _is_number(token):
            morph = str(token.morph).replace("NumForm=Digit", "NumForm=Word")
            *others, last = spell_number(token.text)
            spoken = [
                Word(text, True, token.i, {"LEMMA": text, "MORPH": morph, "DEP": "compound"}, Added.TO_NEXT)
                for text in others
            ]
            spoken.append(Word(last, word.space, token.i, {"LEMMA": last, "MORPH": morph}))
        elif _begins(token) and token.pos in REPEATED and rng.random() < REPETITIONS:
            spoken.insert(0, Word(token.text, True, token.i, {"DEP": "reparandum"}, Added.TO_NEXT))
        is_word = token.pos != PUNCT and not token.text.isspace()
        if is_word and _begins(token) and not is_joined and rng.random() < FILLERS:
            text = rng.choice(("uh", "um"))
            spoken.insert(0, Word(text, True, token.i, {**FILLER, "LEMMA": text}, Added.TO_CLAUSE))
        if token.is_sent_start and len(spoken) > 1 and token.text[:1].isupper():
            spoken[0] = spoken[0]._replace(text=spoken[0].text.capitalize())
            if token.pos != PROPN and token.text != "I":
                spoken[1:] = [each._replace(text=each.text.lower()) for each in spoken[1:]]
        words += spoken
    return words


def mishear(doc: Doc, rng: random.Random) -> list[Word]:
    """Leave out, replace and add words, as recognisers do: they confuse words that begin alike, and add short ones."""
    letters: dict[str, list[Token]] = {}
    for token in doc:
        letters.setdefault(token.text[:1].lower(), []).append(token)
    short = [token for token in doc if token.text.isalpha() and len(token) < TYPO_LENGTH]
    words: list[Word] = []
    for word in copy_words(doc):
        token, chance = doc[word.source], rng.random()
        if chance < UNHEARD and _begins(token) and word.space:
            continue
        if short and _begins(token) and rng.random() < IMAGINED:
            heard = rng.choice(short)
            words.append(Word(heard.text, True, token.i, {**_describe(heard), "DEP": "discourse"}, Added.TO_CLAUSE))
        if UNHEARD <= chance < UNHEARD + MISHEARD and token.text.isalpha():
            heard = rng.choice(letters[token.text[0].lower()])
            word = word._replace(text=heard.text, annotation=_describe(heard))
        words.append(word)
    return words


def imitate_recognizer(doc: Doc, rng: random.Random) -> list[Word]:
    """Write a document as spoken English, lower-cased and without punctuation."""
    return find_spoken(doc, imitate_speech(doc, rng))


def leave_out_punctuation(doc: Doc, _: random.Random) -> list[Word]:
    """Lower-case a document without its punctuation, as by `spacy_joint.unpunctuated.v1`."""
    return find_spoken(doc, copy_words(doc))


def join_lines(doc: Doc) -> list[Word]:
    """Write a document without line breaks."""
    return _write_breaks(doc, "")


def break_lines(doc: Doc, rng: random.Random) -> list[Word]:
    """Write line breaks or, half of the time, blank lines between paragraphs, instead of tokens with line breaks."""
    return _write_breaks(doc, rng.choice(("\n", "\n\n")))


def wrap_lines(doc: Doc, rng: random.Random) -> list[Word]:
    """Break lines between words, at one width per document, with blank lines between paragraphs."""
    width = rng.randint(*WIDTHS)
    words: list[Word] = []
    length = 0
    given = _write_breaks(doc, "\n\n")
    for index, word in enumerate(given):
        if words and words[-1].space:
            end = next((i for i in range(index, len(given)) if given[i].space or given[i].text.isspace()), len(given))
            if length + sum(len(each.text) for each in given[index : end + 1]) > width:
                last = words[-1]
                words[-1] = last._replace(space=False)
                words.append(Word("\n", False, last.source, {**BREAK, "LEMMA": "\n"}, Added.TO_PREVIOUS))
                length = 0
        length = 0 if "\n" in word.text else length + len(word.text) + word.space
        words.append(word)
    return words


def _write_breaks(doc: Doc, text: str) -> list[Word]:
    """Replace each token with a line break by a text, or by a space if that is empty; return the words."""
    words: list[Word] = []
    for word in copy_words(doc):
        if not (word.text.isspace() and "\n" in word.text):
            words.append(word)
        elif text:
            words.append(word._replace(text=text, annotation={"LEMMA": text}))
        elif words:
            words[-1] = words[-1]._replace(space=True)
    return words


CHANGES: Mapping[str, Sequence[Change]] = {
    "unpunctuated": (leave_out_punctuation,),
    "capitals": (write_all_caps, write_title_case),
    "commas": (change_commas,),
    "speech": (imitate_speech, imitate_recognizer),
    "typos": (write_typos,),
    "misheard": (mishear,),
    "lines": (break_lines, wrap_lines),
}
"""The changes of each kind of copy, which are equally probable."""


def spell_number(digits: str) -> list[str]:
    """Spell a whole number below a billion, such as 1,250, or a year, in English words."""
    number = int(digits.replace(",", ""))
    if YEAR.fullmatch(digits):
        century, year = divmod(number, 100)
        return [*_spell(century), *(_spell(year) if year > 9 else ["oh", ONES[year]] if year else ["hundred"])]
    return _spell(number)


def _spell(number: int) -> list[str]:
    if number < len(ONES):
        return [ONES[number]]
    for power, name in POWERS.items():
        if number >= power:
            count, rest = divmod(number, power)
            return [*_spell(count), name, *(_spell(rest) if rest else ())]
    tens, ones = divmod(number, 10)
    return [TENS[tens - 2], *(_spell(ones) if ones else ())]


def _describe(token: Token) -> dict[str, str]:
    return {"TAG": token.tag_, "POS": token.pos_, "MORPH": str(token.morph), "LEMMA": token.lemma_}


def _begins(token: Token) -> bool:
    """Return whether a token follows a space or begins the document."""
    return token.i == 0 or bool(token.doc[token.i - 1].whitespace_)


def _is_number(token: Token) -> bool:
    """Return whether a token is a whole number that stands alone."""
    ends = bool(token.whitespace_) or token.i + 1 == len(token.doc) or token.nbor().pos == PUNCT
    is_number = token.pos == NUM and NUMBER.fullmatch(token.text) is not None and token.head.pos != SYM
    return is_number and _begins(token) and ends


def _reduce(doc: Doc, rng: random.Random) -> Iterator[tuple[int, str]]:
    """Yield positions and forms of reduced words."""
    for token in doc:
        text = token.text
        if text in REDUCED and token.pos == SCONJ and rng.random() < REDUCTIONS:
            yield token.i, REDUCED[text]
        if text == "to" and token.pos == PART and token.i:
            forms = REDUCED_BEFORE_TO.get(doc[token.i - 1].text)
            if forms and rng.random() < REDUCTIONS:
                yield from zip((token.i - 1, token.i), forms, strict=True)


def corrupt(doc: Doc, change: Change, seed: int = 0) -> Doc | None:
    """Make a changed copy of a document; return None if it has no words or does not differ."""
    words = change(doc, random.Random(f"{seed} {doc.text}"))
    return rewrite(doc, words) if _is_change(doc, words) else None


def _is_change(doc: Doc, words: Sequence[Word]) -> bool:
    return bool(words) and [word.text for word in words] != [token.text for token in doc]


def create_noise_augmenter(
    *,
    unpunctuated: float = 1.0,
    capitals: float = 0.1,
    commas: float = 0.1,
    speech: float = 0.2,
    typos: float = 0.1,
    misheard: float = 0.0,
    lines: float = 0.0,
    seed: int = 0,
) -> Augmenter:
    """Make an augmenter of training examples, registered as `spacy_joint.noise.v1`. It yields each example, then
    changed copies with the same annotation, except copies that are empty or do not differ.

    All arguments but the last are shares of documents that get a copy of this kind:
    unpunctuated (float): Lower-cased and without punctuation, as by `spacy_joint.unpunctuated.v1`.
    capitals (float): Half of them in ALL CAPS, half in Title Case.
    commas (float): Without half of the commas, and with others in wrong places.
    speech (float): With fillers, repeated words, numbers as words, and "gonna"; half of them lower-cased and without
        punctuation. English only.
    typos (float): With letters omitted, added, replaced or swapped in a tenth of the longer words.
    misheard (float): With words left out, replaced and added, about as often as by a recogniser.
    lines (float): In lines: with line breaks or blank lines between paragraphs, and half of them with wrapped lines,
        too. Tokens with line breaks in the given document mark its paragraphs. If the share is not 0, the example
        itself, and copies of other kinds, have no line breaks.
    seed (int): The seed of all choices, which otherwise depend only on the text of the document.
    RAISES ValueError: If a share is not a probability (J030); when augmenting, J030, J124, J125, J126.
    """
    shares = {
        "unpunctuated": unpunctuated,
        "capitals": capitals,
        "commas": commas,
        "speech": speech,
        "typos": typos,
        "misheard": misheard,
        "lines": lines,
    }
    for name, share in shares.items():
        check_range(name, share, 0, 1)
    return partial(_augment, shares=shares, seed=seed)


def _augment(nlp: Language, example: Example, *, shares: Mapping[str, float], seed: int) -> Iterator[Example]:
    allowed = f"0 for the language '{nlp.lang}': noise of speech is English"
    check_value("speech", shares["speech"], not shares["speech"] or nlp.lang == "en", allowed)
    require_same_tokens(example)
    joined = join_lines(example.reference) if shares["lines"] else []
    plain = rewrite_example(example, joined) if 0 < len(joined) < len(example.reference) else example
    yield plain
    for kind, share in shares.items():
        rng = random.Random(f"{seed} {kind} {plain.reference.text}")
        if rng.random() < share:
            given = example if kind == "lines" else plain
            words = rng.choice(CHANGES[kind])(given.reference, rng)
            if _is_change(plain.reference, words):
                yield rewrite_example(given, words)
