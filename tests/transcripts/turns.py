"""What tests look at in a transcript."""

import re


def show_times(times):
    return " {:.10g}-{:.10g}".format(*times) if times else ""


def describe(transcript, times=True):
    """The turns as text, such as "Anna 1-2.5: hi"; an unknown speaker is -."""
    return [
        f"{turn.speaker or '-'}{show_times(times and transcript.find_times(turn.start, turn.end))}: {turn.text}"
        for turn in transcript.turns
    ]


def list_turns(transcript):
    return [(turn.speaker, turn.text) for turn in transcript.turns]


def find_times(transcript, words):
    """The times of words where they occur first."""
    start = transcript.text.index(words)
    return transcript.find_times(start, start + len(words))


def list_sentence_beginnings(transcript):
    return [transcript.text[start:].split()[0] for start in transcript.sentence_starts]


def describe_words(transcript):
    """The words with their times, such as "hi 1-1.4"."""
    words = re.finditer(r"\S+", transcript.text)
    return [f"{word[0]}{show_times(transcript.find_times(*word.span()))}" for word in words]
