"""A catalogue of all errors and warnings: what is wrong, and what is allowed or how to fix it.

The codes follow spaCy's style (`[E024] ...`) with our own prefix, `J`, so they are easy to search for. Codes are never
reused. Code that catches an error should check its class and attributes, never its text. To raise errors:

    raise JointValueError(Errors.J402, path=path)
    check_range("beam_width", width, 1, MAX_WIDTH)
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

# spaCy's errors and warnings also have codes, but use Python's classes.
SPACY_CODE = re.compile(r"\[[EW]\d+\]")
# Exceptions of parsing damaged bytes, including too deep nesting, and types that numpy cannot read.
DAMAGE = (LookupError, OverflowError, RecursionError, SyntaxError, TypeError, ValueError)
_format_warning = warnings.formatwarning


@dataclass(eq=False)
class Message:
    """The text of an error or a warning: the cause, with the offending value, and the fix."""

    cause: str
    fix: str
    code: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.code = name

    def format(self, **values: object) -> Message:
        """Returns the message with its placeholders filled in."""
        return Message(self.cause.format(**values), self.fix.format(**values), self.code)

    def __str__(self) -> str:
        return f"[{self.code}] {self.cause} {self.fix}"


class _Coded(Exception):
    """An error or a warning with a message from the catalogue.

    message (Message): From `Errors` or `Warnings`.
    values (object): The values of its placeholders.
    """

    def __init__(self, message: Message, **values: object) -> None:
        super().__init__(message.format(**values) if values else message)

    @property
    def code(self) -> str:
        """The code in the catalogue, such as "J030"."""
        return self.args[0].code

    @property
    def cause(self) -> str:
        """What is wrong."""
        return self.args[0].cause

    @property
    def fix(self) -> str:
        """What is allowed, or how to fix it."""
        return self.args[0].fix

    def __str__(self) -> str:
        return str(self.args[0])


class JointError(_Coded):
    """An error of this package. Its subclasses also derive from Python's own errors, such as ValueError."""


class JointValueError(JointError, ValueError):
    """An invalid value, file or annotation."""


class JointOSError(JointError, OSError):
    """A file that cannot be read or written."""


class JointFileNotFoundError(JointOSError, FileNotFoundError):
    """A file that does not exist."""


class JointMemoryError(JointError, MemoryError):
    """A search that runs out of memory."""


class JointImportError(JointError, ImportError):
    """A module that cannot be imported."""


class JointWarning(_Coded, UserWarning):
    """A warning of this package."""


