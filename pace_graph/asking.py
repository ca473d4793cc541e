"""Asking one world: a request in, evidence out, and with a chat model an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.errors import ConfigError, InputError
from pace_graph.ledger import Ledger, StageCost
from pace_graph.records import Answered, KnowledgeBase, Leg, Query, Ranking, Rankings, Retrieved
from pace_graph.retrievers import System, answering, find_system
from pace_graph.stages.answer import answer
from pace_graph.stages.fuse import fuse
from pace_graph.stages.retrieve import retrieve
from pace_graph.stages.stage import stage
from pace_graph.stages.views import whole
from pace_graph.traces import Asked, write_trace

_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request.

    Attributes:
        answered: with an empty text and no verdict when no chat model is set.
        trace_id: of the trace left in the graph, if one was.
    """

    system: str
    kb: KnowledgeBase
    answered: Answered
    costs: tuple[StageCost, ...]
    trace_id: str | None = None

    @property
    def retrieved(self) -> Retrieved:
        """The evidence, with its trail."""
        return self.answered.retrieved


def ask(
    env: Env, world: str, text: str, *, day: date | None = None, system: str = "pacemaker-rules", trace: bool = True,
    **config: object,
) -> Reply:  # fmt: skip
    """What is known in a world that speaks against a request, or clears it.

    Args:
        day: the day of the request; the world's own reference date when None.
        trace: leave the evidence path in the graph.
        config: fields of PaceConfig.

    Raises:
        InputError: when the request is blank.
        ConfigError: when there is no such system, or it needs a chat model and none is set.
        WorldError: when the world cannot be read.
    """
    chosen = find_system(system)
    kb = env.world(world)
    query = Query(checked(text), world, ref_date=day or kb.timeline.ref_date)
    c = chosen.config(**{"answer_form": "decision", **config})
    ledger = Ledger()
    retrieved = build(env, kb, chosen, c, system).invoke(query, {"callbacks": [ledger]})
    answered = Answered(retrieved, "")
    if env.chat.configured:
        answered = answer(env.chat, kb, answering(chosen, c, kb)).invoke(retrieved, {"callbacks": [ledger]})
    asked = Asked(system, verdict=answered.verdict, answer=answered.text or None)
    trace_id = write_trace(env.graph, retrieved, asked, c) if trace else None
    return Reply(system, kb, answered, ledger.costs(), trace_id)


def build(env: Env, kb: KnowledgeBase, system: System, c: PaceConfig, name: str) -> Runnable[Query, Retrieved]:
    """The chain of a system for one world.

    Raises:
        ConfigError: when it needs a chat model and none is set.
    """
    if system.needs_chat and not env.chat.configured:
        raise ConfigError(
            f"the system {name} asks a chat model: set PACE_GRAPH_AGENT__MODEL (and PACE_GRAPH_AGENT__BASE_URL, "
            "PACE_GRAPH_AGENT__API_KEY), or use pacemaker-rules"
        )
    return system.build(env, kb, c)


def search(
    env: Env,
    world: str,
    text: str,
    k: int,
    legs: tuple[Leg, ...] = ("dense", "lexical"),
    until: date | None = None,
) -> Retrieved:
    """The k best facts of a world for a text, by meaning, by words, or by both, fused.

    Args:
        until: leave out facts whose own date is after this day, in the world's zone; facts without one stay.

    Raises:
        InputError: when the text is blank.
        WorldError: when the world cannot be read.
    """
    kb = env.world(world)
    c = PaceConfig(n_baseline=k)
    query = Query(checked(text), world, ref_date=kb.timeline.ref_date)
    # Lists deeper than k: the best three are then the first of the best ten. What is left out must not cost a place, so
    # all facts are ranked where some may be.
    depth = max(k, _DEPTH) if until is None else max(1, len(kb.facts))
    hybrid = retrieve(env.graph, env.embedder(kb), env.lexical(kb), kb, k=depth, legs=legs)

    def allow(rankings: Rankings) -> Rankings:
        return up_to(rankings, kb, until, depth)

    allowed = stage("until", allow)
    return (whole(c) | hybrid | allowed | fuse(k_rrf=c.k_rrf, k=depth, n=k)).invoke(query)


def up_to(rankings: Rankings, kb: KnowledgeBase, until: date | None, k: int) -> Rankings:
    """The lists without facts dated after a day, each cut to k."""
    if until is None:
        return rankings
    end = datetime.combine(until + timedelta(days=1), time.min, ZoneInfo(kb.zone))
    late = {fact_id for fact_id, instant in kb.instants.items() if instant >= end}
    return replace(rankings, lists=tuple(_without(ranking, late, k) for ranking in rankings.lists))


def _without(ranking: Ranking, late: set[str], k: int) -> Ranking:
    kept = [pair for pair in zip(ranking.fact_ids, ranking.scores, strict=True) if pair[0] not in late][:k]
    return replace(ranking, fact_ids=tuple(i for i, _ in kept), scores=tuple(score for _, score in kept))


def checked(text: str) -> str:
    """The text of a request.

    Raises:
        InputError: when it is blank, or cannot be sent anywhere (a lone surrogate).
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the request cannot be read as text: {error.reason} at character {error.start}") from error
    if not any(sign.isprintable() and not sign.isspace() for sign in text):
        raise InputError("the request is blank; say what is to be done")
    return text
