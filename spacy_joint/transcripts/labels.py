"""The names of speakers at the beginning of lines: `ANNA: at the garage`, `Anna Smith:`, `>> ANNA:`, `SPEAKER_01:`,
`[SPEAKER_01]:` (as WhisperX writes captions), `[Speaker 1]`, `**Anna:**` and `**Anna** (01:02)` (Markdown), `Q.` and
`A.` (court records), `[01/02/2026, 09:30:12] Anna:` and `01/02/2026, 09:30 - Anna:` (WhatsApp, Skype), `00:12:41 From
Anna to Ben:` (Zoom) and `[09:30] <anna>` (IRC). Ordinary text has colons, too, so a whole file decides which beginnings
of lines are names."""

import operator
import re
from collections import Counter
from collections.abc import Collection, Sequence, Set
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from .transcript import CLOCK, TIMES, read_clock

MAX_NAME_LENGTH = 60
# The minimum number of recurring names after a header, of fields of a form, and of numbered lines in succession.
MIN_RECURRING, MIN_FIELDS, MIN_NUMBERED = 3, 3, 3
# The minimum shares of numbered lines, and of turns after a header with certain names or with a first line that ends a
# sentence; and the maximum average number of lines of the latter.
NUMBERED_SHARE, SURE_SHARE, SPOKEN_SHARE, LONG_TURN = 0.75, 0.75, 0.5, 5
# The share of cues with names in captions of meetings.
NAMED_SHARE = 0.9
# Words of results and settings: `Anna: 12:10`, `HOST: a.example.com`.
VALUE = re.compile(r"(?=\D*\d)[\W\d_]+|\S*\w[./:@=]\w\S*")
SPOKEN = re.compile(r"[.?!…؟।。？！][\"”’」)\]]*\s*$")
HALF = r"(?:\s?[AaPp][.]?\s?[Mm][.]?)?"
BRACKETED_TIME = rf"\[{TIMES}{HALF}\]|\({TIMES}{HALF}\)"
TIME = rf"{BRACKETED_TIME}|{CLOCK}"
NUMBERED = r"(?i:speaker|spk)[ _-]?\w{1,3}"
# Letters, digits and their marks, such as the vowel signs of Hindi; and others within names.
IN_NAME = r"\w\u0300-\u036f\u0900-\u109f.'’&-"
LABEL = re.compile(
    rf"""\s*
    (?P<mark>>>+\s*)?
    (?:(?P<time_before>{TIME})\s+)?
    (?P<name>[^\W\d_][{IN_NAME}]{{0,40}}(?:[ \xa0][#{IN_NAME}]{{1,40}}){{0,8}}(?:,[ ][JS]r\.)?)
    (?:,[ ](?!\W)[A-Z\d .,&'’/-]{{1,60}})?   # , CNN ANCHOR
    (?:[ ]\(\w+(?:/\w+)+\))?              # (she/her)
    (?:[ ](?P<direction>(?:\([^():]{{1,40}}\)[ ]?)+(?<![ ])|\[[^\[\]:]{{1,40}}\]))?
    (?:\s+(?P<time_after>{TIME}))?
    \s*(?:：(?!\s*[“「『"])\s*|:(?:\s+(?P<time_behind>{BRACKETED_TIME}))?(?:\s+|$))
    """,
    re.VERBOSE,
)
BOLD = re.compile(
    rf"""\s*
    (?:(?P<time_ahead>{TIME})\s+)?\*\*(?:(?P<time_before>{TIME})\s+)?
    (?P<name>[^\s*:\[\]()](?:[^*:\[\]()]{{0,{MAX_NAME_LENGTH - 2}}}[^\s*:\[\]()])?)
    (?:\s+(?P<time_inside>{TIME}))?
    \s*(?P<colon>:)?\s*\*\*
    (?:\s*(?P<time_after>{TIME}))?
    (?(colon)|(?(time_after):?|\s*:))(?:\s+|$)
    """,
    re.VERBOSE,
)
# Without a colon, only numbered speakers. Excludes addresses of links in Markdown, `[1]: https://...`.
BRACKETED = re.compile(
    rf"""\s*
    (?P<mark>>>+\s*)?
    (?:(?P<time_before>{BRACKETED_TIME})\s+)?
    (?:[(<](?P<name_aside>{NUMBERED})[)>]|\[(?:(?P<name_number>{NUMBERED})|(?P<name>[^\[\]]*[^\W_][^\[\]]*)(?=\]:))\])
    (?:\s+(?P<time_after>{BRACKETED_TIME}))?
    :?(?:\s+|$)(?!\w+://)
    """,
    re.VERBOSE,
)
# Questions and answers of court records; a file must have both.
EXAMINATION = re.compile(r"\s*(?P<name>[QA])(?:[.]\s+|\s{3,}|\t\s*|\s(?=[A-Z])(?!.*:(?:\s|$)))(?=\S)")
# Hearings and debates of the US Congress, where names are indented: `    Mr. SMITH of Ohio. Thank you.`
HEARING = re.compile(
    r"""\s{2,}
    (?P<name>
        (?:[A-Z][a-z]{1,3}[.]|The|Admiral|Ambassador|Chair\w*|General|Governor|Mayor|Representative|Secretary|Senator)
        (?:[ ][A-Z][.])*(?:[ ](?:[a-z]{2,3}[ ]){0,2}[A-Z][\w'’-]+)+(?:[ ]pro[ ]tempore)?
    )
    (?:[ ](?P<direction>\([^()]{1,40}\)|\[[^\[\]]{1,40}\]))?
    [.]\s+(?=\S)
    """,
    re.VERBOSE,
)
# The number of a line of a court record, which may be blank.
NUMBERED_LINE = re.compile(r"\s*(?P<number>\d{1,2})(?:\s+(?P<text>.*))?")
# The date and time of a message. In logs, they have seconds and no comma, and the year comes first.
DATE = r"\d{1,4}[./\x20-](?:\d\d?|[A-Z][a-z]{2})[./\x20-]\d{2,4}"
TIME_OF_DAY = rf"\d\d?[:.]\d\d(?:[:.]\d\d)?{HALF}"
IN_BRACKETS = rf"\[(?:{DATE},\s{TIME_OF_DAY}|\d\d?[./]\d\d?[./]\d{{2,4}}\s{TIME_OF_DAY}|{TIME_OF_DAY},\s{DATE})\]"
WITH_DASH = rf"{DATE}(?:,|\s\w{{1,4}})?\s\d\d?[:.]\d\d{HALF}\s-"
STAMP = rf"\u200e?(?:{IN_BRACKETS}|{WITH_DASH})\s+"
LOG_TIME = rf"(?:\d{{4}}-\d\d-\d\d\x20)?\[?{CLOCK}\]?"
SENDER = rf"[^:<\"“\s][^:\"“]{{0,{MAX_NAME_LENGTH}}}?"
MESSAGE = re.compile(
    rf"""
    {STAMP}(?P<name>{SENDER}):(?:\s+|$)\u200e?
    | {CLOCK}\s+From\s+(?P<name_participant>{SENDER})(?:\s+to\s+[^:]+)?\s*:(?:\s+|$)
    | {LOG_TIME}\s+<[@+\s]?(?P<name_nick>[^<>\s]{{2,}})>\s+
    """,
    re.VERBOSE,
)
# Without a name, these show a change of speaker: also `[09:30] * anna waves` and `09:30 -!- anna has joined` (IRC).
CHANGE = re.compile(rf"\s*>>+\s*|{STAMP}|{LOG_TIME}\s+(?=(?:[*!<>=-]+)\s)")
# Words of names in lower case, also of those in parliaments: Some hon. members.
PARTICLES = {
    *("al", "and", "bin", "da", "de", "del", "der", "di", "du", "for", "la", "le", "of", "the", "van", "von"),
    *("hon.", "member", "members"),
}
# Words before colons in letters, emails, logs, forms, changes, minutes, documents, packages and licences; also Chinese.
NOT_NAMES = {
    *("attn", "bcc", "cc", "date", "debug", "error", "example", "fatal", "from", "info", "nb", "note", "notes", "p.s."),
    *("ps", "re", "sent", "source", "subject", "tip", "to", "trace", "warn", "warning"),
    *("address", "age", "author", "city", "country", "description", "email", "fax", "id", "location", "mobile", "name"),
    *("phone", "place", "price", "status", "tel", "time", "title", "type", "url", "version", "website"),
    *("added", "changed", "deprecated", "docs", "feat", "fix", "fixed", "improved", "removed", "security", "updated"),
    *("attendees", "duration", "moderators", "participants", "present", "recorded", "requires-dist", "requires-python"),
    *("content-type", "delivered-to", "message-id", "mime-version", "received", "reply-to", "return-path", "sender"),
    *("classifier", "comment", "copyright", "files", "license", "license-file", "maintainer", "provides-extra"),
    *("作者", "地点", "场所", "場所", "备注", "姓名", "日期", "日時", "时间", "来源", "标题", "注意", "电话"),
}


