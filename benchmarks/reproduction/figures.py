"""Draws the figures of the report as SVG from the stored runs. The same runs give the same bytes."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spacy_joint.files.atomic import atomic_write

from .plan import ON_DOCUMENTS, ON_SENTENCES, Plan
from .results import Results

COLOURS = {
    "greedy": "tab:gray",
    "early": "tab:orange",
    "max_violation": "tab:green",
    "dlaso": "tab:blue",
    "laso": "tab:purple",
    "JOINT": "tab:blue",
    "NOSYNTAX": "tab:red",
    "MARMOT": "tab:gray",
}
NAMES = {"boundary_f": "boundary F1", "las": "LAS"}


def draw_all(plan: Plan, results: Results, report: Path) -> None:
    """Draw the figures beside the report."""
    figures = {
        "curves": _draw_curves(plan, results),
        "used": _draw_use(plan, results),
        "beams": _draw_beams(plan, results),
        "syntax": _draw_syntax(plan, results),
    }
    for name, figure in figures.items():
        lines = {str(line.get_label()): line for line in figure.axes[0].get_lines()}
        if lines:
            figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=len(lines), frameon=False)
        # Reproducible bytes: no date, no random names.
        file = report.with_name(f"{report.stem}_{name}.svg")
        with matplotlib.rc_context({"svg.hashsalt": name}), atomic_write(file) as path:
            figure.savefig(path, format="svg", metadata={"Date": None})


def _draw_curves(plan: Plan, results: Results) -> Figure:
    """Draw scores by epochs and by time, one row per corpus."""
    figure, rows = _grid(len(plan.starred), 4)
    for corpus, axes in zip(plan.starred, rows, strict=True):
        for by, pair in (("number", axes[:2]), ("seconds", axes[2:])):
            for (measure, name), one in zip(NAMES.items(), pair, strict=True):
                for strategy in ON_DOCUMENTS:
                    points = results.points(plan.run(corpus, strategy))
                    _plot(one, [(point[by], point[measure]) for point in points], strategy)
                label = "epochs" if by == "number" else "seconds of training"
                one.set(title=corpus, xlabel=label, ylabel=f"{name} (%)", xscale="log")
    return figure


def _draw_use(plan: Plan, results: Results) -> Figure:
    """Draw the share of gold sequences that is used, one row per corpus, on documents and on sentences."""
    figure, rows = _grid(len(plan.starred), 2)
    for corpus, axes in zip(plan.starred, rows, strict=True):
        for one, sentences in zip(axes, (False, True), strict=True):
            for strategy in ON_SENTENCES:
                epochs = results.epochs(plan.run(corpus, strategy, sentences=sentences))[: plan.epochs]
                _plot(one, [(epoch["number"], epoch["used"]) for epoch in epochs], strategy)
            title = f"{corpus}, {'sentences' if sentences else 'documents'}"
            one.set(title=title, xlabel="epochs", ylabel="sequence used (%)", ylim=(0, 105))
    return figure


def _draw_beams(plan: Plan, results: Results) -> Figure:
    """Draw scores by beam width, one row per corpus."""
    figure, rows = _grid(len(plan.corpora_of_beams), 2)
    for corpus, axes in zip(plan.corpora_of_beams, rows, strict=True):
        for one, (measure, name) in zip(axes, NAMES.items(), strict=True):
            for strategy in ("dlaso", "max_violation"):
                runs = {width: plan.run(corpus, strategy, width) for width in plan.beam_widths}
                scores = {width: results.measure(run) for width, run in runs.items()}
                _plot(one, [(width, found[measure]) for width, found in scores.items() if found], strategy)
            one.set(title=corpus, xlabel="beam", ylabel=f"{name} (%)", xscale="log")
            one.set_xticks(plan.beam_widths, [str(width) for width in plan.beam_widths], minor=False)
            one.set_xticks([], minor=True)
    return figure


def _draw_syntax(plan: Plan, results: Results) -> Figure:
    """Draw boundary F1 by epochs with and without syntax, one column per corpus."""
    figure, rows = _grid(1, len(plan.corpora))
    for corpus, one in zip(plan.corpora, rows[0], strict=True):
        for system in ("JOINT", "NOSYNTAX", "MARMOT"):
            points = results.points(plan.run(corpus, system=system))
            _plot(one, [(point["number"], point["boundary_f"]) for point in points], system)
        one.set(title=corpus, xlabel="epochs", ylabel="boundary F1 (%)")
    return figure


def _grid(n_rows: int, n_columns: int) -> tuple[Figure, Sequence[Sequence[Axes]]]:
    figure = Figure(figsize=(3.2 * n_columns, 2.6 * n_rows + 0.4), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _plot(axes: Axes, points: Iterable[tuple[float, float]], name: str) -> None:
    found = list(points)
    if found:
        axes.plot([x for x, _ in found], [100 * y for _, y in found], ".-", color=COLOURS[name], label=name)
    axes.spines[["top", "right"]].set_visible(False)
