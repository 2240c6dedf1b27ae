"""Rules that split English text into the words of Universal Dependencies, for spaCy's own `Tokenizer`.

The conventions are those of https://universaldependencies.org/en/index.html. The rules split hyphenated words, unless
they begin with a bound prefix (`well - known`, but `non-human`), words joined by a slash, numbers from units, and all
clitics. Phone numbers, dates, addresses and runs of the same mark stay whole. The rules are based on the training part
of EWT. Exceptions of spaCy, `abbreviations`, and exceptions learnt from a treebank (see `exceptions`) cover the rest.
"""

import re
from collections.abc import Callable

from spacy.lang.en import English
from spacy.language import Language
from spacy.symbols import ORTH
from spacy.tokenizer import Tokenizer

from ..pipes.abbreviations import read_abbreviations
from .exceptions import vary_case

# Accents are often typed instead of apostrophes.
APOSTROPHE = "['’`´]"  # noqa: RUF001
CURRENCY = "$£€¥¢"
# A run of one of these marks is a single token, such as a horizontal line or part of a drawing.
REPEATED = "=*_~#+<>|^—–"
# Prefixes that do not occur alone, so the hyphen after them does not split.
BOUND = (
    "anti|arch|co|counter|cross|e|ex|inter|intra|micro|mid|multi|neo|non|over|post|pre|pro|psycho|re|semi|socio|sub|un"
)
FILE_ENDINGS = "doc|docx|exe|gif|gz|htm|html|jpeg|jpg|mp3|pdf|php|png|ppt|rtf|tar|txt|xls|xlsx|xml|zip"
DOMAINS = "biz|com|edu|gov|info|mil|net|org|co\\.[a-z]{2}"
UNITS = "bn|cm|ft|gb|hp|hrs?|k|kb|kg|km|kv|lbs?|m|mb|mg|mins?|ml|mm|mph|mw|mwh|oz|secs?|yds?|yrs?|[ap]\\.?m|[ap]\\.m\\."
# Longer chunks without a space are data, not text. They stay whole, since stripping marks from their ends is quadratic.
MAX_CHUNK_LENGTH = 1000

