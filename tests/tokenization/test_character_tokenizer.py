"""The tokenizer learnt from a treebank, for languages with and without spaces."""

import logging
import pickle
import unicodedata

import numpy as np
import pytest
import spacy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.engine import model_file
from spacy_joint.pipes.spelling import Spelling
from spacy_joint.pipes.tokenizer_check import score_words
from spacy_joint.tokenization import character_tokenizer
from spacy_joint.tokenization.character_columns import Lexicon, Rows, encode

NAME = "spacy_joint.CharacterTokenizer.v1"


def make_blank(**settings):
    return spacy.blank("xx", config={"nlp": {"tokenizer": {"@tokenizers": NAME, "table_bits": 14, **settings}}})


def learn(docs, *, seed=0, **settings):
    """A pipeline whose tokenizer has learnt from documents."""
    nlp = make_blank()
    fix_random_seed(seed)
    nlp.tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs], nlp=nlp, **settings)
    return nlp


def list_words(doc):
    return [token.text for token in doc]


def make_doc(text):
    """Words; `_` marks the end of a word without a space after it, and `~` a space inside a word."""
    words = text.split(" ")
    return Doc(
        make_blank().vocab,
        words=[word.rstrip("_").replace("~", " ") for word in words],
        spaces=[not word.endswith("_") for word in words],
    )


@pytest.fixture(scope="module")
def read(assets):
    def read(name):
        return list(read_conllu(assets / f"{name}.conllu", spacy.blank("xx").vocab))

    return read


@pytest.fixture(scope="module")
def chinese(read):
    return learn(read("tiny_chinese_train"))


@pytest.fixture(scope="module")
def english(read):
    return learn(read("tiny_train"))


def test_words_without_spaces_are_learnt(chinese, read):
    assert score_words(chinese.tokenizer, read("tiny_chinese_train")).fscore == 1
    assert score_words(chinese.tokenizer, read("tiny_chinese_dev")).fscore > 0.95
    assert list_words(chinese("老师很喜欢学校的音乐。")) == ["老师", "很", "喜欢", "学校", "的", "音乐", "。"]


def test_words_with_spaces_are_learnt(english, read):
    assert score_words(english.tokenizer, read("tiny_train")).fscore > 0.99
    assert score_words(english.tokenizer, read("tiny_dev")).fscore > 0.95


def test_words_may_contain_spaces_and_wrapped_lines_but_no_blank_ones():
    nlp = learn([make_doc("it cost 10~000 euros .")] * 3 + [make_doc("it cost 9 euros .")] * 3)
    for line_break in (" ", "\n", "\r\n"):
        text = f"it cost 10{line_break}000{line_break}euros ."
        assert f"10{line_break}000" in list_words(nlp(text))
        assert nlp(text).text == text
    assert "\n\n" in list_words(nlp("it cost 10\n\n000 euros ."))


def test_other_whitespace_inside_a_word_divides_it():
    nlp = learn([Doc(make_blank().vocab, words=["new\n\nline", "a\t\tb"])] * 2)
    assert list_words(nlp("new\n\nline a\t\tb")) == ["new", "\n\n", "line", "a", "\t\t", "b"]


def test_decomposed_text_has_the_same_words():
    nlp = learn([make_doc("l'_ été arrivé à_ , qu'_ il")] * 8)
    text = unicodedata.normalize("NFD", "l'été arrivé à, qu'il")
    words = list_words(nlp(text))
    assert [unicodedata.normalize("NFC", word) for word in words] == ["l'", "été", "arrivé", "à", ",", "qu'", "il"]
    assert nlp(text).text == text


def test_other_apostrophes_and_quotation_marks_have_the_same_words():
    nlp = learn([make_doc('il_ , dit "_ l\'_ ami_ "_ .')] * 8)
    expected = list_words(nlp('il, dit "l\'ami".'))
    for opening, apostrophe, closing in ("“’”", "«ʼ»", "„‘“"):  # noqa: RUF001
        words = list_words(nlp(f"il, dit {opening}l{apostrophe}ami{closing}."))
        assert words == ["il", ",", "dit", opening, f"l{apostrophe}", "ami", closing, "."]
        assert len(words) == len(expected)


def test_soft_hyphens_do_not_divide_words():
    nlp = learn([make_doc("we met them_ .")] * 8)
    assert list_words(nlp("we m\u00adet them.")) == ["we", "m\u00adet", "them", "."]


def test_dashes_and_symbols_that_the_treebank_lacks_are_learnt():
    docs = [make_doc(f"we paid {n} euros and left it there_ .") for n in range(40)]
    nlp = learn(docs, varied=1.0)
    assert list_words(nlp("we paid 5€ and left")) == ["we", "paid", "5", "€", "and", "left"]
    assert list_words(nlp("we paid—and left")) == ["we", "paid", "—", "and", "left"]


