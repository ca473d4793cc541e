"""Runs into a folder: what their records hold, what fails and is tried again, what stops them and what goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from loaders.pace import read as read_pace
from loaders.write import write_world
from pace_graph.cli import progress
from pace_graph.config import ChatSettings, Settings
from pace_graph.env import Env, open_env
from pace_graph.errors import ConfigError
from pace_graph.evaluation.estimate import estimate
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.plan import plan_run
from pace_graph.evaluation.rows import Answer, Retrieval
from pace_graph.evaluation.run import carry_out, restored
from pace_graph.llm import Limits, Replies
from pace_graph.records import Case
from pace_graph.retrievers import SYSTEMS
from tests.made import ok, refused, run
from tests.model_by_rule import RuleServer, prompt_of, said_of, stage_of
from tests.openai_server import Reply, Request

pytestmark = pytest.mark.usefixtures("on_server")

BUNDLED = Path(__file__).parents[2] / "pace_graph" / "data" / "pace_mini"
OFFLINE = [name for name, system in SYSTEMS.items() if not system.needs_chat]
ASKING = [name for name, system in SYSTEMS.items() if system.needs_chat]
STAGES = ["plan", "views", "pre-hop", "post-hop", "answer"]


@pytest.fixture(scope="module")
def case(settings: Settings, env: Env) -> Case:
    """A bundled world, under a name that no other test knows."""
    name = f"w-{uuid4().hex[:12]}"
    [found] = read_pace(BUNDLED, cases=("mara_quill",))
    queries = tuple(replace(query, world=name) for query in found.queries)
    found = replace(found, world=name, queries=queries)
    write_world(env.graph, settings, found, source="bundled")
    return found


@pytest.fixture
def server() -> Iterator[RuleServer]:
    with RuleServer() as opened:
        yield opened


@pytest.fixture
def chatty(server: RuleServer, monkeypatch: pytest.MonkeyPatch) -> RuleServer:
    """Commands of this test reach a chat model that has prices."""
    for name, value in {
        "MODEL": "by-rule",
        "BASE_URL": server.url,
        "MAX_RETRIES": "0",
        "USD_IN": "1",
        "USD_CACHED": "0.5",
        "USD_OUT": "4",
    }.items():
        monkeypatch.setenv(f"PACE_GRAPH_AGENT__{name}", value)
    return server


Run = Callable[..., RunFolder]


@pytest.fixture
def ran(tmp_path: Path, case: Case) -> Run:
    """Runs a command line that ends well; the run folder."""

    def do(*more: object, out: str = "run") -> RunFolder:
        ok(*command(tmp_path / out, case, *more))
        return RunFolder.there(tmp_path / out)

    return do


def command(out: Path, case: Case, *more: object) -> list[object]:
    cache = out.parent / "replies.sqlite"
    cached = () if "--no-cache" in more else ("--cache", cache)
    return ["run", "--out", out, "--world", case.world, *cached, *more]


def process_of(arguments: list[object]) -> list[str]:
    """A command line as a process of its own."""
    return [str(Path(sys.executable).parent / "pace-graph"), *map(str, arguments)]


def found(folder: RunFolder) -> dict[str, Retrieval]:
    return {row.key.query_id: row for row in folder.retrievals()}


def answered(folder: RunFolder) -> dict[str, Answer]:
    return {row.key.query_id: row for row in folder.answers()}


def gist(folder: RunFolder) -> list[dict[str, Any]]:
    """The last record of everything, without what differs from run to run: costs and order."""
    last: dict[str, dict[str, Any]] = {}
    for line in (folder.path / "records.jsonl").read_text(encoding="utf-8").splitlines():
        row = {name: value for name, value in json.loads(line).items() if name != "cost"}
        last["|".join(row[name] for name in ("stage", "system", "world", "query_id"))] = row
    return [last[key] for key in sorted(last)]


# --- systems without a model


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory, case: Case, env: Env) -> RunFolder:
    """Every system that needs no model, over a bundled world."""
    folder = RunFolder(tmp_path_factory.mktemp("offline") / "run")
    carry_out(env, plan_run(env, OFFLINE, [case.world], answers=False), folder, concurrency=4)
    return folder


def test_every_request_of_every_system_has_one_record(offline: RunFolder, case: Case) -> None:
    keys = [row.key for row in offline.rows()]
    assert len(set(keys)) == len(keys) == len(OFFLINE) * len(case.queries)
    assert {key.system for key in keys} == set(OFFLINE)
    assert {row.status for row in offline.retrievals()} == {"ok"}
    assert list(offline.answers()) == []


def test_requests_are_kept_with_their_gold(offline: RunFolder, case: Case) -> None:
    asked = offline.queries()
    assert [query.query() for query in asked] == list(case.queries)
    assert any(query.gold for query in asked)


def test_the_configuration_says_what_was_run(offline: RunFolder, env: Env, case: Case) -> None:
    config = offline.config()
    kb = env.world(case.world)
    world = config["worlds"][case.world]
    assert (world["digest"], world["facts"], world["embedding_model"], world["dimension"]) == (
        kb.digest, len(case.facts), "hash-64", 64
    )  # fmt: skip
    assert list(config["systems"]) == OFFLINE
    for name, numbers in config["systems"].items():
        assert numbers == SYSTEMS[name].config().model_dump()
    assert {"pace/plan", "pace/views", "pace/filter", "pace/answer"} <= set(config["prompts"])
    assert {"pace-graph", "python", "neo4j", "numpy", "langchain-core"} <= set(config["versions"])
    assert (config["answers"], config["limit"], config["models"]) == (False, None, {})


def test_records_are_what_the_system_finds_when_it_is_asked(offline: RunFolder, env: Env, case: Case) -> None:
    from pace_graph.asking import build

    kb = env.world(case.world)
    queries = {query.query_id: query for query in case.queries}
    for name in OFFLINE:
        chain = build(env, kb, SYSTEMS[name], SYSTEMS[name].config(), name)
        row = next(row for row in offline.retrievals() if row.key.system == name and row.key.query_id == "q003")
        retrieved = chain.invoke(queries["q003"])
        assert row.kept == retrieved.fact_ids
        assert [view["text"] for view in row.views] == [view.text for view in retrieved.rankings.views.views]
        assert [step["stage"] for step in row.steps] == [step.stage for step in retrieved.trail]
        for step, kept in zip(row.steps, retrieved.trail, strict=True):
            assert [hit[0] for hit in step["hits"]] == list(kept.fact_ids)


def test_a_record_holds_scores_by_leg_and_view_and_the_trace_of_hops(offline: RunFolder, case: Case) -> None:
    rows = [row for row in offline.retrievals() if row.key.system == "pacemaker-rules"]
    depth = SYSTEMS["pacemaker-rules"].config().k
    for row in rows:
        assert {view["kind"] for view in row.views} <= {"original", "counter"}
        assert {(ranking["view"], ranking["leg"]) for ranking in row.lists} == {
            (view, leg) for view in range(len(row.views)) for leg in ("dense", "lexical")
        }
        for ranking in row.lists:
            assert len(ranking["fact_ids"]) == len(ranking["scores"]) <= depth
            assert ranking["scores"] == sorted(ranking["scores"], reverse=True)
        seeds = set(row.after("pre-hop"))
        seen = set(seeds)
        for hop in range(1, 6):
            for fact_id, _, at, path in next((s["hits"] for s in row.steps if s["stage"] == f"hop {hop}"), ()):
                assert (at, path[-1], path[0] in seeds, len(path)) == (hop, fact_id, True, hop + 1)
                assert fact_id not in seen
                seen.add(fact_id)
        assert row.pool() == seen
        assert set(row.kept) <= seen
        assert {cost.stage for cost in row.cost.stages} >= {"plan", "views", "retrieve", "fuse", "traverse", "post-hop"}
        assert row.cost.total.seconds > 0
        assert (row.cost.total.calls, row.cost.usd) == (0, 0.0)
    assert any(row.has("hop 2") for row in rows)


# --- with a model


def test_answers_hold_text_evidence_tokens_and_money(chatty: RuleServer, ran: Run) -> None:
    folder = ran("--system", "pacemaker", "--limit", 3)
    assert len(found(folder)) == len(answered(folder)) == 3
    for query_id, row in answered(folder).items():
        kept = found(folder)[query_id]
        assert row.evidence == kept.kept[:10]
        assert row.text == said_of(row.evidence)
        assert [cost.stage for cost in kept.cost.stages] == [
            "plan", "views", "retrieve", "fuse", "pre-hop", "traverse", "post-hop"
        ]  # fmt: skip
        for cost in (*kept.cost.stages, *row.cost.stages):
            assert cost.calls == (1 if cost.stage in STAGES else 0)
            assert cost.tokens_cached == cost.tokens_in // 4
        for each in (kept.cost, row.cost):
            total = each.total
            usd = (total.tokens_in - total.tokens_cached) * 1 + total.tokens_cached * 0.5 + total.tokens_out * 4
            assert each.usd == pytest.approx(usd / 1e6)
            assert (total.from_cache, each.tokens_saved) == (0, 0)
    everything = [row.cost.total for row in folder.rows()]
    assert sum(cost.tokens_in for cost in everything) == chatty.tokens_in
    assert sum(cost.tokens_out for cost in everything) == chatty.tokens_out
    assert sum(cost.calls for cost in everything) == chatty.seen.total() == 15
    assert folder.config()["models"]["agent"] == {
        "model": "by-rule", "base_url": chatty.url, "temperature": None, "max_tokens": None
    }  # fmt: skip


def test_what_the_cache_gives_is_counted_apart(chatty: RuleServer, ran: Run) -> None:
    first = ran("--system", "pacemaker", "--limit", 2)
    again = ran("--system", "pacemaker", "--limit", 2, out="again")
    assert chatty.seen.total() == 10
    assert gist(first) == gist(again)
    paid = [row.cost.total for row in first.rows()]
    saved = [row.cost for row in again.rows()]
    assert sum(cost.tokens_saved for cost in saved) == sum(cost.tokens_in + cost.tokens_out for cost in paid)
    assert [(cost.total.calls, cost.total.tokens_in, cost.usd) for cost in saved] == [(0, 0, 0.0)] * 4
    assert sum(cost.total.from_cache for cost in saved) == 10


def test_without_the_cache_everything_is_asked_anew(chatty: RuleServer, ran: Run, tmp_path: Path) -> None:
    for out in ("one", "two"):
        ran("--system", "pacemaker", "--limit", 1, "--no-cache", out=out)
    assert set(chatty.seen.values()) == {2}
    assert not list(tmp_path.glob("replies*"))


def test_a_run_that_is_done_asks_nothing_more(chatty: RuleServer, ran: Run) -> None:
    folder = ran("--system", "pacemaker", "--limit", 2, "--no-cache")
    before = (folder.path / "records.jsonl").read_bytes()
    ran("--system", "pacemaker", "--limit", 2, "--no-cache")
    assert chatty.seen.total() == 10
    assert (folder.path / "records.jsonl").read_bytes() == before


def test_without_answers_only_retrieval_is_asked(chatty: RuleServer, ran: Run) -> None:
    folder = ran("--system", "pacemaker", "--limit", 1, "--no-answer")
    assert answered(folder) == {}
    assert chatty.seen.total() == 4
    assert folder.config()["answers"] is False


def test_answers_are_the_default_where_a_model_is_set(chatty: RuleServer, ran: Run) -> None:
    assert len(answered(ran("--system", "bm25", "--limit", 2))) == 2
    assert chatty.seen.total() == 2


@pytest.mark.parametrize("system", ["full-kb", "oracle", "no-memory", "bm25", "pacemaker-rules-no-selection"])
def test_the_answer_is_shown_as_many_facts_as_the_system_shows(
    chatty: RuleServer, ran: Run, case: Case, system: str
) -> None:
    folder = ran("--system", system, "--limit", 2, "--answer")
    shown = SYSTEMS[system].shows(SYSTEMS[system].config())
    for query_id, row in found(folder).items():
        assert answered(folder)[query_id].evidence == row.kept[:shown]
    sent = {tuple(listed_in(prompt)) for prompt in chatty.seen}
    assert sent == {row.evidence for row in answered(folder).values()}
    if system == "full-kb":
        assert all(len(ids) == len(case.facts) for ids in sent)


def listed_in(prompt: str) -> list[str]:
    return [json.loads(line)["doc_id"] for line in prompt.splitlines() if line.startswith('{"doc_id"')]


def test_a_retrieval_read_from_its_record_is_answered_as_it_was(env: Env, case: Case, offline: RunFolder) -> None:
    query = offline.queries()[0]
    again = restored(query, ("f1", "f2"))
    assert (again.query, again.fact_ids) == (query.query(), ("f1", "f2"))


# --- what is run


def test_limit_takes_the_first_requests_of_each_world(ran: Run, case: Case) -> None:
    folder = ran("--system", "bm25", "--limit", 3)
    assert sorted(found(folder)) == [query.query_id for query in folder.queries()] == ["q000", "q001", "q002"]
    assert folder.config()["limit"] == 3


def test_worlds_are_those_that_are_named(ran: Run, case: Case, settings: Settings, env: Env) -> None:
    other = replace(
        case, world=f"{case.world}-b", queries=tuple(replace(q, world=f"{case.world}-b") for q in case.queries[:2])
    )
    write_world(env.graph, settings, other, source="bundled")
    both = ran("--world", other.world, "--system", "bm25", "--limit", 4)
    assert Counter(row.key.world for row in both.retrievals()) == {case.world: 4, other.world: 2}
    assert set(ran("--system", "bm25", out="one").config()["worlds"]) == {case.world}


def test_settings_reach_the_system_and_the_record_of_it(ran: Run) -> None:
    plain, wide = (
        ran("--system", "pacemaker-rules", "--limit", 2, *more, out=out)
        for out, more in (("plain", ()), ("wide", ("--set", "hops=1", "--set", "n_final=7")))
    )
    assert wide.config()["systems"]["pacemaker-rules"]["hops"] == 1
    assert {len(row.kept) for row in wide.retrievals()} == {7}
    assert any(row.has("hop 2") for row in plain.retrievals())
    assert not any(row.has("hop 2") for row in wide.retrievals())


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--system", "pacemaker"), "pacemaker asks a chat model: set PACE_GRAPH_AGENT__MODEL"),
        (("--answer",), "answers are written by a chat model: set PACE_GRAPH_AGENT__MODEL"),
        (("--set", "hops=99"), "hops"),
        (("--set", "hopps=3"), "hopps"),
        (("--world", "nowhere"), "no world named nowhere"),
        (("--system", "magic"), "magic"),
        (("--budget", "1"), "--budget needs prices: set PACE_GRAPH_AGENT__USD_IN"),
        (("--no-cache", "--cache", "x.sqlite"), "say different things"),
    ],
    ids=repr,
)
def test_what_cannot_be_run_is_refused_before_anything_is_written(
    tmp_path: Path, case: Case, more: tuple[str, ...], told: str
) -> None:
    arguments = ["run", "--out", tmp_path / "run", "--world", case.world, *more]
    said = refused(*arguments)
    assert told in said
    assert said.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_changed_configuration_is_refused(ran: Run, tmp_path: Path, case: Case, settings: Settings, env: Env) -> None:
    folder = ran("--system", "bm25", "--limit", 2)
    before = {file.name: file.read_bytes() for file in folder.path.iterdir()}
    for more, name in (
        (("--system", "dense", "--limit", 2), "systems"),
        (("--system", "bm25", "--limit", 3), "limit"),
        (("--system", "bm25", "--limit", 2, "--set", "n_baseline=4"), "systems"),
    ):
        said = refused(*command(folder.path, case, *more))
        assert f"holds another run ({name}: " in said
        assert "name another folder with --out" in said
    # The same facts, another gold.
    queries = (replace(case.queries[0], gold=("d001",)), *case.queries[1:])
    write_world(env.graph, settings, replace(case, queries=queries), source="bundled")
    try:
        assert "holds another run (worlds: " in refused(*command(folder.path, case, "--system", "bm25", "--limit", 2))
    finally:
        write_world(env.graph, settings, case, source="bundled")
    ran("--system", "bm25", "--limit", 2)
    assert {file.name: file.read_bytes() for file in folder.path.iterdir()} == before


def test_a_second_process_is_refused(ran: Run, tmp_path: Path, case: Case) -> None:
    folder = ran("--system", "bm25", "--limit", 1)
    with folder.writing():
        said = subprocess.run(
            process_of(command(folder.path, case, "--system", "bm25", "--limit", 1)),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == f"Error: another process is writing to {folder.path}; wait for it, or name another folder\n"


def test_no_secret_is_in_the_folder(chatty: RuleServer, ran: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_AGENT__API_KEY", "sk-5up3r5ecret")
    monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", chatty.url.replace("http://", "http://user:hunter2@"))
    folder = ran("--system", "bm25", "--limit", 1)
    text = "".join(file.read_text(encoding="utf-8") for file in folder.path.iterdir())
    assert "hunter2" not in text
    assert "5up3r5ecret" not in text
    assert folder.config()["models"]["agent"]["base_url"] == chatty.url


# --- what fails


class Failing(RuleServer):
    """Fails what `fails` says, before it would answer."""

    fails: Callable[[Request], Reply | None] = staticmethod(lambda _: None)

    def answer(self, request: Request) -> Reply:
        return (self.fails(request) if request.path.endswith("/chat/completions") else None) or super().answer(request)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Failing]:
    with Failing() as opened:
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "by-rule")
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", opened.url)
        monkeypatch.setenv("PACE_GRAPH_AGENT__MAX_RETRIES", "0")
        yield opened


@pytest.mark.parametrize(
    ("stage", "rows", "left"),
    [
        ("views", {("retrieval", "error"): 1, ("retrieval", "ok"): 2, ("answer", "ok"): 2}, 4),
        ("answer", {("retrieval", "ok"): 3, ("answer", "ok"): 2, ("answer", "error"): 1}, 1),
    ],
)
def test_a_request_that_fails_for_good_is_an_error_and_is_tried_again(
    failing: Failing, tmp_path: Path, case: Case, ran: Run, stage: str, rows: dict[tuple[str, str], int], left: int
) -> None:
    text = case.queries[1].text
    failing.fails = lambda r: Reply("overloaded", status=503) if stage_of(r) == stage and text in r.user else None
    arguments = command(tmp_path / "run", case, "--system", "pacemaker", "--limit", 3)
    said = run(*arguments)
    assert said.exit_code == 0
    assert "2 of 3 requests done, 1 failed" in said.stdout
    assert "Not final (failed requests are tried again): run the same command again." in said.stdout
    folder = RunFolder.there(tmp_path / "run")
    assert Counter((row_stage(row), row.status) for row in folder.rows()) == rows
    [error] = [row for row in folder.rows() if row.status == "error"]
    assert (error.key.query_id, error.cost.total.errors) == ("q001", 2)  # the call, and its stage
    assert re.fullmatch(r"by-rule at http://\S+ failed \(503, tries: 1: overloaded\)", error.error), error.error
    assert machine(arguments) == {
        "run": str(folder.path), "requests": 3, "done": 3, "errors": 1, "complete": False, "out_of_budget": False,
        "usd": None,
    }  # fmt: skip
    failing.fails = lambda _: None
    calls = failing.seen.total()
    assert machine(arguments)["complete"] is True
    # Nothing that had been answered is asked again.
    assert failing.seen.total() - calls == left
    assert {row.status for row in (*folder.retrievals(), *folder.answers())} == {"ok"}
    whole = ran("--system", "pacemaker", "--limit", 3, "--no-cache", out="whole")
    assert gist(folder) == gist(whole)


def row_stage(row: object) -> str:
    return {Retrieval: "retrieval", Answer: "answer"}[type(row)]  # type: ignore[index]


def machine(arguments: list[object]) -> dict[str, Any]:
    """What a command line prints with --json; fails when it is anything but JSON."""
    value: dict[str, Any] = json.loads(ok(*arguments, "--json"))
    return value


def test_what_cannot_be_read_is_an_outcome_and_no_error(failing: Failing, ran: Run) -> None:
    failing.fails = lambda r: Reply("Let me think about that.") if stage_of(r) == "filter" else None
    folder = ran("--system", "pacemaker", "--limit", 1)
    [row] = folder.retrievals()
    status = {step["stage"]: step["status"] for step in row.steps}
    assert (row.status, status["pre-hop"], status["post-hop"]) == ("ok", "parse_failed", "parse_failed")
    costs = {cost.stage: cost.calls for cost in row.cost.stages}
    assert (costs["pre-hop"], costs["post-hop"]) == (2, 2)


def test_a_refused_key_ends_the_run_and_what_is_done_stays(failing: Failing, tmp_path: Path, case: Case) -> None:
    text = case.queries[2].text
    failing.fails = lambda r: Reply("no", status=401) if text in r.user else None
    arguments = command(tmp_path / "run", case, "--system", "pacemaker", "--limit", 4, "--concurrency", 1)
    said = refused(*arguments)
    assert "refused the key" in said
    assert [row.status for row in RunFolder(tmp_path / "run").answers()] == ["ok", "ok"]


def test_an_endpoint_that_limits_calls_is_asked_again_when_it_says(
    failing: Failing, ran: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACE_GRAPH_AGENT__MAX_RETRIES", "2")
    refusals: dict[str, float] = {}
    waited: list[float] = []

    def fails(request: Request) -> Reply | None:
        prompt = prompt_of(request)
        if prompt not in refusals:
            refusals[prompt] = time.monotonic()
            return Reply("slow down", status=429, headers={"Retry-After": "1.5"})
        waited.append(time.monotonic() - refusals[prompt])
        return None

    failing.fails = fails
    folder = ran("--system", "pacemaker", "--limit", 2, "--concurrency", 2)
    assert {row.status for row in folder.rows()} == {"ok"}
    assert len(waited) == 10
    assert min(waited) >= 1.5


# --- money


def test_a_budget_stops_cleanly_and_goes_on_later(chatty: RuleServer, tmp_path: Path, case: Case, ran: Run) -> None:
    whole = ran("--system", "pacemaker", "--limit", 6, "--no-cache", out="whole")
    usd = sum(row.cost.usd or 0.0 for row in whole.rows())
    arguments = command(tmp_path / "run", case, "--system", "pacemaker", "--limit", 6, "--concurrency", 1)
    done, spent = 0, 0.0
    for budget in (usd / 3, usd / 2):
        told = machine([*arguments, "--budget", budget])
        assert told["out_of_budget"]
        assert not told["complete"]
        folder = RunFolder(tmp_path / "run")
        assert len(found(folder)) == len(answered(folder)) == told["done"] > done
        done, spent = told["done"], sum(row.cost.usd or 0.0 for row in folder.rows())
        assert told["usd"] == pytest.approx(spent)
        # It may be overspent by the requests under way, of which there is one.
        assert budget <= spent < budget + usd / 3
    calls = chatty.seen.total()
    assert machine([*arguments, "--budget", usd / 2])["done"] == done
    assert chatty.seen.total() == calls
    told = machine([*arguments, "--budget", usd * 2])
    assert (told["complete"], told["out_of_budget"]) == (True, False)
    assert told["usd"] == pytest.approx(usd)
    assert gist(RunFolder(tmp_path / "run")) == gist(whole)
    # What is done is done, whatever the budget.
    told = machine([*arguments, "--budget", 0])
    assert (told["complete"], told["out_of_budget"]) == (True, False)


def test_a_budget_holds_for_those_that_wait_too(chatty: RuleServer, tmp_path: Path, case: Case) -> None:
    told = machine(
        command(tmp_path / "run", case, "--system", "pacemaker", "--limit", 12, "--concurrency", 4, "--budget", 1e-9)
    )
    # Four were under way when the first one had cost more than nothing.
    assert 1 <= told["done"] <= 4


@pytest.mark.parametrize("system", [*ASKING, "bm25", "full-kb"])
def test_an_estimate_is_what_a_run_takes(
    system: str, server: RuleServer, settings: Settings, case: Case, tmp_path: Path
) -> None:
    agent = ChatSettings(model="by-rule", base_url=server.url, usd_in=1.0, usd_out=4.0)
    with open_env(settings.model_copy(update={"agent": agent})) as env:
        plan = plan_run(env, [system], [case.world], answers=True, limit=8)
        [guess] = estimate(env, plan)
        assert server.seen.total() == 0
        carry_out(env, plan, RunFolder(tmp_path / "run"), concurrency=4)
    assert (guess.system, guess.requests, guess.calls) == (system, 8, server.seen.total())
    assert server.tokens_in / 2 <= guess.tokens_in <= server.tokens_in * 2
    assert server.tokens_out / 2 <= guess.tokens_out <= server.tokens_out * 2
    usd = (server.tokens_in * 1.0 + server.tokens_out * 4.0) / 1e6
    assert guess.usd is not None
    assert usd / 2 <= guess.usd <= usd * 2


def test_an_estimate_needs_no_model_and_asks_none(case: Case) -> None:
    arguments = ("estimate", "--world", case.world, "--system", "pacemaker", "--system", "dense", "--limit", 5)
    with_answers, without = (json.loads(ok(*arguments, more, "--json")) for more in ("--answer", "--no-answer"))
    assert [(row["system"], row["calls"]) for row in with_answers] == [("pacemaker", 25), ("dense", 5)]
    assert [(row["system"], row["calls"], row["usd"]) for row in without] == [
        ("pacemaker", 20, None),
        ("dense", 0, 0.0),
    ]
    shown = ok(*arguments, "--answer")
    assert "no price set" in shown
    assert "Tokens are guessed" in shown


# --- limits, progress, interruption


def test_calls_a_minute_are_kept(server: RuleServer, settings: Settings, case: Case, tmp_path: Path) -> None:
    agent = ChatSettings(model="by-rule", base_url=server.url)
    slept: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    limits = Limits(4, None, lambda: now[0], sleep)
    with open_env(settings.model_copy(update={"agent": agent}), limits=limits) as env:
        plan = plan_run(env, ["bm25"], [case.world], answers=True, limit=10)
        carry_out(env, plan, RunFolder(tmp_path / "run"), concurrency=3)
    # Ten calls, four a minute.
    assert slept == [60.0, 60.0]


def test_lines_tell_how_far_it_is_where_there_is_no_terminal(
    chatty: RuleServer, tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_LINE_EVERY_S", 0.0)
    said = run(*command(tmp_path / "run", case, "--system", "bm25", "--limit", 3, "--concurrency", 1))
    line = r"  {n} of 3 requests, \d+\.\d a second, 0 failed{usd}{left}"
    patterns = [
        line.format(n=n, usd=r", 0\.\d\d USD" if n else "", left=r"(, \d+ s left)?" if n < 3 else "")
        for n in (0, 1, 1, 2, 2, 3)
    ]
    lines = said.stderr.splitlines()
    assert len(lines) == len(patterns)
    for found, pattern in zip(lines, patterns, strict=True):
        assert re.fullmatch(pattern, found), found
    assert said.stdout.splitlines()[0] == f"{tmp_path / 'run'}: 3 of 3 requests done"
    monkeypatch.setattr(progress, "_LINE_EVERY_S", 1000.0)
    quiet = run(*command(tmp_path / "quiet", case, "--system", "bm25", "--limit", 3, "--no-answer"))
    assert len(quiet.stderr.splitlines()) == 1


def test_the_table_on_a_terminal_has_a_row_a_system_and_a_column_a_world(
    env: Env, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_run(env, ["bm25", "dense"], [case.world], answers=False, limit=3)
    done = carry_out(env, plan, RunFolder(tmp_path / "run"))
    done.errors[("dense", case.world)] = 1
    done.usd = 1.5
    screen = progress.RunScreen(6)
    table = screen._table(done, 6)
    assert [str(column.header) for column in table.columns] == ["system", case.world, "all"]
    assert [list(column.cells) for column in table.columns] == [
        ["bm25", "dense"], ["3/3", "3/3 [red]1 failed[/red]"], ["3/3", "3/3 [red]1 failed[/red]"]
    ]  # fmt: skip
    assert re.fullmatch(r"  6 of 6 requests, \d+\.\d a second, 1 failed, 1\.50 USD", str(table.caption))
    assert [progress._duration(s) for s in (0.4, 59.4, 61, 3600, 7384)] == [
        "0 s", "59 s", "1 min 01 s", "1 h 00 min", "2 h 03 min"
    ]  # fmt: skip


def test_json_is_all_there_is_on_stdout(chatty: RuleServer, tmp_path: Path, case: Case) -> None:
    told = machine(command(tmp_path / "run", case, "--system", "bm25", "--system", "dense", "--limit", 2))
    usd = sum(row.cost.usd or 0.0 for row in RunFolder(tmp_path / "run").rows())
    assert usd > 0
    assert told.pop("usd") == pytest.approx(usd)
    assert told == {
        "run": str(tmp_path / "run"), "requests": 4, "done": 4, "errors": 0, "complete": True, "out_of_budget": False
    }  # fmt: skip


def test_an_interrupted_run_ends_with_130_and_goes_on_where_it_was(
    tmp_path: Path, case: Case, ran: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RuleServer(delay_s=0.4) as slow:
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "by-rule")
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", slow.url)
        arguments = command(tmp_path / "run", case, "--system", "pacemaker", "--limit", 12)
        process = subprocess.Popen(
            process_of(arguments),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_for(lambda: len(answered(RunFolder(tmp_path / "run"))) >= 2, process)
        began, calls = time.monotonic(), slow.seen.total()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out) == (130, "")
        assert err.endswith("Interrupted.\n")
        assert "Traceback" not in err
        # Calls under way end, none is begun: those of four requests, not all that was planned for them.
        assert slow.seen.total() - calls <= 4
        assert time.monotonic() - began < 10
        slow.delay_s = 0.0
        told = machine(arguments)
        assert told["complete"] is True
        # No reply was lost: not even those of calls that were under way.
        assert set(slow.seen.values()) == {1}
        whole = ran("--system", "pacemaker", "--limit", 12, "--no-cache", out="whole")
    assert gist(RunFolder(tmp_path / "run")) == gist(whole)


def wait_for(there: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while not there():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_stop_in_this_process_leaves_an_environment_that_can_be_used(
    server: RuleServer, settings: Settings, case: Case, tmp_path: Path
) -> None:
    agent = ChatSettings(model="by-rule", base_url=server.url)

    def shown(_: object) -> None:
        raise ConfigError("enough")

    with open_env(settings.model_copy(update={"agent": agent})) as env:
        plan = plan_run(env, ["bm25"], [case.world], answers=True, limit=3)
        with pytest.raises(ConfigError, match="enough"):
            carry_out(env, plan, RunFolder(tmp_path / "run"), concurrency=2, shown=shown)
        assert carry_out(env, plan, RunFolder(tmp_path / "run"), concurrency=2).done == {("bm25", case.world): 3}


def test_threads_are_as_many_as_said(settings: Settings, case: Case, tmp_path: Path) -> None:
    class Counting(RuleServer):
        open_now = most = 0
        guard = threading.Lock()

        def answer(self, request: Request) -> Reply:
            with self.guard:
                self.open_now += 1
                self.most = max(self.most, self.open_now)
            time.sleep(0.1)
            with self.guard:
                self.open_now -= 1
            return super().answer(request)

    with Counting() as server:
        agent = ChatSettings(model="by-rule", base_url=server.url)
        replies = Replies(tmp_path / "replies.sqlite")
        with open_env(settings.model_copy(update={"agent": agent}), replies=replies) as env:
            plan = plan_run(env, ["bm25"], [case.world], answers=True)
            carry_out(env, plan, RunFolder(tmp_path / "run"), concurrency=6)
        replies.close()
        assert server.most == 6


def test_the_folder_is_no_more_than_its_files(offline: RunFolder) -> None:
    assert {file.name for file in offline.path.iterdir()} - {"run.lock"} == {
        "config.json", "queries.jsonl", "records.jsonl"
    }  # fmt: skip
    assert os.access(offline.path, os.W_OK)
