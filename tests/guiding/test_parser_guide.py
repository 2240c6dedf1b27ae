"""The component: what it learns and writes, and that it is a component of spaCy like others."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import numpy as np
import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from thinc.api import Adam, warmup_linear
from threadpoolctl import threadpool_info, threadpool_limits

from spacy_joint.annotation.custom_columns import GUIDE_BOUNDARY, GUIDE_COLUMNS, GUIDE_HEAD, GUIDE_LABEL
from spacy_joint.corpora.examples import make_example
from spacy_joint.errors import JointValueError
from spacy_joint.guiding import encoder
from spacy_joint.guiding.parser_guide import read_gold

from . import learning

SMALL = {"tok2vec": learning.make_tok2vec(16, 200, width=32, depth=1), "arc_width": 16, "label_width": 16}
CNN = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "width": 16, "window_size": 1, "maxout_pieces": 3, "depth": 2}
# A language that can be learnt without errors: a sentence is "the" NOUN VERB, and perhaps "the" NOUN.
NOUNS, VERBS = ["man", "dog", "cat"], ["sees", "hears"]
TAGS = {"the": "DT", **dict.fromkeys(NOUNS, "NN"), **dict.fromkeys(VERBS, "VBZ")}


def say(vocab, seed, n_sentences=8):
    """A document of the toy language."""
    draw = np.random.default_rng(seed)
    words, heads, deps = [], [], []
    for _ in range(n_sentences):
        first = len(words)
        words += ["the", str(draw.choice(NOUNS)), str(draw.choice(VERBS))]
        heads += [first + 1, first + 2, first + 2]
        deps += ["det", "nsubj", "ROOT"]
        if draw.random() < 0.5:
            words += ["the", str(draw.choice(NOUNS))]
            heads += [first + 4, first + 2]
            deps += ["det", "obj"]
    return Doc(vocab, words=words, tags=[TAGS[word] for word in words], heads=heads, deps=deps)


def make_examples(nlp, seeds, **options):
    return [make_example(say(nlp.vocab, seed, **options)) for seed in seeds]


def add_guide(**model):
    """Create a pipeline with an untrained guide, whose model may have other settings."""
    nlp = spacy.blank("en")
    return nlp, nlp.add_pipe("parser_guide", config={"model": {**SMALL, **model}})


def train_guide(model=SMALL, epochs=30, **options):
    nlp = spacy.blank("en")
    nlp.add_pipe("parser_guide", config={"model": model})
    learning.learn(nlp, "parser_guide", make_examples(nlp, range(24), **options), epochs)
    return nlp


@pytest.fixture(scope="module")
def nlp():
    """A trained pipeline. Shared: do not change it."""
    return train_guide()


def make_listener():
    """Makes a pipeline with a guide that listens to a separate encoder component."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": SMALL["tok2vec"]})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32, "upstream": "*"}
    nlp.add_pipe("parser_guide", config={"model": {**SMALL, "tok2vec": listener}})
    return nlp


def read_columns(doc):
    return {name: np.asarray(doc._.token_columns[name]).tolist() for name in GUIDE_COLUMNS}


def annotate(nlp, seed=1):
    doc = nlp.get_pipe("parser_guide")(say(nlp.vocab, seed))
    return doc, read_columns(doc)


def test_a_language_without_exceptions_is_learnt(nlp):
    scores = nlp.evaluate(make_examples(nlp, range(100, 110)))
    for name in ("guide_boundary_f", "guide_uas", "guide_las"):
        assert scores[name] > 0.98


def test_heads_are_found_beyond_the_first_window():
    nlp = train_guide({**SMALL, "window": 40, "stride": 20}, epochs=15, n_sentences=12)
    scores = nlp.evaluate(make_examples(nlp, range(100, 104), n_sentences=60))
    assert scores["guide_las"] > 0.98


def test_the_columns_say_what_the_reference_says(nlp):
    doc = say(nlp.vocab, 3)
    _, columns = annotate(nlp, 3)
    assert [odds > 0 for odds in columns[GUIDE_BOUNDARY]] == [bool(token.is_sent_start) for token in doc]
    assert columns[GUIDE_HEAD] == [token.head.i - token.i for token in doc]
    assert columns[GUIDE_LABEL] == [token.dep_ for token in doc]


def test_no_annotation_is_written(nlp):
    doc = nlp("the man sees the dog")
    assert not doc.has_annotation("DEP") and not doc.has_annotation("SENT_START")


def test_whitespace_has_missing_values(nlp):
    doc = nlp("the man\n\nsees")
    assert [np.isnan(odds) for odds in doc._.token_columns[GUIDE_BOUNDARY]] == [False, False, True, False]
    assert doc._.token_columns[GUIDE_LABEL][2] == ""


