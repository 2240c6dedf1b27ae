"""The registered architecture of a guide: vectors of documents by any `tok2vec`, predictions for windows of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from .encoder import use_numpy_products
from .guidance import NOTHING, Guidance, GuidanceStream, find_best, join
from .heads import GuideHeads
from .vectors import WINDOWS, batch_documents, find_encoder, is_listener
from .windows import cut_windows

NAME = "parser_guide"


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
    def backprop(gradients: Any) -> list[Any]:
        # The component trains `tok2vec` and `heads` one after the other.
        return []

    tok2vec = model.get_ref("tok2vec")
    if any(map(is_listener, tok2vec.walk())):
        return find_best(model, tok2vec.predict(docs)), backprop
    window, stride = model.attrs["window"], model.attrs["stride"]
    encoder = find_encoder(tok2vec, window, stride)
    # One with so many windows has no more than a batch of shorter ones.
    longest = (WINDOWS - 1) * stride + window
    found: dict[int, Guidance] = {}
    whole = []
    for number, doc in enumerate(docs):
        if encoder is not None and len(doc) > longest:
            stream = GuidanceStream(model, encoder)
            found[number] = join([stream.feed(doc), stream.end()])
        elif len(doc):
            whole.append(number)
    predicted = (
        guidance
        for batch in batch_documents(docs[number] for number in whole)
        for guidance in find_best(model, tok2vec.predict(batch))
    )
    found.update(zip(whole, predicted, strict=True))
    return [found.get(number, NOTHING) for number in range(len(docs))], backprop
