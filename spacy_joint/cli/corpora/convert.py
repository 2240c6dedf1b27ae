"""`convert`: convert corpora to spaCy's binary format or to CoNLL-U, and constituency treebanks between formats.
`convert-quotes` converts annotated quotations.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from spacy.vocab import Vocab
from wasabi import msg

from ...errors import Errors, JointValueError, check_choice
from ...files.atomic import open_atomic
from ...trees.constituency_trees import Tree
from ..options import DOCUMENTS, DocumentsOption, ModelOption, SubtypesOption, read_documents

CONLLU = ".conllu"
FORMATS_HELP = "brackets, discbracket, export (version 4), export3 or alpino. Default: by suffix."
KEEP_LINES_HELP = "Keep comments, empty nodes, enhanced dependencies and MISC of CoNLL-U in .spacy files."
PARAGRAPHS_HELP = "Write a token with a blank line where CoNLL-U has `# newpar`."


def convert(
    corpora: Annotated[
        list[Path], typer.Argument(help="Files, or directories of files: .conllu, .spacy, constituency treebanks.")
    ],
    output: Annotated[Path, typer.Argument(help="Output: .spacy, .conllu or a constituency treebank.", dir_okay=False)],
    documents: DocumentsOption = DOCUMENTS,
    leave_out: Annotated[
        str | None, typer.Option(help="Leave out CoNLL-U documents whose first sent_id starts with this regex.")
    ] = None,
    subtypes: SubtypesOption = True,
    keep_lines: Annotated[bool, typer.Option("--keep-lines", help=KEEP_LINES_HELP)] = False,
    paragraphs: Annotated[bool, typer.Option("--paragraphs", help=PARAGRAPHS_HELP)] = False,
    format_in: Annotated[str | None, typer.Option(help=f"Format of trees: {FORMATS_HELP}")] = None,
    format_: Annotated[str | None, typer.Option("--format", "-f", help=f"Output format: {FORMATS_HELP}")] = None,
    traces: Annotated[
        Literal["delete", "cross"],
        typer.Option(help="Traces in brackets: delete, or cross (attach fillers where their traces are)."),
    ] = "delete",
    root_attach: Annotated[
        bool, typer.Option("--root-attach", help="Attach children of the root, such as punctuation, to constituents.")
    ] = False,
    continuous: Annotated[
        str | None,
        typer.Option(help="Make trees continuous by these head rules: alpino, english (Penn Treebank) or negra."),
    ] = None,
) -> None:
    """Convert treebanks to and from spaCy's format.

    The output is a DocBin of whole documents with gold tokens, CoNLL-U, or a constituency treebank. Unlike `spacy
    convert`, this keeps documents, spaces, multiword tokens and non-projective trees.
    """
    from ...annotation.constituents import get_trees
    from ...corpora.conllu_writing import write_conllu
    from ...corpora.constituency_treebanks import SUFFIXES, find_format, read_treebank, require_format
    from ...corpora.docbin import SUFFIX, write_docbin
    from ...trees.discontinuity import attach_root_children, make_continuous
    from ...trees.heads import load_head_rules
    from ...trees.transform import mark_heads

    vocab = Vocab()
    nothing = JointValueError(Errors.J413, source=", ".join(map(str, corpora)), what="documents or trees")
    rules = None if continuous is None else load_head_rules(continuous)

    def change(tree: Tree) -> Tree:
        changed = attach_root_children(tree) if root_attach else tree
        return changed if rules is None else make_continuous(mark_heads(changed, rules))

    name = format_ or find_format(output)
    if name is None:
        check_choice("file type", output.suffix, (CONLLU, SUFFIX, *SUFFIXES))
        to_conllu = output.suffix == CONLLU
        settings: dict[str, Any] = {"format_": format_in, "traces": traces, "change": change}
        settings |= {"leave_out": leave_out, "subtypes": subtypes, "paragraphs": paragraphs}
        settings["keep_lines"] = keep_lines or to_conllu
        docs = [doc for corpus in corpora for doc in read_documents(corpus, vocab, documents, **settings)]
        if not docs:
            raise nothing
        if to_conllu:
            with open_atomic(output) as file:
                write_conllu(docs, file)
        else:
            write_docbin(docs, output)
        msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} tokens")
        return

    written = 0

    def read_trees() -> Iterator[Tree]:
        nonlocal written
        for corpus in corpora:
            if format_in is not None or find_format(corpus) is not None:
                trees = read_treebank(corpus, format_in, traces)
            else:
                docs = read_documents(corpus, vocab, documents, leave_out=leave_out)
                trees = (tree for doc in docs for tree in get_trees(doc))
            for tree in trees:
                written += 1
                yield change(tree)
        if not written:
            raise nothing

    write = require_format(name).write
    with open_atomic(output) as file:
        write(read_trees(), file)
    msg.good(f"{output}: {written:,} trees")


def convert_quotes(
    corpus: Annotated[Path, typer.Argument(help="File, or directory of files, with the texts next to them.")],
    output: Annotated[Path, typer.Argument(help="Output .spacy file.", dir_okay=False)],
    format_in: Annotated[
        Literal["brat", "litbank"], typer.Option(help="brat (standoff, e.g. PolNeAR) or litbank (LitBank).")
    ] = "brat",
    model: ModelOption = None,
) -> None:
    """Convert annotated quotations to a DocBin.

    A pipeline predicts tags and trees, since quotation models are trained and evaluated on predicted ones. Each
    paragraph starts a sentence.
    """
    from ... import load
    from ...corpora.brat import read_brat
    from ...corpora.docbin import SUFFIX, write_docbin
    from ...corpora.litbank import read_litbank
    from ...pipes.components import list_components
    from ...quotation.layout import find_paragraph_starts

    check_choice("file type", output.suffix, (SUFFIX,))
    nlp = load(model)
    # These would replace the annotated quotations.
    nlp.select_pipes(disable=list_components(nlp, "quotation_cues", "quotation_spans"))
    docs = list(read_brat(corpus, nlp.make_doc) if format_in == "brat" else read_litbank(corpus, nlp.vocab))
    n_quotations = sum(len(doc.spans.get("quotations", [])) for doc in docs)
    if not n_quotations:
        raise JointValueError(Errors.J413, source=corpus, what="annotated quotations")
    for doc in docs:
        for start in find_paragraph_starts(doc):
            doc[start].is_sent_start = True
    annotated = list(nlp.pipe(docs))
    write_docbin(annotated, output)
    msg.good(f"{output}: {len(docs):,} documents, {sum(map(len, docs)):,} tokens, {n_quotations:,} spans")
