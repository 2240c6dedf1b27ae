"""Multiword tokens, and everything else that a CoNLL-U file says and spaCy has no attribute for."""

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_joint.annotation.multiword_tokens import Word, find_main_word, get_words, number_heads
from spacy_joint.corpora.conllu import LINES, create_conllu_corpus, read_conllu

from ..parsing.strategies import trees
from .conftest import as_conllu, write

GERMAN = """
# newdoc id = walk
# newpar
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC
# sent_id = walk-1
# text = Zum See, und zudem in's Tal.
1-2 Zum _ _ _ Typo=Yes _ _ _ Lang=de
1 Zu zu ADP APPR _ 3 case 3:case _
2 dem der DET ART Case=Dat|Definite=Def 3 det 3:det Note=x
3 See See NOUN NN Gender=Masc|Case=Dat 0 root 0:root SpaceAfter=No|Wiki=See
4 , , PUNCT $, _ 9 punct 9:punct _
5 und und CCONJ KON _ 9 cc 9:cc _
6 zudem zudem ADV ADV _ 9 advmod 9:advmod _
7-8 in's _ _ _ _ _ _ _ _
7 in in ADP APPR _ 9 case 9:case _
8 's der DET _ _ 9 det:x 9:det SpaceAfter=No
8.1 geht gehen VERB VVFIN _ _ _ 3:conj _
9 Tal Tal NOUN NN _ 3 conj 3:conj:und SpaceAfter=No
10 . . PUNCT $. _ 3 punct 3:punct SpacesAfter=\\s\\n
"""


def read_german(conllu, vocab, **options):
    (doc,) = read_conllu(conllu(GERMAN), vocab, **options)
    return doc


def get_rows(written):
    return {line.split("\t")[0]: line.split("\t") for line in written.split("\n") if "\t" in line}


def test_the_text_is_that_of_the_file(conllu, vocab):
    doc = read_german(conllu, vocab)
    assert doc.text == "Zum See, und zudem in's Tal. "
    assert [token.text for token in doc] == ["Zum", "See", ",", "und", "zudem", "in", "'s", "Tal", "."]


def test_words_that_are_the_letters_of_the_token_are_tokens(conllu, vocab):
    doc = read_german(conllu, vocab)
    assert [token.text for token in doc if token._.ud_joined] == ["'s"]
    assert not get_words(doc[5])


def test_letters_may_differ_in_case(conllu, vocab):
    (doc,) = read_conllu(
        conllu("1-2 CAN'T _ _ _ _ _ _ _ _\n1 ca _ AUX _ _ 0 root _ _\n2 n't _ PART _ _ 1 advmod _ _"), vocab
    )
    assert [token.text for token in doc] == ["CA", "N'T"]
    assert [row[1] for row in get_rows(write(doc)).values()] == ["CAN'T", "ca", "n't"]


def test_other_multiword_tokens_are_annotated_as_their_main_word(conllu, vocab):
    zum = read_german(conllu, vocab)[0]
    assert (zum.lemma_, zum.pos_, zum.tag_, zum.dep_, zum.head.text) == ("zu", "ADP", "APPR", "case", "See")
    assert get_words(zum) == [
        Word("Zu", "zu", "ADP", "APPR", "", 0, "case"),
        Word("dem", "der", "DET", "ART", "Case=Dat|Definite=Def", 0, "det"),
    ]


def test_the_main_word_is_nearest_to_the_root():
    assert find_main_word([0, 2], [1, 1, 1]) == 0
    # The first word depends on the third, and that on the second: the group of the first two would be its own ancestor.
    heads = [2, 1, 1]
    assert find_main_word([0, 1], heads) == 1
    assert number_heads([0, 1], heads) == [2, 0]


@given(tree=trees(), data=st.data())
def test_merging_words_leaves_a_tree(tmp_path_factory, tree, data):
    size = len(tree)
    ends = sorted(data.draw(st.sets(st.integers(1, size))) | {size})
    starts = [0, *ends[:-1]]
    rows = []
    for start, end in zip(starts, ends, strict=True):
        if end - start > 1:
            rows.append(f"{start + 1}-{end} whole _ _ _ _ _ _ _ _")
        rows += [
            f"{word + 1} w{word} _ X X _ {0 if tree[word] == word else tree[word] + 1} "
            f"{'root' if tree[word] == word else 'dep'} _ _"
            for word in range(start, end)
        ]
    path = tmp_path_factory.mktemp("merged") / "corpus.conllu"
    text = as_conllu("\n".join(rows)) + "\n"
    path.write_text(text, encoding="utf-8")
    (doc,) = read_conllu(path, Vocab())
    assert len(doc) == len(ends) and len(list(doc.sents)) == 1
    assert write(doc) == text
    # Without the lines, the words are still a tree, which can be read again.
    doc._.set(LINES, [])
    path.write_text(write(doc), encoding="utf-8")
    (again,) = read_conllu(path, Vocab())
    assert [token.head.i for token in again] == [token.head.i for token in doc]


