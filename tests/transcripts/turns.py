"""What tests look at in a transcript."""


def list_turns(transcript):
    return [(turn.speaker, turn.text) for turn in transcript.turns]


def find_times(transcript, words):
    """The times of words where they occur first."""
    start = transcript.text.index(words)
    return transcript.find_times(start, start + len(words))


def list_sentence_beginnings(transcript):
    return [transcript.text[start:].split()[0] for start in transcript.sentence_starts]
