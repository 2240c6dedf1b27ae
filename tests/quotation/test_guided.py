"""Quotations with the columns of a `span_guide`: which templates read them, and that they are believed."""

import numpy as np
import pytest
import spacy
from spacy.util import fix_random_seed

from spacy_joint.annotation.custom_columns import write_column
from spacy_joint.pipes.guide_columns import find_span_places
from spacy_joint.quotation.features import SPAN_GUIDE_COLUMNS

from .conftest import SMALL

ALL = {name: {"edges": [-1.0, 0.0, 1.0]} for name in SPAN_GUIDE_COLUMNS}
KINDS = {"cues": ("quotation_cues", {}), "spans": ("quotation_spans", {"method": "semimarkov"})}
PARTS = {
    "none": {},
    "all": ALL,
    "one": {"quotations_end": ALL["quotations_end"]},
    "another guide": {"guide_head": {"edges": [0.0]}},
}


def make(read_quotes, kind, columns, **settings):
    factory, method = KINDS[kind]
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config={"model": SMALL, "columns": columns, **method, **settings})
    fix_random_seed(0)
    nlp.initialize(lambda: read_quotes(nlp))
    return nlp


def list_templates(nlp):
    (name,) = nlp.pipe_names
    lines = nlp.get_pipe(name).cfg["templates"].splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def is_about(template, names):
    return any(f".{name}" in template for name in names)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", PARTS)
def test_templates_read_only_columns_in_the_settings_and_the_others_stay(read_quotes, kind, part):
    plain, guided, everything = (list_templates(make(read_quotes, kind, each)) for each in ({}, PARTS[part], ALL))
    missing = set(SPAN_GUIDE_COLUMNS) - PARTS[part].keys()
    about = {template for template in everything if is_about(template, SPAN_GUIDE_COLUMNS)}
    assert about and plain <= guided
    assert {template for template in guided if is_about(template, SPAN_GUIDE_COLUMNS)} == {
        template for template in about if not is_about(template, missing)
    }


def test_methods_without_spans_have_no_such_templates(read_quotes):
    nlp = make(read_quotes, "spans", ALL, method="chain")
    assert list_templates(nlp) == list_templates(make(read_quotes, "spans", {}, method="chain"))


@pytest.mark.parametrize(("kind", "score"), [("cues", "quotation_cue_f"), ("spans", "quotation_f")])
def test_a_guide_that_is_always_right_is_believed(read_quotes, train, kind, score):
    def read_guided(nlp, part):
        examples = read_quotes(nlp, part)
        for example in examples:
            places = np.hstack([find_span_places(example, key) for key in ("quotation_cues", "quotations")])
            for name, column in zip(SPAN_GUIDE_COLUMNS, places.T, strict=True):
                write_column(example.predicted, name, 4.0 * column - 2.0)
        return examples

    nlp = make(read_quotes, kind, ALL)
    train(nlp, read_guided(nlp, "train"), epochs=8)
    pipe = nlp.get_pipe(nlp.pipe_names[0])
    examples = read_guided(nlp, "dev")
    for example in examples:
        pipe(example.predicted)
    assert pipe.score(examples)[score] > 0.85
