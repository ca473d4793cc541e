"""`shuffled-memory`, a control: as many facts as a plain retriever returns, drawn without looking at them."""

from __future__ import annotations

from random import Random

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.given import given


def shuffled_memory(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:  # noqa: ARG001 - as all systems
    """`n_baseline` facts, the same for the same query id and `seed` on every machine."""
    facts = sorted(kb.facts)

    def choose(query: Query) -> list[str]:
        dice = Random(f"{c.seed} {query.query_id}")  # noqa: S311 - a draw, no secret
        return dice.sample(facts, min(c.n_baseline, len(facts)))

    return given(c, choose)