def test_lower_case_depends_on_the_language():
    docs = [make_doc("ışık çok iyi_ .")] * 8  # noqa: RUF001
    config = {"nlp": {"tokenizer": {"@tokenizers": NAME, "table_bits": 14}}}
    rows = {}
    for language in ("tr", "xx"):
        nlp = spacy.blank(language, config=config)
        rows[language] = Rows.make(encode("IİA"), Spelling(language=language).lower_case).lower
        nlp.tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs])
        assert nlp("IŞIK İyi").text == "IŞIK İyi"
    assert rows["tr"].tolist() == list(map(ord, "ıia"))  # noqa: RUF001
    assert rows["xx"].tolist() == list(map(ord, "iİa"))


def test_text_with_and_without_spaces_can_be_learnt_together(read):
    both = learn(read("tiny_train"), spaceless=1.0)
    assert list_words(both("i'd like to")) == ["i", "'d", "like", "to"]
    spaceless = [Doc(doc.vocab, words=list_words(doc), spaces=[False] * len(doc)) for doc in read("tiny_train")]
    assert score_words(both.tokenizer, spaceless).fscore > 0.95
    assert score_words(both.tokenizer, read("tiny_train")).fscore > 0.95


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" ", [" "]),
        (" \n\t ", [" \n\t "]),
        ("a", ["a"]),
        ("a ", ["a"]),
        (" a", [" ", "a"]),
        ("a  b", ["a", " ", "b"]),
        ("a\n\nb", ["a", "\n\n", "b"]),
        ("a \n b\n", ["a", "\n ", "b", "\n"]),
        ("a\u00a0b", ["a", "\u00a0", "b"]),
    ],
)
def test_whitespace_is_treated_as_by_spacy(english, text, tokens):
    expected = spacy.blank("en")(text)
    doc = english(text)
    assert list_words(doc) == list_words(expected) == tokens
    assert [token.whitespace_ for token in doc] == [token.whitespace_ for token in expected]


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "a\0b",
        "\u0301",
        "e\u0301\u0302 \u0301",
        "👩‍👩‍👧‍👦👍🏽",
        "漢字kanji かな한글ไทย عربي",
        "\ufeffa",
        "\U0010ffff",
        "ß" * 50,
        "." * 500,
    ],
)
def test_unusual_text_is_kept(english, chinese, text):
    assert english(text).text == chinese(text).text == text


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.text("ab' \n\t.中文", max_size=60))
@example(" \u00ad")
def test_the_text_of_a_document_is_the_given_text(text):
    for nlp in LEARNT:
        doc = nlp(text)
        assert doc.text == text
        assert all(token.text.isspace() or not token.text[0].isspace() for token in doc)


@pytest.fixture(scope="module", autouse=True)
def keep_learnt(english, chinese):
    LEARNT[:] = [english, chinese]


LEARNT = []


def test_long_text_is_split_in_blocks(chinese, monkeypatch):
    text = "老师喜欢音乐。" * 40_000 + " " * 70_000 + "老师喜欢音乐。"
    doc = chinese.tokenizer(text)
    assert doc.text == text
    assert len(doc) == 4 * 40_000 + 5
    short = text[:700]
    whole = list_words(chinese.tokenizer(short))
    monkeypatch.setattr(character_tokenizer, "BLOCK", 64)
    monkeypatch.setattr(character_tokenizer, "MARGIN", 16)
    assert list_words(chinese.tokenizer(short)) == whole


def test_a_million_characters_without_a_word_boundary_are_kept(english):
    text = "x" * 1_000_000
    assert english.tokenizer(text).text == text


def test_evaluation_reports_tokens(english):
    predicted, reference = make_doc("they don't know ._"), make_doc("they do_ n't know_ ._")
    scores = english.evaluate([Example(predicted, reference)])
    assert (scores["token_p"], scores["token_r"]) == (0.5, 0.4)


def test_processes_give_the_same_words(chinese):
    texts = ["老师喜欢音乐。", "", "医生买茶。"] * 2
    expected = [list_words(chinese(text)) for text in texts]
    assert [list_words(doc) for doc in chinese.pipe(texts, n_process=2, batch_size=2)] == expected
    assert [list_words(doc) for doc in chinese.tokenizer.pipe(texts)] == expected


def test_the_same_seed_gives_the_same_bytes(read, chinese):
    docs = read("tiny_chinese_train")
    assert learn(docs).tokenizer.to_bytes() == chinese.tokenizer.to_bytes()
    assert learn(docs, seed=1).tokenizer.to_bytes() != chinese.tokenizer.to_bytes()


def test_the_seed_is_logged(read, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("spacy"), "propagate", True)
    with caplog.at_level(logging.INFO, logger="spacy"):
        learn(read("tiny_chinese_dev"), epochs=1)
    assert "tokenizer: seed" in caplog.text


def test_it_is_saved_with_the_pipeline(chinese, tmp_path):
    chinese.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    text = "老师喜欢音乐。"
    assert list_words(loaded(text)) == list_words(chinese(text))
    assert loaded.tokenizer.to_bytes() == chinese.tokenizer.to_bytes()
    other = make_blank().from_bytes(chinese.to_bytes())
    assert list_words(other(text)) == list_words(chinese(text))


