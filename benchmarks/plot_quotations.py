"""Draws the figure of docs/quotation_spans.md from the results of quotations.py: recall and speed by length."""

import json
from pathlib import Path
from typing import Annotated

import matplotlib.pyplot as plt
import typer

SYSTEMS = {"semimarkov_beam": "semimarkov", "chain_beam": "chain", "greedy_beam": "greedy", "rules": "rules"}


def main(
    results: Annotated[Path, typer.Argument(help="JSON file that quotations.py wrote.")],
    output: Annotated[Path, typer.Argument(help="SVG file to write.")],
) -> None:
    """Draw recall by quotation length, and words per second by document length."""
    measured = json.loads(results.read_text(encoding="utf8"))
    # Reproducible bytes: no date, no random names.
    plt.rcParams["svg.hashsalt"] = "quotations"
    figure, (recall, speed) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained", width_ratios=(2, 1))
    for system, label in SYSTEMS.items():
        rows = measured[system]["recall_by_length"]
        recall.plot([f"{name}\n({n})" for name, n, _ in rows], [100 * share for *_, share in rows], "o-", label=label)
    recall.set(xlabel="words (quotations)", ylabel="found exactly (%)", ylim=(0, 100))
    recall.legend(frameon=False)
    sizes, speeds = zip(*measured["growth"], strict=True)
    speed.semilogx(sizes, [words / 1000 for words in speeds], "o-")
    speed.set(xlabel="words of the document", ylabel="thousand words per second")
    speed.set_ylim(bottom=0)
    for axes in (recall, speed):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    typer.run(main)
