"""`train-treebank`: from a treebank to a package, on the tiny treebank."""

import json
import shutil
import sys
from importlib.machinery import ModuleSpec

import pytest
import spacy
import srsly
from spacy.cli.init_config import fill_config
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_joint.files.steps import Steps
from spacy_joint.training import treebank

# One pass over the tiny treebank.
FAST = ("--folds", "2", "--training.max_epochs", "1")
EXPANDER = "multiword_expander"
FULL = ("sequence_tagger", "joint_sbd_parser", "sequence_morphologizer", "sequence_lemmatizer")


# spaCy leaves files of the package open.
PACKAGING = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.fixture(scope="module")
def train(run, assets):
    """Train without making a package, which takes some seconds."""

    def train(output, *options, files=("tiny_train.conllu", "tiny_dev.conllu"), language="en", package=False, **how):
        own = ["--language", language, "--output", output, "--package" if package else "--no-package"]
        return run("train-treebank", *(assets / name for name in files), *own, *options, *FAST, **how)

    return train


@pytest.fixture(scope="module")
def trained(train, tmp_path_factory):
    """What is trained by default. Shared: do not change it."""
    train(output := tmp_path_factory.mktemp("trained") / "out")
    return output


@PACKAGING
def test_a_treebank_becomes_a_package(train, trained, tmp_path):
    shutil.copytree(trained, tmp_path / "out")
    train(tmp_path / "out", "--name", "small", "--version", "1.2.3", package=True)
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names == [*FULL, EXPANDER]
    doc = nlp("The cat sat. It slept.")
    assert all(token.tag_ and token.pos_ and token.dep_ and token.lemma_ for token in doc)
    scores = srsly.read_json(tmp_path / "out" / "scores.json")
    assert scores["split"] == "dev" and scores["raw_words_f"] > 0.95 and scores["raw_las_f"] > 0.05
    (archive,) = (tmp_path / "out" / "package").glob("en_small-1.2.3/dist/en_small-1.2.3.tar.gz")
    assert archive.stat().st_size > 10_000
    meta = srsly.read_json(archive.parent.parent / "meta.json")
    assert meta["performance"]["raw_las_f"] == pytest.approx(scores["raw_las_f"]) and meta["version"] == "1.2.3"
    assert any(requirement.startswith("spacy-joint") for requirement in meta["requirements"])
    packaged = spacy.load(archive.parent.parent / "en_small" / "en_small-1.2.3")
    assert [token.dep_ for token in packaged("The cat sat. It slept.")] == [token.dep_ for token in doc]


@PACKAGING
def test_without_tools_for_archives_there_is_the_directory_of_the_package(train, trained, tmp_path, monkeypatch):
    shutil.copytree(trained, tmp_path / "out")
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.warns(UserWarning, match=r"\[JW34\] No archive of the package en_joint_treebank-0\.1\.0"):
        result = train(tmp_path / "out", package=True)
    assert "pip install" in result.output and "joint_sbd_parser: unchanged" in result.output
    assert (tmp_path / "out" / "package" / "en_joint_treebank-0.1.0" / "setup.py").is_file()


def test_a_directory_with_the_name_of_a_tool_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / "setup.py").write_text("import setuptools; setuptools.setup(name='small', py_modules=[])")
    # As if the tool were not installed, but the working directory had a directory `build`.
    monkeypatch.setattr(treebank, "find_spec", lambda name: ModuleSpec(name, None))
    treebank.make_archive(tmp_path)
    assert list(tmp_path.glob("dist/*.tar.gz"))


def test_a_second_run_repeats_nothing_and_another_seed_what_it_changes(train, trained, tmp_path, monkeypatch):
    shutil.copytree(trained, tmp_path / "out")
    assert train(tmp_path / "out").output.count(": unchanged") == 13
    usual = Steps.run

    def make_nothing(self, name, output, make, **options):
        return usual(self, name, output, lambda: None, **options)

    monkeypatch.setattr(Steps, "run", make_nothing)
    told = train(tmp_path / "out", "--seed", "1").output
    assert "seed 1" in told
    unchanged = [line for line in told.splitlines() if "unchanged" in line]
    assert [line.split()[-2] for line in unchanged] == ["corpora:", "features:"]


def test_a_run_that_is_interrupted_again_and_again_makes_the_bytes_of_another(train, trained, tmp_path, monkeypatch):
    usual = Steps.run
    for step in ("corpora", "jackknife", "joint_sbd_parser", "pipeline"):

        def run(self, name, output, make, *, at=step, **options):
            def interrupted():
                make()
                raise KeyboardInterrupt

            return usual(self, name, output, interrupted if name == at else make, **options)

        with monkeypatch.context() as patch:
            patch.setattr(Steps, "run", run)
            train(tmp_path / "out", fails=130)
        assert not list((tmp_path / "out").rglob(".*"))
    train(tmp_path / "out")
    for part in (
        "tokenizer",
        "joint_sbd_parser/model",
        "sequence_lemmatizer/model",
        "vocab/strings.json",
        "config.cfg",
    ):
        first, second = ((output / "pipeline" / part).read_bytes() for output in (trained, tmp_path / "out"))
        assert first == second, part


