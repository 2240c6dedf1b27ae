"""What all components share in reporting damaged files: tests/test_contract.py tries each of them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
import srsly

import spacy_joint
from spacy_joint.errors import Errors, JointValueError, report_damage


def test_damaged_data_is_reported():
    with pytest.raises(JointValueError, match=r"\[J052\] the file is damaged: cfg"), report_damage("the file", "cfg"):
        {}["missing"]
    with (
        pytest.raises(JointValueError, match=r"\[J050\] the file is not a spacy_joint model"),
        report_damage("the file"),
    ):
        len(5)


def test_a_mistake_in_the_program_is_not_taken_for_damage():
    with pytest.raises(AttributeError), report_damage("the file"):
        "text".undefined  # noqa: B018


def test_a_coded_error_is_not_wrapped():
    with pytest.raises(JointValueError, match=r"\[J030\]"), report_damage("the file"):
        raise JointValueError(Errors.J030, name="beam_width", value=0, allowed="at least 1")


@pytest.mark.parametrize("damage", [lambda size: bytes(size), lambda size: b""], ids=["overwritten", "truncated"])
def test_a_loaded_pipeline_does_not_need_its_files_any_more(damage, tmp_path):
    spacy_joint.load().to_disk(tmp_path)
    nlp = spacy_joint.load(tmp_path)
    text = "he said that it was cold and she left nobody was hurt"
    expected = nlp(text).to_bytes()
    # Not replaced: the same file gets another content, as by `cp`.
    for path in filter(lambda path: path.is_file(), tmp_path.rglob("*")):
        path.write_bytes(damage(path.stat().st_size))
    assert nlp(text).to_bytes() == expected


def test_loading_replaces_all_of_an_earlier_cfg():
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("sequence_tagger")
    saved = tagger.to_bytes(exclude=["vocab"])
    parts = srsly.msgpack_loads(saved)
    parts["cfg"] = srsly.json_dumps({**srsly.json_loads(parts["cfg"]), "unknown": 1}).encode()
    tagger.from_bytes(srsly.msgpack_dumps(parts), exclude=["checksums"])
    tagger.add_label("NN")
    tagger.from_bytes(saved)
    assert tagger.labels == ()
    assert tagger.to_bytes(exclude=["vocab"]) == saved


def test_threads_save_and_load_one_component_in_turn(tmp_path):
    trained = spacy_joint.load().get_pipe("sequence_tagger")
    tagger = spacy.blank("en").add_pipe("sequence_tagger")
    paths = [tmp_path / "trained", tmp_path / "untrained"]
    for component, path in zip((trained, tagger), paths, strict=True):
        component.to_disk(path, exclude=["vocab"])
    whole = [tagger.from_disk(path).to_bytes(exclude=["vocab"]) for path in paths]
    assert len(set(whole)) == 2

    def work(number):
        if number % 2:
            tagger.from_disk(paths[number // 2 % 2], exclude=["vocab"])
        return tagger.to_bytes(exclude=["vocab"])

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(24))) <= set(whole)