class Errors:
    """The catalogue. Attributes are the codes."""

    # Values and data of any kind
    J001 = Message("Invalid {name}: {value}.", "It must be {allowed}.")
    J002 = Message("{name} has {n} {unit}; at most {most} are allowed.", "Split it.")
    J003 = Message("Out of memory while searching.", "Use a smaller beam_width, or split the document.")
    J007 = Message("This {what} is in use by another thread.", "Wait for it to finish, or give each thread its own.")
    J030 = Message("{name} is {value!r}.", "It must be {allowed}.")
    J040 = Message("Unknown {name} {value!r}.", "Choose one of: {allowed}.")
    J143 = Message("There are {first}, but {second}.", "Give the same number of each.")
    J330 = Message("{source} has no {what} to learn from.", "Give annotated data that has some.")
    J336 = Message("{source} has no {what}.", "Use a pipeline that sets them, or annotate the data.")
    J413 = Message("{source} has no {what}.", "Check how it was made, or leave it out.")
    J744 = Message("A package is missing: {reason}.", "Install it, or use another pipeline, language or tokenizer.")
    J710 = Message("{package} is not installed.", 'Install the extra: pip install "spacy-joint[{extra}]".')

    # Engine
    J005 = Message("Action {action} is not legal here.", "Choose one of the legal actions (the first 20: {legal}).")
    J006 = Message("This system has no actions: it was not constructed.", "Call the constructor of its base class.")
    J009 = Message("After step {step}, no score is finite.", "Train the model again.")
    J010 = Message(
        "Unknown atom '{name}' in line {line} of the templates.",
        "Use TOKEN.COLUMN or a value. Tokens: {tokens} (also TOKEN+n, TOKEN-n up to {most}). Columns: {columns}. "
        "Values: {values}.",
    )
    J011 = Message("The templates have {n} lines with features.", "Give 1 to {most}.")
    J012 = Message("{what} in line {line} of the templates has {n} atoms.", "Split it: at most {most} are allowed.")
    J022 = Message("An array of weights is {got}, not {wanted}.", "Load the model with the config of its training.")
    J023 = Message("The weights were saved without their training state.", "Initialize the component again.")
    J024 = Message("The weights have not been averaged yet.", "Train the component, or load a model.")
    J031 = Message("The system has {n} {what}; {allowed} are allowed.", "Use fewer labels.")
    J033 = Message("Rows of {width} weights do not fit {n} actions.", "Load the model with the labels of its training.")
    J034 = Message("The document has columns {got}, but the templates read {wanted}.", "Build exactly those columns.")
    J036 = Message("Tokens arrived after the end of the stream.", "Open a new stream for each document.")
    J037 = Message(
        "'{name}' cannot process streams.", "Put it after the parser, give whole documents, or use a windowed encoder."
    )
    J039 = Message("This stream failed earlier, so its search is incomplete.", "Open a new stream.")
    J043 = Message("The {n} gold actions are inconsistent: step {step} is not legal.", "Correct the annotation.")
    J046 = Message("The columns have {n} integers per token; the system reads {wanted}.", "Build columns for its task.")
    J156 = Message("A bias depends on the unknown atom '{atom}'.", "Use a token ({tokens}) and a column ({columns}).")
    J314 = Message(
        "The {n} actions are not a complete derivation: step {step} is wrong or missing.",
        "Give the actions of a search result.",
    )
    J354 = Message(
        "A block of templates names {names}, which belong to different parts of an order.",
        "Split it with a blank line.",
    )

    # Saved models
    J050 = Message("{source} is not a spacy_joint model.", "Give the path of a pipeline that nlp.to_disk saved.")
    J051 = Message("{source} has model format {version}, not {known}.", "Install the version that wrote it.")
    J052 = Message("{source} is damaged: {what} is incomplete or changed.", "Copy the model again, or train it again.")
    J060 = Message("{name} has not been trained.", "Initialize it with examples and train it, or load a trained one.")
    J061 = Message(
        "{source} was made for different labels, templates or columns ({got}, not {wanted}).",
        "Load it with the config and the cfg that it was saved with.",
    )
    J062 = Message(
        "The labels given to '{source}' are empty, or belong to another kind of component.",
        "Give those that `spacy init labels` wrote for it, or leave them out.",
    )
    J063 = Message(
        "'{name}' has weights for other labels than those of the examples.",
        "Train a new component, or leave the new labels out.",
    )
    J066 = Message(
        "{source} was trained with {name} = {got!r}, not {wanted!r}.", "Change the setting back, or train it again."
    )
    J070 = Message(
        "Cannot add the label '{label}' to '{name}': its labels are fixed.",
        "Leave it out, or initialize the component again with examples that have all labels.",
    )
    J071 = Message(
        "The component '{name}' has not been trained.",
        'Call nlp.initialize() and train it, or copy a trained one: nlp.add_pipe("joint_sbd_parser", '
        "source=spacy_joint.load()). en_joint_english has a sequence_tagger, joint_sbd_parser, sequence_morphologizer "
        "and sequence_lemmatizer, and, disabled, a punctuation_restorer, hedge_chunker, constituency_parser and "
        'prenominal_orderer, but no hedge_segmenter or quotation_cues. With method = "rules", quotation_spans needs no '
        "training.",
    )
    J073 = Message(
        "{path} is not a saved component or pipeline: it has no file '{name}'.",
        "Give a path that nlp.to_disk or `spacy train` wrote.",
    )
    J400 = Message(
        "The pretrained pipeline {name} is not installed.",
        "Run `python -m spacy joint download{variant}` or, in a checkout, `pip install ./pipelines/{name}`; or give "
        "another package or the directory of a pipeline.",
    )
    J404 = Message(
        "This version of the package has no address for its pipelines.",
        "Run `pip install ./pipelines/{name}` in a checkout, or give --from an address or directory with {wheel}.",
    )
    J405 = Message(
        "{address} was not installed: pip stopped with exit code {code} (see above).",
        "If there is no network, copy the file to this machine and give its directory to --from. If pip is missing, "
        "run another installer, as in `uv pip install spacy-joint=={version} {address}`.",
    )
    J406 = Message(
        "There is no pretrained pipeline '{language}'.",
        "Choose one of: {known}; or train one on Universal Dependencies by `python -m spacy joint train-treebank "
        "DIRECTORY`, and give its directory or package.",
    )
    J401 = Message("No component of {pipeline} ({components}) has the setting {setting}.", "Leave {setting} out.")
    J704 = Message(
        "{source} lacks '{part}', which the settings of '{name}' need.",
        "Initialize it again, or set figure_of_merit and closure as when it was initialized.",
    )

    # Files and pipelines
    J100 = Message(
        "The corpus has no path.",
        "Give a {suffix} file or a directory of them, e.g. by `--paths.train`, `--paths.dev`.",
    )
    J101 = Message(
        "There is no file or directory {path}.",
        "Give a {suffix} file or a directory of them; `python -m spacy joint convert` makes .spacy files.",
    )
    J102 = Message(
        "The directory {path} has no {suffix} file.", "Give the directory of the files: subdirectories are ignored."
    )
    J120 = Message("{file} is not a DocBin ({reason}).", "Write it with `DocBin.to_disk` or `spacy convert`.")
    J129 = Message("The pipeline ({pipeline}) has no {name}.", "Add one, or use a pipeline that has one.")
    J339 = Message("The pipeline does not contain the component '{name}'.", "Give the pipeline that contains it.")
    J402 = Message("There is no file {path}.", "Give the path of a file, or `-` if the command reads standard input.")
    J403 = Message(
        "{source}, line {line}: byte {byte} is not UTF-8.",
        "Convert it to UTF-8, e.g. with iconv. If it is compressed, decompress it first.",
    )
    J420 = Message(
        "The compiled modules are not beside the sources in {directory}.",
        "Install the checkout by `pip install -e .`, or start Python in another directory.",
    )
    J440 = Message(
        "{path} was not written: {reason}. Any earlier version is still in place.", "Free space, or write elsewhere."
    )
    J441 = Message(
        "{path} cannot be read or written: {reason}.", "Check its path and permissions, and that it is complete."
    )
    J464 = Message("{file}, line {line}: not valid {format} ({reason}).", "Correct the file, or give its format.")
    J520 = Message(
        "There is no file {path}.",
        "Make it by `python -m spacy joint {command} ... --output {path}`, or leave it out by `--{setting} null`.",
    )
    J711 = Message(
        "There are no files at {address}.",
        "Give a file, a directory, a pattern such as 'texts/*.jsonl.gz', or an address such as s3://bucket/texts.",
    )
    J712 = Message(
        "The storage of {address} cannot be used: {reason}.",
        "Correct the address, or install its package, e.g. `pip install s3fs` for s3://.",
    )

    # CoNLL-U
    J103 = Message(
        "{file}, line {line}: {found} columns are filled.",
        "Give a word 10 columns separated by single tabs, none of them empty (`_` stands for a missing value).",
    )
    J104 = Message(
        "{file}, line {line}: the id is {found!r}, not {expected}.",
        "Number words 1, 2, ...; put multiword tokens `first-last` before their words, blank lines between sentences.",
    )
    J105 = Message(
        "{file}, line {line}: the head is {found!r}; it must be 0 (root) to {size}, the number of words.",
        "Correct the head, or restore missing words. Heads may be `_` only if the whole document has no trees.",
    )
    J107 = Message("{file}, line {line}: no word of this sentence has head 0.", "Give its root head 0.")
    J108 = Message("{file}, line {line}: a second word has head 0.", "Attach one of the two to the other.")
    J109 = Message("{file}, line {line}: the heads from this word on form a cycle.", "Correct one of the heads.")
    J110 = Message(
        "{file}, line {line}: the sentence {found}, but the earlier sentences of its document {before}.",
        "Give trees to all sentences of a document or to none, or split it with `# newdoc`.",
    )
    J113 = Message(
        "{file}, line {line}: UPOS is {found!r}.", "Use `_` or one of: {allowed}. Other tags belong in XPOS, column 5."
    )
    J114 = Message("{file}, line {line}: FEATS is {found!r}.", "Give `_`, or `Name=Value` pairs separated by `|`.")
    J115 = Message(
        "{file}, line {line}: sent_id is {found!r}; documents='sent_id' needs a number after `-` or `_` at its end.",
        "Use documents='newdoc' or a number of sentences instead.",
    )
    J117 = Message(
        "{file}, line {line}: too many arcs of the sentence ({words}) cross, so spaCy would split it.",
        "Correct or remove it.",
    )
    J119 = Message(
        "Sentence {sentence} of document {document}, {words}, cannot be written as CoNLL-U: {found}.",
        "Give each sentence exactly one root, and heads within it.",
    )
    J153 = Message("{file}, line {line}: the tokens do not spell {text!r}.", "Correct them, or omit --raw-text.")

    # Other corpora
    J126 = Message(
        "The document {words} has no {what}, which unpunctuated and noisy copies of documents need.",
        "Annotate it, or train without such copies: --training.train_corpus corpora.original.",
    )
    J124 = Message(
        "Tokens of {words} cannot be removed or added: its trees and its sentences have different boundaries.",
        "Give each sentence exactly one root, and heads within it.",
    )
    J125 = Message(
        "The predicted document and its reference ({words}) have different tokens, so they cannot be changed.",
        "Read the corpus with spacy_joint.ConlluCorpus.v1 or spacy_joint.DocBinCorpus.v1.",
    )
    J140 = Message("{file} has no text next to it ({text}).", "Copy the text that the annotation refers to, too.")
    J141 = Message(
        "{file}, line {line}: {found} is not in the text, or is not annotated.",
        "Copy the text and its annotation again, without changing line endings.",
    )
    J142 = Message("{file}, line {line}: {found!r} is not {expected}.", "Correct the line.")
    J650 = Message("{path}, line {line}: this is not JSON with a text.", 'Write `{{"{key}": "..."}}` in each line.')
    J651 = Message(
        "There is nothing to annotate in {paths}: no paragraph ends like a sentence.",
        "Give punctuated text. If each line is a paragraph, add --lines.",
    )

    # Tokenizers
    J150 = Message("Exceptions need spaCy's own Tokenizer, not a {found}.", "Leave them out, or use that tokenizer.")
    J151 = Message("The exception for {string!r} splits it into {pieces}.", "Give a list of pieces that add up to it.")
    J152 = Message("The predicted text {found!r} differs from {expected!r}.", "Change nothing but whitespace.")
    J505 = Message(
        "The tokenizer ({tokenizer}) does not suit the corpus: on the text of its first {n_words:,} words, it finds "
        "{recall:.1f} % of them, and {precision:.1f} % of its tokens are words (F1 {f_score:.1f}, less than {least}).",
        'Use the tokenizer of the language, or `@tokenizers = "spacy_joint.CharacterTokenizer.v1"`, which learns from '
        "the corpus.",
    )

    # Parsing and tagging
    J303 = Message(
        "The sentence of tokens {begin} to {last} is not a tree: {problem}.",
        "Give it exactly one root, a token that heads itself, and heads within it.",
    )
    J306 = Message(
        "Arrays of shapes {shapes} do not describe a search, or refer to missing items.",
        "Give the arrays of `Search.trace`.",
    )
    J360 = Message(
        "The templates of a sequence_lemmatizer read other tokens: {line!r}.",
        "Use `w.` only: its tag and part of speech depend on the context.",
    )
    J646 = Message(
        "{n} words with known boundaries are too few to calibrate a parser.",
        "Give more documents of several sentences: {least} sentence starts and as many other tokens are needed.",
    )

    # Quotations
    J320 = Message(
        "A span of tokens {begin} to {end} is not possible here.",
        "Give spans of two tokens or more from {first} to {last} that do not overlap.",
    )
    J322 = Message(
        "'{name}' has no quotations to combine with: doc.spans['{key}'] is missing.",
        'Put a quotation_spans with method = "chain" and spans_key = "{key}" before it.',
    )
    J332 = Message(
        "{path} is not a file of speaker labels ({reason}).",
        'Write {{"novel": {{"characters": {{"name": ["other name"]}}, "quotations": [[start, end, "name"]]}}}}.',
    )
    J333 = Message(
        "Most labels of {name} fit no quotation in its text.",
        "Give the text that was labelled: the labels have its character offsets.",
    )

    # Constituency
    J331 = Message(
        "Line {line} of the head rules, {found!r}, is not a rule.",
        "Give a label, a direction ({allowed}) and labels of children; left and right need at least one label.",
    )
    J335 = Message(
        "The constituent {label} of tokens {start} to {end} ({words!r}) crosses another.", "Nest or separate them."
    )
    J337 = Message(
        "{words!r} cuts the constituent {label} over {other!r}.", "Choose words that contain it or are inside it."
    )
    J338 = Message(
        "'{name}' is not `joint`, so it needs segments.", "Put a hedge_segmenter before it, or train it with `joint`."
    )
    J340 = Message(
        "doc.spans['{key}'] is not at its tokens, since tokens have been merged or split.",
        "Delete it, and annotate the document again; merge tokens before components that write or read spans.",
    )
    J343 = Message(
        "Node {node} of the binarised tree needs one or two children that have no other parent.",
        "Give all nodes above words, children first and the root last.",
    )

    # Constituency treebanks
    J131 = Message(
        "{file}, line {line}: unexpected {found}.",
        "Write a tree as `(LABEL tree tree ...)` or `(TAG word)`, and brackets that are words as -LRB- and -RRB-.",
    )
    J132 = Message("{file}, line {line}: this bracket is never closed.", "Close it, or restore the end of the file.")
    J550 = Message(
        "{file}, line {line}: the word {found!r} has no position.",
        "Write words with their positions in the sentence, from 0, as `0=word`; or read the file as brackets.",
    )
    J551 = Message("{file}, line {line}: two words have the position {found}.", "Give each word its own position.")
    J552 = Message(
        "{file}, line {line}: {n} fields are too few for the export format.",
        "Give 5 fields in version 3, 6 in version 4, then pairs for secondary edges. Words must not contain blanks.",
    )
    J554 = Message("{file}, line {line}: the sentence that begins here never ends.", "Add its #EOS.")
    J555 = Message("{file}, line {line}: the sentence has two constituents #{number}.", "Number them differently.")
    J557 = Message("{file}, line {line}: the constituent #{number} is below itself.", "Correct its parent.")
    J559 = Message("Tree {number} is discontinuous.", "Write discbracket, export or alpino, or make trees continuous.")
    J561 = Message(
        "{file}, line {line}: the node {problem}.",
        "Give each phrase `cat`, and each word `word`, `pos` and its position in `begin`.",
    )
    J562 = Message("{file}, line {line}: the entity {name} must not be defined.", "Replace it by its text.")
    J568 = Message(
        "Sentence {number} and its reference have different words.", "Give the same sentences in the same order."
    )

    # Grammars and charts
    J666 = Message(
        "{source}, line {line}: '{found}' is not allowed there.",
        "Write rules as 'S -> NP VP 0.5' and words as 'word TAG 0.5', and each word, rule and class once.",
    )
    J668 = Message(
        "{source} ends before its section '{section}' is complete ({found}).",
        "Head each section with the number of its lines, and end the file with 'end'.",
    )
    J669 = Message("'{symbol}' of {rule} has neither rules nor words.", "Give it some, or delete the rule.")
    J670 = Message("{rule} is given twice.", "Give it once, with the sum of the probabilities.")
    J671 = Message("There is no rule for the root '{root}'.", "Give at least one, such as 'ROOT -> S 1.0'.")
    J672 = Message(
        "Tree {number} has the label '{label}'.",
        "Use labels that do not begin with '@', contain '^' or '|', or end in a hyphen and a number.",
    )
    J674 = Message("The probabilities of '{symbol}' add up to {total}.", "Their sum must be at most 1.")
    J675 = Message(
        "Word {word} of {n_words} has the tag {tag} with the log-probability {score}.",
        "Use tags of the grammar and finite log-probabilities of at most 0.",
    )
    J682 = Message("The boundary model has {found} symbols, the grammar {expected}.", "Estimate it for this grammar.")
    J683 = Message(
        "The chart lacks '{symbol}' where the nodes have it.",
        "Give the nodes that `parse` returned for the same words and widths.",
    )
    J684 = Message(
        "Cycles of unary rules have no finite sum of probabilities.",
        "The probabilities of a cycle must multiply to less than 1.",
    )
    J695 = Message(
        "There is no closing '{kind}' with {n} classes.",
        "Use 'constituents' or 'complete' with 2 classes, or 'widths' with 5.",
    )
    J700 = Message(
        "A sentence has {n} words, more than {limit}.",
        "Raise max_words, or let cut_long cut sentences at clause marks.",
    )
    J702 = Message("{word!r} has no tag in the tree of {words!r}.", "Give every word of a tree a tag.")
    J703 = Message(
        "The tree of {words!r} is discontinuous; a grammar needs continuous ones.",
        "Convert the treebank: python -m spacy joint convert --continuous english.",
    )

    # Commands
    J155 = Message("{option} cannot be combined with {other}.", "Leave out one of the two.")
    J410 = Message(
        "{config} never stops training: max_epochs is {max_epochs} and max_steps is {max_steps}.",
        "Set one of them. Early stopping is not possible: it would use the held-out documents.",
    )
    J411 = Message("{config} trains no component that predicts {attribute}.", "Add a sequence_tagger or parser_guide.")
    J442 = Message(
        "Cannot resume from {path}: '{name}' {what}.",
        "Give the model-last of `spacy train`, or a checkpoint if there is a guide, not a finished pipeline.",
    )
    J443 = Message("Components of {path} saw different numbers of documents ({counts}).", "Use an earlier checkpoint.")
    J444 = Message(
        "The first {n} documents do not end at the end of a batch.",
        "Resume with the corpus, the batcher and the seed that the training started with.",
    )
    J521 = Message(
        "The name of {path} does not show whether it is for training, development or test.",
        "Name it as in `de_gsd-ud-train.conllu`, or give it by --train, --dev or --test.",
    )
    J522 = Message(
        "There is neither a training nor a development set (found: {found}).",
        "Give a CoNLL-U file with `train` or `dev` in its name, or give it by --train.",
    )
    J523 = Message(
        "There are {n} documents; at least {least} are needed.",
        "Give more annotated documents, or give --documents a smaller number of sentences.",
    )
    J524 = Message(
        "spaCy has no language '{language}'.",
        "Use `--language xx`, which has no language-specific rules, or install a package with this language.",
    )
    J525 = Message("The names of the files do not show their language.", "Give it, e.g. by `--language de`.")
    J716 = Message("{option} requires {needed}.", "Add it, or leave out the other.")
    J718 = Message("{path} is {what}, not one text.", "Use {command}.")

    # Transcripts
    J460 = Message("{source}, line {line}: {found!r} belongs to no cue.", "Write the times of a cue above it.")
    J461 = Message(
        "{source}, line {line}: {found!r} has `-->`, but not the times of a cue.",
        "Write them as `00:01:02.500 --> 00:01:04.000`, with minutes and seconds below 60.",
    )
    J462 = Message("{source}, line {line}: the cue ends before it starts ({found}).", "Correct its times.")
    J463 = Message("{source} is not WebVTT: it begins without `WEBVTT`.", "Add this line, or read the file as srt.")
    J465 = Message(
        "{source} is JSON, but not of a known recogniser, such as Whisper, AWS Transcribe, Google, Azure, Deepgram, "
        "AssemblyAI, Speechmatics, Rev, ElevenLabs, NeMo and vosk, or of a known chat.",
        "Convert it to one of these, or to srt or vtt.",
    )
    J466 = Message("{source} is like the JSON of {service}, but damaged ({reason}).", "Export the transcript again.")
    J467 = Message(
        "{source}, line {line}: {found!r} is not a line of {format}.", "Write its fields in this order: {fields}."
    )
    J469 = Message(
        "{source} has JSON lines or columns, not one text.",
        "Annotate them by `spacy joint annotate-corpus`, or give the format of the text (`--format-in text`).",
    )
    J468 = Message("{source} has no turns: no line begins with a speaker and a colon.", "Read it as text instead.")
    J470 = Message("The document has no times, so it cannot be written as {format}.", "Write text, markdown or csv.")

    # Serving
    J431 = Message("The text has more than {most} characters.", "Split it, or raise the server's --max-characters.")
    J432 = Message(
        "The request is invalid: {reason}.",
        'Send a JSON object with a string "text", as Content-Type application/json.',
    )
    J433 = Message("The server has been busy for {seconds:g} seconds.", "Try again.")
    J434 = Message(
        "Annotating the text took more than {seconds:g} seconds and was stopped.",
        "Split the text, or start the server with a higher --timeout.",
    )
    J435 = Message("The text could not be annotated; see the output of the server.", "Try another text.")
    J445 = Message("The server already has {most} texts to annotate.", "Try again in {seconds:g} seconds.")
    J446 = Message("There is nothing at this address.", "See /docs for the addresses of the API.")
    J447 = Message("This address does not accept {method}.", "Use a method of the header Allow, or see /docs.")
    J448 = Message("The body is not valid JSON.", 'Send a JSON object with a string "text", in UTF-8.')
    J449 = Message(
        "The text has no sentence {sentence} with a tree.",
        "Give an index of `sentences`, from 0, and use a pipeline with a parser.",
    )
    J450 = Message(
        "The request has no Host, several, or one that the server does not allow.",
        "Use the address that the server shows, or start it with another --host.",
    )
    J451 = Message("The body was not complete after {seconds:g} seconds.", "Send it again, over a faster network.")
    J453 = Message("The server has no such pipeline.", "Choose one of {pipelines}.")
    J741 = Message("The server is loading the pipeline.", "Try again.")
    J742 = Message("The pipeline cannot be loaded ({reason}).", "See the output of the server for the cause.")
    J743 = Message(
        "Cannot listen on port {port} of {host}: {reason}.",
        "Choose another --port (0 picks a free one) or --host, or stop what uses the port.",
    )

    # Columns that users add
    J612 = Message(
        "The column '{name}' is {found} for a document of {n_tokens} tokens.",
        "Give a list with one value per token, including whitespace; None if unknown. If tokens have been merged or "
        "split since, give the values again, or delete the column from doc._.token_columns.",
    )
    J613 = Message(
        "The column '{name}' has the value {value!r}.", "Use {allowed}, and None. Floats need 'edges' in its settings."
    )
    J614 = Message(
        "'{name}' reads columns that tokens of a stream lack: {columns}.",
        "Give documents that have them, call the pipeline on whole documents, or use a parser without these columns.",
    )
    J615 = Message(
        "The column '{name}' has offsets of heads that are not integers.",
        "Give the head's position minus that of the token, 0 for the root of a sentence, and None if unknown.",
    )

    # Guides
    J641 = Message(
        "The transformer '{name}' cannot be read ({reason}).",
        "Give the name of one on the Hugging Face hub, or a directory with its configuration, weights and tokenizer.",
    )
    J644 = Message(
        "{name} has no weights, and cannot learn them.",
        "Train a pipeline with a Transformer, and convert it by `python -m spacy joint export-onnx`.",
    )
    J649 = Message(
        "A document of {n_tokens} tokens has {found} tokens when its guide returns it.",
        "Do not merge or split tokens before the stream has yielded them.",
    )
    J659 = Message(
        "'{name}' reads a guide whose heads may be in other parts of the stream.",
        "Give it the documents that the `stream` of a parser_guide yields, or call the pipeline on whole documents.",
    )
    J661 = Message(
        "At update {step} of '{name}', the loss is {loss}: training has diverged.",
        "Lower `training.optimizer.learn_rate` or `grad_clip`, and restart, or resume from an earlier checkpoint.",
    )
    J665 = Message(
        "The pretrained guide {path} lacks the labels {labels}.",
        "Pretrain it with the labels of the treebank: `--paths.labels`, a file that `spacy init labels` wrote.",
    )

    # Corpora of any size
    J713 = Message(
        "{address} cannot be the output: {reason}.",
        "Give an empty directory, or repeat the command that wrote this one.",
    )
    J717 = Message(
        "The pipeline on {place} is {found}, not {expected}.", "Install the same pipeline and packages on all machines."
    )
    J730 = Message(
        "Worker processes died {n} times: {reason}.",
        "They may lack memory: see the system's log. Use fewer workers or smaller parts.",
    )
    J740 = Message(
        "Ray does not start, cannot be reached, or failed ({reason}).",
        "See its logs and `ray status`. The same command continues the work.",
    )

    # Training beyond one machine
    J732 = Message(
        "{n_states} training states do not fit {n_tables} tables with the features {wanted}.",
        "Give one per table, all from the same model after the same updates.",
    )
    J733 = Message(
        "Training over shards is not possible with {n} trained components ({names}).",
        "Train one structured perceptron of this package, and freeze all others in [training.frozen_components].",
    )
    J735 = Message("Shard {shard} of {n_shards} has no documents.", "Give no more shards than there are documents.")


