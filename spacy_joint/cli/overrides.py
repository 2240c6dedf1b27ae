"""Options that override a config, as for `spacy train`: those with a dot, such as `--training.max_epochs 5`."""

from typing import Any

from spacy.cli._util import parse_config_overrides
from typer.core import TyperCommand


class OverridingCommand(TyperCommand):
    """A command that finds the values of such options, by their dotted names, in `ctx.obj`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses all arguments."""
        own, overrides = split_overrides(args)
        ctx.obj = parse_config_overrides(overrides)
        return super().parse_args(ctx, own)


def split_overrides(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Splits off the options that override a config, with their values."""
    own: list[str] = []
    overrides: list[str] = []
    is_value = False
    for argument in arguments:
        is_option = argument.startswith("--")
        is_override = (is_value and not is_option) or (is_option and "." in argument.partition("=")[0])
        (overrides if is_override else own).append(argument)
        is_value = is_override and is_option and "=" not in argument
    return own, overrides
