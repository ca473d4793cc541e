"""The ablation without traversal: what fusion found is not walked from.

Source:
    PACE, section on the ablation; A17 is a setting.
"""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.parts import Build, Family


def without_traversal(family: Family) -> Build:
    """The family's chain up to fusion: its best `n_final`, all of it, or what one or both filters keep of it."""

    def build(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
        p = family(env, kb, c)
        found = p.plan | p.views | p.retrieve
        return {
            "fused_top": found | p.fuse(c.n_final),
            "fused_all": found | p.fuse(c.n_seed),
            "prehop": found | p.fuse(c.n_seed) | p.pre_hop,
            "both_filters": found | p.fuse(c.n_seed) | p.pre_hop | p.post_hop,
        }[c.ablate_traversal]

    return build


def shown_without_traversal(c: PaceConfig) -> int | None:
    """How many facts the answer generator is shown: all where the reading says that all of them reach it."""
    return None if c.ablate_traversal in {"fused_all", "prehop"} else c.n_answer
