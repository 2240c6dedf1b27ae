"""Steps of a long run: what has been made from the same is not made again."""

import pytest

from spacy_joint.files.steps import Steps, digest, digest_mentioned


@pytest.fixture
def told():
    return []


@pytest.fixture
def steps(tmp_path, told):
    """A function that begins a run in the same directory."""
    return lambda: Steps(tmp_path / "records", told.append)


def run(steps, output, text, made, **options):
    def make():
        made.append(output.name)
        output.write_text(text)

    return steps.run(output.stem, output, make, **options)


def test_a_step_is_not_repeated(steps, tmp_path, told):
    made = []
    for _ in range(2):
        assert run(steps(), tmp_path / "a.txt", "x", made) == tmp_path / "a.txt"
    assert made == ["a.txt"]
    assert told[0] == "a ..." and told[1].startswith("a: ") and told[1].endswith(" s") and told[2] == "a: unchanged"


def test_other_settings_repeat_it_and_what_follows(steps, tmp_path):
    made = []
    for setting in (1, 1, 2):
        started = steps()
        first = run(started, tmp_path / "a.txt", "x", made, settings={"n": setting})
        run(started, tmp_path / "b.txt", "y", made, after=[first])
        run(started, tmp_path / "c.txt", "z", made)
    assert made == ["a.txt", "b.txt", "c.txt", "a.txt", "b.txt"]


def test_an_output_that_was_removed_is_made_again(steps, tmp_path):
    made = []
    run(steps(), tmp_path / "a.txt", "x", made)
    (tmp_path / "a.txt").unlink()
    run(steps(), tmp_path / "a.txt", "x", made)
    assert made == ["a.txt"] * 2


@pytest.mark.parametrize("name", ["a.txt", "records/a.json"])
def test_a_truncated_output_or_record_is_made_again(steps, tmp_path, name):
    made = []
    run(steps(), tmp_path / "a.txt", "text", made)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:2])
    run(steps(), tmp_path / "a.txt", "text", made)
    assert made == ["a.txt"] * 2 and (tmp_path / "a.txt").read_text() == "text"


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError])
def test_an_interrupted_step_is_repeated_even_if_an_older_output_is_there(steps, tmp_path, interruption):
    made = []
    run(steps(), tmp_path / "a.txt", "x", made)

    def fail():
        raise interruption

    with pytest.raises(interruption):
        steps().run("a", tmp_path / "a.txt", fail, settings={"n": 2})
    run(steps(), tmp_path / "a.txt", "x", made)
    assert made == ["a.txt"] * 2


def test_a_digest_is_that_of_the_content(tmp_path):
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(text)
    first, same, other = (digest(tmp_path / name) for name in "abc")
    assert first == same != other


def test_settings_mention_files_at_any_depth(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "directory").mkdir()
    (tmp_path / "directory" / "b").write_text("y")
    settings = {"n": 1, "long": "a" * 300, "files": [str(tmp_path / "a"), {"path": str(tmp_path / "directory")}]}
    assert digest_mentioned(settings) == [digest(tmp_path / "a"), digest(tmp_path / "directory" / "b")]