class Label(NamedTuple):
    """The beginning of a line that may name its speaker."""

    name: str  # empty if only a mark, such as `>>`, shows a change of speaker
    end: int  # where the words begin
    time: str = ""  # next to the name; empty if none
    is_marked: bool = False  # whether it is certainly a name: `>> ANNA:`, `SPEAKER_01:`
    direction: str = ""  # after the name: `(on phone)`


# In the order in which they are tried, and whether a match is certainly a name.
PATTERNS = ((MESSAGE, True), (BRACKETED, True), (BOLD, False), (EXAMINATION, False), (HEARING, False), (LABEL, False))


def read_label(line: str) -> Label | None:
    """Reads a possible name of a speaker at the beginning of a line; returns None if there is none."""
    for pattern, is_marked in PATTERNS:
        match = pattern.match(line)
        if match is None:
            continue
        # Of several times, the first one counts.
        found = {kind.partition("_")[0]: text for kind, text in reversed(match.groupdict().items()) if text}
        name = " ".join(found["name"].split())
        if name.lower() in NOT_NAMES or read_clock(name) is not None or (pattern is LABEL and not _has_form(name)):
            continue
        time = re.search(CLOCK, found.get("time", ""))
        is_marked = is_marked or (pattern is LABEL and bool("mark" in found or re.fullmatch(NUMBERED, name)))
        return Label(name, match.end(), time[0] if time else "", is_marked, found.get("direction", ""))
    return None


