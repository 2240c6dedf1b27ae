"""Columns that components and users bring."""

import pickle
import random

import numpy as np
import pytest
import spacy
from spacy.strings import get_string_id
from spacy.tokens import Doc, DocBin, Token
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_joint.annotation.custom_columns import GUIDE_COLUMNS, GUIDE_LABEL, TOKEN_COLUMNS, copy_columns, write_column
from spacy_joint.corpora.docbin import create_docbin_corpus
from spacy_joint.corpora.quotations import make_quotation_example
from spacy_joint.errors import JointValueError, JointWarning
from spacy_joint.pipes.custom_columns import CustomColumns
from spacy_joint.pipes.token_columns import WordColumns
from spacy_joint.pipes.word_classes import NO_CLASSES
from spacy_joint.quotation.layout import unwrap
from spacy_joint.training.rewriting import Word, rewrite
from spacy_joint.training.unpunctuated import unpunctuate

PAUSE = {"pause": {"edges": [0.1, 0.3, 0.7]}}
GUIDE_SETTINGS = {name: {} if name == GUIDE_LABEL else {"edges": [-1, 0, 1]} for name in GUIDE_COLUMNS}
NLP = spacy.blank("en")
N_SENTENCES = 12


def make_doc(pauses):
    doc = Doc(NLP.vocab, words=["so", "we", "left", "they", "stayed", "here"])
    if pauses is not None:
        doc._.token_columns["pause"] = pauses
    return doc


def read(doc, settings=PAUSE, name="pause"):
    return CustomColumns(settings).read(doc, name).tolist()


def speak(vocab, seed):
    """A document whose sentences no word tells apart: there is a pause before each, and a short one within."""
    draw = random.Random(seed)
    words, starts, pauses, heads = [], [], [], []
    for _ in range(N_SENTENCES):
        first, length = len(words), draw.randrange(1, 6)
        words += draw.choices(["one", "two", "three"], k=length)
        starts += [True] + [False] * (length - 1)
        pauses += [draw.uniform(0.7, 2)] + [draw.choice([0.0, 0.2, None]) for _ in range(length - 1)]
        heads += [first] * length
    deps = ["ROOT" if start else "dep" for start in starts]
    doc = Doc(vocab, words=words, tags=["X"] * len(words), heads=heads, deps=deps)
    doc._.token_columns["pause"] = pauses
    return doc


def train_parser(tmp_path, hears=True):
    """A parser trained on spoken documents, with pauses if it hears them, and the scores of others."""
    templates = tmp_path / "pause.txt"
    templates.write_text("b0.pause\nb0.pause b0-1.word\n")
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 16, "beam_width": 4, "min_changes": 1}
    parser = nlp.add_pipe("joint_sbd_parser", config={"model": model, "columns": PAUSE if hears else {}})

    def read_corpus(name, seeds):
        docs = [speak(nlp.vocab, seed) for seed in seeds]
        DocBin(docs=docs, store_user_data=hears).to_disk(tmp_path / name)
        return list(create_docbin_corpus(tmp_path / name, keep=["TAG"])(nlp))

    examples = read_corpus("train.spacy", range(20))
    fix_random_seed(0)
    parser.initialize(lambda: examples, nlp=nlp, additional_templates=str(templates))
    for example in examples * 10:
        nlp.update([example])
    return nlp, nlp.evaluate(read_corpus("dev.spacy", range(100, 105)))


@pytest.fixture(scope="module")
def hearing(tmp_path_factory):
    """The directory of a parser that hears pauses, and its scores."""
    directory = tmp_path_factory.mktemp("hearing")
    nlp, scores = train_parser(directory)
    nlp.to_disk(directory / "pipeline")
    return directory / "pipeline", scores


def begin_parser(tmp_path, columns, settings=None):
    """A parser whose templates read all of the columns, before training; `settings` are the columns by default."""
    templates = tmp_path / "templates.txt"
    templates.write_text("".join(f"b0.{name}\n" for name in columns))
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("joint_sbd_parser", config={"columns": columns if settings is None else settings})
    doc = speak(nlp.vocab, 0)
    parser.initialize(lambda: [Example(doc.copy(), doc)], additional_templates=str(templates))
    return nlp


def test_columns_that_no_template_reads_are_named(tmp_path):
    with pytest.warns(JointWarning, match=r"\[JW52\].*'pauze'"):
        begin_parser(tmp_path, {}, {"pauze": {}})


