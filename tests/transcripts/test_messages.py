"""The JSON of chats: each message is a turn of its sender."""

import json

import pytest

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import read_string

from .turns import describe


def read_json(content):
    return read_string(json.dumps(content, indent=1), None, "a.json")


# fmt: off
EXPORTS = {
    "telegram, first a call": {"messages": [
        {"type": "service", "actor": "Anna", "text": ""}, {"from": "Anna", "text": "hi ben"},
        {"from": "Ben", "text": ["see ", {"type": "link", "text": "a.org"}]},
    ]},
    "slack": [
        {"ts": "1.0", "user": "U1", "text": "hi ben", "user_profile": {"real_name": "Anna"}},
        {"ts": "2.0", "user": "U2", "text": "see <http://b.org|a.org>", "user_profile": {"real_name": "Ben"}},
    ],
    "discord": {"messages": [
        {"content": "hi ben", "author": {"name": "anna1", "nickname": "Anna"}},
        {"content": "see a.org", "author": {"name": "Ben"}},
    ]},
    "google chat": {"messages": [
        {"creator": {"name": "Anna", "user_type": "Human"}, "text": "hi ben"},
        {"creator": {"name": "Ben", "user_type": "Human"}, "text": "see a.org"},
    ]},
    "gpt": {"conversations": [{"from": "Anna", "value": "hi ben"}, {"from": "Ben", "value": "see a.org"}]},
    "claude": {"chat_messages": [{"sender": "Anna", "text": "hi ben"}, {"sender": "Ben", "text": "see a.org"}]},
    "facebook, last first": {"messages": [
        {"sender_name": "Ben", "timestamp_ms": 2, "content": "see a.org"},
        {"sender_name": "Anna", "timestamp_ms": 1, "content": "hi ben"},
    ]},
}
MENTIONS = [
    {"ts": "1.0", "user": "U1", "username": "Anna", "text": "hi"},
    {"ts": "2.0", "user": "U2", "username": "Ben", "text": "<@U1> &amp; <@U7>: no"},
]
NOTICE = [{"ts": "1.0", "user": "Anna", "subtype": "channel_join", "text": "Anna has joined"}]
# Characters of Facebook may be bytes.
BYTES = {"messages": [{"sender_name": "Ren\u00c3\u00a9", "content": "\u00f0\u009f\u0090\u00b6 caf\u00c3\u00a9"}]}
TURNS = [
    *((content, ["Anna: hi ben", "Ben: see a.org"]) for content in EXPORTS.values()),
    (MENTIONS, ["Anna: hi", "Ben: @Anna & @U7: no"]),
    (NOTICE, ["-: Anna has joined"]),
    (BYTES, ["René: 🐶 café"]),
    ({"messages": [{"from": "René", "text": "café"}]}, ["René: café"]),
]
# fmt: on


@pytest.mark.parametrize(("content", "turns"), TURNS, ids=[*EXPORTS, "mentions", "notice", "bytes", "characters"])
def test_exports_have_a_turn_per_message(content, turns):
    assert describe(read_json(content)) == turns


def test_lines_and_paragraphs_of_messages_stay():
    transcript = read_json({"messages": [{"from": "Anna", "text": "hi\nben\n\nbye"}, {"from": "Anna", "text": "so"}]})
    assert transcript.text == "hi ben\n\nbye\nso"
    assert sorted(transcript.lines) == [3, 8]


def test_other_lists_are_no_messages():
    for content in ({"messages": [1]}, {"messages": [{"text": "hi"}]}, [{"from": "Anna"}]):
        with pytest.raises(JointValueError, match="J46"):
            read_json(content)
            read_json(content)
