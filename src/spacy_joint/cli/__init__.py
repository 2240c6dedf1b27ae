"""`python -m spacy joint ...`: the commands of the package, one module each.

spaCy imports this module for all of its commands, so heavy imports are deferred until a command runs.
"""

import typer
from spacy.cli import app as spacy_app

from .annotate import annotate
from .calibrate import calibrate
from .check import check
from .check_order import check_order
from .configs import configs
from .convert import convert
from .convert_quotes import convert_quotes
from .distill import distill
from .evaluate import evaluate
from .evaluate_quotes import evaluate_quotes
from .export_onnx import export_onnx
from .failures import report_failures
from .finish import finish
from .jackknife import jackknife
from .learn_order import learn_order
from .quotes import quotes
from .resume import resume
from .serve import serve
from .tokenizer_exceptions import tokenizer_exceptions
from .train import train
from .train_treebank import train_treebank
from .tune import tune
from .word_classes import word_classes

app = typer.Typer(
    name="joint", help="Structured prediction over whole documents.", no_args_is_help=True, rich_markup_mode=None
)
for command in (
    annotate,
    calibrate,
    check,
    check_order,
    configs,
    convert,
    convert_quotes,
    distill,
    evaluate,
    evaluate_quotes,
    export_onnx,
    learn_order,
    quotes,
    tokenizer_exceptions,
    serve,
    word_classes,
):
    app.command(command.__name__.replace("_", "-"))(report_failures(command))
# Unknown options of these commands override the config, as for `spacy train`.
for overriding in (finish, jackknife, resume, train, train_treebank, tune):
    name = overriding.__name__.replace("_", "-")
    app.command(name, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
        report_failures(overriding)
    )
spacy_app.add_typer(app)
