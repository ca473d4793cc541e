"""The stages of PaceMaker, built for one world and not yet joined: chains and their ablations are joined from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Plan, Query, Rankings, Retrieved, Views
from pace_graph.stages.fuse import fuse
from pace_graph.stages.traverse import traverse

Build = Callable[[Env, KnowledgeBase, PaceConfig], Runnable[Query, Retrieved]]


@dataclass(frozen=True)
class Parts:
    """What differs between PaceMaker with a model and with rules."""

    env: Env
    kb: KnowledgeBase
    c: PaceConfig
    plan: Runnable[Query, Plan]
    views: Runnable[Plan, Views]
    retrieve: Runnable[Views, Rankings]
    pre_hop: Runnable[Retrieved, Retrieved]
    post_hop: Runnable[Retrieved, Retrieved]

    @property
    def traverse(self) -> Runnable[Retrieved, Retrieved]:
        """The walk, the same for both."""
        return traverse(self.env.graph, self.kb, self.c)

    def fuse(self, n: int) -> Runnable[Rankings, Retrieved]:
        """The fusion, the same for both, cut to the best `n`."""
        return fuse(k_rrf=self.c.k_rrf, k=self.c.k, n=n)


Family = Callable[[Env, KnowledgeBase, PaceConfig], Parts]
"""PaceMaker with a model, or with rules."""
