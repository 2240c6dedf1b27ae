import itertools
import re

import pytest
from hypothesis import given
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu

from ..parsing.strategies import trees

LABELLED_ROOT = "1 Go go VERB VB _ 0 root _ _"


def read_one(path, vocab, **options):
    (doc,) = read_conllu(path, vocab, **options)
    return doc


def get_texts(path, vocab, **options):
    return [" ".join(token.text for token in doc) for doc in read_conllu(path, vocab, **options)]


SENT_IDS = [f"# sent_id = {id_}" for id_ in ("a_1-1", "a_1-2", "a_2-1", "b__1", "b__2")]


@pytest.mark.parametrize(
    ("comments", "documents", "expected"),
    [
        (["#", "#", "#"], "newdoc", ["Go Go Go"]),
        (["# newdoc", "#", "# newdoc id = b"], "newdoc", ["Go Go", "Go"]),
        (["# newdoc_id = a", "# newdoc_id = b"], "newdoc", ["Go", "Go"]),
        # Where the prefix changes.
        (SENT_IDS, "sent_id", ["Go Go", "Go", "Go Go"]),
        (["#", "#", "#", "# newdoc"], 2, ["Go Go", "Go", "Go"]),
    ],
)
def test_sentences_are_divided_into_documents(conllu, vocab, comments, documents, expected):
    path = conllu("\n\n".join(f"{comment}\n{LABELLED_ROOT}" for comment in comments))
    assert get_texts(path, vocab, documents=documents) == expected


def test_blank_lines_separate_paragraphs_on_request(conllu, vocab):
    path = conllu(f"# newpar\n{LABELLED_ROOT}\n\n{LABELLED_ROOT}\n\n# newpar id = p2\n{LABELLED_ROOT}")
    doc = read_one(path, vocab, paragraphs=True)
    assert doc.text.strip() == "Go Go\n\nGo"
    assert [sentence.text.strip() for sentence in doc.sents] == ["Go"] * 3
    assert doc[2].is_space and doc[2].head == doc[1]
    assert read_one(path, vocab).text.strip() == "Go Go Go"


def test_words_that_do_not_spell_their_text_have_no_raw_text(conllu, vocab):
    path = conllu(f"# text = Goes\n{LABELLED_ROOT}")
    assert len(read_one(path, vocab)) == 1
    with pytest.raises(ValueError, match=r"\[J153\].*line 2"):
        read_one(path, vocab, paragraphs=True)


def test_all_files_of_a_directory_are_read_in_the_order_of_their_names(conllu, vocab):
    directory = conllu(LABELLED_ROOT, "b.conllu").parent
    conllu(LABELLED_ROOT.replace("Go", "Stay"), "a.conllu")
    conllu("not a treebank", "c.txt")
    assert get_texts(directory, vocab) == ["Stay", "Go"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("1 Dogs dog NOUN NNS Number=Plur 0 root _ _", ("NNS", "NOUN", "Number=Plur", "dog")),
        ("1 Cats cat NOUN _ _ 0 root _ _", ("NOUN", "NOUN", "", "cat")),
        ("1 Go _ _ _ _ 0 root _ _", ("", "", "", "")),
        ("1 _ _ SYM SYM _ 0 root _ _", ("SYM", "SYM", "", "_")),
    ],
)
def test_annotation_of_a_token_is_read(conllu, vocab, row, expected):
    (token,) = read_one(conllu(row), vocab)
    assert (token.tag_, token.pos_, str(token.morph), token.lemma_) == expected


def test_trees_sentence_starts_and_spaces_are_read(dogs, vocab):
    dogs_bark = next(read_conllu(dogs, vocab))
    # A root is its own head, and called as in spaCy.
    assert [token.head.i for token in dogs_bark] == [1, 1, 1, 3, 3]
    assert [token.dep_ for token in dogs_bark] == ["nsubj", "ROOT", "punct", "ROOT", "punct"]
    # None is left open.
    assert [token.is_sent_start for token in dogs_bark] == [True, False, False, True, False]
    assert dogs_bark.text == "Dogs bark. Why? "