def test_a_finished_tokenizer_is_small(chinese):
    # A byte per weight, a bit per feature, and the lexicon.
    assert len(chinese.tokenizer.to_bytes()) < 1.5 * (1 << 14)


def test_an_untrained_tokenizer_says_so(tmp_path):
    nlp = make_blank()
    with pytest.raises(ValueError, match="J060"):
        nlp("text")
    nlp.to_disk(tmp_path / "pipeline")
    with pytest.raises(ValueError, match="J060"):
        spacy.load(tmp_path / "pipeline")("text")


def test_settings_are_checked(read):
    docs = read("tiny_chinese_dev")
    for setting, value in {"epochs": 0, "spaceless": 1.5, "varied": -0.5, "dropout": 2.0}.items():
        with pytest.raises(ValueError, match=rf"\[J030\] {setting} is {value}"):
            learn(docs, **{setting: value})
    with pytest.raises(FileNotFoundError, match=r"\[J402\].*no/such/file"):
        learn(docs, templates="no/such/file")
    with pytest.raises(ValueError, match="J030"):
        make_blank(beam_width=0)


def test_there_must_be_words():
    with pytest.raises(ValueError, match="J330"):
        learn([make_doc("\n")])


def test_templates_can_be_replaced(read, write_text):
    path = write_text("templates.txt", "w.char w+1.char\nw-1.char w.char\n")
    nlp = learn(read("tiny_chinese_train"), templates=str(path))
    assert nlp.tokenizer.from_bytes(nlp.tokenizer.to_bytes())("老师喜欢音乐。").text == "老师喜欢音乐。"


def test_missing_and_damaged_files_are_refused(chinese, tmp_path):
    content = chinese.tokenizer.to_bytes()
    path = tmp_path / "tokenizer"
    with pytest.raises(FileNotFoundError, match="J402"):
        make_blank().tokenizer.from_disk(path)
    for damaged in (
        b"",
        b"junk",
        content[:-100],
        content[: len(content) // 2],
        content[:200] + b"\xff" + content[201:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"J05[0-2]"):
            make_blank().tokenizer.from_disk(path)
        with pytest.raises(ValueError, match=r"J05[0-2]"):
            make_blank().tokenizer.from_bytes(damaged)


@pytest.mark.parametrize(
    ("described", "arrays", "code"),
    [
        ({"templates": 3}, {}, "J05[0-2]"),
        ({"joins_spaces": "yes"}, {}, "J05[0-2]"),
        ({"characters": 3}, {}, "J05[0-2]"),
        ({"templates": None}, {}, "J05[0-2]"),
        ({}, {"words": np.zeros(3, dtype=np.uint8)}, "J05[0-2]"),
        ({}, {"frequencies": np.zeros(3, dtype=np.uint8)}, "J05[0-2]"),
        ({}, {"model": np.zeros(3, dtype=np.uint8)}, "J05[0-2]"),
        # Other features than those of the model.
        ({"templates": "w.char\n"}, {}, "J061"),
    ],
)
def test_parts_of_other_kinds_are_refused(chinese, described, arrays, code):
    parts = model_file.unpack(chinese.tokenizer.to_bytes())
    content = model_file.pack({**parts[0], **described}, {**parts[1], **arrays})
    with pytest.raises(ValueError, match=code):
        make_blank().tokenizer.from_bytes(content)


def test_what_is_loaded_replaces_all_only_if_it_is_valid(chinese, english):
    tokenizer = pickle.loads(pickle.dumps(chinese.tokenizer))
    before = tokenizer.to_bytes()
    with pytest.raises(ValueError, match=r"J05[0-2]"):
        tokenizer.from_bytes(before[:-100])
    assert tokenizer.to_bytes() == before
    assert tokenizer.from_bytes(english.tokenizer.to_bytes()).to_bytes() == english.tokenizer.to_bytes()


def test_a_lexicon_finds_its_words():
    lexicon = Lexicon.from_counts({7: 1, 1 << 63: 100, 5: 0})
    places, frequencies = lexicon.find(np.array([5, 7, 8, 1 << 63], dtype=np.uint64))
    assert places.tolist() == [1, 3] and frequencies[0] < frequencies[1]
    assert Lexicon.from_counts({}).find(np.array([1], dtype=np.uint64))[0].tolist() == []


def test_spacy_trains_it_from_a_config(assets):
    # It is initialized before components are, which compare it with the corpus.
    nlp = make_blank()
    tagger = {"model": {"@architectures": "spacy_joint.BeamPerceptron.v1", "table_bits": 14, "beam_width": 1}}
    nlp.add_pipe("sequence_tagger", config=tagger)
    docs = list(read_conllu(assets / "tiny_chinese_train.conllu", nlp.vocab))
    examples = [Example(Doc(nlp.vocab, words=list_words(doc), spaces=[False] * len(doc)), doc) for doc in docs]
    nlp.config["initialize"]["tokenizer"] = {"epochs": 4}
    nlp.initialize(lambda: examples)
    assert list_words(nlp("老师喜欢音乐。")) == ["老师", "喜欢", "音乐", "。"]
