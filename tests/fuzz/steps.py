"""The steps of test_calls.py. Each calls a pipeline in some way, and raises an error if a result is not as expected."""

import copy
import pickle
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.tokens.underscore import Underscore
from spacy.util import fix_random_seed

import spacy_joint.annotation.constituents as constituents
from spacy_joint.pipes.streaming import can_stream, stream_sentences

from .lives import Life, allow_coded, read, read_all, require, save
from .pipelines import CODE, COMPONENTS, FOREIGN, N_INPUTS, TEXTS, attempt, get_code, in_fork, make_examples, make_input
from .targets import mutate

Step = Callable[[Life, Random], None]
STEPS: list[Step] = []


def step(function: Step) -> Step:
    STEPS.append(function)
    return function


@step
def call(life: Life, chance: Random) -> None:
    number = chance.randrange(N_INPUTS)
    life.expect(number, life.annotate(number))


@step
def call_components(life: Life, chance: Random) -> None:
    number = chance.randrange(N_INPUTS)

    def annotate() -> Doc:
        doc = make_input(life.nlp, number)
        for _, pipe in life.nlp.pipeline:
            if chance.random() < 0.5 or not hasattr(pipe, "predict"):
                doc = pipe(doc)
            else:
                pipe.set_annotations([doc], pipe.predict([doc]))
        return doc

    life.expect(number, attempt(annotate))


@step
def call_on_new_documents(life: Life, chance: Random) -> None:
    seed = chance.random()
    require(
        *(attempt(lambda nlp=nlp: nlp(life.make_doc(Random(seed), nlp))) for nlp in (life.nlp, life.twin)), str(seed)
    )


