"""Plan → Views: the request itself, and counter views that look for what may stand in its way."""

from __future__ import annotations

import json
from contextlib import suppress

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.dates import rewrite_dated
from pace_graph.errors import ReplyError
from pace_graph.llm import Chat
from pace_graph.llm.contracts import ViewsReply
from pace_graph.records import Plan, Query, Read, View, Views
from pace_graph.stages.stage import stage


def whole(c: PaceConfig) -> Runnable[Query, Views]:
    """The request as the only view: what plain retrievers search with, and the ablation without planning."""
    return stage("views", lambda query: Views(Plan(query, status="none"), (original(query, c),)))


def views(chat: Chat, c: PaceConfig) -> Runnable[Plan, Views]:
    """The view generator: one call, up to `c.counter_views` counter views beside the request.

    Raises (when run):
        ReplyError: when no counter view came and `c.no_counters` is `fail`.

    Source:
        PACE, section on multi-view queries; A15 and A33 are settings.
    """

    def step(plan: Plan) -> Views:
        counters, status = _counters(chat, c, plan)
        if not counters and c.no_counters == "fail":
            raise ReplyError("pace/views", "", "no counter view")
        views = tuple(View(text, "counter", c.w_counter) for text in counters)
        return Views(plan, (original(plan.query, c), *views), status)

    return stage("views", step)


def original(query: Query, c: PaceConfig) -> View:
    """The request as a view: word for word, or with its dates resolved (A15)."""
    text = query.text
    if c.original_view == "dated" and query.ref_date:
        text = rewrite_dated(text, query.ref_date)
    return View(text, "original", c.w_original)


def _counters(chat: Chat, c: PaceConfig, plan: Plan) -> tuple[list[str], Read]:
    if not c.counter_views:
        return [], "none"
    try:
        counters = _ask(chat, c, plan)
    except ReplyError:
        return [], "parse_failed"
    if len(counters) < c.counter_views and c.few_counters == "retry":
        # A second reply that cannot be read takes nothing away from the first.
        with suppress(ReplyError):
            counters = max(counters, _ask(chat.sampled(1), c, plan), key=len)
    if counters and c.few_counters == "pad":
        counters += [plan.query.text] * (c.counter_views - len(counters))
    return counters, "ok" if counters else "none"


def _ask(chat: Chat, c: PaceConfig, plan: Plan) -> list[str]:
    reply = chat.read(
        "agent",
        "pace/views",
        ViewsReply,
        c.reply_retries,
        query=plan.query.text,
        ref_date=plan.query.ref_date.isoformat() if plan.query.ref_date else "unknown",
        plan=told(plan),
        num_counter=str(c.counter_views),
        schema=json.dumps(ViewsReply.model_json_schema()),
    )
    return list(dict.fromkeys(text.strip() for text in reply.counter if text.strip()))[: c.counter_views]


def told(plan: Plan) -> str:
    """A plan in words: one line a direction, then the summary."""
    lines = [
        f"- {found.dimension}: {found.description} (anchors: {', '.join(found.anchors) or 'none'})"
        for found in plan.directions
    ]
    return "\n".join([*lines, *([plan.summary] if plan.summary else [])]) or "none"
