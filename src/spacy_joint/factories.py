"""The spaCy factories of all components, with their default configs: the targets of the entry points.

spaCy imports this module whenever a pipeline is created, so heavy imports are deferred until a component is created.
"""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from thinc.model import Model

# Other settings have the defaults of the architecture; saved configs contain all of them.
PARSER_MODEL = {"@architectures": "spacy_joint.BeamPerceptron.v1"}
ORDER_MODEL = {"@architectures": "spacy_joint.OrderPerceptron.v1"}
TAGGER_MODEL = {**PARSER_MODEL, "table_bits": 21, "beam_width": 5}
# A label is chosen for each token by itself, so there is nothing to search.
LABELLER_MODEL = {
    **PARSER_MODEL,
    "table_bits": 21,
    "beam_width": 1,
    "strategy": "laso",
    "rule": "perceptron",
    "min_changes": 4,
    "n_tables": 2,
}
CHUNKER_MODEL = {**PARSER_MODEL, "table_bits": 22, "beam_width": 4}
CONSTITUENCY_MODEL = {**CHUNKER_MODEL, "strategy": "laso", "rule": "perceptron", "min_changes": 4}
CONSTITUENCY_SCORES = {
    "constituents_f": 1.0,
    "constituents_p": 0.0,
    "constituents_r": 0.0,
    "constituents_exact": 0.0,
    "constituents_per_type": None,
    "constituents_disc_f": 0.0,
    "constituents_disc_p": None,
    "constituents_disc_r": None,
    "constituents_disc_exact": None,
}
HEDGE_SCORES = {
    "hedge_f": 1.0,
    "hedge_p": 0.0,
    "hedge_r": 0.0,
    "hedge_exact": 0.0,
    "hedge_per_type": None,
    "hedge_seg_f": 0.0,
    "hedge_seg_p": None,
    "hedge_seg_r": None,
}
CUE_MODEL = {
    **PARSER_MODEL,
    "table_bits": 20,
    "beam_width": 4,
    "strategy": "laso",
    "rule": "perceptron",
    "min_changes": 3,
}
QUOTATION_MODEL = {**CUE_MODEL, "table_bits": 21, "beam_width": 8}
GUIDE_MODEL = {
    "@architectures": "spacy_joint.ParserGuide.v1",
    "tok2vec": {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 96,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
            "rows": [10000, 1000, 5000, 2500],
            "include_static_vectors": False,
        },
        "encode": {"@architectures": "spacy_joint.BiLSTMEncoder.v1", "width": 256, "depth": 2},
    },
}
SPAN_GUIDE_MODEL = {"@architectures": "spacy_joint.SpanGuide.v1", "tok2vec": GUIDE_MODEL["tok2vec"]}
QUOTATION_SCORES = (
    *(f"quotation{kind}_{measure}" for kind in ("", "_partial", "_cue") for measure in "prf"),
    "quotation_near_r",
    "quotation_far_r",
    "quotation_per_type",
)


