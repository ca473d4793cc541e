"""What people's votes on items come to: the majority, how often it is as given, and how far the voters agree.

Source:
    PACE, section on the human evaluation (specification 6.6); A27 leaves open which of the last two it reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from statistics import fmean
from typing import TypeVar

V = TypeVar("V", bound=Hashable)


def majority(votes: Sequence[V]) -> V | None:
    """The vote of more than half of the voters; None when there is none."""
    vote, count = Counter(votes).most_common(1)[0]
    return vote if 2 * count > len(votes) else None


def as_given(items: Sequence[tuple[Sequence[V], V]]) -> float:
    """Share of items whose majority is the label given with the votes."""
    return fmean(majority(votes) == label for votes, label in items)


def unanimous(items: Sequence[Sequence[V]]) -> float:
    """Share of items on which all voters agree (A27, reading a)."""
    return fmean(len(set(votes)) == 1 for votes in items)


def pairwise(items: Sequence[Sequence[V]]) -> float:
    """Mean over items of the share of pairs of voters that agree (A27, reading b)."""
    return fmean(fmean(a == b for a, b in combinations(votes, 2)) for votes in items)