def test_tags_are_set_if_the_model_has_a_layer_for_them(nlp, tmp_path):
    train_guide({**SMALL, "tags": True}).to_disk(tmp_path)
    tagging = spacy.load(tmp_path)
    assert tagging.evaluate(make_examples(tagging, range(100, 110)))["tag_acc"] > 0.98
    assert [token.tag_ for token in tagging("the man\n\nsees")] == ["DT", "NN", "_SP", "VBZ"]
    streamed = tagging.get_pipe("parser_guide").stream([Doc(tagging.vocab, words=["the", "man", "sees"])])
    assert [token.tag_ for doc in streamed for token in doc] == ["DT", "NN", "VBZ"]
    assert not nlp("the man sees").has_annotation("TAG")


def test_tags_of_a_tagger_are_not_learnt():
    blank, guide = add_guide(tags=True)
    (example,) = make_examples(blank, [0])
    guide.initialize(lambda: [example])
    for given, numbers in ((example, {0, 1, 2}), (Example(example.reference, example.reference), {-1})):
        assert set(read_gold(given, guide.labels, guide.cfg["tags"]).tags.tolist()) == numbers


def test_labels_and_tags_can_be_given_to_a_guide_that_sets_tags():
    blank, guide = add_guide(tags=True)
    labels = {"labels": ["det", "ROOT"], "tags": ["DT", "NN"]}
    guide.initialize(lambda: make_examples(blank, [0]), labels=labels)
    assert guide.label_data == labels
    with pytest.raises(JointValueError, match="J062"):
        guide.initialize(lambda: make_examples(blank, [0]), labels=["det", "ROOT"])


def test_weights_for_other_labels_are_refused(nlp):
    guide, examples = nlp.get_pipe("parser_guide"), make_examples(nlp, range(2))
    labels = guide.labels
    with pytest.raises(JointValueError, match="J063"):
        guide.initialize(lambda: examples, labels=[*labels, "iobj"])
    # In another order, they are the same labels, so weights keep theirs.
    guide.initialize(lambda: examples, labels=list(labels[::-1]))
    assert guide.labels == labels and guide.is_initialized


def test_weights_of_another_name_or_size_are_refused(nlp):
    pipe = nlp.get_pipe("parser_guide")
    saved = pipe.to_bytes(exclude=["vocab"])
    with pytest.raises(JointValueError, match=r"J066.* = 16, not 8\."):
        add_guide(arc_width=8)[1].from_bytes(saved)
    parts = srsly.msgpack_loads(saved)
    changed = parts["model"].replace(b"bias_forward", b"bias_forwart")
    assert changed != parts["model"]
    for exclude, code in (((), "J052"), (["checksums"], "J066")):
        with pytest.raises(JointValueError, match=code):
            pipe.from_bytes(srsly.msgpack_dumps({**parts, "model": changed}), exclude=["vocab", *exclude])
    assert pipe.to_bytes(exclude=["vocab"]) == saved


def test_a_damaged_state_of_training_is_refused(nlp, tmp_path):
    guide = nlp.get_pipe("parser_guide")
    guide.to_disk(tmp_path)
    learning = bytearray(guide.learning_to_bytes())
    learning[len(learning) // 2] ^= 1
    (tmp_path / "learning").write_bytes(learning)
    with pytest.raises(JointValueError, match=r"\[J052\].*learning"):
        guide.from_disk(tmp_path)


def test_threads_share_a_guide(nlp):
    guide = nlp.get_pipe("parser_guide")
    docs = [say(nlp.vocab, seed, n_sentences=40) for seed in range(8)]
    alone = [guide.predict([doc])[0] for doc in docs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda doc: guide.predict([doc])[0], docs))
    for expected, found in zip(alone, together, strict=True):
        for wanted, values in zip(expected, found, strict=True):
            np.testing.assert_array_equal(wanted, values)


def test_a_guide_predicts_in_one_thread_of_blas(nlp, monkeypatch):
    seen = []
    run_lstm = encoder.run_lstm

    def look(*args, **arrays):
        seen.append(count_threads())
        return run_lstm(*args, **arrays)

    def count_threads():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    monkeypatch.setattr(encoder, "run_lstm", look)
    with threadpool_limits(limits=2, user_api="blas"):
        nlp.get_pipe("parser_guide")(say(nlp.vocab, 1))
        assert seen[0] == {1} and count_threads() == {2}


def test_an_interrupted_prediction_leaves_nothing_behind(nlp, monkeypatch):
    _, expected = annotate(nlp)

    doc = say(nlp.vocab, 1)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(encoder, "run_lstm", Mock(side_effect=KeyboardInterrupt))
        nlp.get_pipe("parser_guide")(doc)
    assert not doc._.token_columns
    assert annotate(nlp)[1] == expected


