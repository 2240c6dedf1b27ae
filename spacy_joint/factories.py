"""The spaCy factories of all components, with their default settings: the targets of the entry points.

Each function declares a component: its keywords are the settings, with their defaults, and its docstring describes
them. It is replaced by a function that calls the class with the settings. spaCy imports this module whenever a pipeline
is created, so classes are only imported when a component is created.

Settings of several components, unless a docstring says otherwise:

model (Model): A `spacy_joint.BeamPerceptron`.
scorer (Callable | None): The scorer.
columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any

from spacy.language import Language
from thinc.model import Model

from .errors import Errors, JointValueError

Scorer = Callable[..., Any] | None
Settings = Mapping[str, Any]


def _component(
    target: str,
    *,
    model: Settings | None = None,
    scorer: str | Settings | None = None,
    scores: Mapping[str, float | None] = {},
    assigns: Sequence[str] = (),
    requires: Sequence[str] = (),
) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Registers the class `target` ("module:class") as the component NAME that a function `make_NAME` declares, with
    the defaults of its settings as default config. `model` and `scorer` are the defaults of the settings of these
    names, `scores` the default score weights."""

    def register(declare: Callable[..., None]) -> Callable[..., Any]:
        @wraps(declare)
        def make(nlp: Language, name: str, **settings: Any) -> Any:
            module, _, component = target.partition(":")
            made = getattr(import_module(f".{module}", __package__), component)
            for setting, value in settings.items():
                # spaCy accepts a string as a sequence of strings, or as a number.
                if isinstance(value, str) and not isinstance(default := defaults[setting], str):
                    allowed = "a list" if isinstance(default, list) else "a number"
                    raise JointValueError(Errors.J030, name=f"{setting} of '{name}'", value=value, allowed=allowed)
            return made(nlp.vocab, name=name, **settings)

        nlp, name, _ = signature(make, follow_wrapped=False).parameters.values()
        settings = list(signature(declare).parameters.values())
        # spaCy validates configs against the signature.
        make.__signature__ = Signature([nlp, name, *settings])  # type: ignore[attr-defined]
        defaults = {setting.name: setting.default for setting in settings}
        blocks = {"model": model, "scorer": {"@scorers": scorer} if isinstance(scorer, str) else scorer}
        defaults |= {key: block for key, block in blocks.items() if key in defaults}
        Language.factory(
            declare.__name__.removeprefix("make_"),
            func=make,
            assigns=assigns,
            requires=requires,
            default_config={key: value for key, value in defaults.items() if value is not Parameter.empty},
            default_score_weights=dict(scores),
        )
        return make

    return register


def _perceptron(**settings: Any) -> dict[str, Any]:
    return {"@architectures": "spacy_joint.BeamPerceptron.v1", **settings}


# Tokens are labelled independently, so no beam is needed.
LABELLER = _perceptron(table_bits=21, beam_width=1, n_tables=2)
TOK2VEC = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 96,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "rows": [10000, 1000, 5000, 2500],
        "include_static_vectors": False,
    },
    "encode": {"@architectures": "spacy_joint.BiLSTMEncoder.v1", "width": 256, "depth": 2},
}
EVALB = {"@scorers": "spacy_joint.constituent_scorer.v1", "parameters": "evalb"}
CONSTITUENT_SCORES = {
    "constituents_f": 1.0,
    **dict.fromkeys(("constituents_p", "constituents_r", "constituents_exact", "constituents_disc_f"), 0.0),
    **dict.fromkeys(f"constituents_{measure}" for measure in ("per_type", "disc_p", "disc_r", "disc_exact")),
}
HEDGE_SCORES = {
    "hedge_f": 1.0,
    **dict.fromkeys(("hedge_p", "hedge_r", "hedge_exact", "hedge_seg_f"), 0.0),
    **dict.fromkeys(("hedge_per_type", "hedge_seg_p", "hedge_seg_r")),
}
QUOTATION_SCORES = dict.fromkeys(
    [f"quotation{kind}_{measure}" for kind in ("", "_partial", "_cue") for measure in "prf"]
    + ["quotation_near_r", "quotation_far_r", "quotation_per_type"]
)


