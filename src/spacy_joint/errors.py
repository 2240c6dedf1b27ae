"""A catalogue of every error and warning that users can meet: what is wrong, and what is allowed or how to fix it.

The codes follow spaCy's style (`[E024] ...`) with our own prefix, `J`, so that they are easy to search for. Codes are
never reused. Code that catches an error should check its class and attributes, never its text:

    raise JointValueError(Errors.J030, width=width, most=MAX_WIDTH)
"""

from __future__ import annotations


class Message:
    """The text of an error or a warning: the cause, with the offending value, and the fix."""

    __slots__ = ("cause", "code", "fix")

    def __init__(self, cause: str, fix: str, code: str = "") -> None:
        self.cause, self.fix, self.code = cause, fix, code

    def __set_name__(self, owner: type, name: str) -> None:
        self.code = name

    def format(self, **values: object) -> Message:
        """The message with its placeholders filled in."""
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


class JointWarning(_Coded, UserWarning):
    """A warning of this package."""


class Errors:
    """The catalogue. Attributes are the codes."""

    # Engine
    J001 = Message(
        "Columns of shape {shape} do not fit {n_columns} names.", "Give one row per token and one column per name."
    )
    J002 = Message("A document of {n_tokens} tokens is too long: the limit is 2^31 tokens.", "Split it.")
    J003 = Message("Out of memory while searching.", "Use a smaller beam_width, or split the document.")
    J004 = Message(
        "The system has {n_kinds} kinds of actions; at most {most} are allowed.",
        "Merge actions that are legal in the same states into one kind.",
    )
    J005 = Message("Action {action} is not legal here.", "The legal actions (at most 20 are listed) are {legal}.")
    J006 = Message("This system has no actions: it was not constructed.", "Call the constructor of its base class.")
    J007 = Message("This {what} is in use by another thread.", "Give each thread its own.")
    J008 = Message(
        "{name} extends states by candidates: rows of slots belong to candidates, not to states.", "Use `Walk.rows`."
    )
    J009 = Message(
        "No item of the beam can be extended after step {step}: a score is not a number.", "Train the model again."
    )
    J010 = Message(
        "Unknown atom '{name}' in line {line} of the templates.",
        "Allowed atoms are TOKEN.COLUMN with the tokens {tokens} (also TOKEN+n and TOKEN-n up to n = {most}) and the "
        "columns {columns}; and the values {values}.",
    )
    J011 = Message("The templates have {n} lines with features.", "1 to {most} are allowed.")
    J012 = Message("Line {line} of the templates combines {n} atoms.", "At most {most} are allowed.")
    J013 = Message(
        "The block of templates that starts at line {line} reads {n} atoms; at most {most} are allowed.",
        "Split it with a blank line.",
    )
    J020 = Message("table_bits is {bits}; 8 to 30 are allowed.", "22 to 24 suit most treebanks.")
    J021 = Message("The rows of a table have {width} cells; 1 to 32768 are allowed.", "Use fewer labels.")
    J022 = Message(
        "An array of weights is {got}, but this table needs {wanted}: the model was made with different settings.",
        "Load it with the config that it was trained with.",
    )
    J023 = Message(
        "These weights can only predict: the training state was not saved with them.",
        "Initialize the component again.",
    )
    J024 = Message(
        "These weights have not been averaged yet, so they cannot predict.", "Train the component, or load a model."
    )
    J025 = Message("min_changes is {min_changes}.", "1 to 255 are allowed.")
    J026 = Message("n_tables is {n_tables}.", "1 to {most} are allowed.")
    J027 = Message(
        "The bias of action {action} is {value}.",
        "Give a number up to {most} for an action of the system.",
    )
    J028 = Message(
        "Another call is training these weights.",
        "Wait for it to finish, or give each learner its own weights.",
    )
    J030 = Message("beam_width is {width}.", "1 to {most} are allowed.")
    J031 = Message("The system has {n} actions; 1 to {most} are allowed.", "Use fewer labels.")
    J032 = Message("The system has {n} slots.", "At most {most} are allowed.")
    J033 = Message(
        "Rows of {width} weights do not fit a system with {n} actions: the model was made for different labels.",
        "Load it with the labels that it was trained with.",
    )
    J034 = Message(
        "The document has columns {got}, but the templates read {wanted}.",
        "Build the columns that the templates were set up with.",
    )
    J035 = Message("{name} cannot search a streamed document.", "Give it the whole document.")
    J036 = Message("Tokens arrived after the end of the stream.", "Open a new stream for each document.")
    J037 = Message(
        "'{name}' cannot process a streamed document.",
        "Put it after the parser, leave it out, or call the pipeline on whole documents.",
    )
    J038 = Message(
        "The pipeline ({pipeline}) has no joint_sbd_parser, and nothing else splits a stream into sentences.",
        "Add one.",
    )
    J039 = Message("This stream failed earlier, so its search is incomplete.", "Open a new stream.")
    J040 = Message("Unknown {what} '{name}'.", "Known names are: {known}.")
    J041 = Message("aggressiveness is {value}.", "It must be above 0.")
    J042 = Message("threads is {value}.", "It must be at least 1.")
    J043 = Message(
        "The {n} gold actions are not a legal path: step {step} is not possible. The annotation is inconsistent.",
        "Correct it.",
    )
    J044 = Message("dropout is {value}.", "0 to 1 are allowed.")
    J045 = Message("Cannot forget {n} tokens of a stream.", "Its window has {n_tokens}.")
    J046 = Message(
        "The columns have {n} facts per token; the system reads {wanted}.", "Give the columns that its task makes."
    )
    J050 = Message(
        "{source} is not a spacy_joint model.", "Give the path of a pipeline that was saved with nlp.to_disk."
    )
    J051 = Message(
        "{source} has model format {version}; this version reads format {known}.",
        "Install the version that wrote it.",
    )
    J052 = Message(
        "{source} is damaged: {what} is incomplete or has been changed.", "Copy the model again, or train it again."
    )
    J060 = Message(
        "The perceptron has no labels and no weights yet.", "Initialize the component with examples, or load a model."
    )
    J061 = Message(
        "{source} was made for different labels or templates ({got}, not {wanted}).",
        "Load it with the config and the cfg that it was saved with.",
    )
    J070 = Message(
        "Cannot add the label '{label}' to '{name}': its actions are fixed once it is initialized.",
        "Add labels before nlp.initialize(), or initialize it again with examples that have all labels.",
    )
    J071 = Message(
        "The component '{name}' has not been trained.",
        "Call nlp.initialize() and train it, or take a trained one: spacy_joint.load() loads the pretrained English "
        "pipeline {pretrained}, with a sequence_tagger, a joint_sbd_parser, a sequence_morphologizer, a "
        "sequence_lemmatizer and, to be enabled, a hedge_chunker, a constituency_parser and a prenominal_orderer: "
        'nlp.enable_pipe("hedge_chunker"). nlp.add_pipe("joint_sbd_parser", source=spacy_joint.load()) copies a '
        "component of it. There is no pretrained hedge_segmenter, quotation_cues or quotation_spans, but "
        'quotation_spans needs no training with method = "rules".',
    )
    J072 = Message("There is no file of templates at {path}.", "Give the path of a text file with feature templates.")
    J073 = Message(
        "{path} is not a saved component: it has no file '{name}'.", "Give a path that was saved with nlp.to_disk."
    )
    J074 = Message(
        "The numbers of classes per word are {sizes}.",
        "Give every word the same number of classes, at most {most}.",
    )

    J075 = Message("The label {label!r} is not a string.", "Give a string.")
    J076 = Message("Cannot add the label '{label}' to '{name}': its labels are fixed.", "Leave it out.")

    # Corpora
    J100 = Message(
        "The path of the corpus is None.",
        "Give the path of a {suffix} file or of a directory of them, e.g. with `--paths.train` and `--paths.dev` on "
        "the command line.",
    )
    J101 = Message(
        "There is no file or directory {path}.",
        "Give the path of a {suffix} file or of a directory of them. `python -m spacy joint convert` makes .spacy "
        "files, and `python -m spacy joint jackknife` those with predicted tags.",
    )
    J102 = Message(
        "The directory {path} has no {suffix} file.",
        "Subdirectories are not searched: give the directory that contains the files.",
    )
    J103 = Message(
        "{file}, line {line}: {found} columns are filled. A word in CoNLL-U has 10 columns separated by single tabs, "
        "none of them empty (`_` stands for a missing value).",
        "Correct the line, or convert the file to CoNLL-U.",
    )
    J104 = Message(
        "{file}, line {line}: the id is {found!r} where {expected} is expected. The words of a sentence are numbered "
        "1, 2, 3, ...; a multiword token is `first-last` just before its first word; an empty node is `word.number`.",
        "Renumber the sentence, or put an empty line between it and the previous one.",
    )
    J105 = Message(
        "{file}, line {line}: the head is {found!r}. It must be the number of a word of the sentence, or 0 for its "
        "root. (Heads may be `_` only if no sentence of the document has a tree.)",
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
        "Attach one of them to the other.",
    )
    J109 = Message(
        "{file}, line {line}: following the heads from this word leads back to it. A tree has no cycles: every path "
        "ends at the root.",
        "Correct one of the heads.",
    )
    J110 = Message(
        "{file}, line {line}: the sentence {found}, but the earlier sentences of its document {before}. A document "
        "has trees for all of its sentences or for none.",
        "Add the missing trees, or split the document with `# newdoc`.",
    )
    J112 = Message(
        "{file} has no sentences. A CoNLL-U corpus needs at least one.",
        "Remove the file, or check how it was created.",
    )
    J113 = Message(
        "{file}, line {line}: UPOS is {found!r}. The universal tags ({allowed}) and `_` are allowed.",
        "Put tags from another tag set into XPOS, the fifth column.",
    )
    J114 = Message(
        "{file}, line {line}: FEATS is {found!r}. It must be `_` or features of the form `Name=Value` separated by "
        "`|`.",
        "Correct the sixth column.",
    )
    J115 = Message(
        "{file}, line {line}: documents='sent_id' needs a sent_id that ends in a number after `-` or `_`, as in "
        "`# sent_id = weblog-12`; it is {found!r}.",
        "Use documents='newdoc' or a number of sentences instead.",
    )
    J116 = Message(
        "documents={found!r} is not valid.",
        "Use 'newdoc' (`# newdoc` comments), 'sent_id' (sent_id without the number at its end), or a number of "
        "sentences, 1 or more.",
    )
    J117 = Message(
        "{file}, line {line}: spaCy, which derives sentence boundaries from trees, would split this sentence "
        "({words}): too many of its arcs cross.",
        "Correct or remove the sentence.",
    )
    J118 = Message(
        "Document {document} cannot be written as CoNLL-U: it has no sentence boundaries.",
        "Parse it, or set is_sent_start on its tokens.",
    )
    J119 = Message(
        "Sentence {sentence} of document {document}, {words}, cannot be written as CoNLL-U: {found}. A sentence must "
        "have exactly one root and all of its heads inside.",
        "Correct the heads, which also determine the boundaries.",
    )
    J120 = Message(
        "{file} cannot be read as a DocBin ({reason}).",
        "Write it with `DocBin.to_disk`, for example by `spacy convert`.",
    )
    J121 = Message("keep={found!r} is not valid.", "The annotations that the predicted side can keep are: {allowed}.")
    J122 = Message(
        "keep includes {attribute}, but document {document} of {path} has no such annotation.",
        "Annotate the corpus, or leave {attribute} out of keep.",
    )
    J123 = Message(
        "Punctuation cannot be removed, nor speech imitated, in a document without {attribute}: this needs POS (to "
        "recognise punctuation) and SENT_START.",
        "Annotate the document first.",
    )
    J124 = Message(
        "Tokens of the document {words} cannot be removed or added: its trees and its sentences have different "
        "boundaries. Each sentence must have exactly one root and all of its heads inside.",
        "Correct the heads.",
    )
    J125 = Message(
        "An example whose predicted document is tokenised differently from its reference ({words}) cannot be changed. "
        "Both sides must have the same tokens.",
        "Read the corpus with spacy_joint.ConlluCorpus.v1 or spacy_joint.DocBinCorpus.v1.",
    )
    J126 = Message(
        "share={found!r} is not a probability.",
        "Give a number from 0 (change no document) to 1 (change all of them).",
    )
    J127 = Message("sentences is {found}.", "A document has at least 1.")
    J128 = Message(
        "{found!r} is not a regular expression ({reason}).",
        "Give one that matches the start of the sent_ids to leave out.",
    )
    J129 = Message("The pipeline ({pipeline}) has no {name}, which tags text without punctuation.", "Add one.")
    J131 = Message(
        "{file}, line {line}: unexpected {found}. A tree is `(LABEL tree tree ...)` or `(TAG word)`.",
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
        "{file} has no text next to it ({text}). Standoff annotation needs the text that it refers to.",
        "Copy both files.",
    )
    J141 = Message(
        "{file}, line {line}: {found} is not in the text, or is not annotated. The annotation does not match the text.",
        "Copy both files again, without changing line endings.",
    )
    J142 = Message("{file}, line {line}: {found!r} is not {expected}.", "Correct the line.")
    J143 = Message(
        "Two systems can only be compared on the same documents, but one has {first} and the other {second}.",
        "Run both systems on all documents.",
    )
    J144 = Message(
        "The document {words!r}... has no cues: doc.spans['{key}'] is missing.",
        "Write the corpus with `spacy joint jackknife`, or leave `cues` out.",
    )

    # Tokenizers, raw text
    J150 = Message(
        "Exceptions can be added to spaCy's own Tokenizer, but not to a {found}.",
        "Use another tokenizer, or leave the exceptions out.",
    )
    J151 = Message("The exception for {string!r} splits it into {pieces}.", "The pieces must add up to the string.")
    J152 = Message(
        "The predicted document has another text, {found!r}, than the reference, {expected!r}.",
        "Only whitespace may differ.",
    )
    J153 = Message(
        "{file}, line {line}: the tokens do not spell the text {text!r}.",
        "Correct the file, or evaluate this treebank without --raw-text.",
    )
    J154 = Message(
        "{path} cannot be evaluated from raw text.",
        "Give a CoNLL-U file (.conllu): no other format marks paragraphs.",
    )
    J155 = Message("--raw-text cannot be combined with --{option}.", "Leave out one of the two.")

    # The tokenizer learnt from a treebank, and how well a tokenizer suits a treebank
    J500 = Message(
        "The tokenizer has not been learnt from a treebank yet.",
        "Call nlp.initialize() with examples whose words are given, as spacy_joint.ConlluCorpus.v1 and "
        "spacy_joint.DocBinCorpus.v1 make them (spacy.Corpus.v1 needs a tokenizer), or load a trained pipeline.",
    )
    J501 = Message("The tokenizer has nothing to learn from: no example has words.", "Give annotated documents.")
    J502 = Message("There is no tokenizer at {path}.", "Give the file that the tokenizer was saved to.")
    J503 = Message("epochs is {value}.", "It must be at least 1.")
    J504 = Message("spaceless is {value}.", "0 to 1 are allowed: it is a share of the text.")
    J505 = Message(
        "The tokenizer ({tokenizer}) cannot make the words of the corpus: on the text of its first {n_words:,} words, "
        "it finds {recall:.1f} % of them, and {precision:.1f} % of its tokens are words (F1 {f_score:.1f}, less than "
        "{least}). What is trained on these words would be of no use for text.",
        "Name a tokenizer that fits in [nlp.tokenizer], such as the one of the language, or `@tokenizers = "
        '"spacy_joint.CharacterTokenizer.v1"`, which is learnt from the corpus.',
    )

    # Kinds of text
    J156 = Message(
        "A bias depends on '{atom}', which the templates do not read.",
        "Name a token ({tokens}) and a column of the templates ({columns}).",
    )

    # Parsing
    J300 = Message(
        "The joint parser needs at least one label for roots and one for other arcs.", "Give it annotated examples."
    )
    J301 = Message("sb_position is '{value}'.", "'early' and 'late' are allowed.")
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
        "Arrays of shapes {shapes}, or of these types, are not a search, or refer to items that do not exist.",
        "Use `Search.trace`.",
    )
    J307 = Message("n_best is {value}.", "It must be at least 1.")
    J308 = Message("{setting} is {value}.", "Give a number up to {most}; below 0, fewer boundaries are predicted.")
    J309 = Message(
        "max_delay is {value}; it is the maximum number of words that are held back.", "Give a number above 0, or None."
    )

    # Tagging
    J310 = Message("The sequence tagger has no tags.", "Give it annotated examples, or labels.")
    J311 = Message("order is {value}.", "0, 1 or 2 are allowed.")
    J312 = Message("attribute is '{value}'.", "Allowed attributes are: {allowed}.")
    J313 = Message("There are {n_tags} tags, but sentence starts of shape {shape}.", "Give one of each per token.")
    J314 = Message(
        "These actions are not a complete path of this system over this document: step {step} of {n} is not possible, "
        "or steps are missing after it.",
        "Give the actions of a search result.",
    )
    J360 = Message(
        "The templates of a sequence_lemmatizer read other tokens than the one whose lemma is sought: {line!r}.",
        "Use `w.` only: what surrounds a token is known to its tag and part of speech.",
    )
    J370 = Message(
        "The columns of trees cannot be made of a part of a document.", "Give whole documents to this component."
    )

    # Quotations
    J320 = Message(
        "A span of tokens {begin} to {end} is not possible here.",
        "Spans must not overlap and must have at least two tokens, from {first} to {last}.",
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
        "Give examples with trees, i.e. with `doc.spans['constituents']`.",
    )
    J331 = Message(
        "Line {line} of the head rules, {found!r}, is not a rule.",
        "Give a label, a direction ({allowed}) and labels of children; left and right need at least one label.",
    )
    J332 = Message("max_span is {value}; it must be at least 1.", "7 is a common choice.")
    J333 = Message("There are {n} labels of constituents.", "Fewer than {most} are allowed.")
    J334 = Message("The head of a binary constituent is on the side {value!r}.", "'L' and 'R' are allowed.")
    J335 = Message(
        "The constituent {label} of tokens {start} to {end} ({words!r}) crosses another one.",
        "Constituents must be nested or disjoint.",
    )
    J336 = Message(
        "The document has no constituents.",
        "Process it with a constituency_parser or hedge_chunker, or set `doc.spans['constituents']`.",
    )
    J337 = Message(
        "{words!r} cuts the constituent {label} over {other!r}: it is not a tree.", "Take all of it, or less."
    )
    J338 = Message(
        "'{name}' was created without `joint`: it parses segments, and the document has none.",
        "Put a hedge_segmenter before it, or set `joint` to true and train it.",
    )
    J339 = Message("The pipeline does not contain the component '{name}'.", "Give the pipeline that contains it.")
    J340 = Message("max_unary is {value}.", "0 to {most} are allowed.")
    J343 = Message(
        "Node {node} of the binarised tree is not above one or two nodes that have no other parent.",
        "Give all nodes above words, children first and the root last.",
    )

    # Ordering
    J350 = Message(
        "{file}, line {line}: not a noun phrase.",
        "A line must be a JSON list of the modifiers and then the head (or null), each a list of a word and its tag.",
    )
    J352 = Message(
        "There is nothing to learn an order from in {paths}: no phrase has two or more modifiers.",
        "Give more text.",
    )
    J353 = Message("source is '{value}'.", "Allowed sources are: {allowed}.")
    J354 = Message(
        "A block of templates names {names}, which do not belong to the same part of an order.",
        "Split it with a blank line.",
    )
    J355 = Message("The phrase has {n} modifiers; at most {most} can be ordered.", "Order parts of it.")
    J356 = Message("{order} is not an order of {n} modifiers.", "Give each number from 0 to n-1 once.")
    J357 = Message("There are {n_tags} tags for {n} modifiers.", "Give one per modifier, or none.")
    J358 = Message("{path} is plain text without tags.", "Give a pipeline that tags it.")
    J359 = Message("The modifiers are a string, {text!r}.", "Give a list of strings.")

    # Constituency treebanks
    J550 = Message(
        "{file}, line {line}: the word {found!r} has no position.",
        "Write words with their positions in the sentence, from 0, as `0=word`; or read the file as brackets.",
    )
    J551 = Message(
        "{file}, line {line}: two words of a sentence have the position {found}.", "Give each word its own position."
    )
    J552 = Message(
        "{file}, line {line}: {n} fields. The export format has 5 in version 3 and 6 in version 4, then pairs for "
        "secondary edges.",
        "Correct the line; words must not contain blanks.",
    )
    J553 = Message("{file}, line {line}: {found!r} is not between #BOS and #EOS.", "Put it into a sentence.")
    J554 = Message("{file}, line {line}: the sentence that begins here never ends.", "Add its #EOS.")
    J555 = Message("{file}, line {line}: the sentence has two constituents #{number}.", "Number them differently.")
    J556 = Message(
        "{file}, line {line}: there is no constituent {found!r} in the sentence.",
        "Give the number of a constituent of the sentence, or 0 for the root.",
    )
    J557 = Message("{file}, line {line}: the constituent #{number} is below itself.", "Correct its parent.")
    J558 = Message(
        "Sentence {number}: the export format cannot represent the word {word!r}, which has a meaning in it.",
        "Write discbracket or alpino.",
    )
    J559 = Message(
        "Tree {number} is discontinuous, so it cannot be written in brackets.",
        "Write discbracket, export or alpino, or make the trees continuous.",
    )
    J560 = Message("{file}, line {line}: not XML ({reason}).", "Correct the file.")
    J561 = Message(
        "{file}, line {line}: the node {problem}.",
        "Correct it: a phrase has `cat`, and a word `word`, `pos` and its position in `begin`.",
    )
    J562 = Message("{file}, line {line}: the entity {name} is defined.", "Write out what it stands for.")
    J563 = Message("traces is {found!r}.", "Allowed are: {allowed}.")
    J564 = Message("There are no head rules {found!r}.", "The package has rules for: {allowed}.")
    J565 = Message(
        "There are no parameters {found!r} for scores.", "Give a file in EVALB's format, or one of these: {allowed}."
    )
    J566 = Message(
        "{file}, line {line}: {found!r} is not a parameter of scores.",
        "Write `DELETE_LABEL X`, `DELETE_WORD X` or `EQ_LABEL X Y`.",
    )
    J567 = Message(
        "There are {predicted} predicted trees and {references} in the reference.",
        "Give one for each sentence, in the same order.",
    )
    J568 = Message(
        "Sentence {number} has other words than in the reference.",
        "Give trees of the same sentences, in the same order.",
    )
    J590 = Message("Drawings of trees have no option {found!r}.", "Options: {allowed}.")

    J570 = Message("system is {found!r}.", "Allowed are: {allowed}.")
    J571 = Message("A move over {value} words is not possible.", "1 to {most} words are allowed.")
    J572 = Message("importance is {value}; it must be above 0.", "1 counts all actions alike; 2 is a common choice.")
    J573 = Message(
        "There are {n} values of importance for {n_actions} actions, or one is negative or infinite.",
        "Give a positive number for each action.",
    )

    # Pretrained pipeline and command line
    J400 = Message(
        "The pretrained pipeline {name} is not installed.",
        "Install it: `pip install ./pipelines/{name}` in a checkout, or its wheel. Or give a pipeline of your own: a "
        "package, or the directory that `spacy train` wrote.",
    )
    J401 = Message(
        "{setting} cannot be set: no component of {pipeline} has this setting (its components: {components}).",
        "Leave {setting} out.",
    )
    J402 = Message("There is no file {path}.", "Give the path of a file, or `-` if the command reads standard input.")
    J403 = Message(
        "{source}, line {line}: not UTF-8 (byte {byte}). Only UTF-8 is read.", "Convert the file, e.g. with iconv."
    )
    J404 = Message("The format '{found}' is not known.", "Allowed formats are: {allowed}.")
    J405 = Message("A DocBin is binary and cannot be printed.", "Write it to a file, e.g. `--output annotated.spacy`.")
    J406 = Message(
        "{model} found no sentences in document {document}.",
        "Use a pipeline that predicts sentences, such as one with a joint_sbd_parser.",
    )
    J407 = Message("{path} is neither {allowed}.", "Convert it to one of these, or correct its suffix.")
    J408 = Message(
        "The training corpus of {config} is read by {found}. Only the documents of {allowed} can be split into folds.",
        "Write the corpus with `spacy joint convert` and use one of these readers.",
    )
    J409 = Message("folds is {folds}.", "It must be at least 2 and at most the number of documents, {documents}.")
    J410 = Message(
        "{config} never stops training: max_epochs is {max_epochs} and max_steps is {max_steps}.",
        "Set one of them. Early stopping is not possible: it would use the held-out documents.",
    )
    J411 = Message(
        "{config} trains nothing that predicts {attribute}.", "Give a config with a sequence_tagger or parser_guide."
    )
    J412 = Message("There is nothing to learn word classes from in {paths}: no sentence has words.", "Give more text.")
    J413 = Message("No document in {path} has words.", "Give a corpus that has some.")
    J414 = Message("{path} is not a pipeline: it has no config.cfg.", "Give the directory that `spacy train` wrote.")
    J415 = Message("The labels of {name} are always {allowed}, not {labels}.", "Leave `labels` out.")
    J416 = Message(
        "There is nothing to write.",
        "Give --output to learn an order, --phrases to extract the phrases that it is learnt from, or both.",
    )

    # Serving
    J431 = Message(
        "The text has more than {most} characters.", "Split it, or start the server with a higher --max-characters."
    )
    J432 = Message("The request is invalid: {reason}.", 'Send a JSON object with a string "text".')
    J433 = Message("The server has been busy for {seconds:g} seconds.", "Try again.")
    J434 = Message(
        "Annotating the text took more than {seconds:g} seconds and was stopped.",
        "Split the text, or start the server with a higher --timeout.",
    )
    J435 = Message("The text could not be annotated; see the output of the server.", "Try another text.")
    J436 = Message("The pipeline {pipeline} could not be loaded.", "See the output above for the cause, and fix it.")
    J445 = Message("The server already has {most} texts to annotate.", "Try again in {seconds:g} seconds.")
    J446 = Message("There is nothing at this address.", "See /docs for the addresses of the API.")
    J447 = Message("This address does not accept {method}.", "Use a method of the header Allow, or see /docs.")
    J448 = Message("The body is not valid JSON.", 'Send a JSON object with a string "text", in UTF-8.')
    J449 = Message(
        "The text has no sentence {sentence} with a tree.",
        "Give an index of `sentences`, from 0, and use a pipeline with a parser.",
    )

    # Files
    J440 = Message(
        "{path} was not written: {reason}. Any earlier version is still in place.",
        "Free some space, or write to another place.",
    )
    J441 = Message("{path} cannot be read or written: {reason}.", "Check the path and its permissions.")
    J442 = Message(
        "Training cannot resume from {path}: '{name}' {what}.",
        "Give the model-last of `spacy train`, not a finished pipeline.",
    )
    J443 = Message(
        "The components of {path} have been trained on different numbers of documents ({counts}), so they were not "
        "saved at the same time.",
        "Use an earlier checkpoint.",
    )
    J444 = Message(
        "The first {n} documents do not end at the end of a batch.",
        "Resume with the corpus, the batcher and the seed that the training started with.",
    )

    # Transcripts
    J460 = Message(
        "{source}, line {line}: {found!r} belongs to no cue.", "Write the times of a cue above it, or remove it."
    )
    J461 = Message(
        "{source}, line {line}: {found!r} has `-->`, but not the times of a cue.",
        "Write them as `00:01:02.500 --> 00:01:04.000`, with minutes and seconds below 60.",
    )
    J462 = Message("{source}, line {line}: the cue ends before it starts ({found}).", "Correct its times.")
    J463 = Message("{source} is not WebVTT: its first line is not `WEBVTT`.", "Add this line, or read the file as srt.")
    J464 = Message("{source}, line {line}: not JSON ({reason}).", "Correct the file, or give its format.")
    J465 = Message(
        "{source} is JSON, but has neither 'segments', as of Whisper and WhisperX, nor a 'transcription', as of "
        "whisper.cpp.",
        "Convert it to one of these, or to srt or vtt.",
    )
    J466 = Message("{place}: {name} is {found!r}.", "It must be {expected}.")
    J467 = Message(
        "--lines takes each line as a document, but {format} is the format of a whole transcript.", "Leave out --lines."
    )
    J468 = Message(
        "{source} has no turns: no line begins with the name of a speaker and a colon.", "Read it as text instead."
    )

    J480 = Message(
        "The lexicon of '{name}' cannot be read ({reason}).",
        "Restore the file lexicon.json, or train the pipeline again.",
    )

    # From a treebank to a package
    J520 = Message(
        "There is no file {path}.",
        "Make it by `python -m spacy joint {command} ... --output {path}`, or do without: `--{setting} null`.",
    )
    J521 = Message(
        "The name of {path} does not tell whether it is for training, development or test.",
        "Name it as in `de_gsd-ud-train.conllu`, or give it by --train, --dev or --test.",
    )
    J522 = Message(
        "There is nothing to learn from: neither a training nor a development set, but {found}.",
        "Give a CoNLL-U file with `train` or `dev` in its name, or give it by --train.",
    )
    J523 = Message(
        "There are {n} documents to learn from.",
        "Give at least {least}, or give --documents a smaller number of sentences.",
    )
    J524 = Message(
        "spaCy has no language '{language}'.",
        "Use `--language xx`, which has no rules of any language, or install a package with this language.",
    )
    J525 = Message(
        "The names of the files do not tell their language.",
        "Give it by --language, such as `--language de`.",
    )
    J526 = Message(
        "'{name}' cannot be the name of a package.",
        "Use letters, digits and underscores, with a letter or digit at both ends.",
    )

    # Columns that users bring
    J610 = Message(
        "'{name}' cannot be the name of a column.",
        "Choose a name without whitespace and dots that none of the component's own columns has.",
    )
    J611 = Message(
        "The settings of the column '{name}' are {found}.",
        "Allowed are 'edges', a list of ascending numbers, for columns of numbers, and nothing for others.",
    )
    J612 = Message(
        "The column '{name}' of a document of {n_tokens} tokens has {found} instead of as many values.",
        "Give one value per token, including whitespace; None where there is none.",
    )
    J613 = Message(
        "The column '{name}' has the value {value!r}.",
        "Allowed are {allowed}, and None. Numbers other than integers need 'edges' in the settings of the column.",
    )
    J614 = Message(
        "'{name}' reads columns that tokens of a stream do not have: {columns}.",
        "Give it documents that have them, call the pipeline on whole documents, such as turns or paragraphs, or use a "
        "parser without these columns.",
    )
    J615 = Message(
        "The column '{name}' has offsets of heads that are not integers.",
        "Give the head's position minus that of the token, 0 for the root of a sentence, and None if unknown.",
    )

    # Guides
    J620 = Message(
        "The array '{name}' of an LSTM is {shape}.",
        "Allowed is {wanted}.",
    )
    J621 = Message(
        "The stride of windows is {stride}, and their size {size}.",
        "A stride from 1 to the size is allowed; about three quarters of it is usual.",
    )
    J622 = Message(
        "An LSTM has width {width} and depth {depth}.",
        "The width must be even and positive, because each direction has half of it, and the depth at least 1.",
    )
    J623 = Message(
        "'{name}' has been neither trained nor loaded.",
        "Train it by `spacy train`, or load a pipeline that has it.",
    )
    J624 = Message(
        "'{name}' finds no labels of arcs in the training corpus.",
        "Give it documents with trees.",
    )
    J641 = Message(
        "The transformer '{name}' cannot be read ({reason}).",
        "Give the name of one on the Hugging Face hub, or a directory with its configuration, weights and tokenizer.",
    )
    J642 = Message(
        "No component of '{pipeline}' has a transformer: a tok2vec by {architecture}.",
        "Give a pipeline that was trained with one, as by parser_guide_trf.cfg.",
    )
    J643 = Message(
        "The transformer '{name}' reads {most} word pieces at most, and its windows have {window}.",
        "Set window to at most {most}, and stride to about three quarters of it.",
    )
    J644 = Message(
        "{name} has no weights, and cannot learn them.",
        "Train a pipeline with a Transformer, and convert it by `python -m spacy joint export-onnx`.",
    )
    J645 = Message(
        "The pipeline ({pipeline}) has no joint_sbd_parser to calibrate.", "Give a pipeline with a trained one."
    )
    J646 = Message(
        "This is too little to calibrate a parser: {n} words with known boundaries, without {least} decisions for and "
        "as many against a sentence start.",
        "Give more annotated documents of several sentences.",
    )
    J647 = Message("{n} documents are too few to calibrate a parser.", "Give at least {least} annotated documents.")
    J648 = Message(
        "The spans_keys of '{name}' are {found}.", "Give it a list of different groups of spans, such as quotations."
    )
    J649 = Message(
        "A document of {n_tokens} tokens has {found} now that its guide has seen enough of what follows.",
        "Do not merge or split the tokens of documents before the stream has yielded them.",
    )
    J650 = Message("{path}, line {line}: this is not JSON with a text.", 'Write `{{"{key}": "..."}}` in each line.')
    J651 = Message(
        "There is nothing to annotate in {paths}: no paragraph ends like a sentence.",
        "Give punctuated text. If each line is a paragraph, add --lines.",
    )
    J652 = Message(
        "The teacher ({pipeline}) predicts no trees.", "Use a pipeline with a parser, such as a joint_sbd_parser."
    )
    J653 = Message(
        "The shares of a mixed corpus are {shares}, and its corpora {corpora}.", "Give each corpus a share above 0."
    )
    J654 = Message("buffer_size is {found}.", "It must be at least 1.")
    J655 = Message("The corpus {name} has no documents.", "Give it some, or leave it out of the mixture.")
    J656 = Message(
        "--keep compares the margins of a joint_sbd_parser without punctuation. The teacher has {pipeline}.",
        "Use a teacher with one and --own, or keep all documents.",
    )
    J657 = Message(
        "{name}={found!r} is not a probability.", "Give a number from 0 (no copies) to 1 (one per document)."
    )
    J658 = Message("Noise of speech is English, and the pipeline is in {lang!r}.", "Set speech to 0.")
    J659 = Message(
        "'{name}' is guided, and the heads of a guide that it reads may be in other parts of the stream.",
        "Give it the documents that the `stream` of a parser_guide yields, or call the pipeline on whole documents.",
    )
    J660 = Message(
        "'{name}' cannot process a streamed document: its encoder may see all of it.",
        "Use an encoder with windows, such as spacy_joint.BiLSTMEncoder.v1, or call the pipeline on whole documents.",
    )
    J665 = Message(
        "The guide {path}, with which training begins, lacks the labels {labels}.",
        "Pretrain it with the labels of the treebank: `--paths.labels`, a file that `spacy init labels` wrote.",
    )

    # Grammars and charts
    J666 = Message(
        "{source}, line {line}: '{found}' does not belong there.",
        "Rules are written 'S -> NP VP 0.5', words 'word TAG 0.5', each word, rule and class once.",
    )
    J667 = Message("The probability of {rule} is {found}.", "It must be above 0 and at most 1.")
    J668 = Message(
        "{source} ends before its section '{section}' is complete ({found}).",
        "The line at the head of a section gives the number of its lines, and the last line is 'end'.",
    )
    J669 = Message("'{symbol}' of {rule} has neither rules nor words.", "Give it some, or delete the rule.")
    J670 = Message("{rule} is given twice.", "Give it once, with the sum of the probabilities.")
    J671 = Message("There is no rule for the root '{root}'.", "Give at least one, such as 'ROOT -> S 1.0'.")
    J672 = Message(
        "The tree {number} has the label '{label}'.",
        "Labels must not begin with '@', contain '^' or '|', or end in a hyphen and a number.",
    )
    J673 = Message("{name}={value!r} is not a setting of grammars.", "Allowed are {allowed}.")
    J674 = Message(
        "The probabilities of '{symbol}' add up to {total}.", "Those of all rules and words of a symbol are at most 1."
    )
    J675 = Message(
        "The word {word} of {n_words} has the tag {tag} with the log-probability {score}.",
        "Tags are those of the grammar, and log-probabilities finite and at most 0.",
    )
    J676 = Message("There are no trees to make a grammar of.", "Give a treebank with constituents.")
    J677 = Message("A sentence has {n} words, but a chart at most {limit}.", "Split it, or leave it out.")
    J678 = Message("The width {width} is no number of entries.", "Give a number from 1, or 0 for any number.")
    J679 = Message(
        "The widths of the cells are {found}, with the least number {least}.",
        "They are integers from -2 on, in an array of shape ({n}, {columns}) for a sentence of {n} words.",
    )
    J680 = Message(
        "{name} of the boundary model has the shape {found}.",
        "It is {expected}, and its numbers are finite and at most 0.",
    )
    J681 = Message("This is no boundary model.", "Give the bytes that `BoundaryModel.to_bytes` made.")
    J682 = Message(
        "The boundary model has {found} symbols that are not the {expected} of the grammar.",
        "Estimate it for this grammar.",
    )
    J683 = Message(
        "'{symbol}' is not in the chart where the nodes have it.",
        "Give the nodes that `parse` returned for the same words and widths.",
    )
    J684 = Message(
        "The unary rules of the grammar form cycles whose probabilities have no finite sum.",
        "The probabilities of a cycle must multiply to less than 1.",
    )
    J685 = Message("k={k} trees of a sentence cannot be listed.", "Ask for 1 to {limit}.")
    J686 = Message("max_span={value!r} is no number of words for a chart.", "Give a whole number from 0, for no limit.")
    J690 = Message(
        "{name}={value!r} is not possible for a classifier of cells.", "Give a number from {least} to {most}."
    )
    J691 = Message("A sentence has {n} words, but a chart at most {most}.", "Split it, or leave it out.")
    J692 = Message(
        "The classes of the cells of {n} words are an array of shape {shape}, or not all are among {n_classes}.",
        "Give integers from 0, a row for each word and a column for each boundary between words and the two ends.",
    )
    J693 = Message("Biases of shape {shape} do not fit.", "Give {n} finite numbers, one for each output.")
    J694 = Message("This is no classifier of cells.", "Give the bytes that `CellClassifier.to_bytes` made.")
    J695 = Message(
        "There is no closing '{kind}' with {branching!r} branching and {n} classes.",
        "'constituents' and 'complete' have 2 classes, and 'widths' has 5. Branching is 'right' or 'left'.",
    )
    J696 = Message("This is no closing of cells.", "Give the bytes that `Closing.to_bytes` made.")
    J697 = Message("The share of cells that stay open is {keep}.", "Give a number above 0 and at most 1.")
    J698 = Message("{name}={value!r} is not a setting of chart constraints.", "Allowed are {allowed}.")
    J699 = Message("These are no chart constraints.", "Give the bytes that `ChartConstraints.to_bytes` made.")
    J700 = Message(
        "A sentence has {n} words; those with more than {limit} are not parsed.",
        "Raise max_words, or set cut_long to true, which cuts sentences at clause marks.",
    )
    J701 = Message("{name}={value!r} is not a setting of charts.", "Allowed are {allowed}.")
    J702 = Message("{word!r} has no tag in the tree of {words!r}.", "Give every word of a tree a tag.")
    J703 = Message(
        "The tree of {words!r} is discontinuous, and grammars are of continuous ones.",
        "Convert the treebank: python -m spacy joint convert --continuous english.",
    )
    J704 = Message(
        "{source} lacks '{part}', which the settings of '{name}' need.",
        "Set figure_of_merit, closure and constraints as they were when it was initialized, or initialize it again.",
    )
    J705 = Message(
        "The gains of parts of sentences are an array of shape {shape}.",
        "Give a row for each of the {n} words, and {columns} columns.",
    )

    # Extras
    J710 = Message(
        "{package} is needed for this, and not installed.", 'Install the extra: pip install "spacy-joint[{extra}]".'
    )

    # Corpora of any size
    J711 = Message(
        "There are no files at {address}.",
        "Give a file, a directory, a pattern such as 'texts/*.jsonl.gz', or an address such as s3://bucket/texts.",
    )
    J712 = Message(
        "The storage of {address} cannot be used: {reason}.",
        "Correct the address, or install what it needs, e.g. `pip install s3fs` for s3://.",
    )
    J713 = Message(
        "{address} has the output of another run: {differences}.",
        "Repeat the earlier command to complete it, or give an empty directory.",
    )
    J714 = Message("Several inputs, and directories, are annotated as a corpus.", "Add --engine local, or ray.")
    J715 = Message("A corpus has inputs and an output directory.", "Give files and --output DIR.")
    J716 = Message("--{option} has no effect without --engine {engine}.", "Add it, or leave --{option} out.")
    J717 = Message(
        "The pipeline on {place} is {found}, and not {expected}, as where the run was started.",
        "Install the same pipeline and the same packages everywhere.",
    )
    J718 = Message(
        "Processes that annotate die before they complete anything. They had been given {pieces}.",
        "There may be too little memory: see the log of the system. Use fewer --workers or smaller --shard-bytes.",
    )
    J719 = Message(
        "Ray has given up ({reason}).", "See the logs of Ray. What is done is kept: repeat the command to continue."
    )

    # Training beyond one machine
    J730 = Message(
        "A process that trains has died {n} times in the same pass: {reason}.",
        "There may be too little memory: see the log of the system. Use fewer workers, or more shards.",
    )
    J731 = Message(
        "The pass over shard {shard} cannot be mixed with others: {what}.",
        "Mix passes of one table that started from the same training state.",
    )
    J732 = Message(
        "{n_states} training states are not those of a model with {n_tables} tables and the features {wanted}.",
        "Give one state per table, all from the same model and after the same updates.",
    )
    J733 = Message(
        "Passes of {n} trained components ({names}) cannot be mixed.",
        "Train one component of this package that is a structured perceptron, and freeze all others in "
        "[training.frozen_components].",
    )
    J734 = Message(
        "Training over shards is not possible with training.{setting} = {value}.",
        "Set {allowed}, in the config or as --training.{setting}.",
    )
    J735 = Message("Shard {shard} of {n_shards} has no documents.", "Give no more shards than there are documents.")
    J736 = Message("There cannot be {n} {what}.", "Give 1 or more.")
    J737 = Message(
        "{path} cannot be searched: {what}.",
        "Map dotted names of values of the config to choices, such as [4, 8], or to ranges, such as "
        '\'{{"low": 0.01, "high": 1.0, "log": true}}\'.',
    )
    J738 = Message("All trials failed ({reason}).", "Correct the config, or the values to try.")
    J739 = Message(
        "A process that trains has died {n} times in the same fold: {reason}.",
        "There may be too little memory: see the log of the system. Use fewer workers; finished folds are kept.",
    )

    # Serving, and Ray
    J740 = Message(
        "Ray does not start, or cannot be reached ({reason}).",
        "See the output above, and `ray status` for the resources of the cluster.",
    )
    J741 = Message("The server is loading the pipeline.", "Try again.")
    J742 = Message("The pipeline can no longer be loaded ({reason}).", "See the output of the server.")