def find_label(line: str, names: Set[str]) -> Label | None:
    """Finds the name of a speaker, one of `names`, or only a mark, at the beginning of a line; None if no turn begins
    here."""
    label = read_label(line)
    if label and label.name in names:
        return label
    change = CHANGE.match(line)
    return Label("", change.end()) if change else None


def _has_form(name: str) -> bool:
    """Returns whether a name is a single word, as in chats, or capitalised words."""
    words = name.split()
    is_capitalised = all(not word.islower() or word in PARTICLES for word in words)
    return len(name) <= MAX_NAME_LENGTH and (len(words) == 1 or is_capitalised)


def _find_names(lines: Sequence[str], labels: Collection[Label]) -> Set[str]:
    """Finds names of speakers at the beginnings of lines, in a file that may have none. A name recurs, is in capitals,
    or is marked."""
    counts = Counter(label.name for label in labels)
    return {*_find_sure_names(lines, labels), *(name for name, count in counts.items() if count > 1)}


def find_caption_names(lines: Sequence[str], n_cues: int) -> Set[str]:
    """Finds names of speakers in captions, which may name only unseen speakers, and whose lines may begin anywhere in a
    sentence."""
    lines = [line for line in lines if not EXAMINATION.match(line)]
    labels = _read_labels(lines).values()
    names = _find_names(lines, labels)
    n_named = sum(label.name in names for label in labels)
    if (len(names) < n_named or len(labels) == n_cues > 1) and len(labels) >= NAMED_SHARE * n_cues:
        return find_all_names(lines)
    # In films, words such as "Listen:" recur. So a name that is neither in capitals nor marked only counts if at least
    # every third cue has a name. Where nearly all begin with one, as in captions of meetings, a capital suffices.
    return names if 3 * n_named >= n_cues else _find_sure_names(lines, labels)


def _find_sure_names(lines: Sequence[str], labels: Collection[Label]) -> set[str]:
    # Capitals mean nothing if most lines are in capitals.
    are_telling = 2 * sum(map(str.isupper, lines)) <= len(lines)
    names = {label.name for label in labels if label.is_marked or (are_telling and label.name.isupper())}
    # As in talks: "Anna Wu:", and "AW:" from then on.
    full = {label.name for label in labels if " " in label.name}
    return names | {name for name in full if "".join(word[0] for word in name.split()) in names}