def test_it_learns_through_a_listener():
    nlp = make_listener()
    examples = make_examples(nlp, range(24))
    fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    before = nlp.get_pipe("tok2vec").to_bytes(exclude=["vocab"])
    for _ in range(25):
        for first in range(0, len(examples), 8):
            nlp.update(examples[first : first + 8], sgd=optimizer)
    assert nlp.get_pipe("tok2vec").to_bytes(exclude=["vocab"]) != before
    assert nlp.evaluate(make_examples(nlp, range(100, 110)))["guide_las"] > 0.95
    long = nlp(say(nlp.vocab, 1, n_sentences=2000))
    assert len(read_columns(long)[GUIDE_HEAD]) == len(long) > 6500


def test_a_listener_that_was_replaced_is_saved(tmp_path):
    nlp = make_listener()
    nlp.initialize(lambda: make_examples(nlp, range(2)))
    nlp.replace_listeners("tok2vec", "parser_guide", ["model.tok2vec"])
    nlp.to_disk(tmp_path)
    doc = say(nlp.vocab, 1)
    found = [read_columns(pipeline(doc.copy()))[GUIDE_HEAD] for pipeline in (nlp, spacy.load(tmp_path))]
    assert np.array_equal(*found)


def test_a_different_tokenisation_is_aligned():
    nlp = train_guide(epochs=0)
    reference = Doc(nlp.vocab, words=["the", "man", "sees"], heads=[1, 2, 2], deps=["det", "nsubj", "ROOT"])
    example = Example(Doc(nlp.vocab, words=["the", "m", "an", "sees"], spaces=[True, False, True, True]), reference)
    gold = read_gold(example, nlp.get_pipe("parser_guide").labels, ())
    assert gold.heads.tolist() == [-1, 3, 3, 3]
    assert [nlp.get_pipe("parser_guide").labels[label] for label in gold.labels[1:]] == ["nsubj", "nsubj", "ROOT"]
    assert nlp.get_pipe("parser_guide").update([example])["parser_guide"] > 0


def test_training_can_begin_with_a_pretrained_guide(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    fresh, guide = add_guide()
    settings = {"pretrained": str(tmp_path / "parser_guide")}
    fresh.config["initialize"]["components"]["parser_guide"] = settings
    fresh.initialize(lambda: make_examples(fresh, [0]))
    assert guide.to_bytes(exclude=["vocab"]) == nlp.get_pipe("parser_guide").to_bytes(exclude=["vocab"])
    with pytest.raises(JointValueError, match=r"J665.*lacks the labels nmod"):
        guide.initialize(lambda: make_examples(fresh, [0]), labels=["det", "nmod"], **settings)


def test_a_guide_that_learns_at_a_changing_rate_can_be_pickled():
    nlp = train_guide(epochs=0)
    guide = nlp.get_pipe("parser_guide")
    guide.update(make_examples(nlp, [0]), sgd=Adam(warmup_linear(0.01, 1, 10)))
    again = pickle.loads(pickle.dumps(guide))
    assert again.to_bytes(exclude=["vocab"]) == guide.to_bytes(exclude=["vocab"])


def test_a_loss_that_is_no_number_ends_training_at_its_step():
    guided, guide = add_guide()
    examples = make_examples(guided, [1])
    guided.initialize(lambda: examples)
    guide.update(examples, sgd=Adam())
    node = next(node for node in guide.model.walk() if node.has_param("W"))
    node.set_param("W", node.get_param("W") * np.nan)
    before, losses = guide.to_bytes(), {}
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(JointValueError, match=r"\[J661\] At update 2 of 'parser_guide', the loss is nan"),
    ):
        guide.update(examples, sgd=Adam(), losses=losses)
    assert (guide.to_bytes(), losses) == (before, {"parser_guide": 0.0})


def test_documents_without_the_word_vectors_of_the_encoder_are_refused():
    embed = {**SMALL["tok2vec"]["embed"], "include_static_vectors": True}
    nlp, guide = add_guide(tok2vec={**SMALL["tok2vec"], "embed": embed})
    nlp.vocab.set_vector("dog", np.ones(4, dtype=np.float32))
    nlp.initialize(lambda: make_examples(nlp, [0]))
    assert guide.predict([nlp.make_doc("the dog")])
    with pytest.raises(JointValueError, match=r"\[J030\] The length of the word vectors.*4: make documents with"):
        guide.predict([nlp.make_doc("the dog"), Doc(Vocab(), words=["dog"])])