@pytest.mark.parametrize(("text", "expected"), [("Go!", "Go! "), ("Stay!", "Go ! ")])
def test_spaces_come_from_a_text_of_the_words_where_space_after_is_missing(conllu, vocab, text, expected):
    path = conllu(f"# text = {text}\n{LABELLED_ROOT}\n2 ! ! PUNCT . _ 1 punct _ _")
    assert read_one(path, vocab).text == expected


MULTIWORD = """
# text = I can't.
1 I I PRON PRP _ 2 nsubj _ _
2-3 can't _ _ _ _ _ _ _ SpaceAfter=No
2 ca can AUX MD _ 0 root _ _
3 n't not PART RB _ 2 advmod _ _
4 . . PUNCT . _ 2 punct _ _
"""


def test_words_of_a_multiword_token_are_tokens_with_its_space_after_the_last(conllu, vocab):
    doc = read_one(conllu(MULTIWORD), vocab)
    assert [token.text for token in doc] == ["I", "ca", "n't", "."]
    assert doc.text == "I can't. "


def test_empty_nodes_are_left_out(conllu, vocab):
    path = conllu(f"{LABELLED_ROOT}\n1.1 to to PART TO _ _ _ _ _\n2 there there ADV RB _ 1 advmod _ _")
    assert get_texts(path, vocab) == ["Go there"]


def test_trees_may_be_missing_from_a_document(conllu, vocab):
    row = "1 Go go VERB VB _ _ _ _ _"
    doc = read_one(conllu(f"{row}\n\n{row}"), vocab)
    assert not doc.has_annotation("DEP")
    assert [token.is_sent_start for token in doc] == [True, True]


@pytest.mark.parametrize(("begin", "end"), [("", ""), ("", "\n"), ("", "\n\n\n"), ("\ufeff# newdoc\r\n", "\r\n\r\n")])
def test_files_may_end_without_an_empty_line_and_be_those_of_windows(tmp_path, vocab, begin, end):
    path = tmp_path / "corpus.conllu"
    path.write_bytes((begin + LABELLED_ROOT.replace(" ", "\t") + end).encode())
    assert get_texts(path, vocab) == ["Go"]


@given(trees())
def test_non_projective_trees_keep_heads_and_boundaries(tmp_path_factory, heads):
    columns = [
        f"{word + 1}\tx\tx\tX\tX\t_\t{0 if head == word else head + 1}\t{'root' if head == word else 'dep'}\t_\t_\n"
        for word, head in enumerate(heads)
    ]
    path = tmp_path_factory.mktemp("trees") / "corpus.conllu"
    path.write_text("\n".join(["".join(columns)] * 2), encoding="utf-8")
    doc = read_one(path, Vocab())
    assert [token.head.i for token in doc] == heads + [len(heads) + head for head in heads]
    assert [token.i for token in doc if token.is_sent_start] == [0, len(heads)]


