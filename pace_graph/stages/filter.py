"""Retrieved → Retrieved: keep what helps to decide. The same agent before and after the walk."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.errors import ReplyError
from pace_graph.llm import Chat
from pace_graph.llm.contracts import FilterReply
from pace_graph.records import Fact, KnowledgeBase, Query, Retrieved, Step
from pace_graph.stages.stage import stage

Status = Literal["ok", "none", "parse_failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a filter kept, best first.

    Attributes:
        status: `none` when the model chose nothing, `parse_failed` when it could not be read and the first candidates
            were kept instead, `skipped` when they fitted anyway.
        dropped_unknown: ids that were no candidate.
        dropped_duplicate: ids named again.
    """

    ids: tuple[str, ...]
    status: Status = "ok"
    dropped_unknown: int = 0
    dropped_duplicate: int = 0


def keep(chat: Chat, kb: KnowledgeBase, c: PaceConfig, *, name: str, n: int) -> Runnable[Retrieved, Retrieved]:
    """The filter agent: one call, at most `n` facts, in its order.

    Args:
        name: what this use of it is called: `pre-hop` or `post-hop`.

    Source:
        PACE, sections on the pre-hop and the post-hop filter; A12, A13 and A14 are settings.
    """

    def step(retrieved: Retrieved) -> Retrieved:
        candidates = tuple(kb.facts[fact_id] for fact_id in retrieved.fact_ids)
        return cut(retrieved, filter_facts(retrieved.query, candidates, chat, c, n), name)

    return stage(name, step)


def cut(retrieved: Retrieved, kept: Kept, name: str) -> Retrieved:
    """The facts that were kept, in the order kept, with the step noted in the trail."""
    by_id = {hit.fact_id: hit for hit in retrieved.hits}
    hits = tuple(by_id[fact_id] for fact_id in kept.ids)
    step = Step(name, hits, kept.status, kept.dropped_unknown, kept.dropped_duplicate)
    return Retrieved(retrieved.rankings, hits, (*retrieved.trail, step))


def filter_facts(query: Query, candidates: tuple[Fact, ...], chat: Chat, c: PaceConfig, n: int) -> Kept:
    """The at most `n` candidates that the model finds most useful for deciding the request."""
    order = tuple(fact.fact_id for fact in candidates)
    if not candidates or (len(candidates) <= n and c.small_pool == "skip"):
        return Kept(order, "skipped")
    try:
        kept = _chosen(_ask(query, candidates, chat, c, n), order, n)
    except ReplyError:
        return Kept(order[:n], "parse_failed")
    too_few = kept.status != "ok" or len(kept.ids) < min(n, len(order))
    if too_few and c.short_list == "retry":
        # A second reply that cannot be read takes nothing away from the first.
        with suppress(ReplyError):
            again = _chosen(_ask(query, candidates, chat.sampled(1), c, n), order, n)
            kept = max(kept, again, key=lambda found: (found.status == "ok", len(found.ids)))
    if c.short_list == "backfill":
        more = tuple(fact_id for fact_id in order if fact_id not in kept.ids)
        kept = Kept((*kept.ids, *more)[:n], kept.status, kept.dropped_unknown, kept.dropped_duplicate)
    return kept


def _ask(query: Query, candidates: tuple[Fact, ...], chat: Chat, c: PaceConfig, n: int) -> list[str]:
    shown = c.filter_sees_date and query.ref_date is not None
    return chat.read(
        "agent",
        "pace/filter",
        FilterReply,
        c.reply_retries,
        query=query.text,
        n_docs=str(len(candidates)),
        docs="\n".join(listed(fact) for fact in candidates),
        top_n=str(min(n, len(candidates))),
        ref_date_line=f"The request is made on {query.ref_date}." if shown else "",
        schema=json.dumps(FilterReply.model_json_schema()),
    ).selected_doc_ids


def listed(fact: Fact) -> str:
    """A fact on one line, as JSON: no text of a fact can look like another fact, or like the end of the list."""
    return json.dumps({"doc_id": fact.fact_id, "text": fact.text}, ensure_ascii=False)


def _chosen(named: list[str], candidates: tuple[str, ...], n: int) -> Kept:
    known = set(candidates)
    stripped = [name if name in known else name.strip() for name in named]
    valid = [name for name in stripped if name in known]
    ids = tuple(dict.fromkeys(valid))
    # Nothing named is a choice; nothing valid among what was named is a reply that cannot be used.
    if not ids and named:
        return Kept(candidates[:n], "parse_failed", len(named))
    return Kept(ids[:n], "ok" if ids else "none", len(named) - len(valid), len(valid) - len(ids))
