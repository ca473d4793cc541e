"""`oracle`: only what is known to matter. The one system that reads gold.

Source:
    PACE, section on baselines.
"""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.given import given


def oracle(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:  # noqa: ARG001 - as all systems
    """The query's gold facts, in the order of the file."""
    return given(c, lambda query: [fact_id for fact_id in query.gold if fact_id in kb.facts])