def test_numbers_are_put_into_bins_and_missing_ones_are_0():
    assert read(make_doc([0, 0.1, 0.2, 0.7, 9, None])) == [1, 2, 2, 4, 4, 0]
    assert read(make_doc(np.array([0, 0.1, 0.2, 0.7, 9, np.nan]))) == [1, 2, 2, 4, 4, 0]


@pytest.mark.parametrize(
    "values", [["A", "A", "B", "B", None, ""], [1, 1, 0, 0, None, ""], np.array(["A", "A", "B", "B", "", ""])]
)
def test_categories_are_hashed_and_missing_ones_are_0(values):
    a, again, b, _, *missing = read(make_doc(values), {"pause": {}})
    assert a == again != b and 0 not in (a, b)
    assert missing == [0, 0]


def test_truth_values_are_integers():
    one, zero = get_string_id("1"), get_string_id("0")
    assert read(make_doc([True, 1, "1", False, 0, None]), {"pause": {}}) == [one, one, one, zero, zero, 0]


def test_every_component_has_pauses_in_bins_and_misses_none():
    columns = CustomColumns({"pitch": {}}, taken=["word"])
    assert columns.names == ("pitch", "pause")
    doc = make_doc([None, 0.0, 0.1, 0.25, 1.0, 60])
    assert columns.read(doc, "pause").tolist() == [0, 1, 3, 4, 8, 9]
    assert columns.read(make_doc(None), "pause").tolist() == [0] * 6
    assert columns.list_missing(make_doc(None), columns.names) == ["pitch"]
    again = pickle.loads(pickle.dumps(columns))
    assert again.names == columns.names and again.wanted == ("pitch",)


@pytest.mark.filterwarnings("error")
def test_templates_read_pauses_without_a_setting(tmp_path):
    nlp = begin_parser(tmp_path, {"pause": {}}, settings={})
    parser = nlp.get_pipe("joint_sbd_parser")
    assert len(list(parser.stream([nlp.make_doc("so we left"), nlp.make_doc(" they stayed")])))
    nlp.to_disk(tmp_path / "nlp")
    assert spacy.load(tmp_path / "nlp").get_pipe("joint_sbd_parser").list_custom_columns() == ["pause"]


@pytest.mark.parametrize("kind", [list, np.array])
def test_copies_have_the_longest_pause_since_the_word_before(kind):
    doc = Doc(NLP.vocab, words=["So", ",", '"', "go", "on"])
    doc._.token_columns["pause"] = kind([0.1, 0.0, 0.8, 0.0, 0.3])
    words = [Word(text, True, source) for text, source in (("so", 0), ("uh", 3), ("go", 3), ("on", 4))]
    assert rewrite(doc, words)._.token_columns["pause"].tolist() == [0.1, 0.8, 0.0, 0.3]


def test_a_category_has_the_same_value_in_any_vocabulary():
    other = Doc(spacy.blank("de").vocab, words=["a"])
    write_column(other, "speaker", ["ANNA"])
    doc = Doc(NLP.vocab, words=["b"])
    write_column(doc, "speaker", ["ANNA"])
    assert read(doc, {"speaker": {}}, "speaker") == read(other, {"speaker": {}}, "speaker")


@pytest.mark.parametrize("kind", [Token, Doc])
def test_extension_attributes_are_columns_too(kind):
    kind.set_extension("pause", getter=lambda found: 0.5 if isinstance(found, Token) else [0.5] * len(found))
    try:
        assert read(make_doc(None)) == [3] * 6
        assert read(make_doc([0.0] * 6)) == [1] * 6
    finally:
        kind.remove_extension("pause")


def test_an_extension_attribute_that_no_token_has_is_missing():
    Token.set_extension("pause", default=None)
    try:
        assert CustomColumns(PAUSE).list_missing(make_doc(None), ["pause", "word"]) == ["pause"]
    finally:
        Token.remove_extension("pause")


def test_whitespace_has_values_that_are_left_out():
    doc = Doc(NLP.vocab, words=["a", "\n", "b"])
    doc._.token_columns["pause"] = [0.0, 0.2, 1.0]
    columns = WordColumns(["word", "pause"], NO_CLASSES, custom=CustomColumns(PAUSE))
    values, tokens = columns.make_values(doc)
    assert tokens.tolist() == [0, 2]
    assert values[:, 1].tolist() == [1, 4]
    assert pickle.loads(pickle.dumps(columns)).make_values(doc)[0].tolist() == values.tolist()


