"""Every error that users can meet, in one catalogue: what was wrong, what is allowed, what to do.

The codes continue spaCy's style (`[E024] ...`) with a prefix of our own, `J`, so that they can be searched for. Codes
are never reused. Fill the placeholders with `Errors.J001.format(...)`.
"""


class _Catalogue(type):
    def __getattribute__(cls, code: str) -> str:
        message = super().__getattribute__(code)
        if code.startswith("J"):
            return f"[{code}] {message}"
        return message


class Errors(metaclass=_Catalogue):
    """The catalogue. Attributes are the codes; reading one gives the message with its code in front."""

    # Engine
    J001 = "Columns of shape {shape} do not fit {n_columns} names. Give one row a token and one column a name."
    J002 = "A document of {n_tokens} tokens is too long: 2^31 is the limit. Split it."
    J003 = "Out of memory while searching. Use a smaller beam_width, or split the document."
    J004 = (
        "A system has {n_kinds} kinds of actions; at most {most} are allowed. Put actions with the same legality "
        "together."
    )
    J005 = "Action {action} is not legal here. Legal are (the first 20 of) {legal}."
    J006 = "This system has no actions: it was not constructed."
    J010 = (
        "Unknown atom '{name}' in line {line} of the templates. Allowed are TOKEN.COLUMN with tokens {tokens} (also "
        "TOKEN+n and TOKEN-n up to n = {most}) and columns {columns}; and the values {values}."
    )
    J011 = "The templates have {n} lines with features; 1 to {most} are allowed."
    J012 = "Line {line} of the templates joins {n} atoms; at most {most} are allowed."
    J013 = (
        "The block of templates from line {line} on reads {n} atoms; at most {most} are allowed. Divide it by a "
        "blank line."
    )
    J020 = "table_bits is {bits}; 8 to 30 are allowed. 22 to 24 suit a treebank."
    J021 = "A table of rows of {width} cells is out of range: 1 to 32768 are allowed. Use fewer labels."
    J022 = "An array of weights is {got}, but this table needs {wanted}. The model was made with other settings."
    J023 = (
        "These weights can only predict: what learning needs was not saved with them. Initialize the component again."
    )
    J024 = "These weights were not finished: there is nothing to predict with. Train the component, or load a model."
    J025 = "min_met is {min_met}; 1 to 255 are allowed."
    J026 = "n_tables is {n_tables}; 1 to {most} are allowed."
    J027 = "The bias of action {action} is {value}; numbers up to {most} of actions that the system has are allowed."
    J030 = "beam_width is {width}; 1 to {most} are allowed."
    J031 = "A system has {n} actions; 1 to {most} are allowed. Use fewer labels."
    J032 = "A system has {n} slots; at most {most} are allowed."
    J033 = "Rows of {width} weights do not fit a system with {n} actions: the model was made for other labels."
    J034 = "The document has columns {got}, but the templates read {wanted}."
    J035 = "{name} cannot search a document that is still coming. Give it the whole document."
    J036 = "Tokens came after the end of a stream. Make a new stream for a new document."
    J037 = "'{name}' cannot take a document that is still coming. Put it after the parser, or leave it out."
    J038 = "There is no joint_sbd_parser among {pipeline}: a stream is split by one."
    J040 = "Unknown {what} '{name}'. Known are: {known}."
    J041 = "aggressiveness is {value}; it must be above 0."
    J042 = "threads is {value}; it must be at least 1."
    J043 = (
        "The correct actions ({n}) are not a legal path: step {step} is not possible. The annotation contradicts "
        "itself."
    )
    J044 = "dropout is {value}; 0 to 1 are allowed."
    J050 = "{source} is not a model of spacy_joint. Give the path of a pipeline that was saved with nlp.to_disk."
    J051 = (
        "{source} is a model of format {version}; this version reads format {known}. Install the version that made it."
    )
    J052 = "{source} is damaged: {what} is incomplete or was changed. Copy or train the model again."
    J060 = "The perceptron has no labels and no weights yet. Initialize the component with examples, or load a model."
    J061 = (
        "{source} was made for other labels or templates ({got}, not {wanted}). Load it with the config and cfg that "
        "it was saved with."
    )
    J070 = "Cannot add the label '{label}' to '{name}': its actions are laid out once. Initialize it with all labels."
    J071 = "The component '{name}' was not trained. Call nlp.initialize() and train it, or load a trained pipeline."
    J072 = "There are no templates at {path}. Give the path of a text file with feature templates."
    J073 = "{path} is not a saved component: it has no file '{name}'. Give a path that was saved with nlp.to_disk."
    J074 = "Word classes come in {sizes} granularities; all words need the same number of them, at most {most}."

    # Tokenizers, raw text
    J150 = "Exceptions are for spaCy's own Tokenizer, not for a {found}. Choose another tokenizer, or leave them out."
    J151 = "The exception for {string!r} does not divide it: {pieces}. Its pieces must make up the string."
    J152 = "The text {found!r} was compared with another one, {expected!r}. Only whitespace may differ."
    J153 = (
        "{file}, line {line}: the words do not spell the text {text!r}, as those of some multiword tokens. "
        "spaCy's tokens always do, so evaluate this treebank without --raw-text."
    )
    J154 = (
        "{path} cannot be evaluated from raw text: only CoNLL-U files (.conllu) tell how their paragraphs are divided."
    )
    J155 = "--raw-text is for the text as it is, without --{option}: leave out one of the two."

    # Parsing
    J300 = "The joint parser needs at least one label for roots and one for arcs. Give it annotated examples."
    J301 = "sb_position is '{value}'. Allowed are 'early' and 'late'."
    J302 = "There are {n_heads} heads, {n_labels} labels and {n_starts} sentence starts: give one of each a token."
    J303 = (
        "The head of token {token} is {head}, outside its sentence of tokens {begin} to {last}. Heads must stay within."
    )
    J304 = "The sentence of tokens {begin} to {last} has {n} roots. Give it exactly one token that heads itself."
    J305 = "The heads of the sentence of tokens {begin} to {last} form a cycle. Give it a tree."
    J306 = "A search cannot have arrays of shapes {shapes}, or names items that it does not have. Use `Search.trace`."
    J307 = "n_best is {value}; it must be at least 1."
    J308 = "boundary_bias is {value}. Give a number up to {most}, below 0 for fewer boundaries."
    J309 = "max_delay counts words that may wait, not {value}. Give a number above 0, or None."

    # Tagging
    J310 = "The sequence tagger has no tags. Give it annotated examples, or labels."
    J311 = "order is {value}; 0, 1 or 2 are allowed."
    J312 = "attribute is '{value}'. Allowed are: {allowed}."

    J313 = "There are {n_tags} tags, but sentence starts of shape {shape}: give one of each a token."

    # Constituency
    J331 = (
        "Line {line} of the head rules, {found!r}, is no rule. Give a label, a direction ({allowed}) and, for left and "
        "right at least one, labels of children."
    )

    J330 = "There are no constituents to learn. Give examples with trees: `doc.spans` with a group of constituents."
    J332 = "max_span is {value}; it must be at least 1. 7 is usual."
    J333 = "There are {n} labels of constituents; fewer than {most} are allowed."
    J334 = "The head of a binary constituent is on the side {value!r}. Allowed are 'L' and 'R'."
    J335 = (
        "The constituent {label} of tokens {start} to {end} ({words!r}) crosses another one. Constituents are nested "
        "or apart."
    )
    J336 = "The document has no constituents. Process it with a hedge_chunker, or set `doc.spans['constituents']`."
    J337 = "{words!r} cuts the constituent {label} over {other!r}: it has no tree of its own. Take all of it, or less."
    J338 = (
        "'{name}' was made without `joint`: it parses segments, and the document has none. Put a hedge_segmenter "
        "before it, or set `joint` to true and train it."
    )
    J339 = "The pipeline does not contain this component, '{name}'. Give the pipeline that it is in."

    # Quotations
    J320 = (
        "A span of tokens {begin} to {end} cannot follow here: spans must not overlap and have two tokens or more, "
        "from {first} to {last}."
    )
    J321 = "'{name}' has nothing to learn: no example has spans in doc.spans['{key}']. Give it annotated examples."
    J322 = (
        "'{name}' has no quotations to combine with: doc.spans['{key}'] is not there. Put a quotation_spans with "
        'model = "chain" and spans_key = "{key}" before it.'
    )

    # Corpora
    J100 = (
        "The path of the corpus is None. Give the path of a {suffix} file or of a directory of them, e.g. with "
        "`--paths.train` and `--paths.dev` on the command line."
    )
    J101 = "There is no file or directory {path}. Give the path of a {suffix} file or of a directory of them."
    J102 = "The directory {path} has no {suffix} file. Files in its subdirectories are not read: give their directory."
    J103 = (
        "{file}, line {line}: {found} columns are filled. A word of CoNLL-U has 10 columns separated by single tabs, "
        "none of them empty (`_` stands for a missing value). Correct the line, or convert the file to CoNLL-U."
    )
    J104 = (
        "{file}, line {line}: the id is {found!r} where {expected} is expected. The words of a sentence are numbered "
        "1, 2, 3, ...; a multiword token is `first-last` just before its first word; an empty node is `word.number`. "
        "Renumber the sentence, or separate it from the one before by an empty line."
    )
    J105 = (
        "{file}, line {line}: the head is {found!r}. It must be the number of a word of the sentence, or 0 for its "
        "root. (Trees may be missing, as `_`, only in all sentences of a document.) Correct the line."
    )
    J106 = (
        "{file}, line {line}: the head is {found}, but the sentence has {size} words. Allowed are 0 (root) to {size}. "
        "Correct the head, or restore the missing words."
    )
    J107 = (
        "{file}, line {line}: no word of this sentence has head 0. Each sentence has exactly one: give its root head 0."
    )
    J108 = "{file}, line {line}: a second word has head 0. A sentence has exactly one: attach one to the other."
    J109 = (
        "{file}, line {line}: following the heads from this word leads back to it. A tree has no cycles, all words "
        "lead to the root. Correct one of the heads."
    )
    J110 = (
        "{file}, line {line}: the sentence {found} while the sentences before in its document {before}. A document has "
        "trees for all of its sentences or for none. Add the missing ones, or split the document with `# newdoc`."
    )
    J112 = "{file} has no sentences. A CoNLL-U corpus needs at least one: remove the file, or check how it was written."
    J113 = (
        "{file}, line {line}: UPOS is {found!r}. Allowed are the universal tags ({allowed}) and `_`. Put tags of "
        "another tag set into XPOS, the fifth column."
    )
    J114 = (
        "{file}, line {line}: FEATS is {found!r}. Allowed are `_` and features of the form `Name=Value` separated by "
        "`|`. Correct the sixth column."
    )
    J115 = (
        "{file}, line {line}: documents='sent_id' needs a sent_id that ends in a number after `-` or `_`, as in "
        "`# sent_id = weblog-12`; it is {found!r}. Use documents='newdoc' or a number of sentences instead."
    )
    J116 = (
        "documents={found!r} is not known. Allowed are 'newdoc' (`# newdoc` comments), 'sent_id' (all but the number "
        "at the end of sent_id) and a number of sentences, 1 or more. Choose one of them."
    )
    J117 = (
        "{file}, line {line}: spaCy, which derives sentence boundaries from trees, would cut this sentence ({words}): "
        "it is too far from projective. Boundaries survive where fewer arcs cross. Correct or remove the sentence."
    )
    J118 = (
        "Document {document} cannot be written as CoNLL-U: it has no sentence boundaries. Parse it, or set "
        "is_sent_start on its tokens."
    )
    J119 = (
        "Sentence {sentence} of document {document}, {words}, cannot be written as CoNLL-U: {found}. Allowed is "
        "exactly one root, with all heads inside the sentence. Set the heads anew, and with them the boundaries."
    )
    J120 = "{file} cannot be read as a DocBin ({reason}). Write it with `DocBin.to_disk`, e.g. by `spacy convert`."
    J121 = "keep={found!r} is not known. Token annotations that can be kept on the predicted side: {allowed}."
    J122 = (
        "keep has {attribute}, but document {document} of {path} has no such annotation. Annotate the corpus, or leave "
        "{attribute} out of keep."
    )
    J123 = (
        "Punctuation cannot be removed from a document without {attribute}. It needs POS (to know what is punctuation) "
        "and SENT_START. Annotate the document first."
    )
    J124 = (
        "Punctuation cannot be removed from the document {words}: its trees have other boundaries than its sentences. "
        "Each sentence must have exactly one root and all of its heads inside. Set the heads anew."
    )
    J125 = (
        "Punctuation cannot be removed from an example whose predicted document is tokenised differently from its "
        "reference ({words}). Both sides must have the same tokens: read the corpus with spacy_joint.ConlluCorpus.v1 "
        "or spacy_joint.DocBinCorpus.v1."
    )
    J126 = "share={found!r} is not a probability. Give a number from 0 (leave all documents alone) to 1 (change all)."
    J127 = "sentences is {found}; a document has at least 1."

    # Constituency trees
    J128 = "{found!r} is no regular expression ({reason}). Give one that the sent_ids to leave out begin with."
    J129 = "The pipeline ({pipeline}) has no {name}, which tags text without punctuation. Give one that has."
    J131 = (
        "{file}, line {line}: {found} where none is possible. A tree is `(LABEL tree tree ...)` or `(TAG word)`. "
        "Correct the line, or write brackets that are words as -LRB- and -RRB-."
    )
    J132 = "{file}, line {line}: the bracket opened here is never closed. Close it, or restore the end of the file."

    J133 = "{file}, line {line}: {found!r} has no tag. Tagged text is `word/tag word/tag ...`, one sentence a line."

    # Ordering
    J350 = (
        "{file}, line {line}: not a noun phrase. A line is a JSON list of modifiers and, last, the head (or null), "
        "each a list of a word and its tag."
    )
    J352 = "There are no phrases with two or more modifiers in {paths}: there is nothing to learn an order from."
    J353 = "source is '{value}'. Allowed are: {allowed}."
    J354 = "A block of templates names {names}, which are not of one part of an order. Divide it by a blank line."
    J355 = "A phrase has {n} modifiers; at most {most} can be ordered. Order parts of it."
    J356 = "{order} is not an order of {n} modifiers. Give each of 0 to n-1 once."
    J357 = "There are {n_tags} tags for {n} modifiers: give one of each, or none at all."
    J358 = "{path} is plain text, whose words have no tags. Give a pipeline that tags them."
    J415 = "The labels of {name} are always {allowed}, not {labels}. Leave `labels` out."
    J416 = (
        "There is nothing to write. Give --output to learn an order, --phrases to find what it is learnt from, or both."
    )
    J140 = "{file} has no text beside it ({text}). Standoff annotation needs the text that it was made for: copy both."
    J141 = (
        "{file}, line {line}: {found} is not in the text or was not annotated. Standoff annotation and text belong "
        "together: copy both anew, without changing line ends."
    )
    J142 = "{file}, line {line}: {found!r} is not {expected}. Correct the line."
    J143 = "Two systems are compared on the same documents, but one has {first} and the other {second}."
    J144 = (
        "The document {words!r}... has no spans under '{key}', from which its cues were to be taken. Write the corpus "
        "with `spacy joint jackknife`, or leave `cues` out."
    )

    # Pretrained pipeline and command line
    J400 = (
        "This installation has no pretrained pipeline (it would be {path}). Install a release of spacy-joint, or name "
        "a pipeline of your own: the package of one, or the directory that `spacy train` wrote."
    )
    J401 = (
        "beam_width cannot be set: no component of {pipeline} searches with a beam of this package (its components: "
        "{components}). Leave beam_width out."
    )
    J402 = "There is no file {path}. Give the path of a text file, or `-` for the standard input."
    J403 = "{source}, line {line}: not UTF-8 (byte {byte}). Only UTF-8 is read: convert the text, e.g. with iconv."
    J404 = "The format '{found}' is not known. Allowed are: {allowed}."
    J405 = "A DocBin is binary and cannot be printed. Say where to write it, e.g. `--output annotated.spacy`."
    J406 = (
        "{model} has found no sentences in document {document}. The output needs a pipeline that finds them, such as "
        "one with a joint_sbd_parser."
    )
    J407 = "{path} is neither {allowed}. Convert it to one of these, or correct the ending of its name."
    J408 = (
        "The training corpus of {config} is read by {found}. Only documents read by {allowed} can be divided into "
        "folds. Write the corpus with `spacy joint convert` and use one of these."
    )
    J409 = "folds is {folds}; it must be at least 2 and at most the number of documents, {documents}."
    J410 = (
        "{config} trains without end: max_epochs is {max_epochs} and max_steps is {max_steps}. Set one of them, as the "
        "taggers of the folds cannot stop early by documents that they must not have seen."
    )
    J411 = "{config} trains nothing that predicts {attribute}. Give a config with a sequence_tagger."
    J412 = "There is nothing to learn word classes from in {paths}: no sentence with words."
    J413 = "There are no documents with words in {path}."
    J414 = "{path} is not a pipeline: it has no config.cfg. Give the directory that `spacy train` wrote."

    # Serving
    J430 = "`serve` needs {package}, which is not installed. Install the extra: pip install 'spacy-joint[serve]'."
    J431 = "The text has more than {most} characters. Divide it, or start the server with another --max-characters."
    J432 = 'The request was not understood: {reason}. Send JSON, an object with a string "text".'
    J433 = "The server is busy, and has been for {seconds:g} seconds. Try again."
    J434 = (
        "Annotating the text took more than {seconds:g} seconds and was ended. Divide it, or start the server with "
        "another --timeout."
    )
    J435 = "The text could not be annotated; the output of the server says why. Try another text."
    J436 = "The pipeline {pipeline} could not be loaded; what was printed before says why."
    J440 = "{path} was not written: {reason}. What was there before is still there. Make room, or write elsewhere."
    J441 = "{path} cannot be read or written: {reason}."
    J442 = (
        "{path} has no checkpoint to go on from: '{name}' {what}. Give the model-last of `spacy train`, not a finished "
        "pipeline."
    )
    J443 = (
        "The components of {path} have learnt from different numbers of documents ({counts}). Only what was saved at "
        "one moment can go on: use an earlier checkpoint."
    )
    J444 = (
        "The first {n} documents do not end with a batch. Go on with the corpus, the batcher and the seed that the "
        "training began with."
    )
