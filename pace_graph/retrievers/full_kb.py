"""`full-kb`: every fact of the world, whatever is asked.

Source:
    PACE, section on baselines; A22 (order and truncation) is two settings.
"""

from __future__ import annotations

from itertools import accumulate

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved, Step
from pace_graph.retrievers.given import given
from pace_graph.stages.filter import listed
from pace_graph.stages.stage import stage


def full_kb(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:  # noqa: ARG001 - as all systems
    """Every fact in the order of `full_kb_order`, as far as `full_kb_chars` goes."""
    order = sorted(kb.facts) if c.full_kb_order == "id" else _oldest_first(kb)
    everything = given(c, lambda _: order)
    return everything if c.full_kb_chars is None else everything | truncate(kb, c.full_kb_chars)


def _oldest_first(kb: KnowledgeBase) -> list[str]:
    dated = sorted(kb.instants, key=lambda fact_id: (kb.instants[fact_id], fact_id))
    return [*dated, *sorted(kb.facts.keys() - kb.instants.keys())]


def truncate(kb: KnowledgeBase, most: int) -> Runnable[Retrieved, Retrieved]:
    """The first facts, as many as fit whole; the trail has this step, `truncated` when any was left out.

    Args:
        most: characters of the facts as the answer generator is shown them, line ends between them included.
    """

    def step(retrieved: Retrieved) -> Retrieved:
        ends = accumulate(len(listed(kb.facts[fact_id])) + 1 for fact_id in retrieved.fact_ids)
        hits = retrieved.hits[: sum(end - 1 <= most for end in ends)]
        status = "ok" if len(hits) == len(retrieved.hits) else "truncated"
        return Retrieved(retrieved.rankings, hits, (*retrieved.trail, Step("truncate", hits, status)))

    return stage("truncate", step)
