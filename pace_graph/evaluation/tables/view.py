"""What tables and figures are made from: scored runs, and how to average and resample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pace_graph.evaluation.metrics import Metric, recall
from pace_graph.evaluation.rows import Judged
from pace_graph.evaluation.scores import EVERY, Chosen, RunScores, Scored, SystemScores, metrics
from pace_graph.evaluation.stats import Averaging, Rate, Resampling, rate

PACEMAKERS = ("pacemaker", "pacemaker-rules")


@dataclass(frozen=True)
class View:
    """Runs, seen with some choices.

    Attributes:
        ks: depths of Recall, Hit and Gold.
        averaging: of retrieval metrics (A23); Pass, Wrong and Fail are always over requests, as in the paper.
    """

    runs: tuple[RunScores, ...]
    ks: tuple[int, ...] = (5, 10)
    averaging: Averaging = "micro"
    how: Resampling = field(default_factory=Resampling)

    @cached_property
    def systems(self) -> tuple[SystemScores, ...]:
        """Every system of every run, in order."""
        return tuple(system for run in self.runs for system in run.systems)

    @property
    def deepest(self) -> int:
        """The largest depth: that of tables with one retrieval column."""
        return max(self.ks)

    @property
    def is_judged(self) -> bool:
        """Whether any answer has a label."""
        return any(system.judged for system in self.systems)

    @property
    def final(self) -> bool:
        """Whether every figure is what it will be."""
        return all(run.final for run in self.runs)

    def name(self, system: SystemScores) -> str:
        """What tables call a system: with its run where there are several."""
        return system.system if len(self.runs) == 1 else f"{system.run}: {system.system}"

    def metrics(self, system: SystemScores) -> tuple[Metric, ...]:
        """The retrieval columns, with the depth of MRR that the system was run with (A24)."""
        return metrics(self.ks, system.config.get("mrr_depth"))

    def retrieval(self, system: SystemScores, metric: Metric, chosen: Chosen = EVERY) -> Rate | None:
        """A retrieval metric with its interval; None for a system that ranks nothing."""
        return rate(system.retrieval(metric, chosen), self.how, self.averaging) if system.ranks else None

    def recall(self, system: SystemScores, chosen: Chosen = EVERY) -> Rate | None:
        """Recall at the largest depth."""
        return self.retrieval(system, recall(self.deepest), chosen)

    def labelled(self, system: SystemScores, label: Judged = "PASS", chosen: Chosen = EVERY) -> Rate | None:
        """The share of answers with a label, with its interval; None for a system without judged answers."""
        return rate(system.labelled(label, chosen), self.how) if system.judged else None

    def share(self, rows: Iterable[Scored], chosen: Chosen) -> Rate:
        """The share of some requests that are so."""
        return rate([(row.asked.world, float(chosen(row))) for row in rows], self.how)

    def find(self, names: Sequence[str]) -> Iterator[SystemScores]:
        """The systems of these names, in every run."""
        return (system for system in self.systems if system.system in names)
