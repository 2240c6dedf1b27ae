"""A pytest plugin that puts components of this package in place of spaCy's: `python -m pytest -p swapped_factories`.

`nlp.add_pipe("parser")` then adds a `joint_sbd_parser`; settings that it does not have are dropped.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from spacy.language import Language

SWAPPED = {"parser": "joint_sbd_parser", "beam_parser": "joint_sbd_parser", "tagger": "sequence_tagger"}

SPLITS = "it has learnt from three words, and takes one that it does not know for the beginning of another sentence"
# Tests of spaCy that fail, and why they should.
KNOWN_FAILURES = {
    "test_parse.py::test_incomplete_data[parser]": SPLITS,
    "test_parse.py::test_incomplete_data[beam_parser]": SPLITS,
    "test_tagger.py::test_label_smoothing": "it compares gradients; a perceptron has none, and no label smoothing",
    "test_tagger.py::test_overfitting_IO": "it unlearns a tag in 20 updates after 100 that taught it; predictions are "
    "by the average of the weights over all of them",
}

create_pipe = Language.create_pipe
n_swapped = 0


def create_swapped_pipe(
    nlp: Language, factory_name: str, name: str | None = None, *, config: Mapping[str, Any] = {}, **options: Any
) -> Any:
    global n_swapped
    if factory_name not in SWAPPED:
        return create_pipe(nlp, factory_name, name, config=config, **options)
    n_swapped += 1
    ours = SWAPPED[factory_name]
    known = nlp.get_factory_meta(ours).default_config
    settings = {key: value for key, value in config.items() if key in known and key not in ("scorer", "model")}
    # A small table is initialized and averaged in less time.
    settings["model"] = {**known["model"], "table_bits": 18}
    return create_pipe(nlp, ours, name or factory_name, config=settings, **options)


def pytest_configure(config: pytest.Config) -> None:
    Language.create_pipe = create_swapped_pipe
    # Of spaCy's tests.
    for mark in ("slow", "issue"):
        config.addinivalue_line("markers", mark)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        reason = KNOWN_FAILURES.get(f"{item.path.name}::{item.name}")
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.line(f"{n_swapped} components were swapped")
