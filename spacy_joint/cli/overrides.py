"""Options that override a config, as for `spacy train`: those with a dot, such as `--training.max_epochs 5`."""

from typing import Any

from spacy.cli._util import parse_config_overrides
from spacy.language import DEFAULT_CONFIG
from typer.core import TyperCommand

from ..errors import check_choice


class OverridingCommand(TyperCommand):
    """A command that finds the values of such options, by their dotted names, in `ctx.obj`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses all arguments."""
        own, overrides = split_overrides(args)
        ctx.obj = _read_overrides(overrides)
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


def _read_overrides(arguments: list[str]) -> dict[str, Any]:
    """Reads these options, and those of spaCy's environment variable. RAISES ValueError: If a setting of a section that
    spaCy fills in is unknown (J040): spaCy would ignore it."""
    overrides = parse_config_overrides(arguments)
    for override in overrides:
        section, setting = override.split(".")[:2]
        if section in ("nlp", "training", "initialize"):
            check_choice(f"setting of [{section}]", setting, DEFAULT_CONFIG[section])
    return overrides
