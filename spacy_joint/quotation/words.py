"""Lists of words that the rules read, from `words.txt`."""

from pathlib import Path

from ..files.reading import read_word_lists

WORDS = read_word_lists(Path(__file__).parent / "words.txt")
