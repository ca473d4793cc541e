"""Query → Plan: where evidence may lie. It never sees a fact."""

from __future__ import annotations

import json

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.errors import ReplyError
from pace_graph.llm import Chat
from pace_graph.llm.contracts import PlanReply
from pace_graph.records import Direction, Plan, Query
from pace_graph.stages.stage import stage


def plan(chat: Chat, c: PaceConfig) -> Runnable[Query, Plan]:
    """The planner: one call, at most `c.directions` directions, anchors only where the request has them word for word.

    A reply that cannot be read leaves an empty plan with the status `parse_failed`; the views are then written
    without one.

    Source:
        PACE, section on the conflict planner.
    """

    def step(query: Query) -> Plan:
        try:
            reply = chat.read(
                "agent",
                "pace/plan",
                PlanReply,
                c.reply_retries,
                query=query.text,
                ref_date=query.ref_date.isoformat() if query.ref_date else "unknown",
                schema=json.dumps(PlanReply.model_json_schema()),
            )
        except ReplyError:
            return Plan(query, status="parse_failed")
        directions = tuple(
            Direction(found.dimension, found.description, _anchors(query.text, found.key_anchors))
            for found in reply.conflict_dimensions[: c.directions]
        )
        return Plan(query, directions, reply.risk_summary, "ok" if directions else "none")

    return stage("plan", step)


def _anchors(text: str, anchors: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(anchor for anchor in anchors if anchor.strip() and anchor in text))