class Warnings:
    """The catalogue of warnings. Attributes are the codes."""

    JW01 = Message(
        "'{name}' cannot learn from {n} of the first {total} documents of the training corpus: they lack annotation, "
        "or have labels that the component was not initialized with.",
        "Correct the corpus, or leave these documents out.",
    )
    JW02 = Message(
        "'{name}' reads {attribute}, but no token of this document has it. Predictions suffer.",
        "Put a component that sets it, such as a {setter}, before '{name}' (while training, in "
        "annotating_components); or train '{name}' with templates that do not read it.",
    )
    JW03 = Message(
        "'{name}' ignores labels that it was not initialized with, such as '{label}'.",
        "Initialize it with all labels, or correct the corpus.",
    )
    JW04 = Message(
        "'{name}' needs sentence boundaries; a document without them is parsed as one sentence.",
        "Put a component that sets them before it, such as a joint_sbd_parser.",
    )
    JW06 = Message(
        "'{name}' cannot learn sentence boundaries: each of the first {total} documents of the corpus is one sentence.",
        "If a conversion lost the documents, `spacy joint convert --documents` can restore them.",
    )
    JW20 = Message(
        "The tokenizer ({tokenizer}) hardly suits the corpus: on the text of its first {n_words:,} words, it finds "
        "{recall:.1f} % of them, and {precision:.1f} % of its tokens are words (F1 {f_score:.1f}, less than {least}).",
        "{advice}.",
    )
    JW30 = Message(
        "{file} has {n} `# newdoc` comments, so every {sentences} sentences become a document.",
        "Mark the documents by `# newdoc`, or say by --documents how they are delimited.",
    )
    JW31 = Message("There is no training set: the development set is used.", "Give a training set, if there is one.")
    JW32 = Message(
        "No development set: the last {n} of {total} training documents are held out.", "Give one, if there is one."
    )
    JW34 = Message(
        "No archive of the package {name} could be made ({reason}).",
        "Install its directory by `pip install` instead, or install `build` and `setuptools`.",
    )
    JW37 = Message(
        "The templates of '{name}' read the column '{column}', but this document lacks it. Predictions suffer.",
        "Set `doc._.token_columns['{column}']`, or put the component that sets it before '{name}'. In training, use a "
        "reader of this package: `spacy.Corpus.v1` drops the columns of documents.",
    )
    JW41 = Message(
        "'{name}' was calibrated with other settings ({settings}), so its boundary probabilities may be wrong.",
        "Restore these settings, or calibrate it again by `python -m spacy joint calibrate`.",
    )
    JW42 = Message(
        "'{name}' reads tags, but this document has none, so its grammar chooses them.",
        "Put a component that sets them before it, such as a sequence_tagger, or set its `tags` to 'own'.",
    )
    JW43 = Message(
        "{n} files of {address}, such as {example}, are left out: {reason}.",
        "To read them, name them, and give --format-in if their formats are unknown.",
    )
    JW44 = Message(
        "{n:,} of {total:,} records failed, first record {record} of {source} ({reason}).",
        "See {address} for all places and reasons.",
    )
    JW46 = Message(
        "Tree {number} is discontinuous. Such trees are written in their continuous variants.",
        "Write discbracket, export or alpino to keep such trees.",
    )
    JW47 = Message(
        "Sentence {sentence} of document {document}, {words}, is written without its tree: {found}.",
        "Use a pipeline that gives each sentence exactly one root, and heads within it.",
    )
    JW48 = Message("The trees of document {number} are not written ({reason}).", "Use another pipeline for it.")
    JW49 = Message(
        "{n} of {total} {what} begin at times estimated by the number of characters, since the source has none.",
        "For measured times, use a transcript with times of words.",
    )
    JW50 = Message(
        "The pipeline knows only {share:.0%} of the words of the text, so its annotation is probably wrong.",
        "Use a pipeline for the language of the text.",
    )
    JW51 = Message(
        "The setting 'features' of '{name}' has {feature!r}, but no tag of the training corpus has this feature.",
        "Correct its name, or leave it out.",
    )
    JW52 = Message(
        "The setting 'columns' of '{name}' has {column!r}, but its templates do not read this column.",
        "Correct its name, or add templates that read it, as `additional_templates`.",
    )


