"""The files of a treebank, its documents, and what is made where something is missing."""

import pytest
from spacy.vocab import Vocab

from spacy_joint.corpora.treebank import find_splits, name_treebank, read_splits
from spacy_joint.errors import JointFileNotFoundError, JointValueError, JointWarning

SENTENCE = "# sent_id = {n}\n# text = Komm her.\n" + "".join(
    f"{row}\n"
    for row in (
        "1\tKomm\tkommen\tVERB\tVVIMP\tMood=Imp\t0\troot\t_\t_",
        "2\ther\ther\tADV\tADV\t_\t1\tadvmod:dir\t_\tSpaceAfter=No",
        "3\t.\t.\tPUNCT\t$.\t_\t1\tpunct\t_\t_",
        "",
    )
)


@pytest.fixture
def write(write_text):
    """Write a file of documents with these numbers of sentences."""

    def write(name, *sizes, marked=True):
        text = ""
        for number, size in enumerate(sizes):
            text += f"# newdoc id = {number}\n" * marked
            text += "".join(SENTENCE.format(n=f"{number}-{n}") for n in range(size))
        return write_text(name, text)

    return write


def count_sentences(docs):
    return [len(list(doc.sents)) for doc in docs]


def test_splits_are_found_by_their_names(write, tmp_path):
    names = ("de_x-ud-train-a.conllu", "de_x-ud-train-b.conllu", "de_x-ud-dev.conllu", "de_x-ud-test.conllu")
    files = [write(name, 1) for name in names]
    write("trained.conllu", 1)
    assert find_splits([tmp_path]) == {"train": files[:2], "dev": [files[2]], "test": [files[3]]}
    assert find_splits(files[1:3]) == {"train": [files[1]], "dev": [files[2]], "test": []}
    assert find_splits([write("tiny_train.conllu", 1)])["train"]


def test_a_name_without_a_split_is_refused(write):
    with pytest.raises(JointValueError, match=r"\[J521\] .*trained\.conllu does not show .* --train"):
        find_splits([write("trained.conllu", 1)])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(JointFileNotFoundError, match=r"\[J101\] .*nothing"):
        find_splits([tmp_path / "nothing"])


def test_names_tell_language_and_treebank(write):
    assert name_treebank(find_splits([write("pcm_nsc-ud-dev.conllu", 1)])) == ("pcm", "nsc")
    assert name_treebank(find_splits([write("tiny_train.conllu", 1)])) == (None, None)
    # Bokmål or Nynorsk.
    assert name_treebank(find_splits([write("no_bokmaal-ud-dev.conllu", 1)])) == ("nb", "bokmaal")
    assert name_treebank(find_splits([write("no_nynorsklia-ud-dev.conllu", 1)])) == ("nn", "nynorsklia")


def test_documents_are_those_of_the_treebank(write):
    splits = find_splits([write("train.conllu", 1, 2, 3), write("dev.conllu", 2, 1, 1), write("test.conllu", 1, 1, 1)])
    read = read_splits(splits, Vocab())
    assert [count_sentences(read[split]) for split in ("train", "dev", "test")] == [[1, 2, 3], [2, 1, 1], [1, 1, 1]]


def test_without_documents_ten_sentences_are_one_and_a_warning_says_so(write):
    splits = find_splits([write("train.conllu", 25, marked=False), write("dev.conllu", 1, 1, 1)])
    with pytest.warns(JointWarning, match=r"\[JW30\] .*train\.conllu has 0 `# newdoc` comments, so every 10 sentences"):
        read = read_splits(splits, Vocab())
    assert count_sentences(read["train"]) == [10, 10, 5]
    assert count_sentences(read["dev"]) == [1, 1, 1]


def test_the_division_into_documents_can_be_chosen(write):
    splits = find_splits([write("train.conllu", 7, marked=False), write("dev.conllu", 3, marked=False)])
    read = read_splits(splits, Vocab(), documents=3)
    assert count_sentences(read["train"]) == [3, 3, 1] and count_sentences(read["dev"]) == [3]


def test_without_a_development_set_the_last_tenth_is_held_out(write):
    splits = find_splits([write("train.conllu", *[1] * 19, 3)])
    with pytest.warns(JointWarning, match=r"\[JW32\] .* last 2 of 20 training documents"):
        read = read_splits(splits, Vocab())
    assert count_sentences(read["dev"]) == [1, 3] and len(read["train"]) == 18


def test_without_a_training_set_the_development_set_is_learnt_from(write):
    splits = find_splits([write("dev.conllu", *[1] * 10), write("test.conllu", 1, 1, 1)])
    with pytest.warns(JointWarning) as given:
        read = read_splits(splits, Vocab())
    assert [warning.message.code for warning in given] == ["JW31", "JW32"]
    assert [len(read[split]) for split in ("train", "dev", "test")] == [9, 1, 3]


def test_a_test_set_is_never_learnt_from(write):
    with pytest.raises(JointValueError, match=r"\[J522\] .*found: .*test\.conllu\)\. .*--train"):
        read_splits(find_splits([write("test.conllu", 1, 1, 1)]), Vocab())
    with pytest.raises(JointValueError, match=r"\[J522\] .*found: no file"):
        read_splits(find_splits([]), Vocab())


def test_too_few_documents_are_refused(write):
    for sizes, least in (((1, 1), 3), ((1,), 2)):
        given = [write("train.conllu", *sizes), *([write("dev.conllu", 1)] if least == 2 else [])]
        message = rf"\[J523\] There are {len(sizes)} documents; at least {least}"
        with pytest.raises(JointValueError, match=message):
            read_splits(find_splits(given), Vocab(), documents="newdoc")


def test_subtypes_can_be_cut(write):
    splits = find_splits([write("train.conllu", 1, 1, 1), write("dev.conllu", 1, 1, 1)])
    labels = {subtypes: read_splits(splits, Vocab(), subtypes=subtypes)["dev"][0][1].dep_ for subtypes in (True, False)}
    assert labels == {True: "advmod:dir", False: "advmod"}
