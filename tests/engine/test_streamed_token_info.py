"""Streams of systems that read token info, whatever it is, and however it arrives."""

from itertools import pairwise

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
@given(documents, st.lists(st.integers(0, 40), max_size=10))
def test_a_stream_takes_any_token_info_in_pieces_of_any_length(token_info, cuts):
    token_info = np.array(token_info, dtype=np.int32).reshape(len(token_info), 2)
    values, stream, actions = random_values(len(token_info)), open_stream(), []
    bounds = [0, *sorted(min(cut, len(token_info)) for cut in cuts), len(token_info)]
    for first, last in pairwise(bounds):
        stream.feed(values[first:last], None, token_info[first:last])
        actions += stream.run().tolist()
    stream.end()
    assert actions + stream.run().tolist() == search(values, token_info)


@QUICK
@given(documents, documents, st.data())
def test_streams_of_different_documents_do_not_mix(first, second, data):
    given = [np.array(token_info, dtype=np.int32).reshape(len(token_info), 2) for token_info in (first, second)]
    streams, places, actions = [open_stream(), open_stream()], [0, 0], [[], []]
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
    ("token_info", "code"),
    [
        (None, "J046"),
        (np.zeros((3, 1)), "J046"),
        (np.zeros((3, 3)), "J046"),
        (np.zeros((2, 2)), "J001"),
        (np.zeros((4, 2)), "J001"),
        (np.zeros(3), "J001"),
        (np.zeros((3, 2, 1)), "J001"),
    ],
)
def test_token_info_of_other_shapes_are_refused_and_the_stream_goes_on(token_info, code):
    stream = open_stream()
    with pytest.raises(JointValueError) as caught:
        stream.feed(random_values(3), None, token_info)
    assert caught.value.code == code and stream.n_tokens == 0
    stream.feed(random_values(3), None, np.zeros((3, 2)))
    stream.end()
    assert stream.run().tolist() == search(random_values(3), np.zeros((3, 2)))


@pytest.mark.parametrize("n", [2**31 - 52, 2**31 - 1, 2**31, 2**40])
def test_more_tokens_than_can_be_numbered_are_refused(n):
    stream = open_stream()
    stream.feed(random_values(1), None, np.zeros((1, 2)))
    # Neither takes memory.
    with pytest.raises(JointValueError) as caught:
        stream.feed(np.broadcast_to(np.zeros((1, 2), np.uint64), (n, 2)), None, np.broadcast_to(np.int32(0), (n, 2)))
    assert caught.value.code == "J002" and stream.n_tokens == 1
