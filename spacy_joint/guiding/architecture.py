"""The registered architectures of guides: any `tok2vec`, and layers that predict from its vectors."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from spacy.tokens import Doc
from thinc.api import Linear, Model, with_array
from thinc.types import Floats2d

from ..annotation.custom_columns import SPAN_PLACES
from ..errors import check_range
from ..files.grouping import group_by_size
from .encoder import use_numpy_products
from .guidance import EMPTY, Guidance, GuidanceStream, find_best, join
from .heads import GuideHeads
from .vectors import WINDOWS, Encoder, VectorStream, cut_document, encode_documents, find_encoder, is_listener
from .windows import Tok2Vec, cut_windows

N_PLACES = len(SPAN_PLACES)
# The windows in which a span guide encodes long documents, for encoders without windows.
WINDOW, STRIDE = 254, 192
# Encoders are given documents of about this number of tokens together.
BATCH_TOKENS = 8192
# The prediction for a document.
Found = TypeVar("Found")


def ParserGuide(
    *,
    tok2vec: Tok2Vec,
    arc_width: int = 192,
    label_width: int = 96,
    tags: bool = False,
    window: int = 254,
    stride: int = 192,
    nO: int | None = None,
) -> Model[list[Doc], list[Guidance]]:
    """Makes a model of boundaries, arcs and labels, token by token, registered as `spacy_joint.ParserGuide.v1`.

    arc_width, label_width (int), tags (bool): See `GuideHeads`.
    window, stride (int): The windows within which heads are found, see `cut_windows`.
    RAISES ValueError: If a width or the windows are invalid (J030).
    """
    check_range("arc_width", arc_width, 1)
    check_range("label_width", label_width, 1)
    cut_windows(0, window, stride)
    heads = GuideHeads(arc_width=arc_width, label_width=label_width, tags=tags, nO=nO)
    refs: dict[str, Any] = {"tok2vec": tok2vec, "heads": heads}
    init, attrs = partial(_init, output="heads"), {"window": window, "stride": stride}
    return use_numpy_products(
        Model("parser_guide", _forward, init=init, dims={"nO": nO}, layers=[tok2vec, heads], refs=refs, attrs=attrs)
    )


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None, *, output: str, per_label: int = 1) -> None:
    tok2vec, layer = model.get_ref("tok2vec"), model.get_ref(output)
    if X is not None:
        tok2vec.initialize(X=X)
    layer.set_dim("nI", tok2vec.get_dim("nO"), force=True)
    layer.set_dim("nO", per_label * model.get_dim("nO"), force=True)
    layer.initialize()


def _forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[list[Guidance], Callable[..., Any]]:
    def find_long(doc: Doc, encoder: Encoder) -> Guidance:
        stream = GuidanceStream(model, encoder)
        return join([stream.feed(doc), stream.end()])

    window, stride = model.attrs["window"], model.attrs["stride"]
    find = partial(find_best, model)
    return _find_in_documents(model.get_ref("tok2vec"), docs, window, stride, find, find_long, EMPTY), lambda _: []


def SpanGuide(*, tok2vec: Tok2Vec, nO: int | None = None) -> Tok2Vec:
    """Makes a model of the log-odds that spans of each group begin at a token, end at it, or contain it (tokens x
    (3 * groups)), registered as `spacy_joint.SpanGuide.v1`: a linear layer over vectors."""
    linear: Model = Linear()
    heads: Model = with_array(linear)
    refs: dict[str, Any] = {"tok2vec": tok2vec, "linear": linear, "heads": heads}
    init = partial(_init, output="linear", per_label=N_PLACES)
    return use_numpy_products(
        Model("span_guide", _forward_spans, init=init, dims={"nO": nO}, layers=[tok2vec, heads], refs=refs)
    )


def _forward_spans(model: Tok2Vec, docs: list[Doc], is_train: bool) -> tuple[list[Floats2d], Callable[..., Any]]:
    ops, heads = model.ops, model.get_ref("heads")

    def find_long(doc: Doc, encoder: Encoder) -> Floats2d:
        stream = VectorStream(encoder)
        found = [heads.predict([stream.feed(part)])[0] for part in cut_document(doc, WINDOWS * STRIDE)]
        return ops.xp.concatenate([*found, heads.predict([stream.end()])[0]])

    nothing = ops.alloc2f(0, N_PLACES * model.get_dim("nO"))
    tok2vec = model.get_ref("tok2vec")
    return _find_in_documents(tok2vec, docs, WINDOW, STRIDE, heads.predict, find_long, nothing), lambda _: []


def _find_in_documents(
    tok2vec: Tok2Vec,
    docs: list[Doc],
    window: int,
    stride: int,
    find: Callable[[list[Floats2d]], list[Found]],
    find_long: Callable[[Doc, Encoder], Found],
    nothing: Found,
) -> list[Found]:
    """Predicts for documents in bounded memory, but not in training. `find` predicts from the vectors of documents,
    `find_long` for a document that is encoded in parts. `nothing` is the prediction for a document without tokens."""
    if any(map(is_listener, tok2vec.walk())):
        return list(find(tok2vec.predict(docs)))
    # A document with this many windows needs no more memory than a batch of shorter ones.
    longest = (WINDOWS - 1) * stride + window
    found: dict[int, Found] = {}
    whole = []
    for number, doc in enumerate(docs):
        if len(doc) > longest and (encoder := find_encoder(tok2vec, window, stride)):
            found[number] = find_long(doc, encoder)
        elif len(doc):
            whole.append(number)
    predicted = (
        prediction
        for batch in group_by_size((docs[number] for number in whole), len, BATCH_TOKENS)
        for prediction in find(encode_documents(tok2vec, batch, is_train=False)[0])
    )
    found.update(zip(whole, predicted, strict=True))
    return [found.get(number, nothing) for number in range(len(docs))]
