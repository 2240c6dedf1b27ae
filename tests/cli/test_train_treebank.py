"""`train-treebank`: from a treebank to a package, on the tiny treebank."""

import json
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import Doc

from spacy_joint.files.steps import Steps

# One pass over the tiny treebank.
FAST = ("--folds", "2", "--training.max_epochs", "1")
EXPANDER = "multiword_expander"
FULL = ("sequence_tagger", "joint_sbd_parser", "sequence_morphologizer", "sequence_lemmatizer")


# spaCy leaves files of the package open.
PACKAGING = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.fixture
def train(run, assets):
    """Train without making a package, which takes some seconds."""

    def train(output, *options, files=("tiny_train.conllu", "tiny_dev.conllu"), language="en", package=False, **how):
        own = ["--language", language, "--output", output, "--package" if package else "--no-package"]
        return run("train-treebank", *(assets / name for name in files), *own, *options, *FAST, **how)

    return train


def blank_column(path: Path, column: int, output: Path) -> Path:
    rows = [line.split("\t") for line in path.read_text(encoding="utf8").splitlines()]
    lines = ["\t".join([*row[:column], "_", *row[column + 1 :]] if len(row) == 10 else row) for row in rows]
    output.write_text("\n".join(lines) + "\n", encoding="utf8")
    return output


@PACKAGING
def test_a_treebank_becomes_a_package(train, tmp_path):
    result = train(tmp_path / "out", "--name", "small", "--version", "1.2.3", "--seed", "7", package=True)
    assert "seed 7" in result.output and "sequence_lemmatizer: " in result.output
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names == [*FULL, EXPANDER]
    doc = nlp("The cat sat. It slept.")
    assert all(token.tag_ and token.pos_ and token.dep_ and token.lemma_ for token in doc)
    scores = srsly.read_json(tmp_path / "out" / "scores.json")
    assert scores["split"] == "dev" and scores["raw_words_f"] > 0.95 and scores["raw_las_f"] > 0.05
    (archive,) = (tmp_path / "out" / "package").glob("en_small-1.2.3/dist/en_small-1.2.3.tar.gz")
    assert archive.stat().st_size > 10_000
    meta = srsly.read_json(archive.parent.parent / "meta.json")
    assert meta["performance"]["raw_las_f"] == scores["raw_las_f"] and meta["version"] == "1.2.3"
    assert any(requirement.startswith("spacy-joint") for requirement in meta["requirements"])
    packaged = spacy.load(archive.parent.parent / "en_small" / "en_small-1.2.3")
    assert [token.dep_ for token in packaged("The cat sat. It slept.")] == [token.dep_ for token in doc]


@PACKAGING
def test_without_tools_for_archives_there_is_the_directory_of_the_package(train, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.warns(UserWarning, match=r"\[JW34\] No archive of the package en_joint_treebank-0\.1\.0"):
        result = train(tmp_path / "out", package=True)
    assert "pip install" in result.output
    assert (tmp_path / "out" / "package" / "en_joint_treebank-0.1.0" / "setup.py").is_file()


def test_a_directory_with_the_name_of_a_tool_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / "setup.py").write_text("import setuptools; setuptools.setup(name='small', py_modules=[])")
    # As an attribute of its package, the name is that of the command.
    module = sys.modules["spacy_joint.cli.train_treebank"]
    # What is found if the tool is not installed, but the working directory has a directory `build`.
    monkeypatch.setattr(module, "find_spec", lambda name: ModuleSpec(name, None))
    module._make_archive(tmp_path)
    assert list(tmp_path.glob("dist/*.tar.gz"))


def test_a_second_run_repeats_nothing_and_another_seed_what_it_changes(train, tmp_path):
    train(tmp_path / "out")
    assert train(tmp_path / "out").output.count(": unchanged") == 10
    unchanged = [line for line in train(tmp_path / "out", "--seed", "1").output.splitlines() if "unchanged" in line]
    assert [line.split()[-2] for line in unchanged] == ["corpora:"]


def test_the_same_seed_gives_the_same_bytes(train, tmp_path):
    for name in ("a", "b"):
        train(tmp_path / name)
    for part in (
        "tokenizer",
        "joint_sbd_parser/model",
        "sequence_lemmatizer/model",
        "vocab/strings.json",
        "config.cfg",
    ):
        first, second = ((tmp_path / name / "pipeline" / part).read_bytes() for name in ("a", "b"))
        assert first == second, part


