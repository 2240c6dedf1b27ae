"""The JSON of exported chats: Telegram, Slack, Discord (DiscordChatExporter), Google Chat, Facebook, Instagram, and of
language models. Each is a list of objects with a sender and a text, or has one under LISTS. Times are left out:
they are times of day."""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .transcript import LINE_END, Segment

LISTS = ("messages", "conversations", "chat_messages")
# Where a sender is, in order of preference.
SENDERS = (
    *(("from",), ("sender_name",), ("author", "nickname"), ("author", "name"), ("creator", "name")),
    *(("user_profile", "real_name"), ("username",), ("user",), ("role",), ("sender",)),
)
TEXTS = ("text", "content", "value")
# Mentions and links in Slack: <@U012>, <https://example.org|this page>.
SLACK = re.compile(r"<@(?P<user>\w+)[^<>]*>|<(?:[^<>|]+\|)?(?P<shown>[^<>|]+)>")


def find_messages(content: Any) -> list[dict[str, Any]] | None:
    """Finds the messages of an export, in their order in time; None if it has no list of objects with senders."""
    found = next(map(content.get, filter(content.__contains__, LISTS)), None) if isinstance(content, dict) else content
    if not isinstance(found, list) or not all(isinstance(message, dict) for message in found):
        return None
    if not any(_find_sender(message) and any(key in message for key in TEXTS) for message in found):
        return None
    # Facebook's last message comes first.
    times = [time if isinstance(time := message.get("timestamp_ms"), int) else 0 for message in found]
    return [found[index] for index in sorted(range(len(found)), key=times.__getitem__)]


def read_messages(messages: Sequence[dict[str, Any]]) -> Iterator[Segment]:
    """Reads messages, each a turn. Notices, such as that somebody has joined, have no speaker."""
    names = {str(message.get("user")): _find_sender(message) for message in messages}
    for message in messages:
        text = next((_join(message[key]) for key in TEXTS if message.get(key)), "")
        if "ts" in message:
            shown = SLACK.sub(lambda match: match["shown"] or f"@{names.get(match['user']) or match['user']}", text)
            text = html.unescape(shown)
        speaker = None if message.get("subtype") else _find_sender(message)
        lines = LINE_END.split(text)
        for index, line in enumerate(lines):
            after_blank = index > 0 and not lines[index - 1].strip()
            yield Segment(f"{line}\n", speaker, None, not index, after_blank, begins_line=True)


def _find_sender(message: dict[str, Any]) -> str | None:
    for path in SENDERS:
        value: Any = message
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and value:
            return _decode(value)
    return None


def _join(text: Any) -> str:
    """Joins a text of parts: strings, or objects with a text."""
    if isinstance(text, list):
        return "".join(map(_join, text))
    part = text.get("text") if isinstance(text, dict) else text
    return _decode(part) if isinstance(part, str) else ""


def _decode(text: str) -> str:
    """Decodes text in which each byte of UTF-8 is a character, as Facebook and Instagram write it; returns other text
    unchanged."""
    try:
        return text.encode("latin1").decode("utf8")
    except UnicodeError:
        return text
