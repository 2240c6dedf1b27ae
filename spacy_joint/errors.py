"""Every error and warning that users can meet, in one catalogue: what was wrong, and what is allowed or what to do.

The codes continue spaCy's style (`[E024] ...`) with a prefix of our own, `J`, so that they can be searched for. Codes
are never reused. Whoever catches an error asks its class and its attributes, never its text:

    raise JointValueError(Errors.J030, width=width, most=MAX_WIDTH)
"""

from __future__ import annotations


class Message:
    """What an error or a warning says: the cause, with the value that was wrong, and the fix."""

    __slots__ = ("cause", "code", "fix")

    def __init__(self, cause: str, fix: str, code: str = "") -> None:
        self.cause, self.fix, self.code = cause, fix, code

    def __set_name__(self, owner: type, name: str) -> None:
        self.code = name

    def format(self, **values: object) -> Message:
        """The message with its placeholders filled."""
        return Message(self.cause.format(**values), self.fix.format(**values), self.code)

    def __str__(self) -> str:
        return f"[{self.code}] {self.cause} {self.fix}"


class _Coded(Exception):
    """What is raised, or warned of, with a message of the catalogue.

    message (Message): From `Errors` or `Warnings`.
    values (object): What its placeholders stand for.
    """

    def __init__(self, message: Message, **values: object) -> None:
        super().__init__(message.format(**values) if values else message)

    @property
    def code(self) -> str:
        """The code in the catalogue, such as "J030"."""
        return self.args[0].code

    @property
    def cause(self) -> str:
        """What was wrong."""
        return self.args[0].cause

    @property
    def fix(self) -> str:
        """What is allowed, or what to do."""
        return self.args[0].fix

    def __str__(self) -> str:
        return str(self.args[0])


class JointError(_Coded):
    """An error of this package. Its subclasses are Python's own errors, too, such as ValueError."""


class JointValueError(JointError, ValueError):
    """A value, a file or annotation that cannot be used."""


class JointOSError(JointError, OSError):
    """A file that cannot be read or written."""


class JointFileNotFoundError(JointOSError, FileNotFoundError):
    """A file that is not there."""


class JointMemoryError(JointError, MemoryError):
    """A search that needs more memory than there is."""


class JointWarning(_Coded, UserWarning):
    """A warning of this package."""


