"""Retrieved → Answered: what the assistant says to its person."""

from __future__ import annotations

import json

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.errors import ReplyError
from pace_graph.llm import Chat
from pace_graph.llm.contracts import Decision, whole
from pace_graph.llm.reading import unthought
from pace_graph.records import Answered, KnowledgeBase, Retrieved
from pace_graph.stages.filter import listed
from pace_graph.stages.stage import stage

_NOTHING = "(nothing was found)"


def answer(chat: Chat, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Retrieved, Answered]:
    """The answer generator: one call over the first `c.n_answer` facts.

    As prose (the paper's form) there is no verdict. As a decision the same prose comes with one; a reply that holds
    only prose is taken as it is, without a verdict.

    Source:
        PACE, section on the answer generator; A16 is a setting.
    """

    def step(retrieved: Retrieved) -> Answered:
        slots = {
            "persona": kb.persona or "the user",
            "ref_date": retrieved.query.ref_date.isoformat() if retrieved.query.ref_date else "unknown",
            "facts": "\n".join(listed(kb.facts[i]) for i in retrieved.fact_ids[: c.n_answer]) or _NOTHING,
            "query": retrieved.query.text,
        }
        if c.answer_form == "prose":
            return Answered(retrieved, chat.text("answer", "pace/answer", **slots))
        return _decided(chat, retrieved, slots)

    return stage("answer", step)


def _decided(chat: Chat, retrieved: Retrieved, slots: dict[str, str]) -> Answered:
    schema = json.dumps(Decision.model_json_schema())
    try:
        reply = chat.read("answer", "pace/answer_decision", Decision, 0, schema=schema, **slots)
    except ReplyError as error:
        prose = whole(unthought(error.reply))
        if not prose:
            raise
        return Answered(retrieved, prose)
    return Answered(retrieved, reply.answer, reply.verdict)
