"""Learning without annotation by earlier components: that of the reference is used."""

import pytest
import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_joint.corpora.conllu import read_conllu
from spacy_joint.pipes.gold_fallback import fall_back_to_gold
from spacy_joint.scoring.pipelines import score_pipeline

VOCAB = Vocab()


def make_example(predicted_words, **predicted):
    reference = Doc(
        VOCAB,
        words=["can", "not", "stop"],
        spaces=[False, True, False],
        tags=["MD", "RB", "VB"],
        heads=[2, 2, 2],
        deps=["aux", "advmod", "ROOT"],
    )
    spaces = [word != "can" for word in predicted_words[:-1]] + [False]
    return Example(Doc(VOCAB, words=predicted_words, spaces=spaces, **predicted), reference)


def test_what_is_missing_is_that_of_the_reference():
    example = make_example(["can", "not", "stop"])
    lent = fall_back_to_gold(example, ["tag", "dep"], 0.0, [0]).predicted
    expected = [("MD", "aux", "stop"), ("RB", "advmod", "stop"), ("VB", "ROOT", "stop")]
    assert [(token.tag_, token.dep_, token.head.text) for token in lent] == expected
    assert not example.predicted.has_annotation("TAG") and not example.predicted.has_annotation("DEP")


def test_the_reference_may_have_another_vocabulary():
    example = make_example(["can", "not", "stop"])
    foreign = Example(Doc(Vocab(), words=["can", "not", "stop"]), example.reference)
    lent = fall_back_to_gold(foreign, ["tag", "pos", "dep"], 0.0, [0]).predicted
    assert [(token.tag_, token.dep_) for token in lent] == [("MD", "aux"), ("RB", "advmod"), ("VB", "ROOT")]


def test_tokens_without_a_counterpart_get_nothing():
    lent = fall_back_to_gold(make_example(["cannot", "stop"]), ["tag", "dep"], 0.0, [0]).predicted
    assert [(token.tag_, token.dep_, token.head.text) for token in lent] == [("", "", "cannot"), ("VB", "ROOT", "stop")]


def test_tags_are_dropped_at_random():
    example = make_example(["can", "not", "stop"])

    def drop(share, seed):
        return [token.tag_ for token in fall_back_to_gold(example, ["tag"], share, seed).predicted]

    assert drop(1.0, [0]) == ["", "", ""]
    halves = [drop(0.5, [seed]) for seed in range(20)]
    assert halves == [drop(0.5, [seed]) for seed in range(20)]
    assert 20 < sum(tags.count("") for tags in halves) < 40


@pytest.mark.parametrize("needed", ["tag", "pos"])
def test_what_is_there_is_kept_and_what_is_nowhere_is_not_made_up(needed):
    example = make_example(["can", "not", "stop"], tags=["NN", "", ""])
    assert fall_back_to_gold(example, [needed], 0.0, [0]) is example


@pytest.mark.filterwarnings("error")
def test_a_component_learns_the_same_as_with_the_annotation_of_the_reference(initialize, read_examples):
    def learn(factory, keep):
        nlp = initialize(factory, keep, limit=4)
        nlp.update(read_examples(nlp, keep=keep, limit=4))
        return nlp.get_pipe(factory).perceptron.to_bytes()

    assert learn("joint_sbd_parser", []) == learn("joint_sbd_parser", ["TAG"])
    assert learn("sequence_lemmatizer", []) == learn("sequence_lemmatizer", ["TAG", "POS"])
    assert learn("sequence_morphologizer", []) == learn("sequence_morphologizer", ["TAG", "HEAD", "DEP"])


def test_a_config_by_spacy_trains_and_saves_a_parser_that_can_use_predicted_tags(assets, tmp_path):
    for part in ("train", "dev"):
        docs = list(read_conllu(assets / f"tiny_{part}.conllu", VOCAB))
        DocBin(docs=docs).to_disk(tmp_path / f"{part}.spacy")
    config = init_config(lang="en", pipeline=["sequence_tagger", "joint_sbd_parser"])
    for component in config["components"].values():
        component["model"] |= {"table_bits": 18, "beam_width": 8}
    config.to_disk(tmp_path / "config.cfg")
    paths = {f"paths.{part}": str(tmp_path / f"{part}.spacy") for part in ("train", "dev")}
    train(tmp_path / "config.cfg", tmp_path / "output", overrides={**paths, "training.max_steps": 200})
    best = tmp_path / "output" / "model-best"
    assert (best / "joint_sbd_parser" / "learning").is_file()
    nlp = spacy.load(best)
    assert nlp.meta["performance"]["dep_uas_punct"] > 0.3
    # Without any tags in training, it is 0.17.
    assert score_pipeline(nlp, docs)["dep_las_punct"] > 0.3