@Language.factory(
    "joint_sbd_parser",
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    requires=["token.tag"],
    default_config={
        "model": PARSER_MODEL,
        "sb_position": "early",
        "blank_lines": True,
        "boundary_margins": False,
        "boundary_probabilities": False,
        "boundary_bias": None,
        "punctuated_bias": 0.0,
        "unpunctuated_bias": 0.0,
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.boundary_and_tree_scorer.v1"},
    },
    default_score_weights={
        "boundary_f": 0.5,
        "dep_las_punct": 0.5,
        "boundary_p": 0.0,
        "boundary_r": 0.0,
        "dep_uas_punct": 0.0,
        "dep_uas": 0.0,
        "dep_las": 0.0,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": 0.0,
    },
)
def make_joint_sbd_parser(
    nlp: Language,
    name: str,
    model: Model,
    sb_position: str,
    blank_lines: bool,
    boundary_margins: bool,
    boundary_probabilities: bool,
    boundary_bias: float | None,
    punctuated_bias: float,
    unpunctuated_bias: float,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a parser that jointly predicts sentence boundaries and dependency trees of whole documents.

    model (Model): A `spacy_joint.BeamPerceptron`.
    sb_position (str): When a boundary is decided: "early", when its token is next; "late", when the previous sentence
        has been parsed.
    blank_lines (bool): Whether a blank line ends a sentence, as between paragraphs.
    boundary_margins (bool): Whether to set `Token._.boundary_margin`, the margin of each boundary decision.
    boundary_probabilities (bool): Whether to set `Token._.boundary_probability`, the probability that a token starts a
        sentence. The pipeline must have been calibrated, by `python -m spacy joint calibrate`.
    boundary_bias (float | None): A value added to the score of each boundary, on the scale of margins: above 0 for more
        and shorter sentences, below 0 for fewer and longer ones. It is not used in training. None is the next two.
    punctuated_bias, unpunctuated_bias (float): The values for stretches of text with and without punctuation.
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .parsing.joint_sbd_parser import JointSbdParser

    return JointSbdParser(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        columns=columns,
        sb_position=sb_position,
        blank_lines=blank_lines,
        boundary_margins=boundary_margins,
        boundary_probabilities=boundary_probabilities,
        boundary_bias=boundary_bias,
        punctuated_bias=punctuated_bias,
        unpunctuated_bias=unpunctuated_bias,
    )


@Language.factory(
    "parser_guide",
    assigns=["doc._.token_columns"],
    default_config={"model": GUIDE_MODEL, "scorer": {"@scorers": "spacy_joint.guide_scorer.v1"}},
    default_score_weights={"guide_boundary_f": 0.5, "guide_las": 0.5, "guide_uas": 0.0},
)
def make_parser_guide(nlp: Language, name: str, model: Model, scorer: Callable[..., Any] | None) -> Any:
    """Makes a component that predicts boundaries, heads and labels of each token by itself, as columns for a parser.

    model (Model): A `spacy_joint.ParserGuide`, around any `tok2vec`.
    scorer (Callable): The scorer.
    """
    from .guiding.parser_guide import ParserGuide

    return ParserGuide(nlp.vocab, model, name, scorer=scorer)


@Language.factory(
    "span_guide",
    assigns=["doc._.token_columns"],
    default_config={
        "model": SPAN_GUIDE_MODEL,
        "spans_keys": ["quotation_cues", "quotations"],
        "scorer": {"@scorers": "spacy_joint.span_guide_scorer.v1"},
    },
    default_score_weights={"span_guide_f": 1.0, "span_guide_p": 0.0, "span_guide_r": 0.0, "span_guide_per_type": None},
)
def make_span_guide(
    nlp: Language, name: str, model: Model, spans_keys: list[str], scorer: Callable[..., Any] | None
) -> Any:
    """Makes a component that predicts where spans begin and end, each token by itself, as columns for others.

    model (Model): A `spacy_joint.SpanGuide`, around any `tok2vec`.
    spans_keys (list[str]): The groups of spans in `doc.spans`.
    scorer (Callable): The scorer.
    """
    from .guiding.span_guide import SpanGuide

    return SpanGuide(nlp.vocab, model, name, scorer=scorer, spans_keys=spans_keys)


@Language.factory(
    "sequence_tagger",
    assigns=["token.tag", "token.pos"],
    default_config={
        "model": TAGGER_MODEL,
        "attribute": "TAG",
        "order": 2,
        "sentence_starts": False,
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.tag_scorer.v1"},
    },
    default_score_weights={"tag_acc": 1.0, "pos_acc": 0.0, "boundary_f": None, "boundary_p": None, "boundary_r": None},
)
def make_sequence_tagger(
    nlp: Language,
    name: str,
    model: Model,
    attribute: str,
    order: int,
    sentence_starts: bool,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a tagger that labels whole documents with a Markov sequence model.

    model (Model): A `spacy_joint.BeamPerceptron`.
    attribute (str): The attribute to predict: "TAG" or "POS".
    order (int): The number of previous tags that features see, 0 to 2.
    sentence_starts (bool): Whether to predict sentence boundaries along with the tags.
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .tagging.sequence_tagger import SequenceTagger

    return SequenceTagger(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        columns=columns,
        attribute=attribute,
        order=order,
        sentence_starts=sentence_starts,
    )


@Language.factory(
    "sequence_morphologizer",
    assigns=["token.pos", "token.morph"],
    requires=["token.tag", "token.dep", "token.head"],
    default_config={"model": LABELLER_MODEL, "scorer": {"@scorers": "spacy.morphologizer_scorer.v1"}},
    default_score_weights={"pos_acc": 0.5, "morph_acc": 0.5, "morph_per_feat": None},
)
def make_sequence_morphologizer(nlp: Language, name: str, model: Model, scorer: Callable[..., Any] | None) -> Any:
    """Makes a component that gives parsed tokens parts of speech and morphological features.

    model (Model): A `spacy_joint.BeamPerceptron`.
    scorer (Callable): The scorer.
    """
    from .tagging.sequence_morphologizer import SequenceMorphologizer

    return SequenceMorphologizer(nlp.vocab, model, name, scorer=scorer)


@Language.factory(
    "sequence_lemmatizer",
    assigns=["token.lemma"],
    requires=["token.tag", "token.pos"],
    default_config={"model": LABELLER_MODEL, "scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"}},
    default_score_weights={"lemma_acc": 1.0},
)
def make_sequence_lemmatizer(nlp: Language, name: str, model: Model, scorer: Callable[..., Any] | None) -> Any:
    """Makes a component that gives tagged tokens lemmas.

    model (Model): A `spacy_joint.BeamPerceptron`.
    scorer (Callable): The scorer.
    """
    from .tagging.sequence_lemmatizer import SequenceLemmatizer

    return SequenceLemmatizer(nlp.vocab, model, name, scorer=scorer)


@Language.factory("multiword_expander", assigns=["token._.ud_words", "token._.ud_joined"], requires=["token.tag"])
def make_multiword_expander(nlp: Language, name: str) -> Any:
    """Makes a component that finds multiword tokens, as German `zum` (`zu` and `dem`) and English `don't`."""
    from .tokenization.multiword_expander import MultiwordExpander

    return MultiwordExpander(nlp.vocab, name)


@Language.factory(
    "prenominal_orderer",
    assigns=["span._.best_order", "span._.order_score", "span._.order_margin"],
    requires=["token.tag"],
    default_config={
        "model": ORDER_MODEL,
        "spans_key": "prenominal",
        "source": "auto",
        "threshold": 2.0,
        "exempt": ["big bad wolf"],
        "untagged_share": 1.0,
        "scorer": {"@scorers": "spacy_joint.order_scorer.v1"},
    },
    default_score_weights={
        "order_full": 1.0,
        "order_pair": 0.0,
        "order_odd": None,
    },
)
def make_prenominal_orderer(
    nlp: Language,
    name: str,
    model: Model,
    spans_key: str,
    source: str,
    threshold: float,
    exempt: list[str],
    untagged_share: float,
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a component that orders modifiers before nouns, and marks phrases with an odd order.

    model (Model): A `spacy_joint.OrderPerceptron`.
    spans_key (str): The key of the phrases in `doc.spans`.
    source (str): How to find phrases: by "dependencies", by "tags", or "auto", by dependencies if available.
    threshold (float): A phrase is ODD if the score of another order is higher by more than this.
    exempt (list[str]): Fixed expressions, lower-cased; phrases that contain one are never ODD.
    untagged_share (float): The share of phrases that are also learnt without tags, from 0 to 1.
    scorer (Callable): The scorer.
    """
    from .ordering.prenominal_orderer import PrenominalOrderer

    return PrenominalOrderer(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        spans_key=spans_key,
        source=source,
        threshold=threshold,
        exempt=exempt,
        untagged_share=untagged_share,
    )


@Language.factory(
    "hedge_chunker",
    assigns=["doc.spans"],
    requires=["token.tag"],
    default_config={
        "model": CHUNKER_MODEL,
        "max_span": 7,
        "joint": True,
        "groups": False,
        "spans_key": "hedges",
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.hedge_scorer.v1"},
    },
    default_score_weights=HEDGE_SCORES,
)
def make_hedge_chunker(
    nlp: Language,
    name: str,
    model: Model,
    max_span: int,
    joint: bool,
    groups: bool,
    spans_key: str,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a chunker that finds constituents up to a maximum number of words, with their internal structure.

    model (Model): A `spacy_joint.BeamPerceptron`.
    max_span (int): The maximum number of words of a constituent.
    joint (bool): Whether to find extents and structure in one search; if not, an earlier `hedge_segmenter` is required.
    groups (bool): Whether `doc.spans` also contains groups, labelled G, of the words between hedges of several words.
    spans_key (str): The key of the outermost constituents in `doc.spans`.
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .constituency.hedge_chunker import HedgeChunker

    return HedgeChunker(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        columns=columns,
        max_span=max_span,
        joint=joint,
        groups=groups,
        spans_key=spans_key,
    )


@Language.factory(
    "constituency_parser",
    assigns=["doc.spans"],
    requires=["token.tag", "doc.sents"],
    default_config={
        "model": CONSTITUENCY_MODEL,
        "system": "gap",
        "head_rules": "english",
        "importance": 1.0,
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.constituent_scorer.v1", "parameters": "evalb"},
    },
    default_score_weights=CONSTITUENCY_SCORES,
)
def make_constituency_parser(
    nlp: Language,
    name: str,
    model: Model,
    system: str,
    head_rules: str,
    importance: float,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a parser that finds the whole phrase structure of sentences, continuous or discontinuous.

    model (Model): A `spacy_joint.BeamPerceptron`.
    system (str): The transition system: "gap", "merge_label", "swap", "single_swap" or "skip_shift", or, for continuous
        trees only, "shift_reduce", which learns the continuous variant of others.
    head_rules (str): The rules that find the heads of constituents: "english" (Penn Treebank), "negra" or "alpino".
    importance (float): How much gaps and swaps of the reference count in updates; other actions count 1.
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .constituency.constituency_parser import ConstituencyParser

    return ConstituencyParser(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        columns=columns,
        system=system,
        head_rules=head_rules,
        importance=importance,
    )


@Language.factory(
    "chart_parser",
    assigns=["doc.spans", "token.tag", "doc._.parse_stats"],
    requires=["doc.sents"],
    default_config={
        "tags": "own",
        "branching": "right",
        "horizontal": 0,
        "parents": False,
        "tag_parents": False,
        "split_cycles": 3,
        "width": 10,
        "figure_of_merit": "boundary",
        "decoding": "max_constituents",
        "closure": "complete",
        "keep_open": 0.99,
        "constraints": "none",
        "constraint_amount": None,
        "max_span": 0,
        "max_words": 200,
        "cut_long": False,
        "scorer": {"@scorers": "spacy_joint.constituent_scorer.v1", "parameters": "evalb"},
    },
    default_score_weights=CONSTITUENCY_SCORES,
)
def make_chart_parser(
    nlp: Language,
    name: str,
    tags: str,
    branching: str,
    horizontal: int,
    parents: bool,
    tag_parents: bool,
    split_cycles: int,
    width: int,
    figure_of_merit: str,
    decoding: str,
    closure: str | list[str],
    keep_open: float,
    constraints: str,
    constraint_amount: float | None,
    max_span: int,
    max_words: int,
    cut_long: bool,
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a parser that finds the most probable phrase structure of sentences by a grammar.

    tags (str): "own": the grammar finds tags, too, and `token.tag` is set; "given": `token.tag` is read.
    branching (str): The side on which binarisation puts its own symbols: "right" or "left".
    horizontal (int): How many sisters these symbols name.
    parents (bool): Whether symbols of constituents name the label above.
    tag_parents (bool): Whether symbols of tags name the label above.
    split_cycles (int): How often symbols are split into subsymbols, which are learnt; from 0 to 4.
    width (int): How many constituents a cell of the chart may have; 0: any number, so that the search is exhaustive.
    figure_of_merit (str): Which ones a cell has: the best by "inside" score, or also by what is next to constituents,
        "boundary".
    decoding (str): Which tree is found: "viterbi", the most probable one, or "max_constituents", that of the most
        probable constituents.
    closure (str | list[str]): What classifiers say of cells before parsing: "constituents", "complete", "widths",
        several of them, or "none".
    keep_open (float): The share of cells with constituents that the classifiers must keep open.
    constraints (str): At how many words no constituent begins or ends: the mode "absolute", "high_precision",
        "quadratic" or "linear", or "none".
    constraint_amount (float | None): The amount of the mode; None: its usual one.
    max_span (int): The maximum number of words in a constituent; 0: any number.
    max_words (int): The most words that are parsed together.
    cut_long (bool): Whether longer sentences are cut at clause marks; otherwise, they are an error.
    scorer (Callable): The scorer.
    """
    from .constituency.chart_parser import ChartParserPipe

    return ChartParserPipe(
        nlp.vocab,
        name,
        scorer=scorer,
        tags=tags,
        branching=branching,
        horizontal=horizontal,
        parents=parents,
        tag_parents=tag_parents,
        split_cycles=split_cycles,
        width=width,
        figure_of_merit=figure_of_merit,
        decoding=decoding,
        closure=closure,
        keep_open=keep_open,
        constraints=constraints,
        constraint_amount=constraint_amount,
        max_span=max_span,
        max_words=max_words,
        cut_long=cut_long,
    )


@Language.factory(
    "hedge_segmenter",
    assigns=["doc.spans"],
    requires=["token.tag"],
    default_config={
        "model": TAGGER_MODEL,
        "max_span": 7,
        "typed": True,
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.hedge_scorer.v1"},
    },
    default_score_weights={**HEDGE_SCORES, "hedge_f": 0.0, "hedge_seg_f": 1.0},
)
def make_hedge_segmenter(
    nlp: Language,
    name: str,
    model: Model,
    max_span: int,
    typed: bool,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a segmenter that finds the extents of hedges, for a `hedge_chunker` that is not joint.

    model (Model): A `spacy_joint.BeamPerceptron`.
    max_span (int): The maximum number of words of a hedge.
    typed (bool): Whether to predict types of segments, too, which improves their boundaries.
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .constituency.hedge_segmenter import HedgeSegmenter

    return HedgeSegmenter(nlp.vocab, model, name, scorer=scorer, columns=columns, max_span=max_span, typed=typed)


@Language.factory(
    "quotation_cues",
    assigns=["doc.spans"],
    requires=["token.tag", "token.dep", "token.head"],
    default_config={
        "model": CUE_MODEL,
        "cues_key": "quotation_cues",
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.quotation_scorer.v1"},
    },
    default_score_weights=dict.fromkeys(QUOTATION_SCORES, None) | {"quotation_cue_f": 1.0},
)
def make_quotation_cues(
    nlp: Language,
    name: str,
    model: Model,
    cues_key: str,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a component that finds the cues of quotations.

    model (Model): A `spacy_joint.BeamPerceptron`.
    cues_key (str): The key of the cues in `doc.spans`.
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .quotation.quotation_cues import QuotationCues

    return QuotationCues(nlp.vocab, model, name, scorer=scorer, columns=columns, cues_key=cues_key)


@Language.factory(
    "quotation_spans",
    assigns=["doc._.quotations", "token._.in_quotation"],
    requires=["token.tag", "token.dep", "token.head"],
    default_config={
        "model": QUOTATION_MODEL,
        "method": "rules",
        "decoder": "beam",
        "spans_key": "quotations",
        "cues_key": "quotation_cues",
        "speakers_key": "quotation_speakers",
        "combined_key": "chain_quotations",
        "single_quotes": "auto",
        "guillemets_inward": "auto",
        "seed": 0,
        "columns": {},
        "scorer": {"@scorers": "spacy_joint.quotation_scorer.v1"},
    },
    default_score_weights=dict.fromkeys(QUOTATION_SCORES, None) | {"quotation_f": 1.0},
)
def make_quotation_spans(
    nlp: Language,
    name: str,
    model: Model,
    method: str,
    decoder: str,
    spans_key: str,
    cues_key: str,
    speakers_key: str,
    combined_key: str,
    single_quotes: bool | str,
    guillemets_inward: bool | str,
    seed: int,
    columns: dict[str, dict[str, Any]],
    scorer: Callable[..., Any] | None,
) -> Any:
    """Makes a component that finds quotations and their speakers.

    model (Model): A `spacy_joint.BeamPerceptron`, for all methods except "rules".
    method (str): "rules", which needs no training, "greedy", "chain", "semimarkov" or "combined".
    decoder (str): The decoder of the last two methods: "beam", "exact" or "sample".
    spans_key, cues_key, speakers_key (str): The keys of quotations, cues and speakers in `doc.spans`.
    combined_key (str): The key of the direct and mixed quotations of an earlier component, for "combined".
    single_quotes (bool | str): Whether single marks quote, too; "auto": if they enclose more speech in the document
        than double ones.
    guillemets_inward (bool | str): Whether guillemets point inward, »so«, rather than «so»; "auto": if most do in the
        document.
    seed (int): The random seed of the decoder "sample".
    columns (dict): The settings of custom columns that templates can read: see `CustomColumns`.
    scorer (Callable): The scorer.
    """
    from .quotation.quotation_spans import QuotationSpans, register_extensions

    register_extensions()
    return QuotationSpans(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        columns=columns,
        method=method,
        decoder=decoder,
        spans_key=spans_key,
        cues_key=cues_key,
        speakers_key=speakers_key,
        combined_key=combined_key,
        single_quotes=single_quotes,
        guillemets_inward=guillemets_inward,
        seed=seed,
    )
