"""Tables of what depends on a word alone."""

import numpy as np
from spacy.strings import StringStore

from spacy_joint.pipes import word_table
from spacy_joint.pipes.word_table import WordTable


def test_many_words_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(word_table, "MAX_WORDS", 100)
    table, strings = WordTable(lambda words: [[len(word)] for word in words], 1), StringStore()
    for n in range(300):
        words = ["again", *(f"{n} {i}" for i in range(10))]
        rows = table.look_up(np.array([strings.add(word) for word in words], dtype=np.uint64), strings)
        assert rows[:, 0].tolist() == list(map(len, words))
    assert len(table._rows) == 1024
