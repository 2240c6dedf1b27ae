"""Annotation of a corpus in this process, by a pipeline that is fast."""

import warnings
from contextlib import nullcontext

import pytest

from spacy_joint.scale.annotating.corpus import annotate_corpus
from spacy_joint.scale.annotating.records import Reading

from .corpora import N_SHARDS, Here, save_splitter, write_records


@pytest.fixture(scope="package")
def splitter(tmp_path_factory):
    return save_splitter(tmp_path_factory.mktemp("pipeline") / "splitter")


@pytest.fixture(scope="package")
def corpus(tmp_path_factory):
    """Records of 200 shards, 18 of which have 1,000 bytes or more."""
    directory = tmp_path_factory.mktemp("corpus")
    for name in ("a.jsonl", "b.jsonl"):
        write_records(directory / name, 18 * N_SHARDS // 2)
    return directory


@pytest.fixture(scope="package")
def annotate(splitter):
    """Annotate a corpus in this process, and return the totals of its manifest, if it is complete."""

    def annotate(output, *inputs, model=splitter, format="json", shard_bytes=1000, limit=None, **reading):
        inputs = [str(path) for path in inputs]
        options = {"model": str(model), "format": format, "reading": Reading(**reading), "shard_bytes": shard_bytes}
        with warnings.catch_warnings(), nullcontext() if limit is None else pytest.raises(KeyboardInterrupt):
            warnings.filterwarnings("ignore", message=r"\[JW44\]")
            return annotate_corpus(inputs, str(output), Here(limit), **options)

    return annotate