def format_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Formats a warning for commands: one with a code without its place in the source. See `warnings.formatwarning`."""
    if isinstance(message, JointWarning) or SPACY_CODE.match(str(message)):
        return f"{message}\n"
    return _format_warning(message, category, filename, lineno, line)


def check_choice(name: str, value: object, allowed: Collection[object]) -> None:
    """Raises J040 unless a value is one of those allowed."""
    if value not in allowed:
        raise JointValueError(Errors.J040, name=name, value=value, allowed=", ".join(map(str, allowed)))


def check_value(name: str, value: object, is_valid: object, allowed: object) -> None:
    """Raises J030 unless a value is valid."""
    if not is_valid:
        raise JointValueError(Errors.J030, name=name, value=value, allowed=allowed)


def check_range(name: str, value: float, minimum: float, maximum: float | None = None) -> None:
    """Raises J030 unless a number is between the minimum and the maximum (None: any)."""
    # spaCy accepts strings as numbers in configs.
    if isinstance(value, str) or not (minimum <= value and (maximum is None or value <= maximum)):
        allowed = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise JointValueError(Errors.J030, name=name, value=value, allowed=allowed)


def require_packages(extra: str, *packages: str) -> None:
    """Raises J710 unless the packages of an extra are installed; does not import them."""
    for package in packages:
        if find_spec(package) is None:
            raise JointValueError(Errors.J710, package=package, extra=extra)


@contextmanager
def report_damage(source: str, what: str | None = None, message: Message | None = None) -> Iterator[None]:
    """Reports exceptions in parsing as damaged data, by default with J052, or J050 without `what`. This also reports
    bugs as damage."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, JointError):
            raise
        message = message or (Errors.J050 if what is None else Errors.J052)
        raise JointValueError(message, source=source, what=what) from error
