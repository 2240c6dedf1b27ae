"""The figure of docs/quotation_spans.md: recall by length, from what quotations.py wrote."""

import json
from pathlib import Path
from typing import Annotated

import matplotlib.pyplot as plt
import typer

SYSTEMS = ("semimarkov", "chain", "greedy", "rules")


def main(
    results: Annotated[Path, typer.Argument(help="JSON file that quotations.py wrote.")],
    output: Annotated[Path, typer.Argument(help="SVG file to write.")],
) -> None:
    """Draw recall by length."""
    measured = json.loads(results.read_text(encoding="utf8"))
    # The same bytes each time: no date, no random names.
    plt.rcParams["svg.hashsalt"] = "quotations"
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for system in SYSTEMS:
        rows = measured[system]["recall_by_length"]
        axes.plot([f"{name}\n({n})" for name, n, _ in rows], [100 * recall for *_, recall in rows], "o-", label=system)
    axes.set(xlabel="words (quotations)", ylabel="found exactly (%)", ylim=(0, 100))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    typer.run(main)
