"""Retrieval metrics: values that print as their names, and rows of them averaged.

Source:
    PACE, section on retrieval metrics; A23 (averaging) and A24 (depth of MRR) are settings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

Score = Callable[[Sequence[str], frozenset[str]], float]


@dataclass(frozen=True)
class Metric:
    """One measure at one depth.

    Attributes:
        score: of a ranked list and the gold facts, in [0, 1]; 0 when there is no gold.
    """

    name: str
    score: Score

    def __str__(self) -> str:
        return self.name

    def __call__(self, ranked: Sequence[str], gold: Iterable[str]) -> float:
        """The score of one ranked list."""
        wanted = frozenset(gold)
        return self.score(ranked, wanted) if wanted else 0.0


def recall(k: int) -> Metric:
    """Share of the gold facts among the first k."""
    return Metric(f"Recall@{k}", lambda ranked, gold: len(gold.intersection(ranked[:k])) / len(gold))


def hit(k: int) -> Metric:
    """1 when any gold fact is among the first k."""
    return Metric(f"Hit@{k}", lambda ranked, gold: float(not gold.isdisjoint(ranked[:k])))


def all_gold(k: int) -> Metric:
    """1 when every gold fact is among the first k."""
    return Metric(f"Gold@{k}", lambda ranked, gold: float(gold.issubset(ranked[:k])))


def reciprocal_rank(depth: int | None = None) -> Metric:
    """1 / rank of the first gold fact, 0 when there is none within the depth."""

    def score(ranked: Sequence[str], gold: frozenset[str]) -> float:
        return next((1 / rank for rank, found in enumerate(ranked[:depth], start=1) if found in gold), 0.0)

    return Metric("MRR" if depth is None else f"MRR@{depth}", score)


PAPER: tuple[Metric, ...] = (
    recall(5),
    recall(10),
    hit(5),
    hit(10),
    all_gold(5),
    all_gold(10),
    reciprocal_rank(),
)
"""The seven retrieval columns of the paper's main table."""


def mean(scores: Iterable[tuple[str, float]], averaging: str = "micro") -> float:
    """The mean of (world, score) rows: over queries (micro), or over the means of worlds (macro); 0 for none."""
    rows = list(scores)
    if not rows:
        return 0.0
    if averaging == "micro":
        return fmean(score for _, score in rows)
    worlds: dict[str, list[float]] = defaultdict(list)
    for world, score in rows:
        worlds[world].append(score)
    return fmean(fmean(found) for found in worlds.values())
