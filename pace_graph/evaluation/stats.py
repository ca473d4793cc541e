"""How sure a figure is: bootstrap intervals of rates, paired tests between systems, Holm's correction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pace_graph.evaluation.extra import needed
from pace_graph.evaluation.metrics import mean

Averaging = Literal["micro", "macro"]
Scores = Sequence[tuple[str, float]]
"""(world, score) rows."""

_BATCH = 500
_PERMUTATIONS = 4999


@dataclass(frozen=True, slots=True)
class Rate:
    """A mean of scores with its 95 % interval.

    Attributes:
        value: None when nothing was scored.
        low: None (as `high`) when there are too few units to resample: fewer than two.
        n: how many requests were scored.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are drawn.

    Attributes:
        clustered: whole worlds are drawn instead of requests, since requests of one world share its facts. Means over
            worlds (macro) are always drawn so.
    """

    clustered: bool = False
    seed: int = 0
    resamples: int = 2000


def rate(scores: Scores, how: Resampling, averaging: Averaging = "micro") -> Rate:
    """The mean of some scores with its 95 % percentile bootstrap interval.

    Args:
        averaging: over requests (micro), or over the means of worlds (macro).
    """
    if not scores:
        return Rate(None)
    value, n = mean(scores, averaging), len(scores)
    by_world = how.clustered or averaging == "macro"
    units = _worlds(scores) if by_world else (np.array([score for _, score in scores]),)
    if len(units[0]) < 2:
        return Rate(value, n=n)
    low, high = _bootstrap(units, how, averaging)
    return Rate(value, low, high, n)


def _worlds(scores: Scores) -> tuple[NDArray[np.float64], ...]:
    """The sum and the count of scores, one entry a world."""
    found: dict[str, list[float]] = defaultdict(list)
    for world, score in scores:
        found[world].append(score)
    return np.array([sum(each) for each in found.values()]), np.array([float(len(each)) for each in found.values()])


def _bootstrap(units: tuple[NDArray[np.float64], ...], how: Resampling, averaging: Averaging) -> tuple[float, float]:
    if all((unit == unit[0]).all() for unit in units):
        # Every draw is the same.
        same = float(units[0][0] / units[1][0]) if len(units) == 2 else float(units[0][0])
        return same, same
    return _drawn(tuple(unit.tobytes() for unit in units), how, averaging)


@lru_cache(2048)
def _drawn(units: tuple[bytes, ...], how: Resampling, averaging: Averaging) -> tuple[float, float]:
    # Kept: a figure and its tables ask for the same intervals.
    done = needed("scipy.stats").bootstrap(
        tuple(np.frombuffer(unit) for unit in units),
        _statistic(len(units), averaging),
        paired=len(units) == 2,
        n_resamples=how.resamples,
        batch=_BATCH,
        vectorized=True,
        method="percentile",
        rng=how.seed,
    )
    return float(done.confidence_interval.low), float(done.confidence_interval.high)


def _statistic(parts: int, averaging: Averaging) -> Any:
    if parts == 1:
        return np.mean
    if averaging == "macro":
        return lambda sums, counts, axis=-1: np.mean(sums / counts, axis=axis)
    return lambda sums, counts, axis=-1: np.sum(sums, axis=axis) / np.sum(counts, axis=axis)


def p_of_means(first: Sequence[float], second: Sequence[float], seed: int = 0, resamples: int = _PERMUTATIONS) -> float:
    """Two-sided p of the paired randomisation test: how often a difference of means this large comes of swaps alone.

    Args:
        second: scores of the same requests, in the same order.
    """
    differences = np.array(first, dtype=float) - np.array(second, dtype=float)
    # A pair without a difference is the same when swapped: leaving it out changes nothing but the time.
    differences = differences[differences != 0]
    if len(differences) < 2:
        # One pair swapped is as far from zero as one that is not. (SciPy takes no sample of one.)
        return 1.0
    done = needed("scipy.stats").permutation_test(
        (differences,),
        np.sum,
        permutation_type="samples",
        n_resamples=resamples,
        batch=_BATCH,
        vectorized=True,
        rng=seed,
    )
    return float(done.pvalue)


def p_of_passes(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Two-sided p of McNemar's exact test: whether one of two systems passes where the other does not.

    Args:
        second: of the same requests, in the same order.
    """
    table = np.zeros((2, 2), dtype=int)
    for one, other in zip(first, second, strict=True):
        table[int(not one), int(not other)] += 1
    if not table[0, 1] + table[1, 0]:
        return 1.0
    return float(needed("statsmodels.stats.contingency_tables").mcnemar(table, exact=True).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values corrected by Holm's step-down for being that many, in the same order."""
    if not p_values:
        return []
    corrected = needed("statsmodels.stats.multitest").multipletests(p_values, method="holm")[1]
    return [float(p) for p in corrected]