NO_NAMES = ("", "b0.pause", "two words", "word")
NO_BINS = ({"edges": []}, {"edges": [1, 1]}, {"edges": ["a"]}, {"edges": [float("nan")]}, {"bins": 3}, 3)


@pytest.mark.parametrize("settings", [*({name: {}} for name in NO_NAMES), *({"pause": bins} for bins in NO_BINS)])
def test_names_that_templates_could_not_use_and_settings_that_make_no_bins_are_refused(settings):
    with pytest.raises(JointValueError, match=r"\[J030\]"):
        CustomColumns(settings, taken=["word"])


@pytest.mark.parametrize(
    ("values", "found"),
    [([0.1], "a list of 1 values"), (0.1, "float"), ("abcdef", "str"), (dict.fromkeys(range(6)), "dict")],
)
def test_each_token_needs_a_value(values, found):
    with pytest.raises(JointValueError, match=rf"\[J612\].*{found}"):
        read(make_doc(values))


@pytest.mark.parametrize(
    ("values", "settings", "shown"),
    [
        (["0.1"] * 6, PAUSE, ""),
        (np.array(["0.1"] * 6), PAUSE, ""),
        ([0.1] * 6, {"pause": {}}, ""),
        ([[1]] * 6, PAUSE, ""),
        (["a", None, [1], "b", "c", "d"], {"pause": {}}, r".*\[1\]"),
    ],
)
def test_values_of_the_wrong_type_are_refused(values, settings, shown):
    with pytest.raises(JointValueError, match=rf"\[J613\]{shown}"):
        read(make_doc(values), settings)


def test_columns_are_saved_with_documents_and_reach_the_predicted_side():
    doc = make_doc([0.0, None, 0.2, 0.3, 0.4, 0.5])
    doc._.token_columns["pitch"] = np.arange(6, dtype=np.float32)
    stored = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (loaded,) = DocBin().from_bytes(stored).get_docs(NLP.vocab)
    assert loaded._.token_columns["pause"] == (0.0, None, 0.2, 0.3, 0.4, 0.5)
    assert loaded._.token_columns["pitch"].tolist() == list(range(6))
    assert make_quotation_example(loaded).predicted._.token_columns["pause"][3] == 0.3
    assert read(loaded) == read(doc)


def test_tokens_that_are_left_out_take_their_values_along():
    doc = Doc(NLP.vocab, words=["So", ",", "go"], pos=["ADV", "PUNCT", "VERB"], sent_starts=[True, False, False])
    doc._.token_columns |= {"rate": [0.1, 0.2, 0.3], "pitch": np.array([1.0, 2.0, 3.0])}
    starred = unpunctuate(doc)
    assert starred._.token_columns["rate"] == [0.1, 0.3]
    assert starred._.token_columns["pitch"].tolist() == [1.0, 3.0]


def test_wrapped_lines_are_joined_with_their_values():
    line = "and so we went on and on and on in the rain for hours and hours with"
    doc = NLP("\n".join([line] * 4))
    doc._.token_columns["number"] = list(range(len(doc)))
    plain, tokens = unwrap(doc, ())
    assert len(plain) < len(doc)
    assert plain._.token_columns["number"] == tokens


def test_documents_without_columns_are_not_changed():
    doc = Doc(NLP.vocab, words=["a"])
    copy_columns(doc, doc)
    assert CustomColumns(PAUSE).list_missing(doc, ["pause"]) == ["pause"]
    assert not doc.user_data


def test_a_parser_learns_to_read_pauses(hearing, tmp_path):
    path, scores = hearing
    _, deaf = train_parser(tmp_path, hears=False)
    assert deaf["boundary_f"] < 0.8
    assert scores["boundary_f"] > 0.98
    loaded = spacy.load(path)
    assert loaded.config["components"]["joint_sbd_parser"]["columns"] == PAUSE
    doc = speak(loaded.vocab, 7)
    expected = [token.is_sent_start for token in doc]
    fresh = Doc(loaded.vocab, words=[token.text for token in doc], tags=["X"] * len(doc))
    fresh._.token_columns["pause"] = doc._.token_columns["pause"]
    assert [token.is_sent_start for token in loaded(fresh)] == expected


def test_a_missing_column_is_reported_once(hearing):
    nlp = spacy.load(hearing[0])
    parser = nlp.get_pipe("joint_sbd_parser")
    doc = Doc(nlp.vocab, words=["one", "two"], tags=["X", "X"])
    with pytest.warns(JointWarning) as caught:
        parser(doc.copy())
        parser(doc.copy())
    assert [warning.message.code for warning in caught] == ["JW37"]
    assert "'pause'" in str(caught[0].message)
    with pytest.raises(JointValueError, match=r"\[J614\]"):
        list(parser.stream([doc]))


