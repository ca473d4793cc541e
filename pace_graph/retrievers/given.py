"""Query → Retrieved without a search: facts that are given, for the systems that a search is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.records import Hit, Query, Rankings, Retrieved, Step, Views
from pace_graph.stages.stage import stage
from pace_graph.stages.views import whole


def given(c: PaceConfig, choose: Callable[[Query], Sequence[str]]) -> Runnable[Query, Retrieved]:
    """The facts that `choose` names, in its order; there is no ranked list and no score."""

    def step(views: Views) -> Retrieved:
        hits = tuple(Hit(fact_id, path=(fact_id,)) for fact_id in choose(views.query))
        return Retrieved(Rankings(views, ()), hits, (Step("retrieve", hits),))

    return whole(c) | stage("retrieve", step)