# Each: the fault, the lines of the file after an empty comment, the code, the number of the faulty line.
FAULTS = {
    "nine columns": ("1 Go go VERB VB _ 0 root _", "J103", 2),
    "eleven columns": ("1 Go go VERB VB _ 0 root _ _ _", "J103", 2),
    "empty column": ("1  go VERB VB _ 0 root _ _", "J103", 2),
    "id not a number": ("one Go go VERB VB _ 0 root _ _", "J104", 2),
    "id skipped": (f"{LABELLED_ROOT}\n3 on on ADV RB _ 1 advmod _ _", "J104", 3),
    "empty line missing": (f"{LABELLED_ROOT}\n{LABELLED_ROOT}", "J104", 3),
    "empty node not a number": (f"{LABELLED_ROOT}\n1.x on on ADV RB _ _ _ _ _", "J104", 3),
    "range in the wrong place": (f"2-3 Goon _ _ _ _ _ _ _ _\n{LABELLED_ROOT}", "J104", 2),
    "range of no words": (f"1-2 Goon _ _ _ _ _ _ _ _\n{LABELLED_ROOT}", "J104", 3),
    "only a range": ("1-2 Goon _ _ _ _ _ _ _ _", "J104", 2),
    "head not a number": ("1 Go go VERB VB _ none root _ _", "J105", 2),
    "head negative": ("1 Go go VERB VB _ -1 root _ _", "J105", 2),
    "one head missing": (f"{LABELLED_ROOT}\n2 on on ADV RB _ _ _ _ _", "J105", 3),
    "head out of range": (f"{LABELLED_ROOT}\n2 on on ADV RB _ 3 advmod _ _", "J105", 3),
    "no root": ("1 Go go VERB VB _ 2 dep _ _\n2 on on ADV RB _ 1 advmod _ _", "J107", 2),
    "two roots": (f"{LABELLED_ROOT}\n2 on on ADV RB _ 0 root _ _", "J108", 3),
    "word its own head": (f"{LABELLED_ROOT}\n2 on on ADV RB _ 2 advmod _ _", "J109", 3),
    "cycle": (f"{LABELLED_ROOT}\n2 a a X X _ 3 dep _ _\n3 b b X X _ 2 dep _ _", "J109", 3),
    "tree missing": (f"{LABELLED_ROOT}\n\n1 Go go VERB VB _ _ _ _ _", "J110", 4),
    "unknown part of speech": ("1 Go go WORD VB _ 0 root _ _", "J113", 2),
    "feature without value": ("1 Go go VERB VB Mood 0 root _ _", "J114", 2),
}


@pytest.mark.parametrize(("layout", "code", "line"), FAULTS.values(), ids=FAULTS)
def test_errors_name_file_and_line(conllu, vocab, layout, code, line):
    path = conllu(f"#\n{layout}", "faulty.conllu")
    with pytest.raises(ValueError, match=rf"\[{code}\] .*faulty\.conllu, line {line}:"):
        list(read_conllu(path, vocab))


@pytest.mark.parametrize("content", ["", "\n", "# newdoc\n"])
def test_a_file_without_sentences_is_an_error(write_text, vocab, content):
    path = write_text("empty.conllu", content)
    with pytest.raises(ValueError, match=r"\[J413\] .*empty\.conllu"):
        list(read_conllu(path, vocab))


@pytest.mark.parametrize("comment", ["# sent_id = weblog", "# text = Go"])
def test_a_sent_id_without_number_cannot_divide_documents(conllu, vocab, comment):
    path = conllu(f"{LABELLED_ROOT}\n\n{comment}\n{LABELLED_ROOT}")
    with pytest.raises(ValueError, match=r"\[J115\] .*line"):
        list(read_conllu(path, vocab, documents="sent_id"))


@pytest.mark.parametrize("documents", ["sentence", 0, -1])
def test_an_unknown_division_is_an_error_before_reading(dogs, vocab, documents):
    with pytest.raises(ValueError, match=re.escape(f"[J030] documents is {documents!r}")):
        read_conllu(dogs, vocab, documents=documents)


def test_a_tree_that_spacy_would_split_is_an_error(conllu, vocab):
    # A path from the first word to the root that changes direction at every step: spaCy follows one or two per pass.
    size = 60
    path_to_root = [0]
    low, high = 1, size - 1
    while low <= high:
        path_to_root += [high, low] if low < high else [low]
        low, high = low + 1, high - 1
    heads = dict(itertools.pairwise(path_to_root))
    rows = [
        f"{word + 1} w{word} _ X X _ {heads[word] + 1 if word in heads else 0} {'dep' if word in heads else 'root'} _ _"
        for word in range(size)
    ]
    tree = "\n".join(rows)
    with pytest.raises(ValueError, match=r"\[J117\] .*line 3: .*'w0 w1"):
        list(read_conllu(conllu(f"{LABELLED_ROOT}\n\n{tree}"), vocab))