def test_what_the_treebank_does_not_have_is_left_out(train, assets, write_text, tmp_path):
    def write(part):
        lines = (assets / f"tiny_{part}.conllu").read_text(encoding="utf8").splitlines()
        rows = ([*row[:2], "_", *row[3:]] if len(row) == 10 else row for row in (line.split("\t") for line in lines))
        return write_text(f"x-{part}.conllu", "".join("\t".join(row) + "\n" for row in rows))

    result = train(tmp_path / "out", files=[write("train"), write("dev")])
    assert "has no lemmas" in result.output and "has no features" not in result.output
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names == [*FULL[:3], EXPANDER]
    assert "raw_lemma_f" not in srsly.read_json(tmp_path / "out" / "scores.json")


@pytest.fixture
def read(tmp_path):
    """Read treebanks as the first step of a training, which is returned."""

    def read(train, dev, language="en", documents=None, tags="both"):
        splits = {"train": [train], "dev": [dev], "test": []}
        training = treebank.TreebankTraining(tmp_path / "output", tmp_path, language, splits, {}, seed=0)
        training.read_corpora(documents, tags=tags, subtypes=True)
        return training

    return read


@pytest.mark.parametrize(
    ("tags", "most", "tag"), [("both", 3, "NN"), ("upos", 100, "NOUN"), ("auto", 100, "NN"), ("auto", 3, "NOUN")]
)
def test_tags_are_xpos_unless_upos_are_requested_or_there_are_many(read, assets, monkeypatch, tags, most, tag):
    monkeypatch.setattr(treebank, "MAX_TAGS", most)
    training = read(assets / "tiny_train.conllu", assets / "tiny_dev.conllu", tags=tags)
    docs = DocBin().from_disk(training.corpora / "train.spacy").get_docs(Vocab())
    assert {"NN", "NOUN"}.intersection(token.tag_ for doc in docs for token in doc) == {tag}


def test_by_default_there_are_both_kinds_of_tags(train, trained, tmp_path):
    output = shutil.copytree(trained, tmp_path / "out")
    assert "joint_sbd_parser: unchanged" in train(output, "--tags", "auto").output
    nlp = spacy.load(output / "pipeline")
    tagged = {label.partition(" ")[0] for label in nlp.get_pipe("sequence_tagger").labels}
    assert {"NN", "NOUN"}.intersection(tagged) == {"NN"} and any(token.pos for token in nlp("The cat slept."))


def test_without_upos_nothing_that_reads_them_is_trained(train, tmp_path):
    train(tmp_path / "out", "--tags", "xpos")
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names == [*FULL[:2], EXPANDER]
    assert not any(token.pos for token in nlp("The cat slept."))


@pytest.fixture(scope="module")
def custom(train, tmp_path_factory):
    """What is trained with settings of a component, in another language, with texts and metadata."""
    directory = tmp_path_factory.mktemp("custom")
    (directory / "text.txt").write_text("The zebra eats. The zebra drinks. A zebra sleeps.", encoding="utf8")
    (directory / "meta.json").write_text(json.dumps({"license": "CC BY 4.0"}))
    settings = ("--components.joint_sbd_parser.model.n_tables", "1", "--kind", "original")
    files = ("--texts", directory / "text.txt", "--meta", directory / "meta.json")
    train(directory / "out", *settings, *files, language="es")
    return directory / "out"


def test_weights_are_rounded_and_files_are_added_without_training_anew(train, custom, tmp_path):
    output = shutil.copytree(custom, tmp_path / "out")
    (papers := tmp_path / "papers").mkdir()
    (papers / "meta.json").write_text(json.dumps({"license": "CC0"}))
    (papers / "LICENSE").write_text("Free.")
    texts = ("--texts", custom.parent / "text.txt")
    settings = ("--components.joint_sbd_parser.model.n_tables", "1", "--kind", "original", "--weight-bits", "4")
    told = train(output, *settings, *texts, "--meta", papers, language="es").output
    assert "biases: unchanged" in told and "finished: unchanged" not in told
    nlp = spacy.load(output / "pipeline")
    assert nlp.meta["license"] == "CC0" and (nlp.path / "LICENSE").read_text() == "Free."
    assert not (nlp.get_pipe("joint_sbd_parser").perceptron.weights.averaged % 16).any()


@pytest.mark.parametrize(("mark", "is_allowed"), [(";", True), (".", False)])
def test_sentences_begin_in_lower_case_where_those_of_the_treebank_do(read, tmp_path, mark, is_allowed):
    file = tmp_path / "train.conllu"
    words = (("arma", "root", 0), ("cano", "dep", 1), (mark, "punct", 1))
    lines = (f"{i}\t{word}\t_\tX\t_\t_\t{head}\t{label}\t_\t_" for i, (word, label, head) in enumerate(words, start=1))
    file.write_text(10 * ("\n".join(lines) + "\n\n"), encoding="utf8")
    assert read(file, file, "la", documents="5").described["lower_case_starts"] is is_allowed


