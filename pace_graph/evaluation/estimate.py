"""What a run would ask of the models, before it does: calls and tokens."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from pace_graph.asking import build
from pace_graph.config import Settings
from pace_graph.env import Env
from pace_graph.evaluation.plan import RunPlan
from pace_graph.evaluation.prices import total
from pace_graph.evaluation.rows import Asked
from pace_graph.ledger import StageCost
from pace_graph.lexical import is_cjk
from pace_graph.llm import Chat, Decision, FilterReply, PlanReply, Role, ViewsReply
from pace_graph.llm.formats import schema_text
from pace_graph.retrievers import answering, find_system
from pace_graph.stages.answer import answer
from pace_graph.texts import prompt as prompt_file

_SAMPLE = 12
_PROSE = "I can do that, but it would fall on a day on which you are away, so I would rather ask you first."
_PLAN: dict[str, Any] = {
    "conflict_dimensions": [
        {
            "dimension": f"{where} that the request hangs on",
            "description": "Notes on this may show whether it can be done as asked, or what stands in its way.",
            "key_anchors": [],
        }
        for where in ("commitments at the time", "the people and the place", "means and preferences")
    ],
    "risk_summary": "It may clash with something that is planned, or with what suits those who take part.",
}
_REPLY_TOKENS: dict[type[BaseModel] | None, int] = {PlanReply: 160, ViewsReply: 80, FilterReply: 70, None: 90}

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one system would ask for: calls and tokens of all its requests, and money where prices are set."""

    system: str
    requests: int
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None


class Rehearsal(Chat):
    """A model that is not there: notes what it would be sent, and replies as one might.

    Attributes:
        sent: the cost of each call, under the role it was made in.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.sent: list[StageCost] = []

    @property
    def configured(self) -> bool:
        """Always."""
        return True

    def text(self, role: Role, prompt: str, **slots: str) -> str:
        """An answer in prose."""
        self._note(role, prompt, None, slots)
        return _PROSE

    def read(self, role: Role, prompt: str, contract: type[M], retries: int = 1, **slots: str) -> M:  # noqa: ARG002
        """Three directions, thirds of the request as views, the first facts of a list, or a decision."""
        self._note(role, prompt, contract, slots)
        return contract.model_validate(_reply(contract, slots))

    def _note(self, role: Role, prompt: str, contract: type[BaseModel] | None, slots: dict[str, str]) -> None:
        file = prompt_file(prompt, self._settings.prompts_dir)
        if contract is not None and "schema" in file.slots:
            slots.setdefault("schema", schema_text(contract))
        system, user = file.fill(**slots)
        reply = _REPLY_TOKENS.get(contract, _REPLY_TOKENS[None])
        self.sent.append(StageCost(role, calls=1, tokens_in=tokens(system) + tokens(user), tokens_out=reply))


def _reply(contract: type[BaseModel], slots: dict[str, str]) -> dict[str, Any]:
    if contract is PlanReply:
        return _PLAN
    if contract is ViewsReply:
        count, text = int(slots["num_counter"]), slots["query"]
        length = math.ceil(len(text) / count)
        return {"counter": [text[i * length : (i + 1) * length] for i in range(count)]}
    if contract is FilterReply:
        facts = slots["docs"].splitlines()[: int(slots["top_n"])]
        return {"selected_doc_ids": [json.loads(fact)["doc_id"] for fact in facts]}
    return Decision(verdict="proceed", answer=_PROSE).model_dump()


def estimate(env: Env, plan: RunPlan) -> list[Estimate]:
    """One estimate a system. Some requests are rehearsed: asked of it with a model that is not there.

    Tokens are guessed from characters: four a token, two signs of Chinese for three tokens. A repeat after an
    unreadable reply, and what a cache saves, are not in it.
    """
    every = range(min(_SAMPLE, len(plan.queries)))
    sample = [plan.queries[i * len(plan.queries) // len(every)] for i in every]
    return [_system(env, plan, name, sample) for name in plan.systems]


def _system(env: Env, plan: RunPlan, name: str, sample: Sequence[Asked]) -> Estimate:
    sent = _rehearsed(env, plan, name, sample) if plan.answers or find_system(name).needs_chat else ()
    whole = tuple(_scaled(cost, len(plan.queries) / len(sample)) for cost in sent)
    return Estimate(
        name,
        len(plan.queries),
        sum(cost.calls for cost in whole),
        sum(cost.tokens_in for cost in whole),
        sum(cost.tokens_out for cost in whole),
        total(env.settings, whole),
    )


def _rehearsed(env: Env, plan: RunPlan, name: str, sample: Sequence[Asked]) -> tuple[StageCost, ...]:
    """What the sample would cost, by role."""
    c, system = plan.systems[name], find_system(name)
    by_role: dict[str, StageCost] = {}
    with Rehearsal(env.settings) as chat:
        on_stage = replace(env, chat=chat)
        for query in sample:
            kb = on_stage.world(query.world)
            found = build(on_stage, kb, system, c, name).invoke(query.query())
            if plan.answers:
                answer(chat, kb, answering(system, c, kb)).invoke(found)
        for cost in chat.sent:
            by_role[cost.stage] = by_role.get(cost.stage, StageCost(cost.stage)).plus(cost)
    return tuple(by_role.values())


def _scaled(cost: StageCost, factor: float) -> StageCost:
    calls, tokens_in, tokens_out = (round(factor * n) for n in (cost.calls, cost.tokens_in, cost.tokens_out))
    return StageCost(cost.stage, calls=calls, tokens_in=tokens_in, tokens_out=tokens_out)


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    chinese = sum(map(is_cjk, text))
    return round((len(text) - chinese) / 4 + 1.5 * chinese)
