"""The data of the JSON API and its OpenAPI document. Offsets are in characters (Unicode code points), from 0."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..transcripts.reading import FORMATS, TEXT

TreeKind = Literal["dependencies", "constituents"]
OutputFormat = Literal["text", "markdown", "srt", "vtt", "csv", "conllu"]


class Request(BaseModel):
    """A text to annotate, as one document."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: str = Field(examples=["you said you have four cats i have four cats how old are they"])
    format: Literal[FORMATS] | None = Field(  # type: ignore[valid-type]  # a tuple
        TEXT,
        description="The format of the text, as for `annotate --format-in`; null guesses it by the content.",
    )
    pipeline: str | None = Field(
        None, examples=[None], description="One of the `pipelines` of `GET /api/pipeline`; null: the first one."
    )

    @field_validator("text")
    @classmethod
    def _require_characters(cls, text: str) -> str:
        # JSON can contain lone surrogates (\\ud800), which cannot be encoded; the error is a ValueError.
        text.encode("utf-8")
        return text


class AnnotateRequest(Request):
    """A text to annotate, and whether to find phrases."""

    phrases: bool = Field(True, description="Whether to find modifiers and hedges, which takes as long as the rest.")


class WriteRequest(Request):
    """A transcript to write in another format, or in the same one."""

    to: OutputFormat = Field("text", description="Captions (srt, vtt) need times.")


class Written(BaseModel):
    """A transcript as readable text, captions or a table."""

    written: str


class TreeRequest(Request):
    """A sentence of a text. The text is annotated as a whole, because its sentences depend on each other."""

    sentence: int = Field(ge=0, examples=[0], description="The index of the sentence in `sentences`, from 0.")
    kind: TreeKind = "dependencies"


class Place(BaseModel):
    """A part of the text."""

    text: str
    start: int
    end: int


class Token(Place):
    """A word of a sentence."""

    id: int = Field(description="Its number in the sentence, from 1, not counting whitespace.")
    lemma: str = Field(description="Like the next three fields, empty if no component of the pipeline finds it.")
    tag: str
    pos: str = Field(description="The coarse part of speech.")
    morph: str = Field(description="Morphological features, such as `Number=Sing|Person=3`.")
    head: int = Field(description="The number of its head; 0 for the root.")
    dep: str = Field(description="The label of its dependency.")


class Sentence(Place):
    """A sentence and its dependency tree, if the pipeline has a parser."""

    tokens: list[Token]
    probability: float | None = Field(
        None, description="The probability that a sentence starts here; null if it was not decided, or is unknown."
    )
    speaker: str | None = Field(None, description="In transcripts, like the next two fields; null if unknown.")
    start_time: float | None = Field(None, description="In seconds.")
    end_time: float | None = None


class Tree(BaseModel):
    """A drawing of a tree."""

    tree: str = Field(description="SVG.")


class QuotationPart(Place):
    """A part of the text, with its tokens."""

    start_token: int
    end_token: int


class QuotationContent(QuotationPart):
    """A quoted run of words."""

    type: Literal["direct", "indirect", "mixed"]
    score: float


class Quotation(BaseModel):
    """A quotation and its speaker."""

    type: Literal["direct", "indirect", "mixed"]
    contents: list[QuotationContent]
    cue: QuotationPart | None
    speaker: QuotationPart | None
    character: str | None = Field(None, description="The id of the character who speaks, if known.")
    inferred: bool = Field(False, description="Whether the character is inferred from the conversation, not a mention.")
    confidence: float | None = Field(None, description="How certain the character is, from 0 to 1.")
    order: str = Field(description="The order of contents (Q), cue (C) and speaker (S).")


class Modifiers(Place):
    """A phrase with two or more modifiers before its noun."""

    label: Literal["OK", "ODD"]
    best: str = Field(description="The phrase with its modifiers in the best order.")
    score: float
    margin: float = Field(description="The score of the order in the text minus the score of the best other order.")


class Hedge(Place):
    """A constituent up to a maximum number of words."""

    label: str
    structure: str = Field(description="Its structure in brackets.")


class Pipeline(BaseModel):
    """A pipeline."""

    name: str
    version: str
    components: dict[str, str] = Field(
        description="The names of the enabled components, in order, and their factories."
    )
    finds_constituents: bool = Field(description="Whether it can draw constituents.")


class Server(Pipeline):
    """The first pipeline, the names of all of them, and the limits for texts."""

    pipelines: list[str] = Field(description="The values that requests can give as `pipeline`.")
    max_characters: int
    timeout: float = Field(description="The maximum number of seconds for annotating a text.")


class Annotations(BaseModel):
    """The annotation of a text; null stands for annotation that no component of the pipeline makes."""

    pipeline: Pipeline

    text: str = Field(description="The text that offsets refer to; for transcripts, without names and times.")
    readable: str = Field(description="The text as `POST /api/write` writes it, with restored marks and capitals.")
    warnings: list[str] = Field(description="Why the annotation may be wrong, such as a text in another language.")
    sentences: list[Sentence] | None
    quotations: list[Quotation]
    modifiers: list[Modifiers] | None
    hedges: list[Hedge] | None
    explanations: dict[str, str] = Field(description="spaCy's explanations of tags and labels of this annotation.")


class Health(BaseModel):
    """The server can annotate texts."""

    status: Literal["ok"]


class Failure(BaseModel):
    """The reason why there is no result."""

    detail: str = Field(description="A message that starts with a code in brackets.")