PREFIXES = (
    # Arrows.
    r"<?[-=]+>|<[-=]+",
    rf"(?P<mark>[-.!?{re.escape(REPEATED)}])(?P=mark)+",
    r"``|''|‘’|’’",
    rf"[{CURRENCY}](?=.)",
    r"US\$(?=[0-9])",
    # Not a decimal point, a sign, or the dot of a file name.
    r"[.](?![\w.])|[.](?=[A-Z][a-z])",
    r"[+](?![0-9])",
    r"-(?![0-9.])",
    r"@(?=[0-9])",
    rf"[^\w\s.@+\\°{CURRENCY}-]",
    r"_(?=\w)",
)
SUFFIXES = (
    rf"(?<=[\w.]){APOSTROPHE}(?i:s|ll|re|ve|d|m)",
    rf"(?<=\w)(?i:n){APOSTROPHE}(?i:t)",
    # The full stop after an abbreviation that ends in a dot.
    r"(?<=\b\w[.]\w[.])[.]",
    # The look-behinds make a run one match, rather than one match per mark.
    r"(?<![.])(?<!\b\w[.]\w)[.]{2,}",
    r"(?<!-)-{2,}",
    r"(?<![.!?])(?<!\b\w[.]\w)[.]?[!?]+|(?<=[.])[!?]+",
    rf"(?P<mark>[{re.escape(REPEATED)}])(?P=mark)+",
    r"``|''|‘’|’’",
    # Not after a single letter, which is an abbreviation.
    rf"(?<=[\w{APOSTROPHE[1:-1]}]\w)[.]",
    r"(?<=[^\w\s.&@#])[.]|(?<=°[CFK])[.]|(?<=\b[A-Z]#)[.]",
    r"(?<=^[a-z0-9])[.]|(?<=[.-][0-9])[.]",
    rf"(?<=[0-9])(?i:{UNITS})|(?<=[.][0-9])(?i:[bt])",
    r"(?<=\w)[-_+]",
    rf"[^\w\s.+\\°{CURRENCY}-]",
    rf"(?<=[0-9])[{CURRENCY}]",
)
# A position that does not follow a bound prefix.
UNBOUND = "".join(rf"(?<!\b(?i:{prefix}))" for prefix in BOUND.split("|"))
INFIXES = (
    r"[.]{2,}|-{2,}|…",
    r"[!?]+(?=[\w.])",
    rf"(?<=[\w.%])(?=[-–—]){UNBOUND}.(?=[^\W_]|[{CURRENCY}])",
    rf"(?<=[-–—])[{CURRENCY}](?=[0-9])",
    r"(?<=\w)/(?=\w)",
    # Not in numbers and times.
    r"(?<=[^\W\d])[,:](?=[\w\"“])|(?<=\w)[,:](?=[^\W\d])",
    r"(?<=\w)[;()\[\]{}\"“”<>=~](?=[\w.-])|(?<=[.,:-])[()\"“”](?=\w)",
    r"(?<=[a-z])[.](?=[A-Z](?:[a-z]|\b)|[(\[])",
    r"(?<=[A-Z][.])(?=[A-Z][a-z])",
    r"(?<=[0-9])'(?=[0-9])",
    r"(?<=[a-z])#(?=[0-9])",
    r"(?<=[0-9])(?=[ap]m\b)",
)
WHOLE = (
    # Addresses. Adjacent repetitions cannot match the same characters, which avoids backtracking.
    r"(?i:https?|ftp|file)://\S*[\w/=#&%+~-]",
    r"(?i:mailto:)?[\w.+-]+@[\w-]+(?:[.][\w-]+)+",
    r"(?i:www)[.][\w-]+(?:[.][\w-]+)+(?:[:/?#]\S*[\w/])?",
    rf"[\w-]+(?:[.][\w-]+)*[.](?i:{DOMAINS})(?:[/?#]\S*[\w/])?",
    rf"[\w#-]+(?:[.][\w#-]+)*[.](?i:{FILE_ENDINGS})",
    # Names with several dots: System.Collections.List, comp.mail.maps.
    r"[A-Za-z_]\w+(?:[.][A-Za-z_]\w+){2,}",
    # Phone numbers, postcodes, dates.
    r"(?:[+]?[0-9]{1,2}[-.])?(?:[0-9]{3}[-./])?[0-9]{3}[-.][0-9]{4}",
    r"[0-9]{5}-[0-9]{4}",
    r"x?[0-9]-[0-9]{4}",
    r"[0-9]{1,4}(?P<between>[-/.])[0-9]{1,2}(?P=between)[0-9]{2,4}",
    r"[0-9]{1,2}/[0-9]{2}",
    r"[-+]?[0-9]+(?:,[0-9]{3})*(?:[.][0-9]+)?",
    # Abbreviations of single letters.
    r"(?:[^\W\d_][.]){2,}",
    r"[A-Z][.]",
)
# Cheap tests of the start of a match (the last one: of its content), which rule out words of letters only.
PREFIX_BEGINS = r"(?=\W|_|US\$)"
SUFFIX_BEGINS = rf"(?=\W|_|[nN]{APOSTROPHE}|(?<=[0-9]))"
INFIX_BEGINS = r"(?:(?=\W)|(?<=[.0-9]))"
WHOLE_CONTAINS = r"(?=\S*[0-9.@/])"
# The exceptions of spaCy that Universal Dependencies splits, or that are usually other words, or a bracket and a mark.
DROPPED = ("and/or", "):", "id", "Id", "wed", "Wed")


def create_ud_english_tokenizer() -> Callable[[Language], Tokenizer]:
    """Makes the factory of tokenizers, registered as `spacy_joint.UdEnglishTokenizer.v1`."""

    def make_tokenizer(nlp: Language) -> Tokenizer:
        kept = {string: [{ORTH: string}] for string in read_abbreviations("en")}
        exceptions = {**kept, **English.Defaults.tokenizer_exceptions}.items()
        return Tokenizer(
            nlp.vocab,
            rules=vary_case({string: pieces for string, pieces in exceptions if string not in DROPPED}),
            prefix_search=re.compile(f"^{PREFIX_BEGINS}(?:{'|'.join(PREFIXES)})").search,
            suffix_search=re.compile(f"{SUFFIX_BEGINS}(?:{'|'.join(SUFFIXES)})$").search,
            infix_finditer=re.compile(f"{INFIX_BEGINS}(?:{'|'.join(INFIXES)})").finditer,
            token_match=re.compile(rf"(?:{WHOLE_CONTAINS}(?:{'|'.join(WHOLE)})|\S{{{MAX_CHUNK_LENGTH},}})\Z").match,
        )

    return make_tokenizer
