"""`python -m spacy joint ...`: the commands of the package, one module each, in the order of `--help`. Commands parse
options and print; the work is done in other folders.

spaCy imports this module for all of its commands, so heavy imports are deferred until a command runs.

```
annotating   commands that annotate text
corpora      commands for corpora
training     commands that learn from corpora
pipelines    commands for trained pipelines
options      shared options, input and output
overrides    options that override configs
failures     errors and warnings of all commands
```
"""

import typer
from spacy.cli import app as spacy_app

from .annotating.annotate import annotate
from .annotating.annotate_corpus import annotate_corpus
from .annotating.check_order import check_order
from .annotating.quotes import quotes
from .annotating.serve import serve
from .corpora.check import check
from .corpora.convert import convert, convert_quotes
from .failures import JointGroup, check_arguments
from .overrides import OverridingCommand
from .pipelines.calibrate import calibrate
from .pipelines.download import download
from .pipelines.evaluate import evaluate, evaluate_quotes
from .pipelines.export_onnx import export_onnx
from .pipelines.finish import finish
from .training.configs import configs
from .training.distill import distill
from .training.jackknife import jackknife
from .training.learn_order import learn_order
from .training.learn_speakers import learn_speakers
from .training.resume import resume
from .training.tokenizer_exceptions import tokenizer_exceptions
from .training.train import train
from .training.train_treebank import train_treebank
from .training.word_classes import word_classes

COMMANDS = (
    *(annotate, annotate_corpus, quotes, check_order, serve),
    *(convert, convert_quotes, check),
    *(train_treebank, configs, tokenizer_exceptions, word_classes, jackknife, train, resume, distill),
    *(learn_order, learn_speakers),
    *(download, evaluate, evaluate_quotes, calibrate, finish, export_onnx),
)
OVERRIDING = (finish, jackknife, resume, train, train_treebank)

app = typer.Typer(
    name="joint",
    cls=JointGroup,
    help="Structured prediction over whole documents.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for command in COMMANDS:
    kind = OverridingCommand if command in OVERRIDING else None
    app.command(command.__name__.replace("_", "-"), cls=kind)(check_arguments(command))
spacy_app.add_typer(app)
