"""The data of the JSON API, which its OpenAPI document describes. `start` and `end` count characters of the text
(Unicode code points), from 0.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Request(BaseModel):
    """A text to annotate, as one document."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: str

    @field_validator("text")
    @classmethod
    def _require_characters(cls, text: str) -> str:
        # JSON can write halves of characters (\\ud800), which no encoding has; the error is a ValueError.
        text.encode("utf-8")
        return text


class Place(BaseModel):
    """A stretch of the text."""

    text: str
    start: int
    end: int


class Token(Place):
    """A word of a sentence."""

    id: int = Field(description="Its number in the sentence, from 1; whitespace is not counted.")
    tag: str
    pos: str
    head: int = Field(description="The number of its head; 0 for the root.")
    dep: str = Field(description="The label of its dependency.")


class Sentence(Place):
    """A sentence and its dependency tree."""

    tokens: list[Token]
    tree: str | None = Field(description="The tree as SVG, drawn by displaCy; null if there is no parser.")


class QuotationPart(Place):
    """A stretch of the text, by tokens, too."""

    start_token: int
    end_token: int


class QuotationContent(QuotationPart):
    """A run of words that is quoted."""

    type: Literal["direct", "indirect", "mixed"]
    score: float


class Quotation(BaseModel):
    """What was said, by whom."""

    type: Literal["direct", "indirect", "mixed"]
    contents: list[QuotationContent]
    cue: QuotationPart | None
    speaker: QuotationPart | None
    order: str = Field(description="In which order contents (Q), cue (C) and speaker (S) stand.")


class Modifiers(Place):
    """A phrase with two modifiers or more before its noun."""

    label: Literal["OK", "ODD"]
    best: str = Field(description="The phrase with its modifiers in the best order.")
    score: float
    margin: float = Field(description="By how much the order of the text scores better than the best other one.")


class Hedge(Place):
    """A constituent of a limited number of words."""

    label: str
    structure: str = Field(description="What it consists of, in brackets.")


class Annotations(BaseModel):
    """What was found; null stands for what no component of the pipeline finds."""

    sentences: list[Sentence] | None
    quotations: list[Quotation]
    modifiers: list[Modifiers] | None
    hedges: list[Hedge] | None


class Pipeline(BaseModel):
    """What annotates, and what is asked of texts."""

    name: str
    version: str
    components: dict[str, str] = Field(description="The names of the components, in order, and their factories.")
    finds_hedges: bool
    finds_modifiers: bool
    max_characters: int
    timeout: float = Field(description="Seconds that annotating a text may take.")


class Failure(BaseModel):
    """Why there is no result."""

    detail: str = Field(description="A message that starts with a code in brackets.")