@pytest.mark.parametrize("step", ["corpora", "jackknife", "joint_sbd_parser", "pipeline"])
def test_an_interrupted_run_is_resumed(train, tmp_path, monkeypatch, step):
    usual = Steps.run

    def run(self, name, output, make, **options):
        def interrupted():
            make()
            raise KeyboardInterrupt

        return usual(self, name, output, interrupted if name == step else make, **options)

    train(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(Steps, "run", run)
        train(tmp_path / "resumed", fails=130)
    assert not list((tmp_path / "resumed").rglob(".*"))
    train(tmp_path / "resumed")
    model = Path("pipeline", "joint_sbd_parser", "model")
    assert (tmp_path / "resumed" / model).read_bytes() == (tmp_path / "whole" / model).read_bytes()


def test_what_the_treebank_does_not_have_is_left_out(train, assets, tmp_path):
    without = tmp_path / "x-train.conllu"
    blank_column(assets / "tiny_train.conllu", 2, without)
    dev = blank_column(assets / "tiny_dev.conllu", 2, tmp_path / "x-dev.conllu")
    result = train(tmp_path / "out", files=[without, dev])
    assert "has no lemmas" in result.output and "has no features" not in result.output
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names == [*FULL[:3], EXPANDER]
    assert "raw_lemma_f" not in srsly.read_json(tmp_path / "out" / "scores.json")


@pytest.mark.parametrize(
    ("tags", "pipes", "labels"),
    [("upos", FULL, {"NOUN"}), ("xpos", FULL[:2], {"NN"}), ("both", FULL, {"NN"})],
)
def test_tags_are_of_either_kind_or_of_both(train, tmp_path, tags, pipes, labels):
    train(tmp_path / "out", "--tags", tags)
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names == [*pipes, EXPANDER]
    assert {"NN", "NOUN"}.intersection(nlp.get_pipe("sequence_tagger").labels) == labels
    assert any(token.pos for token in nlp("The cat slept.")) == (tags != "xpos")


def test_settings_of_a_component_are_for_its_own_training(train, tmp_path):
    train(tmp_path / "out", "--components.joint_sbd_parser.model.n_tables", "1", "--kind", "original")
    config = spacy.util.load_config(tmp_path / "out" / "pipeline" / "config.cfg")
    assert config["components"]["joint_sbd_parser"]["model"]["n_tables"] == 1
    assert config["components"]["sequence_tagger"]["model"]["n_tables"] == 3


def test_other_languages_have_their_own_data(train, tmp_path):
    train(tmp_path / "out", language="fr")
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.lang == "fr" and nlp.vocab["aussi"].is_stop
    assert nlp.vocab.get_noun_chunks is spacy.blank("fr").vocab.get_noun_chunks


def test_texts_and_metadata_are_used(train, tmp_path):
    (tmp_path / "text.txt").write_text("The zebra eats. The zebra drinks. A zebra sleeps.", encoding="utf8")
    (tmp_path / "meta.json").write_text(json.dumps({"license": "CC BY 4.0"}))
    train(tmp_path / "out", "--texts", tmp_path / "text.txt", "--meta", tmp_path / "meta.json")
    assert "zebra" in srsly.read_msgpack(tmp_path / "out" / "steps" / "word_classes.msgpack")
    assert srsly.read_json(tmp_path / "out" / "pipeline" / "meta.json")["license"] == "CC BY 4.0"


@pytest.fixture
def spaceless(tmp_path):
    """A treebank without spaces, whose development set has other words."""
    for part, first, second in (("train", "ab", "abc"), ("dev", "de", "def")):
        text = "".join(
            f"# newdoc\n1\t{first}\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
            f"2\t{second}\t_\tX\t_\t_\t1\tdep\t_\tSpaceAfter=No\n\n"
            for _ in range(6)
        )
        (tmp_path / f"{part}.conllu").write_text(text, encoding="utf8")
    return [tmp_path / "train.conllu", tmp_path / "dev.conllu"]


def test_a_tokenizer_that_cannot_make_the_words_is_refused_before_training(train, spaceless, tmp_path):
    result = train(tmp_path / "out", "--tokenizer", "rules", files=spaceless, language="xx", fails=True)
    assert "[J505]" in result.output and "jackknife" not in result.output


def test_where_rules_are_worse_a_tokenizer_is_learnt(train, assets, tmp_path):
    files = [assets / f"tiny_chinese_{part}.conllu" for part in ("train", "dev")]
    result = train(tmp_path / "out", "--documents", "5", files=files, language="zh")
    assert "spacy.Tokenizer.v1: " in result.output and "spacy_joint.CharacterTokenizer.v1: " in result.output
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert type(nlp.tokenizer).__name__ == "CharacterTokenizer"
    assert srsly.read_json(tmp_path / "out" / "scores.json")["raw_words_f"] > 0.8


def test_a_step_has_no_tokenizer(train, tmp_path):
    train(tmp_path / "out")
    nlp = spacy.load(tmp_path / "out" / "steps" / "sequence_tagger")
    assert len(nlp("The cat slept.")) == 1 and not len(nlp(""))
    assert nlp(Doc(nlp.vocab, words=["The", "cat", "slept"]))[0].tag_
    assert len(nlp.from_bytes(nlp.to_bytes())("The cat slept.")) == 1


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["nothing"], "J101"),
        (["NEUTRAL"], "J521"),
        (["TRAIN"], "J525"),
        (["TRAIN", "--language", "qqq"], "J524"),
        (["TRAIN", "--language", "en", "--name", "with-hyphen"], "J526"),
        (["TRAIN", "--language", "en", "--texts", "nothing.txt"], "J402"),
        (["--language", "en", "--test", "TRAIN"], "J522"),
        (["TRAIN", "--language", "en", "--documents", "chapters"], "J116"),
    ],
)
def test_what_is_wrong_is_said_at_once(run, assets, tmp_path, options, code):
    neutral = tmp_path / "neutral.conllu"
    neutral.write_bytes((assets / "tiny_dev.conllu").read_bytes())
    files = {"TRAIN": assets / "tiny_train.conllu", "NEUTRAL": neutral}
    result = run(
        "train-treebank", *(files.get(option, option) for option in options), "-o", tmp_path / "out", fails=True
    )
    assert f"[{code}]" in result.output
    assert not (tmp_path / "out" / "steps" / "corpora").exists()


def test_configs_are_copied_and_valid(run, tmp_path):
    run("configs", tmp_path / "configs")
    copied = tmp_path / "configs" / "sequence_tagger.cfg"
    command = [sys.executable, "-m", "spacy", "debug", "config", str(copied)]
    assert "Config is valid" in subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