def test_each_missing_column_is_reported(tmp_path):
    nlp = begin_parser(tmp_path, {**PAUSE, "pitch": {}})
    with pytest.warns(JointWarning) as caught:
        nlp(Doc(nlp.vocab, words=["one"], tags=["X"]))
    assert [warning.message.code for warning in caught] == ["JW37", "JW37"]
    assert all(any(f"'{name}'" in str(warning.message) for warning in caught) for name in ("pause", "pitch"))


@pytest.mark.parametrize("edges", [[0.1, 0.3], [0.1, 0.3, 0.7, 2.0], None])
def test_edges_changed_after_training_are_refused(tmp_path, edges):
    nlp = begin_parser(tmp_path, PAUSE)
    nlp.to_disk(tmp_path / "pipeline")
    changed = {"components.joint_sbd_parser.columns.pause.edges": edges}
    with pytest.raises(JointValueError, match=r"\[J061\]"):
        spacy.load(tmp_path / "pipeline", config=changed)


def test_a_column_that_no_template_reads_may_be_added_later(tmp_path):
    begin_parser(tmp_path, {"pause": {"edges": [1 / 3]}}).to_disk(tmp_path / "pipeline")
    added = {"components.joint_sbd_parser.columns.pitch": {}}
    assert spacy.load(tmp_path / "pipeline", config=added).get_pipe("joint_sbd_parser").labels


def test_columns_are_read_in_streams_too(hearing):
    nlp = spacy.load(hearing[0])
    parser = nlp.get_pipe("joint_sbd_parser")
    doc = speak(nlp.vocab, 9)
    pauses = doc._.token_columns["pause"]
    words = [token.text for token in doc]

    def make_doc(start, end):
        part = Doc(nlp.vocab, words=words[start:end], tags=["X"] * (end - start))
        part._.token_columns["pause"] = pauses[start:end]
        return part

    whole = parser(make_doc(0, len(words)))
    for size in (1, 7, 100):
        parts = [make_doc(start, min(start + size, len(words))) for start in range(0, len(words), size)]
        streamed = [token for sentence in parser.stream(parts) for token in sentence]
        assert [token.is_sent_start for token in streamed] == [token.is_sent_start for token in whole]


def test_a_model_without_columns_does_not_depend_on_them(initialize, read_examples, train):
    saved = []
    for bring in (False, True):
        nlp = initialize("sequence_tagger", keep=(), limit=3)
        examples = read_examples(nlp, limit=3)
        for example in examples if bring else ():
            example.predicted._.token_columns["pause"] = [0.5] * len(example.predicted)
        saved.append(train(nlp, examples, epochs=1).get_pipe("sequence_tagger").to_bytes(exclude=["vocab"]))
    assert saved[0] == saved[1]


@pytest.mark.parametrize(
    "factory", ["sequence_tagger", "hedge_chunker", "constituency_parser", "quotation_cues", "quotation_spans"]
)
def test_templates_of_other_components_read_them(factory, small_model, read_examples, train, write_text):
    columns = {"gold": {}, **GUIDE_SETTINGS}
    corpus = "tiny_quotes" if factory.startswith("quotation") else "tiny"
    nlp = spacy.blank("en")
    config = {"model": small_model, "columns": columns}
    if factory == "quotation_spans":
        config["method"] = "greedy"
    pipe = nlp.add_pipe(factory, config=config)
    examples = read_examples(nlp, keep=["TAG", "SENT_START"], corpus=corpus, limit=3)
    for example in examples:
        for name, settings in columns.items():
            values = (0.5, 2.5) if settings else ("x", "y")
            write_column(example.predicted, name, [values[token.i % 2] for token in example.predicted])
    slot = {"hedge_chunker": "b0", "constituency_parser": "d0"}.get(factory, "w")
    templates = write_text("templates.txt", "".join(f"{slot}.{name} {slot}.word\n" for name in columns))
    fix_random_seed(0)
    pipe.initialize(lambda: examples, nlp=nlp, additional_templates=str(templates))
    train(nlp, examples, epochs=1)
    predicted = examples[0].predicted.copy()
    assert TOKEN_COLUMNS in str(predicted.user_data)
    assert set(pipe.list_custom_columns()) == set(columns)
    pipe(predicted)