def test_everything_is_written_as_it_was_also_after_saving(conllu, vocab):
    doc = read_german(conllu, vocab)
    (again,) = DocBin(docs=[doc], store_user_data=True).get_docs(Vocab())
    for written in (doc, again, Doc(Vocab()).from_bytes(doc.to_bytes()), doc.copy()):
        assert write(written) == as_conllu(GERMAN) + "\n"


def test_blank_lines_between_paragraphs_are_not_written(conllu, vocab):
    rows = "1 Geh _ VERB _ _ 0 root _ _"
    path = conllu(f"{rows}\n\n# newpar\n{rows}")
    (doc,) = read_conllu(path, vocab, paragraphs=True)
    assert len(doc) == 3
    assert write(doc) == as_conllu(f"{rows}\n\n# newpar\n{rows}") + "\n"


def test_words_with_spaces_are_kept(write_text, vocab):
    row = "1\t20 000\t20 000\tNUM\tCD\t_\t0\troot\t_\t_\n\n"
    path = write_text("spaces.conllu", row)
    (doc,) = read_conllu(path, vocab)
    assert [token.text for token in doc] == ["20 000"]
    assert write(doc) == row


def test_changed_annotation_is_written(conllu, vocab):
    doc = read_german(conllu, vocab)
    doc[0].tag_, doc[1].lemma_, doc[4].pos_ = "PREP", "seen", "CCONJ"
    doc[1].set_morph("Case=Acc")
    rows = get_rows(write(doc))
    assert rows["1"][4] == "PREP" and rows["2"][4] == "ART"
    assert rows["3"][2] == "seen" and rows["3"][5] == "Case=Acc" and rows["3"][8] == "0:root"
    assert rows["6"][3:5] == ["CCONJ", "ADV"]
    assert "8.1" in rows


def test_what_depends_on_a_changed_tree_is_left_out(conllu, vocab):
    doc = read_german(conllu, vocab)
    doc[0].head, doc[3].head = doc[7], doc[1]
    written = write(doc)
    rows = get_rows(written)
    assert rows["1"][6] == rows["2"][6] == "9"
    assert rows["5"][6] == "3"
    assert {row[8] for row in rows.values()} == {"_"} and "8.1" not in rows
    assert rows["2"][9] == "Note=x" and "# newpar" in written


def test_subtypes_do_not_make_another_tree(conllu, vocab):
    doc = read_german(conllu, vocab, subtypes=False)
    assert doc[6].dep_ == "det"
    rows = get_rows(write(doc))
    assert rows["8"][7] == "det" and rows["8"][8] == "9:det" and "8.1" in rows


def test_new_words_of_a_token_are_written(conllu, vocab):
    doc = read_german(conllu, vocab)
    doc[0]._.ud_words = None
    written = write(doc)
    rows = get_rows(written)
    assert [row[1] for row in rows.values()][:3] == ["Zum", "See", ","]
    assert "# sent_id = walk-1" in written and "8.1" not in rows


def test_a_token_merged_by_a_retokenizer_is_a_single_word(conllu, vocab):
    doc = read_german(conllu, vocab)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    written = write(doc)
    assert not get_words(doc[0]) and "# text = Zum See, und" in written
    assert list(get_rows(written)) == ["1", "2", "3", "4", "5-6", "5", "6", "7", "8"]
    assert get_rows(written)["1"][1] == "Zum See"


def test_a_sentence_with_other_ends_is_written_anew(conllu, vocab):
    doc = read_german(conllu, vocab)
    heads = [1, 1, 1, 7, 7, 7, 7, 7, 7]
    deps = ["case", "ROOT", "punct", "cc", "advmod", "case", "det", "ROOT", "punct"]
    halves = Doc(vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc], heads=heads, deps=deps)
    halves.user_data = doc.user_data
    comments = [line for line in write(halves).split("\n") if line.startswith("#")]
    assert comments == [
        "# newdoc id = walk",
        "# newpar",
        "# sent_id = 1-1",
        "# text = Zum See,",
        "# sent_id = 1-2",
        "# text = und zudem in's Tal.",
    ]


def test_words_and_joined_tokens_are_written_without_the_lines(conllu, vocab):
    doc = read_german(conllu, vocab, keep_lines=False)
    rows = get_rows(write(doc))
    assert rows["1-2"][1] == "Zum" and rows["7-8"][1] == "in's"
    assert [rows[id_][1] for id_ in ("1", "2", "7", "8")] == ["Zu", "dem", "in", "'s"]
    assert rows["9"][9] == "SpaceAfter=No" and rows["2"][6:9] == ["3", "det", "_"]


def test_a_multiword_root_has_one_root(vocab):
    doc = Doc(vocab, ["Zum", "See"], heads=[0, 0], deps=["ROOT", "dep"])
    doc[0]._.ud_words = [["Zu", "", "", "", "", 0, "case"], ["dem", "", "", "", "", 0, "det"]]
    assert [get_rows(write(doc))[id_][6] for id_ in "123"] == ["0", "1", "1"]


def test_training_corpora_do_not_keep_lines(conllu):
    (example,) = create_conllu_corpus(conllu(GERMAN), subtypes=False)(spacy.blank("de"))
    assert not example.reference._.get(LINES)
    assert get_words(example.reference[0]) and example.reference[6].dep_ == "det"