class Warnings:
    """The catalogue of warnings. Attributes are the codes."""

    JW01 = Message(
        "'{name}' cannot learn from {n} of the first {total} documents of the training corpus: they lack annotation, "
        "or have labels that the component was not initialized with.",
        "Correct the corpus, or leave these documents out.",
    )
    JW02 = Message(
        "The templates of '{name}' read {attribute}, but no token of this document has it: without it, predictions are "
        "much worse.",
        "Put a component before '{name}' that sets it, such as a sequence_tagger (while training, in "
        "annotating_components); or train '{name}' with templates that do not read it.",
    )
    JW03 = Message(
        "'{name}' has no label '{label}', so it learns nothing of it; nor of others that it was not initialized with.",
        "Initialize it with all labels, or correct the corpus.",
    )
    JW04 = Message(
        "'{name}' parses sentences, and the document has no sentence boundaries: it is parsed as one sentence.",
        "Put a component that sets them before it, such as a joint_sbd_parser.",
    )
    JW20 = Message(
        "The tokenizer ({tokenizer}) makes other words than those of the corpus: on the text of its first {n_words:,} "
        "words, it finds {recall:.1f} % of them, and {precision:.1f} % of its tokens are words (F1 {f_score:.1f}, less "
        "than {least}). Each wrong word will cost accuracy on text.",
        "Learn exceptions with `spacy joint tokenizer-exceptions`, or put `@tokenizers = "
        '"spacy_joint.CharacterTokenizer.v1"` in [nlp.tokenizer], which is learnt from the corpus.',
    )
    JW30 = Message(
        "{file} has {n} `# newdoc` comments: {sentences} sentences at a time are taken as a document. No boundary is "
        "learnt at their ends.",
        "Mark the documents by `# newdoc`, or say by --documents how they are delimited.",
    )
    JW31 = Message(
        "There is no training set: the pipeline learns from the development set.",
        "Give a training set, if there is one.",
    )
    JW32 = Message(
        "There is no development set: the last {n} of {total} training documents are held out.",
        "Give a development set, if there is one.",
    )
    JW34 = Message(
        "No archive of the package {name} could be made ({reason}).",
        "Install its directory by `pip install` instead, or install `build` and `setuptools`.",
    )
    JW37 = Message(
        "The templates of '{name}' read the column '{column}', but this document does not have it: without it, "
        "predictions are much worse.",
        "Set `doc._.token_columns['{column}']`, or put the component before '{name}' that sets it; or train '{name}' "
        "without it. In training, use a reader of this package: `spacy.Corpus.v1` drops the columns of documents.",
    )
    JW41 = Message(
        "'{name}' was calibrated with other settings ({settings}), so its boundary probabilities may be wrong.",
        "Restore these settings, or calibrate it again by `python -m spacy joint calibrate`.",
    )
    JW42 = Message(
        "'{name}' reads tags, but no token of this document has one: they are found by its grammar.",
        "Put a component that sets them before it, such as a sequence_tagger, or set its `tags` to 'own'.",
    )
    JW43 = Message(
        "{n} files of {address} are left out, because their suffixes are of no known format, such as {example}.",
        "Name them, with --format-in, if they are texts.",
    )
    JW44 = Message("{n:,} of {total:,} records failed.", "See {address} for their places and reasons.")