@step
def call_again(life: Life, chance: Random) -> None:
    """A document with annotation, some of which is removed, or which comes from bytes."""
    number, way = chance.randrange(N_INPUTS), chance.randrange(5)

    def annotate(nlp: Language) -> Doc:
        doc = nlp(make_input(nlp, number))
        if way == 0:
            doc.spans.clear()
        elif way == 1:
            doc.user_data.clear()
        elif way == 2:
            for token in doc:
                token.tag_ = ""
        elif way == 3 and len(doc) > 2:
            doc.spans.clear()
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[len(doc) // 2 :])
        elif way == 4:
            doc = doc[len(doc) // 2 :].as_doc()
        return nlp(doc if nlp is life.nlp else Doc(doc.vocab).from_bytes(doc.to_bytes()))

    require(*(attempt(lambda nlp=nlp: annotate(nlp)) for nlp in (life.nlp, life.twin)), f"input {number}, way {way}")


@step
def pipe_documents(life: Life, chance: Random) -> None:
    numbers = [chance.randrange(N_INPUTS) for _ in range(chance.choice((0, 1, 3, 8)))]
    n_process = 2 if chance.random() < 0.002 else 1
    failed: list[Doc] = []
    life.nlp.set_error_handler(lambda name, pipe, docs, error: failed.extend(docs if get_code(error) else ()))
    if n_process > 1:
        # Other processes read documents with the vocab of the pipeline, but with the norms of another one.
        numbers = [number - len(TEXTS) if number in FOREIGN else number for number in numbers]
    given = [(make_input(life.nlp, number), number) for number in numbers]
    if chance.random() < 0.5:
        found = life.nlp.pipe(given, as_tuples=True, batch_size=chance.choice((1, 2, 100)), n_process=n_process)
        for doc, number in found:
            life.expect(number, attempt(lambda doc=doc: doc))
            numbers.remove(number)
    else:
        docs = list(
            life.nlp.pipe((doc for doc, _ in given), batch_size=chance.choice((1, 2, 100)), n_process=n_process)
        )
        expected = life.oracle.get(tuple(life.nlp.pipe_names))
        kept = [number for number in numbers if not isinstance(expected[number], str)]
        require(len(docs), len(kept), "number of documents")
        for doc, number in zip(docs, kept, strict=True):
            life.expect(number, attempt(lambda doc=doc: doc))
        numbers = [number for number in numbers if number not in kept]
    life.nlp.set_error_handler(spacy.util.raise_error)
    for number in numbers:
        life.expect(number, life.annotate(number))


@step
def stop_in_the_middle(life: Life, chance: Random) -> None:
    """An error in the input, a generator that is abandoned, or an error in a user's component."""
    way = chance.randrange(3)

    def give() -> Iterator[Doc]:
        for _ in range(chance.randrange(4)):
            yield make_input(life.nlp, 1)
        if way == 0:
            raise Boom
        yield life.nlp.make_doc("boom, he said")

    before = list(life.nlp.pipe_names)
    if way == 2:
        life.nlp.add_pipe("bomb", before=chance.choice(before))
    with suppress(Boom):
        try:
            documents = life.nlp.pipe(give(), batch_size=chance.choice((1, 2)))
            next(documents, None)
            if way == 1:
                documents.close()
            else:
                list(documents)
                raise AssertionError("no error")
        except ValueError as error:
            get_code(error)
    if way == 2:
        life.nlp.remove_pipe("bomb")
    call(life, chance)


@step
def read_attributes(life: Life, chance: Random) -> None:
    """They are the same in a copy of the document."""
    number, seed = chance.randrange(N_INPUTS), chance.random()
    with allow_coded():
        doc = life.nlp(make_input(life.nlp, number))
        binned = DocBin(store_user_data=True, docs=[doc]).to_bytes()
        copies = [
            doc.copy(),
            Doc(life.nlp.vocab).from_bytes(doc.to_bytes()),
            Doc(life.twin.vocab).from_bytes(doc.to_bytes()),
            *DocBin().from_bytes(binned).get_docs(life.nlp.vocab),
            pickle.loads(pickle.dumps(doc)),
        ]
        expected = read_all(doc, Random(seed))
        for way, other in enumerate(copies):
            for number, (one, two) in enumerate(zip(read_all(other, Random(seed)), expected, strict=True)):
                require(one, two, f"input {number}, attribute {number}, copy {way}")


@step
def read_attributes_of_changed_documents(life: Life, chance: Random) -> None:
    """They must not fail without a code."""
    doc = life.nlp.make_doc("")
    with allow_coded():
        docs = [life.nlp(make_input(life.nlp, chance.randrange(N_INPUTS))) for _ in range(2)]
        doc = Doc.from_docs([Doc(life.nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs])
    way = chance.randrange(5)
    if doc is None or len(doc) < 3:
        return
    start = chance.randrange(len(doc))
    end = chance.randint(start + 1, len(doc))
    if way == 0:
        doc = doc[start:end].as_doc()
    elif way == 1:
        doc = doc[start:end].as_doc(copy_user_data=True)
    elif way == 2:
        try:
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[start:end])
        except RuntimeError as error:
            # spaCy cannot merge every stretch of joined documents (E039).
            get_code(error)
            return
    elif way == 3:
        for key in list(doc.spans):
            doc.spans[key] = [
                Span(doc, start, end, "NP"),
                *chance.sample(list(doc.spans[key]), len(doc.spans[key]) // 2),
            ]
    elif way == 4:
        doc.user_data.clear()
    read_all(doc, chance)
    attempt(lambda: life.nlp(doc))


@step
def join(life: Life, chance: Random) -> None:
    """Attributes of tokens and spans are the same in joined documents."""
    numbers = [chance.randrange(N_INPUTS) for _ in range(2)]
    with allow_coded():
        docs = [life.nlp(life.nlp.make_doc(TEXTS[number % len(TEXTS)])) for number in numbers]
        if not all(map(len, docs)):
            return
        joined = Doc.from_docs([Doc(life.nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs])
        trees = [read(lambda doc=doc: list(map(str, constituents.get_trees(doc)))) for doc in (*docs, joined)]
        if not any(isinstance(tree, str) for tree in trees[:2]):
            require(trees[2], (trees[0][0] + trees[1][0][1:], []), f"trees of {numbers}")
        if docs[0].has_extension("quotations"):
            require(len(joined._.quotations), sum(len(doc._.quotations) for doc in docs), f"quotations of {numbers}")
        for name, (_, method, _, _) in sorted(Underscore.token_extensions.items()):
            if method is None and name not in ("parent", "stream_start"):
                expected = [read(lambda t=t, name=name: t._.get(name)) for doc in docs for t in doc]
                for found, one in zip(joined, expected, strict=True):
                    require(read(lambda t=found, name=name: t._.get(name)), one, f"token {found.i}, {name}, {numbers}")


@step
def stream(life: Life, chance: Random) -> None:
    text = "".join(chance.sample(TEXTS, 3))
    cuts = sorted(chance.choices(range(len(text) + 1), k=chance.choice((0, 1, 5))))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    sentences = []
    try:
        for sentence in stream_sentences(pieces, life.nlp, max_delay=chance.choice((None, 10_000))):
            sentences.append(sentence)
            if chance.random() < 0.02:
                return
        expected = life.nlp(text)
    except ValueError as error:
        get_code(error)
        return
    names = [name for name in life.names if "parser" in COMPONENTS[name][0] and "joint" in COMPONENTS[name][0]]
    if len(names) > 1 or not can_stream(life.nlp) or {"starts", "chart_parser"} & set(life.names):
        return
    found = [(t.text, t.tag_, t.dep_, t.head.i - t.i) for sentence in sentences for t in sentence]
    require(repr(found), repr([(t.text, t.tag_, t.dep_, t.head.i - t.i) for t in expected]), repr(pieces))


@step
def call_in_threads(life: Life, chance: Random) -> None:
    numbers = [chance.randrange(N_INPUTS) for _ in range(6)]
    with ThreadPoolExecutor(3) as pool:
        for number, result in zip(numbers, pool.map(life.annotate, numbers), strict=True):
            life.expect(number, result)


@step
def call_in_fork(life: Life, chance: Random) -> None:
    number, others = chance.randrange(N_INPUTS), [chance.randrange(N_INPUTS) for _ in range(10)]
    thread = Thread(target=lambda: list(map(life.annotate, others)))
    if chance.random() < 0.5:
        thread.start()
    life.expect(number, in_fork(lambda: life.annotate(number)))
    if thread.ident:
        thread.join()


@step
def call_in_memory_zone(life: Life, chance: Random) -> None:
    with life.nlp.memory_zone():
        for _ in range(3):
            call(life, chance)
        attempt(lambda: life.nlp("Some" + "".join(chance.choices("abcdefgh", k=8)) + " words."))


@step
def load_damaged_bytes(life: Life, chance: Random) -> None:
    name, pipe = life.choose(chance)
    if not life.bytes[name]:
        return
    try:
        pipe.from_bytes(mutate(life.bytes[name], chance), exclude=["vocab"])
    except Exception as error:
        if not get_code(error).startswith("J"):
            raise
        if chance.random() < 0.2:
            require(save(pipe) == life.bytes[name], True, f"bytes of {name}")
    else:
        # Nothing of it may be wrong in a way that can be seen, but it must not crash.
        with allow_coded():
            pipe(life.nlp.make_doc(chance.choice(TEXTS)))
        life.restore(name)
    call(life, chance)


@step
def load_damaged_files(life: Life, chance: Random) -> None:
    name, pipe = life.choose(chance)
    if not life.bytes[name]:
        return
    directory = life.directory / "component"
    pipe.to_disk(directory, exclude=["vocab"])
    file = chance.choice(sorted(directory.iterdir()))
    if chance.random() < 0.1:
        file.unlink()
    else:
        file.write_bytes(mutate(file.read_bytes(), chance))
    try:
        pipe.from_disk(directory, exclude=["vocab"])
    except Exception as error:
        if not get_code(error).startswith("J"):
            raise
    else:
        life.restore(name)
    shutil.rmtree(directory)
    call(life, chance)


@step
def copy_component(life: Life, chance: Random) -> None:
    name, pipe = life.choose(chance)
    other = chance.choice((copy.deepcopy, lambda pipe: pickle.loads(pickle.dumps(pipe))))(pipe)
    require(save(other) == life.bytes[name], True, f"bytes of {name}")


@step
def replace_pipeline(life: Life, chance: Random) -> None:
    """By a copy of itself."""
    way, nlp = chance.randrange(4), life.nlp
    if way == 0:
        life.nlp = copy.deepcopy(nlp)
    elif way == 1:
        life.nlp = pickle.loads(pickle.dumps(nlp))
    elif way == 2:
        life.nlp = type(nlp).from_config(nlp.config).from_bytes(nlp.to_bytes())
        for name in nlp.disabled:
            life.nlp.disable_pipe(name)
    else:
        nlp.to_disk(life.directory / "pipeline")
        life.nlp = spacy.load(life.directory / "pipeline")
    require(life.nlp.pipe_names == nlp.pipe_names, True, f"names, way {way}")
    call(life, chance)


@step
def disable(life: Life, chance: Random) -> None:
    """One component at most, since each combination needs the oracle."""
    if not life.enable_all() and len(life.names) > 1:
        name = chance.choice(life.names)
        if chance.random() < 0.5:
            with life.nlp.select_pipes(disable=[name]):
                call(life, chance)
        else:
            life.nlp.disable_pipe(name)
            life.twin.disable_pipe(name)
    call(life, chance)


@step
def source(life: Life, chance: Random) -> None:
    """Replaces a component by the same one of another pipeline."""
    life.enable_all()
    place = chance.randrange(len(life.names))
    life.nlp.remove_pipe(life.names[place])
    before = {"before": place} if place < len(life.names) - 1 else {"last": True}
    life.nlp.add_pipe(life.names[place], source=life.load(), **before)
    call(life, chance)


@step
def add_another(life: Life, chance: Random) -> None:
    """A new component, which is not trained, elsewhere and here."""
    factory, config = COMPONENTS[chance.choice(list(COMPONENTS))]
    other = spacy.blank("en")
    other.add_pipe(factory, config=config)
    attempt(lambda: other("I think so."))
    life.nlp.add_pipe(factory, name="another", config=config)
    attempt(lambda: life.nlp("I think so."))
    life.nlp.remove_pipe("another")
    call(life, chance)


@step
def learn(life: Life, chance: Random) -> None:
    """Two copies learn the same, and the original nothing."""
    name, pipe = life.choose(chance)
    if not hasattr(pipe, "update"):
        return
    copies = [copy.deepcopy(pipe) for _ in range(2)]
    seed, way = chance.randrange(100), chance.randrange(3)
    for other in copies:
        fix_random_seed(seed)
        examples = make_examples(life.nlp, seed)
        try:
            if way == 0 and name != "chart_parser":
                other.initialize(lambda examples=examples: examples)
            other.update(examples, drop=0.2, sgd=life.nlp.create_optimizer() if "guide" in name else None)
            if way == 1 and hasattr(other, "rehearse"):
                other.rehearse(examples)
        except Exception as error:
            get_code(error)
    require(save(copies[0]) == save(copies[1]), True, f"bytes of {name} after learning")
    require(save(pipe) == life.bytes[name], True, f"bytes of {name}")


@step
def learn_and_forget(life: Life, chance: Random) -> None:
    """The pipeline itself learns, and is restored from bytes."""
    try:
        life.nlp.update(make_examples(life.nlp, chance.randrange(2)), sgd=life.nlp.create_optimizer())
    except Exception as error:
        get_code(error)
    attempt(lambda: life.nlp(chance.choice(TEXTS)))
    for name in life.nlp.pipe_names:
        life.restore(name)
    call(life, chance)


@step
def evaluate(life: Life, chance: Random) -> None:
    seed = chance.randrange(2)
    found = []
    for nlp in (life.nlp, life.twin):
        found.append(
            read(lambda nlp=nlp: {k: v for k, v in nlp.evaluate(make_examples(nlp, seed)).items() if k != "speed"})
        )
    require(*found, "scores")


@step
def save_again(life: Life, chance: Random) -> None:
    name, pipe = life.choose(chance)
    require(save(pipe) == life.bytes[name], True, f"bytes of {name}")


@step
def misuse(life: Life, chance: Random) -> None:
    """Values of wrong types are a TypeError, or an error with a code."""
    _, pipe = life.choose(chance)
    value = chance.choice((None, 3, -1.5, b"x", "x", ["a"], {"a": 1}, (), object(), Path("nowhere"), life.nlp.vocab))
    doc = life.nlp.make_doc("so it is")
    calls: dict[str, Callable[[], Any]] = {
        "nlp": lambda: life.nlp(value),
        "nlp.pipe": lambda: list(life.nlp.pipe([value])),
        "stream_sentences": lambda: list(stream_sentences(value, life.nlp)),
        "__call__": lambda: pipe(value),
        "pipe": lambda: list(pipe.pipe([value])),
        "predict": lambda: pipe.predict([value]),
        "update": lambda: pipe.update([value]),
        "initialize": lambda: pipe.initialize(lambda: [value]),
        "add_label": lambda: pipe.add_label(value),
        "from_bytes": lambda: pipe.from_bytes(value),
        "from_disk": lambda: pipe.from_disk(value),
        "stream": lambda: list(pipe.stream([doc], max_delay=value)),
    }
    wrong = chance.choice([method for method in calls if method in list(calls)[:3] or hasattr(pipe, method)])
    try:
        calls[wrong]()
    except TypeError:
        pass
    except Exception as error:
        # As everywhere in spaCy, what is no document lacks its attributes.
        lacks = isinstance(error, AttributeError) and wrong in ("__call__", "pipe", "predict")
        if not lacks and not re.match(CODE, str(error)):
            raise AssertionError(f"{wrong} of {value!r}: {error!r}") from error
    call(life, chance)


class Boom(Exception):
    """An error of a user's own code."""


@Language.component("bomb")
def explode(doc: Doc) -> Doc:
    if len(doc) and doc[0].text == "boom":
        raise Boom
    return doc
