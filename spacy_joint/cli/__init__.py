"""`python -m spacy joint ...`: the commands of the package."""

import typer

app = typer.Typer(name="joint", help="Structured prediction over whole documents", no_args_is_help=True)


@app.callback()
def joint() -> None:
    """Structured prediction over whole documents."""