class Errors:
    """The catalogue. Attributes are the codes."""

    # Engine
    J001 = Message(
        "Columns of shape {shape} do not fit {n_columns} names.", "Give one row per token and one column per name."
    )
    J002 = Message("A document of {n_tokens} tokens is too long: the limit is 2^31.", "Split it.")
    J003 = Message("Out of memory while searching.", "Use a smaller beam_width, or split the document.")
    J004 = Message(
        "A system has {n_kinds} kinds of actions; at most {most} are allowed.",
        "Put actions that are legal in the same states into one kind.",
    )
    J005 = Message("Action {action} is not legal here.", "Legal are (the first 20 of) {legal}.")
    J006 = Message("This system has no actions: it was not constructed.", "Call the constructor of its base class.")
    J007 = Message("This {what} is in use by another thread.", "Give each thread one of its own.")
    J008 = Message("{name} continues states by candidates: they have rows of slots, states do not.", "Use `Walk.rows`.")
    J009 = Message(
        "No item of the beam can go on after step {step}: a score is not a number.", "Train the model again."
    )
    J010 = Message(
        "Unknown atom '{name}' in line {line} of the templates.",
        "Allowed are TOKEN.COLUMN with tokens {tokens} (also TOKEN+n and TOKEN-n up to n = {most}) and columns "
        "{columns}; and the values {values}.",
    )
    J011 = Message("The templates have {n} lines with features.", "1 to {most} are allowed.")
    J012 = Message("Line {line} of the templates joins {n} atoms.", "At most {most} are allowed.")
    J013 = Message(
        "The block of templates that starts in line {line} reads {n} atoms; at most {most} are allowed.",
        "Divide it by a blank line.",
    )
    J020 = Message("table_bits is {bits}; 8 to 30 are allowed.", "22 to 24 suit a treebank.")
    J021 = Message("A table with rows of {width} cells is out of range: 1 to 32768 are allowed.", "Use fewer labels.")
    J022 = Message(
        "An array of weights is {got}, but this table needs {wanted}: the model was made with other settings.",
        "Load it with the config that it was trained with.",
    )
    J023 = Message(
        "These weights can only predict: what learning needs was not saved with them.",
        "Initialize the component again.",
    )
    J024 = Message(
        "These weights were not finished: there is nothing to predict with.", "Train the component, or load a model."
    )
    J025 = Message("min_changes is {min_changes}.", "1 to 255 are allowed.")
    J026 = Message("n_tables is {n_tables}.", "1 to {most} are allowed.")
    J027 = Message(
        "The bias of action {action} is {value}.",
        "Allowed are numbers up to {most}, for actions that the system has.",
    )
    J028 = Message(
        "These weights are in use by another call that learns.",
        "Wait for it to end, or give each learner its own weights.",
    )
    J030 = Message("beam_width is {width}.", "1 to {most} are allowed.")
    J031 = Message("A system has {n} actions; 1 to {most} are allowed.", "Use fewer labels.")
    J032 = Message("A system has {n} slots.", "At most {most} are allowed.")
    J033 = Message(
        "Rows of {width} weights do not fit a system with {n} actions: the model was made for other labels.",
        "Load it with the labels that it was trained with.",
    )
    J034 = Message(
        "The document has columns {got}, but the templates read {wanted}.",
        "Make the columns that the templates were set up with.",
    )
    J035 = Message("{name} cannot search a document that is still coming.", "Give it the whole document.")
    J036 = Message("Tokens came after the end of a stream.", "Open a new stream for a new document.")
    J037 = Message("'{name}' cannot take a document that is still coming.", "Put it after the parser, or leave it out.")
    J038 = Message(
        "There is no joint_sbd_parser among {pipeline}, and nothing else splits a stream into sentences.", "Add one."
    )
    J039 = Message("This stream failed before, so its search is incomplete.", "Open a new stream.")
    J040 = Message("Unknown {what} '{name}'.", "Known are: {known}.")
    J041 = Message("aggressiveness is {value}.", "It must be above 0.")
    J042 = Message("threads is {value}.", "It must be at least 1.")
    J043 = Message(
        "The correct actions ({n}) are not a legal path: step {step} is not possible. The annotation contradicts "
        "itself.",
        "Correct it.",
    )
    J044 = Message("dropout is {value}.", "0 to 1 are allowed.")
    J045 = Message("Cannot forget {n} tokens of a stream.", "Its window has {n_tokens}.")
    J046 = Message(
        "The columns have {n} facts per token; the system reads {wanted}.", "Give those that its task makes."
    )
    J050 = Message(
        "{source} is not a model of spacy_joint.", "Give the path of a pipeline that was saved with nlp.to_disk."
    )
    J051 = Message(
        "{source} is a model of format {version}; this version reads format {known}.",
        "Install the version that made it.",
    )
    J052 = Message(
        "{source} is damaged: {what} is incomplete or was changed.", "Copy the model again, or train it again."
    )
    J060 = Message(
        "The perceptron has no labels and no weights yet.", "Initialize the component with examples, or load a model."
    )
    J061 = Message(
        "{source} was made for other labels or templates ({got}, not {wanted}).",
        "Load it with the config and the cfg that it was saved with.",
    )
    J070 = Message(
        "Cannot add the label '{label}' to '{name}': its actions are laid out once.",
        "Initialize it with all labels.",
    )
    J071 = Message(
        "The component '{name}' was not trained.",
        "Call nlp.initialize() and train it, or load a trained pipeline.",
    )
    J072 = Message("There are no templates at {path}.", "Give the path of a text file that contains feature templates.")
    J073 = Message(
        "{path} is not a saved component: it has no file '{name}'.", "Give a path that was saved with nlp.to_disk."
    )
    J074 = Message(
        "Word classes come in {sizes} granularities.",
        "Every word needs the same number of them, and at most {most}.",
    )

    # Corpora
    J100 = Message(
        "The path of the corpus is None.",
        "Give the path of a {suffix} file or of a directory of them, e.g. with `--paths.train` and `--paths.dev` on "
        "the command line.",
    )
    J101 = Message(
        "There is no file or directory {path}.", "Give the path of a {suffix} file or of a directory of them."
    )
    J102 = Message(
        "The directory {path} has no {suffix} file.",
        "Files in its subdirectories are not read: give the directory that they are in.",
    )
    J103 = Message(
        "{file}, line {line}: {found} columns are filled. A word of CoNLL-U has 10 columns separated by single tabs, "
        "none of them empty (`_` stands for a missing value).",
        "Correct the line, or convert the file to CoNLL-U.",
    )
    J104 = Message(
        "{file}, line {line}: the id is {found!r} where {expected} is expected. The words of a sentence are numbered "
        "1, 2, 3, ...; a multiword token is `first-last` just before its first word; an empty node is `word.number`.",
        "Renumber the sentence, or put an empty line between it and the one before.",
    )
    J105 = Message(
        "{file}, line {line}: the head is {found!r}. It must be the number of a word of the sentence, or 0 for its "
        "root. (Only if all sentences of a document have no tree may heads be `_`.)",
        "Correct the line.",
    )
    J106 = Message(
        "{file}, line {line}: the head is {found}, but the sentence has {size} words. Allowed are 0 (root) to {size}.",
        "Correct the head, or restore the missing words.",
    )
    J107 = Message(
        "{file}, line {line}: no word of this sentence has head 0. Each sentence has exactly one such word.",
        "Give its root head 0.",
    )
    J108 = Message(
        "{file}, line {line}: a second word has head 0. A sentence has exactly one such word.",
        "Attach one to the other.",
    )
    J109 = Message(
        "{file}, line {line}: following the heads from this word leads back to it. A tree has no cycles: all words "
        "lead to the root.",
        "Correct one of the heads.",
    )
    J110 = Message(
        "{file}, line {line}: the sentence {found} while the sentences before it in its document {before}. A document "
        "has trees for all of its sentences or for none.",
        "Add the missing ones, or split the document with `# newdoc`.",
    )
    J112 = Message(
        "{file} has no sentences. A CoNLL-U corpus needs at least one.",
        "Remove the file, or check how it was written.",
    )
    J113 = Message(
        "{file}, line {line}: UPOS is {found!r}. Allowed are the universal tags ({allowed}) and `_`.",
        "Put tags of another tag set into XPOS, the fifth column.",
    )
    J114 = Message(
        "{file}, line {line}: FEATS is {found!r}. Allowed are `_` and features of the form `Name=Value` separated by "
        "`|`.",
        "Correct the sixth column.",
    )
    J115 = Message(
        "{file}, line {line}: documents='sent_id' needs a sent_id that ends in a number after `-` or `_`, as in "
        "`# sent_id = weblog-12`; it is {found!r}.",
        "Use documents='newdoc' or a number of sentences instead.",
    )
    J116 = Message(
        "documents={found!r} is not known.",
        "Choose 'newdoc' (`# newdoc` comments), 'sent_id' (all but the number at the end of sent_id), or a number of "
        "sentences, 1 or more.",
    )
    J117 = Message(
        "{file}, line {line}: spaCy, which derives sentence boundaries from trees, would cut this sentence ({words}): "
        "it is too far from projective. Boundaries survive where fewer arcs cross.",
        "Correct or remove the sentence.",
    )
    J118 = Message(
        "Document {document} cannot be written as CoNLL-U: it has no sentence boundaries.",
        "Parse it, or set is_sent_start on its tokens.",
    )
    J119 = Message(
        "Sentence {sentence} of document {document}, {words}, cannot be written as CoNLL-U: {found}. Allowed is "
        "exactly one root, with all heads inside the sentence.",
        "Set the heads anew, and with them the boundaries.",
    )
    J120 = Message(
        "{file} cannot be read as a DocBin ({reason}).",
        "Write it with `DocBin.to_disk`, for example by `spacy convert`.",
    )
    J121 = Message(
        "keep={found!r} is not known.", "Token annotations that can be kept on the predicted side are: {allowed}."
    )
    J122 = Message(
        "keep has {attribute}, but document {document} of {path} has no such annotation.",
        "Annotate the corpus, or leave {attribute} out of keep.",
    )
    J123 = Message(
        "Punctuation cannot be removed from a document without {attribute}. It needs POS (to know what is punctuation) "
        "and SENT_START.",
        "Annotate the document first.",
    )
    J124 = Message(
        "Punctuation cannot be removed from the document {words}: its trees have other boundaries than its sentences. "
        "Each sentence must have exactly one root and all of its heads inside.",
        "Set the heads anew.",
    )
    J125 = Message(
        "Punctuation cannot be removed from an example whose predicted document is tokenised differently from its "
        "reference ({words}). Both sides must have the same tokens.",
        "Read the corpus with spacy_joint.ConlluCorpus.v1 or spacy_joint.DocBinCorpus.v1.",
    )
    J126 = Message(
        "share={found!r} is not a probability.",
        "Give a number from 0 (leave all documents alone) to 1 (change all of them).",
    )
    J127 = Message("sentences is {found}.", "A document has at least 1.")
    J128 = Message(
        "{found!r} is not a regular expression ({reason}).",
        "Give one that matches the beginning of the sent_ids to leave out.",
    )
    J129 = Message("The pipeline ({pipeline}) has no {name}, which tags text without punctuation.", "Add one.")
    J131 = Message(
        "{file}, line {line}: {found} where none is possible. A tree is `(LABEL tree tree ...)` or `(TAG word)`.",
        "Correct the line, or write brackets that are words as -LRB- and -RRB-.",
    )
    J132 = Message(
        "{file}, line {line}: the bracket opened here is never closed.", "Close it, or restore the end of the file."
    )
    J133 = Message(
        "{file}, line {line}: {found!r} has no tag.",
        "Write tagged text as `word/tag word/tag ...`, one sentence per line.",
    )
    J140 = Message(
        "{file} has no text beside it ({text}). Standoff annotation needs the text that it was made for.", "Copy both."
    )
    J141 = Message(
        "{file}, line {line}: {found} is not in the text or was not annotated. Standoff annotation and text belong "
        "together.",
        "Copy both anew, without changing line ends.",
    )
    J142 = Message("{file}, line {line}: {found!r} is not {expected}.", "Correct the line.")
    J143 = Message(
        "Two systems can only be compared on the same documents, but one has {first} and the other {second}.",
        "Let both annotate all of them.",
    )
    J144 = Message(
        "The document {words!r}... has no spans under '{key}', from which its cues were to be taken.",
        "Write the corpus with `spacy joint jackknife`, or leave `cues` out.",
    )

    # Tokenizers, raw text
    J150 = Message(
        "Exceptions are for spaCy's own Tokenizer, not for a {found}.",
        "Choose another tokenizer, or leave the exceptions out.",
    )
    J151 = Message("The exception for {string!r} does not divide it: {pieces}.", "Its pieces must make up the string.")
    J152 = Message("The text {found!r} was compared with another one, {expected!r}.", "Only whitespace may differ.")
    J153 = Message(
        "{file}, line {line}: the words do not spell the text {text!r}, as those of some multiword tokens do not. "
        "spaCy's tokens always do.",
        "Evaluate this treebank without --raw-text.",
    )
    J154 = Message(
        "{path} cannot be evaluated from raw text.",
        "Give a CoNLL-U file (.conllu): no other format tells how its paragraphs are divided.",
    )
    J155 = Message("--raw-text is for the text as it is, without --{option}.", "Leave out one of the two.")

    # Parsing
    J300 = Message(
        "The joint parser needs at least one label for roots and one for arcs.", "Give it annotated examples."
    )
    J301 = Message("sb_position is '{value}'.", "Allowed are 'early' and 'late'.")
    J302 = Message(
        "There are {n_heads} heads, {n_labels} labels and {n_starts} sentence starts.", "Give one of each per token."
    )
    J303 = Message(
        "The head of token {token} is {head}, outside its sentence of tokens {begin} to {last}.",
        "Heads must stay within the sentence.",
    )
    J304 = Message(
        "The sentence of tokens {begin} to {last} has {n} roots.", "Give it exactly one token that heads itself."
    )
    J305 = Message("The heads of the sentence of tokens {begin} to {last} form a cycle.", "Give it a tree.")
    J306 = Message(
        "A search cannot have arrays of shapes {shapes}, of these types, or names items that it does not have.",
        "Use `Search.trace`.",
    )
    J307 = Message("n_best is {value}.", "It must be at least 1.")
    J308 = Message("boundary_bias is {value}.", "Give a number up to {most}; one below 0 makes boundaries fewer.")
    J309 = Message("max_delay is {value}; it is the number of words that may wait.", "Give a number above 0, or None.")

    # Tagging
    J310 = Message("The sequence tagger has no tags.", "Give it annotated examples, or labels.")
    J311 = Message("order is {value}.", "0, 1 or 2 are allowed.")
    J312 = Message("attribute is '{value}'.", "Allowed are: {allowed}.")
    J313 = Message("There are {n_tags} tags, but sentence starts of shape {shape}.", "Give one of each per token.")
    J314 = Message(
        "These actions are not a complete path of this system over this document: step {step} of {n} is not possible, "
        "or steps are missing after it.",
        "Give the actions that a search found.",
    )

    # Quotations
    J320 = Message(
        "A span of tokens {begin} to {end} cannot follow here.",
        "Spans must not overlap and must have two tokens or more, from {first} to {last}.",
    )
    J321 = Message(
        "'{name}' has nothing to learn: no example has spans in doc.spans['{key}'].", "Give it annotated examples."
    )
    J322 = Message(
        "'{name}' has no quotations to combine with: doc.spans['{key}'] is missing.",
        'Put a quotation_spans with method = "chain" and spans_key = "{key}" before it.',
    )

    # Constituency
    J330 = Message(
        "There are no constituents to learn.",
        "Give examples with trees: `doc.spans` with a group of constituents.",
    )
    J331 = Message(
        "Line {line} of the head rules, {found!r}, is not a rule.",
        "Give a label, a direction ({allowed}) and labels of children, of which left and right need at least one.",
    )
    J332 = Message("max_span is {value}; it must be at least 1.", "7 is usual.")
    J333 = Message("There are {n} labels of constituents.", "Fewer than {most} are allowed.")
    J334 = Message("The head of a binary constituent is on the side {value!r}.", "Allowed are 'L' and 'R'.")
    J335 = Message(
        "The constituent {label} of tokens {start} to {end} ({words!r}) crosses another one.",
        "Constituents must be nested or apart.",
    )
    J336 = Message(
        "The document has no constituents.",
        "Process it with a hedge_chunker, or set `doc.spans['constituents']`.",
    )
    J337 = Message(
        "{words!r} cuts the constituent {label} over {other!r}: it has no tree of its own.", "Take all of it, or less."
    )
    J338 = Message(
        "'{name}' was made without `joint`: it parses segments, and the document has none.",
        "Put a hedge_segmenter before it, or set `joint` to true and train it.",
    )
    J339 = Message(
        "The pipeline does not contain this component, '{name}'.", "Give the pipeline that the component is in."
    )
    J340 = Message("max_unary is {value}.", "0 to {most} are allowed.")

    # Ordering
    J350 = Message(
        "{file}, line {line}: not a noun phrase.",
        "A line must be a JSON list of modifiers and, last, the head (or null), each a list of a word and its tag.",
    )
    J352 = Message(
        "There are no phrases with two or more modifiers in {paths}: there is nothing to learn an order from.",
        "Give more text.",
    )
    J353 = Message("source is '{value}'.", "Allowed are: {allowed}.")
    J354 = Message(
        "A block of templates names {names}, which do not belong to one part of an order.", "Divide it by a blank line."
    )
    J355 = Message("A phrase has {n} modifiers; at most {most} can be ordered.", "Order parts of it.")
    J356 = Message("{order} is not an order of {n} modifiers.", "Give each number from 0 to n-1 once.")
    J357 = Message("There are {n_tags} tags for {n} modifiers.", "Give one per modifier, or none at all.")
    J358 = Message("{path} is plain text, whose words have no tags.", "Give a pipeline that tags them.")
    J359 = Message("The modifiers are one string, {text!r}.", "Give a list of them.")

    # Pretrained pipeline and command line
    J400 = Message(
        "This installation has no pretrained pipeline (it would be {path}).",
        "Install a release of spacy-joint, or name a pipeline of your own: the package of one, or the directory that "
        "`spacy train` wrote.",
    )
    J401 = Message(
        "{setting} cannot be set: no component of {pipeline} has it (its components: {components}).",
        "Leave {setting} out.",
    )
    J402 = Message("There is no file {path}.", "Give the path of a file, or `-` where the standard input can be read.")
    J403 = Message(
        "{source}, line {line}: not UTF-8 (byte {byte}). Only UTF-8 is read.", "Convert the file, e.g. with iconv."
    )
    J404 = Message("The format '{found}' is not known.", "Allowed are: {allowed}.")
    J405 = Message(
        "A DocBin is binary and cannot be printed.", "Say where to write it, e.g. `--output annotated.spacy`."
    )
    J406 = Message(
        "{model} has found no sentences in document {document}.",
        "The output needs a pipeline that finds them, such as one with a joint_sbd_parser.",
    )
    J407 = Message("{path} is neither {allowed}.", "Convert it to one of these, or correct the ending of its name.")
    J408 = Message(
        "The training corpus of {config} is read by {found}. Only documents read by {allowed} can be divided into "
        "folds.",
        "Write the corpus with `spacy joint convert` and use one of these.",
    )
    J409 = Message("folds is {folds}.", "It must be at least 2 and at most the number of documents, {documents}.")
    J410 = Message(
        "{config} trains without end: max_epochs is {max_epochs} and max_steps is {max_steps}.",
        "Set one of them, as the taggers of the folds cannot stop early by documents that they must not have seen.",
    )
    J411 = Message("{config} trains nothing that predicts {attribute}.", "Give a config with a sequence_tagger.")
    J412 = Message("There is nothing to learn word classes from in {paths}: no sentence with words.", "Give more text.")
    J413 = Message("There are no documents with words in {path}.", "Give a corpus that has some.")
    J414 = Message("{path} is not a pipeline: it has no config.cfg.", "Give the directory that `spacy train` wrote.")
    J415 = Message("The labels of {name} are always {allowed}, not {labels}.", "Leave `labels` out.")
    J416 = Message(
        "There is nothing to write.",
        "Give --output to learn an order, --phrases to find what it is learnt from, or both.",
    )

    # Serving
    J430 = Message(
        "`serve` needs {package}, which is not installed.", "Install the extra: pip install 'spacy-joint[serve]'."
    )
    J431 = Message(
        "The text has more than {most} characters.", "Divide it, or start the server with another --max-characters."
    )
    J432 = Message("The request was not understood: {reason}.", 'Send JSON, an object with a string "text".')
    J433 = Message("The server is busy, and has been for {seconds:g} seconds.", "Try again.")
    J434 = Message(
        "Annotating the text took more than {seconds:g} seconds and was stopped.",
        "Divide it, or start the server with another --timeout.",
    )
    J435 = Message("The text could not be annotated; the output of the server says why.", "Try another text.")
    J436 = Message("The pipeline {pipeline} could not be loaded.", "What was printed before says why: correct that.")

    # Files
    J440 = Message(
        "{path} was not written: {reason}. What was there before is still there.", "Make room, or write elsewhere."
    )
    J441 = Message("{path} cannot be read or written: {reason}.", "Check the path and its permissions.")
    J442 = Message(
        "{path} has no checkpoint to go on from: '{name}' {what}.",
        "Give the model-last of `spacy train`, not a finished pipeline.",
    )
    J443 = Message(
        "The components of {path} have learnt from different numbers of documents ({counts}). Only what was saved at "
        "one moment can go on.",
        "Use an earlier checkpoint.",
    )
    J444 = Message(
        "The first {n} documents do not end with a batch.",
        "Go on with the corpus, the batcher and the seed that the training began with.",
    )


class Warnings:
    """The catalogue of warnings. Attributes are the codes."""

    JW01 = Message(
        "'{name}' could learn nothing from {n} of the first {total} documents of the training corpus: they lack the "
        "annotation, or have labels that the component was not initialized with.",
        "Correct the corpus, or leave these documents out.",
    )
