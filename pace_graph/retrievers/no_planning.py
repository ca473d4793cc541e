"""The ablation without planning: no planner, and by default no counter views either.

Source:
    PACE, section on the ablation; A19 is a setting.
"""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Plan, Query, Retrieved
from pace_graph.retrievers.parts import Build, Family
from pace_graph.stages.stage import stage
from pace_graph.stages.views import whole


def without_planning(family: Family) -> Build:
    """The family's chain from the request as the only view, or from views written without a plan.

    Rules write their views from the directions of a plan: without one they have the request alone, in both readings.
    """

    def build(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
        p = family(env, kb, c)
        start = {"original_only": whole(c), "unplanned_views": _no_plan() | p.views}[c.ablate_planning]
        return start | p.retrieve | p.fuse(c.n_seed) | p.pre_hop | p.traverse | p.post_hop

    return build


def _no_plan() -> Runnable[Query, Plan]:
    return stage("no plan", lambda query: Plan(query, status="none"))
