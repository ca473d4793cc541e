"""Rankings → Retrieved: weighted reciprocal rank fusion, with every list's share kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum

from langchain_core.runnables import Runnable

from pace_graph.records import Hit, Ranking, Rankings, Retrieved, Share, Step
from pace_graph.stages.stage import stage


def fuse(*, k_rrf: float, k: int, n: int) -> Runnable[Rankings, Retrieved]:
    """Fusion of the first `k` of all lists, cut to the best `n`.

    Source:
        PACE, section on weighted reciprocal rank fusion.
    """

    def step(rankings: Rankings) -> Retrieved:
        weights = [view.weight for view in rankings.views.views]
        hits = wrrf((top(ranking, k) for ranking in rankings.lists), weights, k_rrf)
        return Retrieved(rankings, hits[:n], (Step("retrieve", hits), Step("fuse", hits[:n])))

    return stage("fuse", step)


def wrrf(lists: Iterable[Ranking], weights: Sequence[float], k_rrf: float) -> tuple[Hit, ...]:
    """Every fact of the lists with the sum of weight / (k_rrf + rank), best first; ties by best rank, then id.

    Args:
        weights: one a view, by the view's position.
        k_rrf: the constant; ranks are counted from 1.
    """
    shares: dict[str, list[Share]] = defaultdict(list)
    for ranking in lists:
        for rank, (fact_id, score) in enumerate(zip(ranking.fact_ids, ranking.scores, strict=True), start=1):
            part = weights[ranking.view] / (k_rrf + rank)
            shares[fact_id].append(Share(ranking.view, ranking.leg, rank, score, part))
    hits = (
        # Summed exactly: equal shares met in another order are a tie, not a difference in the last bit.
        Hit(fact_id, fsum(share.part for share in parts), path=(fact_id,), shares=tuple(parts))
        for fact_id, parts in shares.items()
    )
    return tuple(sorted(hits, key=lambda hit: (-hit.score, min(share.rank for share in hit.shares), hit.fact_id)))


def top(ranking: Ranking, k: int) -> Ranking:
    """The first `k` of a list."""
    return replace(ranking, fact_ids=ranking.fact_ids[:k], scores=ranking.scores[:k])
