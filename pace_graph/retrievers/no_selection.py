"""The ablation without selection: all that the walk collected, in the order in which it was met.

Source:
    PACE, section on the ablation; A18.
"""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.parts import Build, Family


def without_selection(family: Family) -> Build:
    """The family's chain without its last filter; the one before the walk stays."""

    def build(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
        p = family(env, kb, c)
        return p.plan | p.views | p.retrieve | p.fuse(c.n_seed) | p.pre_hop | p.traverse

    return build