def test_settings_texts_metadata_and_the_data_of_the_language_are_used(custom):
    config = spacy.util.load_config(custom / "pipeline" / "config.cfg")
    assert config["components"]["joint_sbd_parser"]["model"]["n_tables"] == 1
    assert config["components"]["sequence_tagger"]["model"]["n_tables"] == 3
    nlp = spacy.load(custom / "pipeline")
    assert nlp.lang == "es" and nlp.vocab["también"].is_stop
    assert nlp.vocab.get_noun_chunks is spacy.blank("es").vocab.get_noun_chunks
    assert "zebra" in srsly.read_msgpack(custom / "steps" / "word_classes.msgpack")
    assert nlp.meta["license"] == "CC BY 4.0"


def test_templates_can_be_given_and_count_by_their_content(train, trained, tmp_path):
    templates = tmp_path / "templates.txt"
    option = ("--initialize.components.sequence_lemmatizer.templates", templates)
    output = shutil.copytree(trained, tmp_path / "out")
    templates.write_text("w.word\n")
    result = train(output, *option)
    assert "sequence_morphologizer: unchanged" in result.output
    assert spacy.load(output / "pipeline").get_pipe("sequence_lemmatizer").cfg["templates"] == "w.word\n"
    assert "sequence_lemmatizer: unchanged" in train(output, *option).output
    templates.write_text("w.word\nw.tag\n")
    assert "sequence_lemmatizer: unchanged" not in train(output, *option).output


def test_a_language_that_spacy_lacks_is_in_the_name_of_the_package(run, assets, tmp_path):
    for part in ("train", "dev"):
        shutil.copy(assets / f"tiny_{part}.conllu", tmp_path / f"got_tiny-ud-{part}.conllu")
    result = run("train-treebank", tmp_path, "--output", tmp_path / "out", "--no-package", *FAST)
    assert "spaCy has no language 'got'" in result.output
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert (nlp.lang, nlp.meta["name"]) == ("xx", "joint_got_tiny")
    # Also where there are no multiword tokens.
    assert nlp("The cat slept.")[0]._.ud_words is None


def test_a_tokenizer_that_cannot_make_the_words_is_refused_before_training(train, write_text, tmp_path):
    def write(part, *words):
        rows = zip(words, ("0\troot", "1\tdep"), strict=True)
        lines = (f"{i}\t{word}\t_\tX\t_\t_\t{head}\t_\tSpaceAfter=No\n" for i, (word, head) in enumerate(rows, start=1))
        return write_text(f"{part}.conllu", 6 * f"# newdoc\n{''.join(lines)}\n")

    files = [write("train", "ab", "abc"), write("dev", "de", "def")]
    result = train(tmp_path / "out", "--tokenizer", "rules", files=files, language="xx", fails=True)
    assert "[J505]" in result.output and "features" not in result.output


def test_where_rules_are_worse_a_tokenizer_is_learnt(read, assets, capsys):
    training = read(*(assets / f"tiny_chinese_{part}.conllu" for part in ("train", "dev")), "zh", documents="5")
    training.make_tokenizer("auto")
    told = capsys.readouterr().out
    assert "spacy.Tokenizer.v1: " in told and "spacy_joint.CharacterTokenizer.v1: " in told
    assert type(spacy.load(training.tokenizer).tokenizer).__name__ == "CharacterTokenizer"


def test_a_step_has_no_tokenizer(trained):
    nlp = spacy.load(trained / "steps" / "sequence_tagger")
    assert len(nlp("The cat slept.")) == 1 and not len(nlp(""))
    assert nlp(Doc(nlp.vocab, words=["The", "cat", "slept"]))[0].tag_
    assert len(nlp.from_bytes(nlp.to_bytes())("The cat slept.")) == 1


def test_configs_are_copied_and_can_be_filled(run, tmp_path):
    run("configs", tmp_path / "configs")
    copied = tmp_path / "configs" / "sequence_tagger.cfg"
    fill_config(tmp_path / "filled.cfg", copied, silent=True)
    filled = spacy.util.load_config(tmp_path / "filled.cfg")
    assert filled["components"]["sequence_tagger"]["model"]["n_tables"] == 3


@pytest.mark.parametrize("section", ["components", "initialize.components"])
def test_settings_are_checked_before_training(train, tmp_path, section):
    failed = train(tmp_path / "out", f"--{section}.sequence_lemmatizer.nope", "5", fails=True)
    # Without the settings that are right.
    assert "sequence_lemmatizer -> nope" in failed.output and "{" not in failed.output
    assert not (tmp_path / "out").exists()
