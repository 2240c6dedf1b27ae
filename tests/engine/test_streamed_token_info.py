"""Streams of systems that read token info, whatever it is, and however it arrives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.stream import Stream
from spacy_joint.engine.templates import Templates
from spacy_joint.errors import JointValueError
from spacy_joint.parsing.system import JointSystem

from .toys import COLUMNS, TEMPLATES, random_values, random_weights

QUICK = settings(max_examples=60)
GUIDED = JointSystem(["l", "m"], ["r"], ["root"], guided=True)
GUIDED_TEMPLATES = Templates(
    f"{TEMPLATES[JointSystem]}\n\nguide(s0) guide(s1)\nguide(b0) b0.word\nawaits(s0) awaits(s1)", COLUMNS, GUIDED
)
WEIGHTS = random_weights(GUIDED)
# Near tokens, far ones, those that there cannot be, and those whose numbers are near the ends of the type.
numbers = st.one_of(
    st.integers(-3, 3), st.integers(-50, 50), st.integers(-(2**31), 2**31 - 1), st.sampled_from([-(2**31), 2**31 - 1])
)
documents = st.lists(st.tuples(numbers, numbers), max_size=40)


def search(values, token_info):
    return Search(GUIDED, GUIDED_TEMPLATES, 4).predict(WEIGHTS, Columns(COLUMNS, values, None, token_info)).tolist()


def open_stream():
    return Stream(GUIDED, GUIDED_TEMPLATES, 4, WEIGHTS)


@QUICK
@given(documents, documents, st.data())
def test_streams_take_any_token_info_in_pieces_of_any_length_and_do_not_mix(first, second, data):
    given = [np.array(token_info, dtype=np.int32).reshape(len(token_info), 2) for token_info in (first, second)]
    streams, places, actions = [open_stream(), open_stream()], [0, 0], [[], []]
    for i in (0, 1):
        streams[i].feed(random_values(0), None, given[i][:0])
    while open_ones := [i for i in (0, 1) if places[i] < len(given[i])]:
        i = data.draw(st.sampled_from(open_ones))
        piece = slice(places[i], places[i] + data.draw(st.integers(1, 9)))
        streams[i].feed(random_values(len(given[i]))[piece], None, given[i][piece])
        actions[i] += streams[i].run().tolist()
        places[i] = piece.stop
    for i in (0, 1):
        streams[i].end()
        assert actions[i] + streams[i].run().tolist() == search(random_values(len(given[i])), given[i])


@QUICK
@given(documents, st.lists(st.integers(0, 60), max_size=5))
def test_forgetting_what_token_info_are_about_reads_nothing_else(token_info, sizes):
    token_info = np.array([*token_info, (0, 0)], dtype=np.int32)
    stream = open_stream()
    for size in sizes:
        stream.feed(random_values(len(token_info)), None, token_info)
        stream.run()
        stream.decide(size)
        stream.forget(min(size, stream.n_tokens))
    stream.end()
    stream.run()


@pytest.mark.parametrize(
    ("shape", "code"),
    [
        *((shape, "J046") for shape in (None, (3, 1), (3, 3))),
        *((shape, "J001") for shape in ((2, 2), (4, 2), (3,), (3, 2, 1))),
    ],
)
def test_token_info_of_other_shapes_are_refused_and_the_stream_goes_on(shape, code):
    stream = open_stream()
    with pytest.raises(JointValueError, match=code):
        stream.feed(random_values(3), None, None if shape is None else np.zeros(shape))
    assert stream.n_tokens == 0
    stream.feed(random_values(3), None, np.zeros((3, 2)))
    # Neither takes memory.
    for n in (2**31 - 52, 2**31 - 1, 2**31, 2**40):
        values, token_info = np.broadcast_to(np.zeros((1, 2), np.uint64), (n, 2)), np.broadcast_to(np.int32(0), (n, 2))
        with pytest.raises(JointValueError, match="J002"):
            stream.feed(values, None, token_info)
    stream.end()
    assert stream.run().tolist() == search(random_values(3), np.zeros((3, 2)))