@_component(
    "parsing.joint_sbd_parser:JointSbdParser",
    model=_perceptron(min_changes=12, n_tables=6),
    scorer="spacy_joint.boundary_and_tree_scorer.v1",
    scores={
        **dict.fromkeys(("boundary_f", "dep_las_punct"), 0.5),
        **dict.fromkeys(("boundary_p", "boundary_r", "dep_uas_punct", "dep_uas", "dep_las"), 0.0),
        **dict.fromkeys(("dep_las_per_type", "sents_p", "sents_r")),
        "sents_f": 0.0,
    },
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    requires=["token.tag"],
)
def make_joint_sbd_parser(
    model: Model,
    scorer: Scorer,
    sb_position: str = "early",
    layout: bool = True,
    blank_lines: bool = True,
    lower_case_starts: bool = False,
    line_breaks: bool = False,
    boundary_margins: bool = False,
    boundary_probabilities: bool = False,
    boundary_bias: float | None = None,
    punctuated_bias: float = 0.0,
    unpunctuated_bias: float = 0.0,
    marked_bias: float = 0.0,
    pause_bias: float = 0.0,
    guide_bias: float = 0.0,
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a parser that jointly predicts sentence boundaries and dependency trees of whole documents.

    sb_position (str): When a boundary is decided: "early", when its token is next; "late", when the previous sentence
        has been parsed.
    layout (bool): Whether layout decides certain boundaries, such as that a list item begins a sentence.
    blank_lines (bool): Whether, with `layout`, a blank line ends a sentence, as between paragraphs.
    lower_case_starts (bool): Whether, with `layout`, sentences may begin in lower case after a comma, an abbreviation
        or a quotation, as in some transcripts and in Latin.
    line_breaks (bool): Whether every line break ends a sentence, as in chats and logs.
    boundary_margins (bool): Whether to set `Token._.boundary_margin`, the margin of each boundary decision.
    boundary_probabilities (bool): Whether to set `Token._.boundary_probability`, the probability that a token starts a
        sentence. The pipeline must have been calibrated, by `python -m spacy joint calibrate`.
    boundary_bias (float | None): A value added to the score of each boundary, on the scale of margins: above 0 for more
        and shorter sentences, below 0 for fewer and longer ones; unused in training. None: the next five apply.
    marked_bias (float): The value where a mark or a line break is before the boundary.
    punctuated_bias, unpunctuated_bias (float): The values for stretches of text with and without punctuation, where
        neither a mark nor a line break is before the boundary (anywhere, for templates without the column `before`).
    pause_bias, guide_bias (float): Values for text without punctuation, added for each bin of the column `pause` above
        that of 0.25 seconds, or of `guide_boundary` above that of 0, and subtracted for each bin below.
    """


@_component(
    "guiding.parser_guide:ParserGuide",
    model={"@architectures": "spacy_joint.ParserGuide.v1", "tok2vec": TOK2VEC},
    scorer="spacy_joint.guide_scorer.v1",
    scores={"guide_boundary_f": 0.5, "guide_las": 0.5, "guide_uas": 0.0},
    assigns=["doc._.token_columns"],
)
def make_parser_guide(model: Model, scorer: Scorer, latency: int | None = None) -> None:
    """Makes a component that predicts boundaries, heads and labels token by token, as columns for a parser.

    model (Model): A `spacy_joint.ParserGuide`, around any `tok2vec`.
    latency (int | None): The number of later tokens that a token waits for in streams. None: whole windows.
    """


@_component(
    "guiding.span_guide:SpanGuide",
    model={"@architectures": "spacy_joint.SpanGuide.v1", "tok2vec": TOK2VEC},
    scorer="spacy_joint.span_guide_scorer.v1",
    scores={"span_guide_f": 1.0, "span_guide_p": 0.0, "span_guide_r": 0.0, "span_guide_per_type": None},
    assigns=["doc._.token_columns"],
)
def make_span_guide(model: Model, scorer: Scorer, spans_keys: Sequence[str] = ["quotation_cues", "quotations"]) -> None:
    """Makes a component that predicts where spans begin and end, token by token, as columns for other components.

    model (Model): A `spacy_joint.SpanGuide`, around any `tok2vec`.
    spans_keys (list[str]): The groups of spans in `doc.spans`.
    """


@_component(
    "tagging.sequence_tagger:SequenceTagger",
    model=_perceptron(table_bits=21, beam_width=5, n_tables=3),
    scorer="spacy_joint.tag_scorer.v1",
    # It reports only one of the first two.
    scores={"tag_acc": 1.0, "pos_acc": 1.0, "boundary_f": None, "boundary_p": None, "boundary_r": None},
    assigns=["token.tag", "token.pos"],
)
def make_sequence_tagger(
    model: Model,
    scorer: Scorer,
    attribute: str = "TAG",
    order: int = 2,
    sentence_starts: bool = False,
    features: Sequence[str] = [],
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a tagger that labels whole documents with a Markov sequence model.

    attribute (str): The attribute to predict: "TAG" or "POS".
    order (int): The number of previous tags that features see, 0 to 2.
    sentence_starts (bool): Whether to predict sentence boundaries along with the tags.
    features (list[str]): Morphological features, such as "Case", to predict along with the tags, as a column
        `fine_tag` for later components.
    """


@_component(
    "tagging.sequence_morphologizer:SequenceMorphologizer",
    model=LABELLER,
    scorer="spacy.morphologizer_scorer.v1",
    scores={"pos_acc": 0.5, "morph_acc": 0.5, "morph_per_feat": None},
    assigns=["token.pos", "token.morph"],
    requires=["token.tag", "token.dep", "token.head"],
)
def make_sequence_morphologizer(model: Model, scorer: Scorer, columns: Mapping[str, Any] = {}) -> None:
    """Makes a component that gives parsed tokens parts of speech and morphological features."""


@_component(
    "tagging.sequence_lemmatizer:SequenceLemmatizer",
    model={**LABELLER, "min_changes": 2},
    scorer="spacy.lemmatizer_scorer.v1",
    scores={"lemma_acc": 1.0},
    assigns=["token.lemma"],
    requires=["token.tag", "token.pos"],
)
def make_sequence_lemmatizer(model: Model, scorer: Scorer) -> None:
    """Makes a component that gives tagged tokens lemmas."""


@_component(
    "restoring.punctuation_restorer:PunctuationRestorer",
    model=_perceptron(table_bits=21, beam_width=4, min_changes=8, n_tables=2),
    scorer="spacy_joint.restoration_scorer.v1",
    scores={
        **dict.fromkeys(("restored_mark_f", "restored_case_f"), 0.5),
        **dict.fromkeys([f"restored_{kind}_{measure}" for kind in ("mark", "case") for measure in "pr"], 0.0),
        "restored_per_type": None,
    },
    assigns=["token._.restored"],
    requires=["token.tag", "token.dep", "token.head", "doc.sents"],
)
def make_punctuation_restorer(
    model: Model,
    scorer: Scorer,
    overwrite: bool = False,
    mark_bias: float = 0.0,
    question_bias: float = 0.0,
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a component that restores missing punctuation and capitals.

    overwrite (bool): Whether to replace marks and capitals that the text has, instead of keeping them.
    mark_bias, question_bias (float): Values added to the scores of marks within a sentence, and of the question mark at
        its end: above 0 for more marks, below 0 for fewer. Not used in training.
    """


@_component(
    "tokenization.multiword_expander:MultiwordExpander",
    assigns=["token._.ud_words", "token._.ud_joined"],
    requires=["token.tag"],
)
def make_multiword_expander() -> None:
    """Makes a component that finds multiword tokens, such as German `zum` (`zu` and `dem`) and English `don't`."""


@_component(
    "ordering.prenominal_orderer:PrenominalOrderer",
    model={"@architectures": "spacy_joint.OrderPerceptron.v1"},
    scorer="spacy_joint.order_scorer.v1",
    scores={"order_full": 1.0, "order_pair": 0.0, "order_odd": None},
    assigns=["span._.best_order", "span._.order_score", "span._.order_margin"],
    requires=["token.tag"],
)
def make_prenominal_orderer(
    model: Model,
    scorer: Scorer,
    spans_key: str = "prenominal",
    source: str = "auto",
    threshold: float = 2.0,
    exempt: Sequence[str] = ["big bad wolf"],
    untagged_share: float = 1.0,
) -> None:
    """Makes a component that orders modifiers before nouns, and marks phrases with an odd order.

    model (Model): A `spacy_joint.OrderPerceptron`.
    spans_key (str): The key of the phrases in `doc.spans`.
    source (str): How to find phrases: by "dependencies", by "tags", or "auto", by dependencies if available.
    threshold (float): A phrase is ODD if the score of another order is higher by more than this.
    exempt (list[str]): Fixed expressions, lower-cased; phrases that contain one are never ODD.
    untagged_share (float): The share of phrases that are also learnt without tags, from 0 to 1.
    """


@_component(
    "hedges.hedge_chunker:HedgeChunker",
    model=_perceptron(beam_width=4, n_tables=3),
    scorer="spacy_joint.hedge_scorer.v1",
    scores=HEDGE_SCORES,
    assigns=["doc.spans"],
    requires=["token.tag"],
)
def make_hedge_chunker(
    model: Model,
    scorer: Scorer,
    max_span: int = 7,
    joint: bool = True,
    groups: bool = False,
    spans_key: str = "hedges",
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a chunker that finds constituents up to a maximum number of words, with their internal structure.

    max_span (int): The maximum number of words of a constituent.
    joint (bool): Whether to find extents and structure in one search; if not, an earlier `hedge_segmenter` is required.
    groups (bool): Whether `doc.spans` also contains groups, labelled G, of the words between hedges of several words.
    spans_key (str): The key of the outermost constituents in `doc.spans`.
    """


@_component(
    "phrases.constituency_parser:ConstituencyParser",
    model=_perceptron(beam_width=4),
    scorer=EVALB,
    scores=CONSTITUENT_SCORES,
    assigns=["doc.spans"],
    requires=["token.tag", "doc.sents"],
)
def make_constituency_parser(
    model: Model,
    scorer: Scorer,
    system: str = "gap",
    head_rules: str = "english",
    update_weight: float = 1.0,
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a parser that finds the whole phrase structure of sentences, continuous or discontinuous.

    system (str): The transition system: "gap", "swap", "single_swap" or "skip_shift", or, for continuous trees only,
        "shift_reduce", which learns continuous variants of discontinuous trees.
    head_rules (str): The rules that find the heads of constituents: "english" (Penn Treebank), "negra" or "alpino".
    update_weight (float): The weight of gold gaps and swaps in updates; other actions count 1.
    """


@_component(
    "charts.chart_parser:ChartParserPipe",
    scorer=EVALB,
    scores=CONSTITUENT_SCORES,
    assigns=["doc.spans", "token.tag", "doc._.parse_stats"],
    requires=["doc.sents"],
)
def make_chart_parser(
    scorer: Scorer,
    tags: str = "own",
    horizontal: int = 0,
    parents: bool = False,
    tag_parents: bool = False,
    split_cycles: int = 3,
    width: int = 10,
    figure_of_merit: str = "boundary",
    decoding: str = "max_constituents",
    closure: str | list[str] = "complete",
    keep_open: float = 0.99,
    max_span: int = 0,
    max_words: int = 200,
    cut_long: bool = False,
) -> None:
    """Makes a parser that finds the most probable phrase structure of sentences by a grammar.

    tags (str): "own": the grammar finds tags, too, and `token.tag` is set; "given": `token.tag` is read.
    horizontal (int): The number of sisters in symbols of binarisation.
    parents (bool): Whether symbols of constituents include the parent's label.
    tag_parents (bool): Whether symbols of tags include the parent's label.
    split_cycles (int): How often symbols are split into learnt subsymbols, from 0 to 4.
    width (int): The maximum number of constituents in a cell of the chart; 0: no limit, for an exhaustive search.
    figure_of_merit (str): The score that selects the constituents of a cell: "inside", or "boundary", which also scores
        the tags around constituents.
    decoding (str): The tree to find: "viterbi", the most probable one, or "max_constituents", the one with the most
        probable constituents.
    closure (str | list[str]): The classifiers that restrict cells before parsing: "constituents", "complete", "widths",
        several of them, or "none".
    keep_open (float): The share of needed cells that each classifier must keep open on held-out trees.
    max_span (int): The maximum number of words in a constituent; 0: any number.
    max_words (int): The maximum number of words that are parsed together.
    cut_long (bool): Whether to cut longer sentences at clause marks; otherwise, they are an error.
    """


@_component(
    "hedges.hedge_segmenter:HedgeSegmenter",
    model=_perceptron(table_bits=21, beam_width=5, n_tables=3),
    scorer="spacy_joint.hedge_scorer.v1",
    scores={**HEDGE_SCORES, "hedge_f": 0.0, "hedge_seg_f": 1.0},
    assigns=["doc.spans"],
    requires=["token.tag"],
)
def make_hedge_segmenter(
    model: Model, scorer: Scorer, max_span: int = 7, typed: bool = True, columns: Mapping[str, Any] = {}
) -> None:
    """Makes a segmenter that finds the extents of hedges, for a `hedge_chunker` that is not joint.

    max_span (int): The maximum number of words of a hedge.
    typed (bool): Whether to predict types of segments, too, which improves their boundaries.
    """


@_component(
    "quotation.quotation_cues:QuotationCues",
    model=_perceptron(table_bits=20, beam_width=4, min_changes=3),
    scorer="spacy_joint.quotation_scorer.v1",
    scores={**QUOTATION_SCORES, "quotation_cue_f": 1.0},
    assigns=["doc.spans"],
    requires=["token.tag", "token.dep", "token.head"],
)
def make_quotation_cues(
    model: Model,
    scorer: Scorer,
    cues_key: str = "quotation_cues",
    cue_bias: float = 0.0,
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a component that finds the cues of quotations.

    cues_key (str): The key of the cues in `doc.spans`.
    cue_bias (float): A value added to the score of cues in prediction: above 0 for more cues, below 0 for fewer.
    """


@_component(
    "quotation.quotation_spans:QuotationSpans",
    model=_perceptron(n_tables=2),
    scorer="spacy_joint.quotation_scorer.v1",
    scores={**QUOTATION_SCORES, "quotation_f": 1.0},
    assigns=["doc._.quotations", "doc._.characters", "token._.in_quotation"],
    requires=["token.tag", "token.dep", "token.head"],
)
def make_quotation_spans(
    model: Model,
    scorer: Scorer,
    method: str = "rules",
    decoder: str = "beam",
    spans_key: str = "quotations",
    cues_key: str = "quotation_cues",
    speakers_key: str = "quotation_speakers",
    characters_key: str = "characters",
    combined_key: str = "chain_quotations",
    single_quotes: bool | str = "auto",
    guillemets_inward: bool | str = "auto",
    dialogue_dashes: bool | str = "auto",
    seed: int = 0,
    columns: Mapping[str, Any] = {},
) -> None:
    """Makes a component that finds quotations and their speakers.

    model (Model): A `spacy_joint.BeamPerceptron`, for all methods except "rules".
    method (str): "rules", which needs no training, "greedy", "chain", "semimarkov" or "combined".
    decoder (str): The decoder of the last two methods: "beam", "exact" or "sample".
    spans_key, cues_key, speakers_key (str): The keys of quotations, cues and speakers in `doc.spans`.
    characters_key (str): The key of the mentions of characters, in English.
    combined_key (str): The key of the direct and mixed quotations of an earlier component, for "combined".
    single_quotes (bool | str): Whether single marks quote, too; "auto": if most speech in the document is in them.
    guillemets_inward (bool | str): Whether guillemets point inward, »so«; "auto": if most do in the document.
    dialogue_dashes (bool | str): Whether a paragraph that starts with a dash is speech; "auto": if the language or the
        document marks dialogue that way.
    seed (int): The random seed of the decoder "sample".
    """
