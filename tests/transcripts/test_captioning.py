"""Cutting captions: within limits, at the least cost of all cuts."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import captioning
from spacy_joint.transcripts.captioning import Limits, Unit, count_breaches, cut_captions, make_caption

SMALL = Limits(max_lines=2, max_width=9, max_seconds=4.0)


def make_units(text, costs=(), seconds=0.5):
    units = []
    for place, word in enumerate(text.split()):
        cost = costs[place] if place < len(costs) else 0
        time = place * seconds
        units.append(Unit(len(word), time, time + seconds, cost, place == 0, place == 0, place == 0))
    return units


def read(units, captions, text):
    words = text.split()
    return [
        [" ".join(words[start:end]) for start, end in zip(each.starts, [*each.starts[1:], each.end], strict=True)]
        for each in captions
    ]


def weigh(units, limits, captions):
    """What a cut costs, or None if it is not allowed: straight from the definition."""
    total = 0.0
    for caption in captions:
        first, last = caption.starts[0], caption.end
        for place in range(first + 1, last):
            if not captioning._continues(units, limits, first, place):
                return None
            silence = min(max(units[place].start_time - units[place - 1].end_time, 0), captioning.MAX_SILENCE)
            total += captioning.SILENCE * silence + captioning.TURN * units[place].begins_turn
        for start, end in zip(caption.starts, [*caption.starts[1:], last], strict=True):
            shapes = dict(captioning._list_lines(units, limits.max_width, start, last))
            if end not in shapes:
                return None
            total += captioning.LINE + shapes[end] + (units[start].cost if start > first else 0)
        total += captioning._weigh_caption(units, limits, first, last)
    return total


def list_cuts(n, max_lines):
    """All ways to end a line (1) or a caption (2) between words."""
    for ends in product((0, 1, 2), repeat=n - 1):
        starts, lines = [], [0]
        for place, end in enumerate(ends, start=1):
            if end == 2:
                starts.append((tuple(lines), place))
                lines = [place]
            elif end == 1:
                lines = [*lines, place]
        starts.append((tuple(lines), n))
        if all(len(lines) <= max_lines for lines, _ in starts):
            yield starts


@st.composite
def draw_units(draw):
    units = []
    time = 0.0
    for place in range(draw(st.integers(1, 6))):
        start = time + draw(st.sampled_from([0.0, 0.1, 1.5]))
        time = start + draw(st.sampled_from([0.1, 0.6, 2.0]))
        begins_turn = place == 0 or draw(st.integers(0, 4)) == 0
        cost = draw(st.sampled_from([0, 20, 150, 1000]))
        units.append(Unit(draw(st.integers(1, 9)), start, time, cost, begins_turn, begins_turn, draw(st.booleans())))
    return units


@given(draw_units())
@settings(max_examples=150)
def test_no_other_cut_costs_less(units):
    captions = (
        [make_caption(units, SMALL, lines, end) for lines, end in cuts]
        for cuts in list_cuts(len(units), SMALL.max_lines)
    )
    costs = [weigh(units, SMALL, each) for each in captions]
    found = weigh(units, SMALL, cut_captions(units, SMALL))
    assert found == pytest.approx(min(cost for cost in costs if cost is not None))


def test_lines_end_where_it_costs_least():
    text = "they found it in the old car"
    costs = [0, 30, 30, 20, 1000, 1000, 1100]
    units = make_units(text, costs)
    assert read(units, cut_captions(units, Limits(max_width=15)), text) == [["they found it", "in the old car"]]


def test_words_that_are_too_long_have_lines_of_their_own_or_are_shown_for_the_longest_time():
    text = "so incomprehensibilities it is"
    units = make_units(text)
    lines = [line for caption in read(units, cut_captions(units, SMALL), text) for line in caption]
    assert "incomprehensibilities" in lines
    units = [Unit(2, 1.0, 30.0, 0, True, True, True)]
    assert [(each.start_time, each.end_time) for each in cut_captions(units, Limits())] == [(1.0, 8.0)]


def test_a_caption_stays_until_it_can_be_read_or_another_follows():
    alone = [Unit(42, 0.0, 0.2, 0, True, True, True)]
    followed = [*alone, Unit(42, 1.5, 9.0, 0, True, True, True), Unit(42, 9.5, 16.0, 0, True, True, True)]
    assert [cut_captions(units, Limits())[0].end_time for units in (alone, followed)] == [2.1, 1.5]


def test_turns_share_a_caption_only_if_it_would_be_too_short_and_time_that_runs_back_begins_one():
    quick = [Unit(4, 0.0, 0.3, 0, True, True, True), Unit(4, 0.3, 2.0, 0, True, True, True)]
    assert [each.starts for each in cut_captions(quick, Limits())] == [(0, 1)]
    slow = [unit._replace(start_time=2 * place, end_time=2 * place + 1.5) for place, unit in enumerate(quick)]
    assert [each.starts for each in cut_captions(slow, Limits())] == [(0,), (1,)]
    units = make_units("one two three four")
    units[2] = units[2]._replace(start_time=0.0, end_time=0.2)
    assert 2 in [each.starts[0] for each in cut_captions(units, Limits())]


def test_captions_over_limits_are_counted():
    units = make_units("one two three four", [0, 0, 1000, 0], seconds=1.0)
    one = [make_caption(units, Limits(), (0,), 4)]
    assert count_breaches(units, Limits(), one, 1000) == 0
    assert count_breaches(units, Limits(max_width=10), one, 1000) == 1
    assert count_breaches(units, Limits(), [make_caption(units, Limits(), (0, 2), 4)], 1000) == 1
    assert count_breaches(units, Limits(max_seconds=3), one, 1000) == 1


@pytest.mark.parametrize("limits", [{"max_lines": 0}, {"max_width": 0}, {"min_seconds": 8.0}, {"max_rate": 0.0}])
def test_limits_out_of_range_are_refused(limits):
    with pytest.raises(JointValueError, match="J030"):
        Limits(**limits).check()
