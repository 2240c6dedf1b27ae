"""The registered architectures of guides: vectors of documents by any `tok2vec`, and predictions from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from spacy.tokens import Doc
from thinc.api import Linear, Model, with_array
from thinc.types import Floats2d

from ..annotation.custom_columns import SPAN_PLACES
from .encoder import use_numpy_products
from .guidance import NOTHING, Guidance, GuidanceStream, find_best, join
from .heads import GuideHeads
from .vectors import WINDOWS, Encoder, VectorStream, batch_documents, cut_document, find_encoder, is_listener
from .windows import cut_windows

NAME = "parser_guide"
N_PLACES = len(SPAN_PLACES)
# The windows of long documents for encoders of a span guide that have none of their own.
WINDOW, STRIDE = 254, 192
# What is predicted for a document.
Found = TypeVar("Found")


def ParserGuide(
    *,
    tok2vec: Model[list[Doc], list[Floats2d]],
    arc_width: int = 192,
    label_width: int = 96,
    window: int = 254,
    stride: int = 192,
    nO: int | None = None,
) -> Model[list[Doc], list[Guidance]]:
    """Boundaries, arcs and labels of documents, each token by itself, registered as `spacy_joint.ParserGuide.v1`.

    tok2vec (Model): A layer from documents to vectors of their tokens.
    arc_width, label_width (int): See `GuideHeads`.
    window, stride (int): The windows within which heads are found, see `cut_windows`.
    nO (int | None): The number of labels; None if it is not known yet.
    RAISES ValueError: If the windows are invalid (J621).
    """
    cut_windows(0, window, stride)
    heads = GuideHeads(arc_width=arc_width, label_width=label_width, nO=nO)
    model: Model[list[Doc], list[Guidance]] = Model(
        NAME,
        _forward,
        init=_init,
        dims={"nO": nO},
        layers=[tok2vec, heads],
        refs={"tok2vec": tok2vec, "heads": heads},
        attrs={"window": window, "stride": stride},
    )
    return use_numpy_products(model)


def _init(model: Model[list[Doc], list[Guidance]], X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec, heads = model.get_ref("tok2vec"), model.get_ref("heads")
    if X is not None:
        tok2vec.initialize(X=X)
    heads.set_dim("nI", tok2vec.get_dim("nO"))
    heads.set_dim("nO", model.get_dim("nO"))
    heads.initialize()


def _forward(
    model: Model[list[Doc], list[Guidance]], docs: list[Doc], is_train: bool
) -> tuple[list[Guidance], Callable[..., Any]]:
    def find_long(doc: Doc, encoder: Encoder) -> Guidance:
        stream = GuidanceStream(model, encoder)
        return join([stream.feed(doc), stream.end()])

    window, stride = model.attrs["window"], model.attrs["stride"]
    found = _find_in_documents(
        model.get_ref("tok2vec"), docs, window, stride, lambda vectors: find_best(model, vectors), find_long
    )
    return [NOTHING if guidance is None else guidance for guidance in found], _backprop


def SpanGuide(*, tok2vec: Model[list[Doc], list[Floats2d]], nO: int | None = None) -> Model[list[Doc], list[Floats2d]]:
    """Log-odds that spans of some groups begin at a token, end at it, or contain it (tokens x (3 * groups)), registered
    as `spacy_joint.SpanGuide.v1`: a linear layer over vectors.

    tok2vec (Model): A layer from documents to vectors of their tokens.
    nO (int | None): The number of groups; None if it is not known yet.
    """
    linear: Model = Linear()
    model: Model[list[Doc], list[Floats2d]] = Model(
        "span_guide",
        _forward_spans,
        init=_init_spans,
        dims={"nO": nO},
        layers=[tok2vec, with_array(linear)],
        refs={"tok2vec": tok2vec, "linear": linear},
    )
    model.set_ref("heads", model.layers[1])
    return use_numpy_products(model)


def _init_spans(model: Model[list[Doc], list[Floats2d]], X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec, linear = model.get_ref("tok2vec"), model.get_ref("linear")
    if X is not None:
        tok2vec.initialize(X=X)
    linear.set_dim("nI", tok2vec.get_dim("nO"), force=True)
    linear.set_dim("nO", N_PLACES * model.get_dim("nO"), force=True)
    linear.initialize()


def _forward_spans(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[..., Any]]:
    ops, heads = model.ops, model.get_ref("heads")

    def find_long(doc: Doc, encoder: Encoder) -> Floats2d:
        stream = VectorStream(encoder)
        found = [heads.predict([stream.feed(part)])[0] for part in cut_document(doc, WINDOWS * STRIDE)]
        return ops.xp.concatenate([*found, heads.predict([stream.end()])[0]])

    found = _find_in_documents(model.get_ref("tok2vec"), docs, WINDOW, STRIDE, heads.predict, find_long)
    return [ops.alloc2f(0, N_PLACES * model.get_dim("nO")) if odds is None else odds for odds in found], _backprop


def _find_in_documents(
    tok2vec: Model[list[Doc], list[Floats2d]],
    docs: list[Doc],
    window: int,
    stride: int,
    find: Callable[[list[Floats2d]], list[Found]],
    find_long: Callable[[Doc, Encoder], Found],
) -> list[Found | None]:
    """What is predicted for documents, given their vectors, in bounded memory; None for those without tokens.

    window, stride (int): See `find_encoder`.
    find (Callable): Predicts from the vectors of documents.
    find_long (Callable): Predicts for a document that is encoded in parts.
    """
    if any(map(is_listener, tok2vec.walk())):
        return list(find(tok2vec.predict(docs)))
    encoder = find_encoder(tok2vec, window, stride)
    # One with so many windows has no more than a batch of shorter ones.
    longest = (WINDOWS - 1) * stride + window
    found: dict[int, Found] = {}
    whole = []
    for number, doc in enumerate(docs):
        if encoder is not None and len(doc) > longest:
            found[number] = find_long(doc, encoder)
        elif len(doc):
            whole.append(number)
    predicted = (
        of_document
        for batch in batch_documents(docs[number] for number in whole)
        for of_document in find(tok2vec.predict(batch))
    )
    found.update(zip(whole, predicted, strict=True))
    return [found.get(number) for number in range(len(docs))]


def _backprop(gradients: Any) -> list[Any]:
    # A component trains `tok2vec` and `heads` one after the other.
    return []
