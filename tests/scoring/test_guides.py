"""Scores of guides: the independent decisions about tokens."""

import numpy as np
import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_HEAD, GUIDE_LABEL, write_column
from spacy_joint.scoring.guides import score_guides

VOCAB = Vocab()


@pytest.mark.parametrize(("words", "space"), [("Yes . No .", " "), ("Yes . \n No .", "\n")])
def test_sentences_that_begin_with_whitespace_start_with_their_first_word(words, space):
    words = words.split(" ")
    reference = Doc(VOCAB, words=["Yes", ".", space, "No", "."], sent_starts=[1, -1, 1, -1, -1])
    predicted = Doc(VOCAB, words=words)
    odds = np.array([1.0 if word in ("Yes", "No") else np.nan if word == "\n" else -1.0 for word in words])
    write_column(predicted, GUIDE_BOUNDARY, odds)
    write_column(predicted, GUIDE_HEAD, np.where(np.isnan(odds), np.nan, 0.0))
    write_column(predicted, GUIDE_LABEL, [""] * len(words))
    assert score_guides([Example(predicted, reference)])["guide_boundary_f"] == 1
