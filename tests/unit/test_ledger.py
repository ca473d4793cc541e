"""Costs by stage: attribution through LangChain's context, in one thread and in many."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel

from pace_graph.config import ChatSettings, Settings
from pace_graph.errors import ModelError, ReplyError
from pace_graph.ledger import Ledger, StageCost
from pace_graph.llm import Chat, FilterReply
from tests.openai_server import Reply, Request, ScriptedServer

FILTER = {"n_docs": "1", "docs": "1 f1 a", "top_n": "1", "ref_date_line": ""}


def reply(request: Request) -> Reply:
    """The request says what it costs: `cost 12 3 4`."""
    words = request.user.split("cost ")[1].split()
    return Reply('{"selected_doc_ids": ["f1"]}', usage=(int(words[0]), int(words[1]), int(words[2])))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(reply) as one:
        yield one


@pytest.fixture
def chat(server: ScriptedServer) -> Iterator[Chat]:
    with Chat(Settings(agent=ChatSettings(model="m", base_url=server.url, max_retries=0))) as one:
        yield one


def counts(ledger: Ledger) -> dict[str, tuple[int, int, int, int, int]]:
    return {
        cost.stage: (cost.calls, cost.tokens_in, cost.tokens_out, cost.tokens_cached, cost.errors)
        for cost in ledger.costs()
    }


def stage(chat: Chat, name: str, cost: str, calls: int = 1) -> Runnable[int, int]:
    def run(query: int) -> int:
        for _ in range(calls):
            chat.read("agent", "pace/filter", FilterReply, query=f"cost {cost}", **FILTER)
        return query

    return RunnableLambda(run, name=name)


def within(name: str, inner: Runnable[int, int]) -> Runnable[int, int]:
    def run(query: int) -> int:
        # No config is handed on: LangChain's context has to carry the callbacks.
        return inner.invoke(query)

    return RunnableLambda(run, name=name)


def test_calls_and_tokens_go_to_the_stage_they_were_made_in(chat: Chat) -> None:
    chain = (
        stage(chat, "plan", "10 1 0")
        | stage(chat, "views", "20 2 5", calls=2)
        | RunnableLambda(lambda query: query, name="fuse")
        | stage(chat, "filter", "30 3 0")
        | stage(chat, "filter", "40 4 0")
    )
    ledger = Ledger()
    chain.invoke(1, {"callbacks": [ledger]})
    assert counts(ledger) == {
        "plan": (1, 10, 1, 0, 0),
        "views": (2, 40, 4, 10, 0),
        "fuse": (0, 0, 0, 0, 0),
        "filter": (2, 70, 7, 0, 0),
    }
    assert counts_of(ledger.total()) == (5, 120, 12, 10, 0)
    assert ledger.total().stage == "total"


def counts_of(cost: StageCost) -> tuple[int, int, int, int, int]:
    return cost.calls, cost.tokens_in, cost.tokens_out, cost.tokens_cached, cost.errors


def test_every_query_of_a_batch_has_its_own_costs(server: ScriptedServer, chat: Chat) -> None:
    together = threading.Barrier(4)

    def run(query: int) -> int:
        together.wait(10)
        chat.read("agent", "pace/filter", FilterReply, query=f"cost {query} 1 0", **FILTER)
        return query

    chain = RunnableLambda(run, name="plan") | stage(chat, "views", "5 5 5")
    ledgers = [Ledger() for _ in range(4)]
    chain.batch([1, 2, 3, 4], [{"callbacks": [ledger], "max_concurrency": 4} for ledger in ledgers])
    for query, ledger in enumerate(ledgers, 1):
        assert counts(ledger) == {"plan": (1, query, 1, 0, 0), "views": (1, 5, 5, 5, 0)}
    assert len(server.chats) == 8


def test_one_ledger_may_count_many_queries(chat: Chat) -> None:
    ledger = Ledger()
    chain = stage(chat, "plan", "3 2 1") | stage(chat, "views", "3 2 1")
    chain.batch(list(range(20)), {"callbacks": [ledger], "max_concurrency": 8})
    assert counts(ledger) == {"plan": (20, 60, 40, 20, 0), "views": (20, 60, 40, 20, 0)}


def test_nested_runs_are_booked_on_the_innermost_stage_and_seconds_only_once(chat: Chat) -> None:
    inner = RunnableLambda(lambda query: time.sleep(0.2) or query, name="inner")
    outer = within("outer", inner | stage(chat, "deep", "1 1 0"))
    chain = (outer | RunnableLambda(lambda query: time.sleep(0.1) or query, name="after")).with_config(run_name="all")
    ledger = Ledger()
    began = time.perf_counter()
    chain.invoke(1, {"callbacks": [ledger]})
    wall = time.perf_counter() - began
    seconds = {cost.stage: cost.seconds for cost in ledger.costs()}
    assert counts(ledger)["deep"] == (1, 1, 1, 0, 0)
    assert seconds["inner"] >= 0.2
    assert seconds["after"] >= 0.1
    assert seconds["outer"] + seconds["all"] < 0.1 + seconds["deep"]
    assert ledger.total().seconds == pytest.approx(wall, abs=0.05)


def test_given_names_are_the_only_stages(chat: Chat) -> None:
    inner = stage(chat, "inner", "1 2 3")
    ledger = Ledger(stages=["plan"])
    chain = within("plan", inner) | stage(chat, "views", "7 7 0")
    chain.invoke(1, {"callbacks": [ledger]})
    assert counts(ledger) == {"plan": (1, 1, 2, 3, 0), "other": (1, 7, 7, 0, 0)}


def test_branches_keep_their_stage(chat: Chat) -> None:
    ledger = Ledger()
    both = RunnableParallel(a=stage(chat, "left", "1 1 1"), b=stage(chat, "right", "2 2 2", calls=2))
    both.invoke(1, {"callbacks": [ledger]})
    assert counts(ledger) == {"left": (1, 1, 1, 1, 0), "right": (2, 4, 4, 4, 0)}


def test_a_call_outside_a_chain_costs_no_ledger_anything(chat: Chat) -> None:
    ledger = Ledger()
    stage(chat, "plan", "1 1 0").invoke(1, {"callbacks": [ledger]})
    chat.read("agent", "pace/filter", FilterReply, query="cost 9 9 9", **FILTER)
    assert counts(ledger) == {"plan": (1, 1, 1, 0, 0)}


def test_failures_are_counted_once_where_they_happened() -> None:
    script = ["no json", Reply("bad", status=400)]
    with (
        ScriptedServer(script) as server,
        Chat(Settings(agent=ChatSettings(model="m", base_url=server.url, max_retries=0))) as chat,
    ):
        outer = within("outer", stage(chat, "filter", "1 1 1"))
        ledger = Ledger()
        with pytest.raises(ModelError) as caught:
            outer.invoke(1, {"callbacks": [ledger]})
    assert not isinstance(caught.value, ReplyError)
    # Two calls: one unreadable (answered, 10 and 5 tokens), one that failed; and the stage itself failed.
    assert counts(ledger) == {"outer": (0, 0, 0, 0, 0), "filter": (2, 10, 5, 0, 2)}


def test_a_stage_that_fails_without_a_model_is_counted() -> None:
    def fail(query: int) -> int:
        raise ValueError(query)

    ledger = Ledger()
    with pytest.raises(ValueError, match="1"):
        RunnableLambda(fail, name="retrieve").invoke(1, {"callbacks": [ledger]})
    assert counts(ledger) == {"retrieve": (0, 0, 0, 0, 1)}


def test_no_usage_is_no_tokens() -> None:
    with (
        ScriptedServer([Reply('{"selected_doc_ids": []}', usage=None)]) as server,
        Chat(Settings(agent=ChatSettings(model="m", base_url=server.url))) as chat,
    ):
        ledger = Ledger()
        stage(chat, "plan", "").invoke(1, {"callbacks": [ledger]})
    assert counts(ledger) == {"plan": (1, 0, 0, 0, 0)}


def test_nothing_is_kept_of_runs_that_ended(chat: Chat) -> None:
    ledger = Ledger()
    (stage(chat, "plan", "1 1 1") | stage(chat, "views", "1 1 1")).invoke(1, {"callbacks": [ledger]})
    assert ledger._runs == {}