def find_all_names(lines: Sequence[str]) -> Set[str]:
    """Finds names of speakers in a file whose turns begin with names, where a capital suffices for a name. If the first
    paragraph has a field, such as `Date:`, names only count below it."""
    labels = _read_labels(lines)
    header = list(takewhile(str.strip, lines))
    if any(line.partition(":")[0].strip("* ").lower() in NOT_NAMES for line in header):
        labels = {number: label for number, label in labels.items() if number >= len(header)} or labels
    certain = (label.name for label in labels.values() if label.name != label.name.lower())
    return {*_find_names(lines, labels.values()), *certain}


def are_turns(lines: Sequence[str]) -> bool:
    """Returns whether turns begin with names, or with `>>`. Below a header, such as a title, names are weaker
    evidence."""
    # A chat may begin with a notice, `01/02/2026, 09:30 - Anna created the group`.
    numbered = filter(str.strip, remove_numbers(lines))
    filled = [line for line in numbered if MESSAGE.match(line) or not re.match(STAMP, line)]
    # Unlike those of quoted mail and code, chevrons are double, or triple before a new subject.
    n_chevrons = [len(line) - len(line.lstrip(">")) for line in filled if line[0] == ">"]
    if n_chevrons[1:] and {2} <= set(n_chevrons) <= {2, 3} and filled[0][0] == ">":
        return True
    filled = [line for line in filled if not re.fullmatch(rf"\s*\[?{TIMES}\]?\s*", line)]
    found = _read_labels(filled)
    known = _find_names(filled, found.values())
    begun = {at: label for at, label in found.items() if label.name in known}
    values = [at for at, label in begun.items() if VALUE.fullmatch(filled[at], label.end)]
    # Unlike times of turns, these have no words below.
    if 2 * sum(at + 1 in found or at + 1 == len(filled) for at in values) >= len(begun):
        return False
    header = min(begun)
    labels = [label for at, label in found.items() if at >= header]
    # Each name once, if it begins several turns in succession.
    names = [name for name, _ in groupby(label.name for label in labels)]
    n_again = len(names) - len(set(names))
    # The fields of forms recur in the same order.
    n_fields = len(names) - n_again
    is_form = n_fields >= MIN_FIELDS and all(map(operator.eq, names, names[n_fields:]))
    if header:
        n_spoken = sum(bool(SPOKEN.search(filled[at])) and label.name[0].isupper() for at, label in begun.items())
        # Ordinary text has lists, code and fields anywhere, but these end in no marks.
        are_spoken = n_spoken >= SPOKEN_SHARE * max(len(begun), len(filled) / LONG_TURN)
        sure = [
            at for at, label in begun.items() if label.is_marked or label.name.isupper() or HEARING.match(filled[at])
        ]
        are_spoken |= not is_form and len(sure) >= SURE_SHARE * len(begun)
        is_examination = {"Q", "A"}.issubset(names) and n_again > 0 and header <= len(begun)
        return is_examination or (are_spoken and n_again >= max(header, MIN_RECURRING))
    is_marked = any(label.is_marked for label in labels)
    are_all_capitals = len(labels) == len(filled) and all(map(str.isupper, names)) and len(names) > 1
    return is_marked or are_all_capitals or (n_again > 0 and not is_form)


def remove_numbers(lines: Sequence[str]) -> Sequence[str]:
    """Removes the numbers of lines and pages, and blank lines, from a file whose lines are numbered."""
    found = [NUMBERED_LINE.fullmatch(line) for line in lines]
    numbers = [int(match["number"]) for match in found if match]
    n_counted = sum(after in (before + 1, 1) for before, after in pairwise([0, *numbers]))
    if n_counted < max(MIN_NUMBERED, NUMBERED_SHARE * sum(bool(line.strip()) for line in lines)):
        return lines
    texts = [(match["text"] or "") if match else line for match, line in zip(found, lines, strict=True)]
    return [text for text in texts if text.strip()]


def _read_labels(lines: Sequence[str]) -> dict[int, Label]:
    """Reads the possible names of speakers, by the numbers of their lines."""
    labels = {number: label for number, line in enumerate(lines) if (label := read_label(line))}
    # Without `Q.`, `A.` is a letter of a list, or a sentence of one word. In press conferences, others answer.
    has_questions = any(label.name == "Q" for label in labels.values())
    return {number: label for number, label in labels.items() if has_questions or label.name != "A"}
