"""Defines the runs. The tables and figures look them up by their settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product

from .corpora import Tagging
from .runs import Reparsing, Run

# Systems that find boundaries, in the order of the tables.
FINDERS = ("MARMOT", "NOSYNTAX", "JOINT")
WITH_AND_WITHOUT_SYNTAX = ("JOINT", "NOSYNTAX")
ON_DOCUMENTS = ("greedy", "early", "max_violation", "dlaso", "laso")
ON_SENTENCES = ("early", "max_violation")


@dataclass(frozen=True)
class Plan:
    """Corpora and sizes.

    starred, edited: Names of corpora, in the order of runs and tables.
    corpora_of_beams: The corpora on which beam widths are compared.
    epochs: For all strategies that are not in `longer`.
    longer: Maximum epochs of strategies with short epochs, so that they can be compared after equal time.
    seeds: Of most runs; `early`, `greedy` and other beam widths have only the first one.
    """

    starred: tuple[str, ...]
    edited: tuple[str, ...]
    corpora_of_beams: tuple[str, ...]
    beam_width: int
    beam_widths: tuple[int, ...]
    epochs: int
    longer: dict[str, int]
    seeds: tuple[int, ...]
    table_bits: int
    tagging: Tagging

    @property
    def corpora(self) -> tuple[str, ...]:
        """All corpora."""
        return (*self.starred, *self.edited)

    def run(
        self,
        corpus: str,
        strategy: str = "dlaso",
        beam_width: int | None = None,
        *,
        system: str = "JOINT",
        sentences: bool = False,
    ) -> Run:
        """One of FINDERS. On sentences, JOINT finds no boundaries, and is a sentence-based parser."""
        system = "GOLD" if sentences and strategy == "max_violation" else system
        epochs = self.epochs if sentences else self.longer.get(strategy, self.epochs)
        width = 1 if strategy == "greedy" else beam_width or self.beam_width
        return Run(
            corpus,
            system,
            strategy,
            beam_width=width,
            epochs=epochs,
            # Twice, because its steps are cheaper, and it must run long enough to compare after equal time.
            passes=2 * self.epochs if strategy == "early" else epochs,
            seed=self.seeds[0],
            table_bits=self.table_bits,
            sentences=sentences,
            final=width == self.beam_width and (system == "GOLD" or strategy == "dlaso"),
        )

    def gold(self, corpus: str) -> Run:
        """The sentence-based parser, on the sentences of the reference."""
        return self.run(corpus, "max_violation", sentences=True)

    def reparsed(self, corpus: str, system: str) -> Reparsing:
        """The sentence-based parser on the sentences that a system found."""
        return Reparsing(self.run(corpus, system=system), self.gold(corpus))

    def trees(self, corpus: str) -> dict[str, Run | Reparsing]:
        """The systems whose trees are compared."""
        return {
            "GOLD": self.gold(corpus),
            "MARMOT": self.reparsed(corpus, "MARMOT"),
            "NOSYNTAX": self.reparsed(corpus, "NOSYNTAX"),
            "JOINT": self.run(corpus),
            "JOINT-REPARSED": self.reparsed(corpus, "JOINT"),
        }

    def list_runs(self) -> list[Run | Reparsing]:
        """All runs, each once."""
        return list(dict.fromkeys(chain.from_iterable(self.list_tasks())))

    def list_tasks(self) -> Iterator[list[Run | Reparsing]]:
        """All runs, the most important first. Each list runs in order, so that dependencies come first."""
        for seed, corpus in product(self.seeds, self.corpora):
            others = [self.run(corpus, "laso", system=system) for system in WITH_AND_WITHOUT_SYNTAX]
            if corpus in self.starred:
                others.append(self.run(corpus, "max_violation"))
            yield [at_seed(run, seed) for run in self._list_systems(corpus)]
            yield [at_seed(run, seed) for run in others]
        for corpus in self.starred:
            yield [
                *(self.run(corpus, strategy) for strategy in ON_DOCUMENTS),
                *(self.run(corpus, strategy, sentences=True) for strategy in ON_SENTENCES),
            ]
        for corpus in self.corpora_of_beams:
            for width in self.beam_widths:
                yield [self.run(corpus, strategy, width) for strategy in ("dlaso", "max_violation")]

    def _list_systems(self, corpus: str) -> list[Run | Reparsing]:
        both = [(self.run(corpus, system=system), self.reparsed(corpus, system)) for system in reversed(FINDERS)]
        return [self.gold(corpus), *(run for pair in both for run in pair)]


def at_seed(run: Run | Reparsing, seed: int) -> Run | Reparsing:
    """The same run with another seed."""
    if isinstance(run, Run):
        return replace(run, seed=seed)
    return Reparsing(replace(run.boundaries, seed=seed), replace(run.parser, seed=seed))


def make_full_plan(n_seeds: int) -> Plan:
    """The plan of the experiments."""
    return Plan(
        # The smallest first, so that there is soon something to see.
        starred=("NSC*", "EWT*", "GUM*"),
        edited=("EWT", "GUM"),
        corpora_of_beams=("NSC*",),
        beam_width=8,
        beam_widths=(1, 4, 8, 20, 40, 100),
        epochs=12,
        longer={"early": 1024},
        seeds=tuple(range(n_seeds)),
        table_bits=23,
        tagging=Tagging(),
    )


def make_quick_plan(n_seeds: int) -> Plan:
    """The same on a treebank of a few hundred words, only to check that everything works."""
    return Plan(
        starred=("TINY*",),
        edited=("TINY",),
        corpora_of_beams=("TINY*",),
        beam_width=4,
        beam_widths=(1, 4, 8),
        epochs=3,
        longer={"early": 16},
        seeds=tuple(range(n_seeds)),
        table_bits=17,
        tagging=Tagging(folds=2, epochs=2, table_bits=17),
    )
