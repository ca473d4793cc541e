"""Controls and ablations: each is the whole chain less one part, or no chain at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from uuid import uuid4

import pytest

from loaders.beir import read as read_beir
from loaders.write import write_world
from pace_graph.asking import build
from pace_graph.config import ChatSettings, PaceConfig, Settings
from pace_graph.env import Env, open_env
from pace_graph.graph import Graph
from pace_graph.ledger import Ledger
from pace_graph.records import Case, Fact, Query, Retrieved, Timeline
from pace_graph.retrievers import SYSTEMS, find_system
from pace_graph.worlds import read_queries
from tests.integration.test_pacemaker import Script
from tests.made import ok, refused
from tests.openai_server import ScriptedServer

REF = date(2026, 3, 20)
ASKED = "Book the lake cabin for Joan tomorrow evening."
WORDS = ("lake", "cabin", "evening", "bridge", "garden", "market", "harbour", "museum", "station", "library")
FACTS = {f"d{i:03d}": f"Note {i}: the {WORDS[i % 10]} is near the {WORDS[(i * 7 + 3) % 10]}." for i in range(80)}
FAMILIES = ("pacemaker-rules", "pacemaker")

SMALL = (
    Fact("c", "Eve.", "2026-03-02T09:00:00+00:00"),
    Fact("a", "Tea at 5."),
    Fact("b", "Rain.", "2026-03-02T10:00:00+02:00"),
    Fact("d", "He said \"no\".", "2026-03-01"),
)  # fmt: skip
GOLD = ("d", "a")


@pytest.fixture(scope="module")
def worlds(graph: Graph, settings: Settings) -> dict[str, str]:
    made = {shape: f"w-{uuid4().hex[:12]}" for shape in ("large", "small")}
    shapes = {"large": tuple(Fact(i, text) for i, text in FACTS.items()), "small": SMALL}
    for shape, world in made.items():
        gold, missing = (GOLD, ("gone",)) if shape == "small" else (("d003",), ())
        query = Query(ASKED, world, "q 1", REF, "conflict", "state", "No.", gold, missing)
        case = Case(world, shapes[shape], queries=(query,), timeline=Timeline(ref_date=REF))
        write_world(graph, settings, case, source="test")
    return made


@dataclass
class Chatty:
    """An environment with a model by script, and which of its stages were asked since it was last cleared."""

    env: Env
    script: Script

    @property
    def stages(self) -> list[str]:
        return [name for name, _ in self.script.calls]


@pytest.fixture(scope="module")
def chatty(settings: Settings) -> Iterator[Chatty]:
    script = Script()
    with ScriptedServer(script) as server:
        agent = ChatSettings(model="scripted", base_url=server.url)
        with open_env(settings.model_copy(update={"agent": agent})) as env:
            yield Chatty(env, script)


Run = Callable[..., Retrieved]


@pytest.fixture
def run(chatty: Chatty, worlds: dict[str, str]) -> Run:
    def retrieve(name: str, shape: str = "large", query_id: str = "q1", **config: object) -> Retrieved:
        chatty.script.calls.clear()
        system = find_system(name)
        chain = build(chatty.env, chatty.env.world(worlds[shape]), system, system.config(**config), name)
        query = Query(ASKED, worlds[shape], query_id, REF)
        return chain.invoke(query, {"callbacks": [Ledger()]})

    return retrieve


def ids_after(found: Retrieved, stage: str) -> tuple[str, ...]:
    return tuple(hit.fact_id for hit in found.after(stage))


def stages(found: Retrieved) -> list[str]:
    return [step.stage for step in found.trail]


# --- controls


def test_the_oracle_has_the_gold_of_the_query_in_the_order_of_the_file(
    chatty: Chatty, worlds: dict[str, str], graph: Graph
) -> None:
    (query,) = read_queries(graph, worlds["small"])
    system = find_system("oracle")
    found = build(chatty.env, chatty.env.world(worlds["small"]), system, system.config(), "oracle").invoke(query)
    assert found.fact_ids == GOLD  # not by id, and without the gold id that is no fact
    assert (found.rankings.lists, [hit.score for hit in found.hits]) == ((), [0.0, 0.0])


def test_the_oracle_has_nothing_where_nothing_is_gold(run: Run) -> None:
    assert run("oracle", "small").fact_ids == ()


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("id", ("a", "b", "c", "d")),
        # d on the first; b at 08:00 UTC and c at 09:00 on the second; a has no date.
        ("date", ("d", "b", "c", "a")),
    ],
)
def test_full_kb_has_every_fact_in_the_order_set(run: Run, order: str, expected: tuple[str, ...]) -> None:
    found = run("full-kb", "small", full_kb_order=order, n_baseline=1, n_final=1, n_answer=1)
    assert found.fact_ids == expected
    assert stages(found) == ["retrieve"]


# As the answer generator is shown them:
LINES = [
    '{"doc_id": "a", "text": "Tea at 5."}',  # 36 characters
    '{"doc_id": "b", "text": "Rain."}',  # 32: 69 with the line end between
    '{"doc_id": "c", "text": "Eve."}',  # 31: 101
    '{"doc_id": "d", "text": "He said \\"no\\"."}',  # 42: 144
]


@pytest.mark.parametrize(
    ("most", "kept", "status"),
    [
        (1, 0, "truncated"),
        (35, 0, "truncated"),
        (36, 1, "truncated"),
        (68, 1, "truncated"),
        (69, 2, "truncated"),
        (101, 3, "truncated"),
        (143, 3, "truncated"),
        (144, 4, "ok"),
    ],
)
def test_full_kb_is_cut_between_facts_and_says_so(run: Run, most: int, kept: int, status: str) -> None:
    assert [len(line) for line in LINES] == [36, 32, 31, 42]
    found = run("full-kb", "small", full_kb_chars=most)
    assert found.fact_ids == ("a", "b", "c", "d")[:kept]
    assert [(step.stage, len(step.hits), step.status) for step in found.trail] == [
        ("retrieve", 4, "ok"),
        ("truncate", kept, status),
    ]
    assert len("\n".join(LINES[:kept])) <= most


def test_no_memory_has_nothing(run: Run) -> None:
    assert run("no-memory").hits == ()


def test_shuffled_memory_is_drawn_by_query_and_seed(run: Run) -> None:
    drawn = run("shuffled-memory").fact_ids
    assert len(set(drawn)) == 10
    assert set(drawn) <= set(FACTS)
    assert run("shuffled-memory").fact_ids == drawn
    others = (
        run("shuffled-memory", query_id="q2"),
        run("shuffled-memory", seed=1),
        run("shuffled-memory", n_baseline=9),
    )
    assert all(set(other.fact_ids) != set(drawn) for other in others)
    # The same wherever Python runs, whatever its hash seed.
    assert drawn[:3] == ("d057", "d073", "d045")


def test_shuffled_memory_has_no_more_than_there_is(run: Run) -> None:
    assert sorted(run("shuffled-memory", "small").fact_ids) == ["a", "b", "c", "d"]


def test_controls_ask_no_model(run: Run, chatty: Chatty) -> None:
    for name in ("oracle", "full-kb", "no-memory", "shuffled-memory"):
        run(name)
        assert chatty.stages == []


# --- ablations


@pytest.mark.parametrize("family", FAMILIES)
def test_without_planning_only_the_request_is_searched_with(run: Run, family: str) -> None:
    full, found = run(family), run(f"{family}-no-planning")
    assert len(full.rankings.views.views) > 1
    assert [(view.text, view.kind) for view in found.rankings.views.views] == [(ASKED, "original")]
    first = [ranking for ranking in full.rankings.lists if ranking.view == 0]
    assert list(found.rankings.lists) == first
    assert [stage for stage in stages(found) if not stage.startswith("hop")] == [
        "retrieve",
        "fuse",
        "pre-hop",
        "post-hop",
    ]
    assert "hop 1" in stages(found)


def test_views_without_a_plan_are_still_written(run: Run, chatty: Chatty) -> None:
    full = run("pacemaker")
    found = run("pacemaker-no-planning", ablate_planning="unplanned_views")
    assert found.rankings.views.views == full.rankings.views.views  # this script's views hang on no plan
    assert found.rankings.views.plan.directions == ()
    told = chatty.script.calls[0][1]
    assert "DIMENSION-ONE" not in told.system + told.user
    run("pacemaker")
    planned = chatty.script.calls[1][1]
    assert "DIMENSION-ONE" in planned.system + planned.user


@pytest.mark.parametrize("family", FAMILIES)
def test_without_traversal_in_four_readings(run: Run, family: str) -> None:
    full = run(family)
    read = {
        reading: run(f"{family}-no-traversal", ablate_traversal=reading)
        for reading in ("fused_all", "fused_top", "prehop", "both_filters")
    }
    fused, seeds = ids_after(full, "fuse"), ids_after(full, "pre-hop")
    deep = find_system(family).config()
    assert (len(fused), len(seeds)) == (deep.n_seed, deep.n_filter)
    assert read["fused_all"].fact_ids == fused
    assert read["fused_top"].fact_ids == fused[:10]
    if family == "pacemaker":  # the script's filter turns the order round
        assert fused[:10] != seeds
    assert read["prehop"].fact_ids == seeds
    assert len(read["both_filters"].fact_ids) == 10
    assert set(read["both_filters"].fact_ids) <= set(seeds)
    assert {reading: stages(found) for reading, found in read.items()} == {
        "fused_all": ["retrieve", "fuse"],
        "fused_top": ["retrieve", "fuse"],
        "prehop": ["retrieve", "fuse", "pre-hop"],
        "both_filters": ["retrieve", "fuse", "pre-hop", "post-hop"],
    }
    assert run(f"{family}-no-traversal") == read["fused_top"]


@pytest.mark.parametrize("family", FAMILIES)
def test_without_traversal_is_the_chain_of_no_hop(run: Run, family: str) -> None:
    short = run(f"{family}-no-traversal", ablate_traversal="both_filters", small_pool="call")
    assert short.fact_ids == run(family, hops=0, small_pool="call").fact_ids


@pytest.mark.parametrize("family", FAMILIES)
def test_without_selection_the_whole_pool_stays_in_the_order_of_the_walk(run: Run, family: str) -> None:
    full, found = run(family), run(f"{family}-no-selection")
    hops = [step.fact_ids for step in full.trail if step.stage.startswith("hop ")]
    assert found.fact_ids == sum(hops, ids_after(full, "pre-hop"))
    assert len(found.fact_ids) > 20
    assert stages(found) == stages(full)[:-1]
    assert set(full.fact_ids) < set(found.fact_ids)


@pytest.mark.parametrize(
    ("name", "config", "expected"),
    [
        ("pacemaker", {}, ["plan", "views", "pre-hop", "post-hop"]),
        ("pacemaker-no-planning", {}, ["pre-hop", "post-hop"]),
        ("pacemaker-no-planning", {"ablate_planning": "unplanned_views"}, ["views", "pre-hop", "post-hop"]),
        ("pacemaker-no-traversal", {}, ["plan", "views"]),
        ("pacemaker-no-traversal", {"ablate_traversal": "fused_all"}, ["plan", "views"]),
        ("pacemaker-no-traversal", {"ablate_traversal": "prehop"}, ["plan", "views", "pre-hop"]),
        # Ten seeds are ten facts: the second filter has nothing to choose.
        ("pacemaker-no-traversal", {"ablate_traversal": "both_filters"}, ["plan", "views", "pre-hop"]),
        ("pacemaker-no-selection", {}, ["plan", "views", "pre-hop"]),
    ],
)
def test_an_ablation_asks_the_model_for_no_more_than_is_left(
    run: Run, chatty: Chatty, name: str, config: dict[str, str], expected: list[str]
) -> None:
    run(name, **config)
    assert chatty.stages == expected


# --- what SYSTEMS says of them


def test_what_ranks_nothing_has_no_retrieval_metrics() -> None:
    assert {name for name, system in SYSTEMS.items() if not system.ranks} == {"oracle", "full-kb", "no-memory"}


@pytest.mark.parametrize("name", SYSTEMS)
def test_how_many_facts_are_answered_from(name: str) -> None:
    c = PaceConfig(n_answer=8)
    everything = name in {"oracle", "full-kb"} or name.endswith("-no-selection")
    assert SYSTEMS[name].shows(c) == (None if everything else 8)


@pytest.mark.parametrize(("reading", "shown"), [("fused_all", None), ("prehop", None), ("both_filters", 10)])
@pytest.mark.parametrize("family", FAMILIES)
def test_without_traversal_all_that_a_reading_names_is_answered_from(
    family: str, reading: str, shown: int | None
) -> None:
    system = SYSTEMS[f"{family}-no-traversal"]
    assert system.shows(system.config(ablate_traversal=reading)) == shown


def test_an_ablation_is_set_as_what_it_takes_from() -> None:
    for name, system in SYSTEMS.items():
        if system.group == "ablation":
            whole = SYSTEMS[name.split("-no-")[0]]
            assert (system.config(), system.needs_chat) == (whole.config(), whole.needs_chat)
    assert [name for name, system in SYSTEMS.items() if system.group == "control"] == [
        "oracle", "full-kb", "no-memory", "shuffled-memory",
    ]  # fmt: skip


# --- from a run to other tools


@pytest.fixture
def ran(on_server: None, worlds: dict[str, str], tmp_path: Path) -> Path:
    chosen = [part for name in ("bm25", "oracle", "shuffled-memory") for part in ("--system", name)]
    named = [part for world in worlds.values() for part in ("--world", world)]
    ok("run", *named, *chosen, "--no-answer", "--out", tmp_path / "run")
    return tmp_path / "run"


def test_a_run_becomes_worlds_in_beirs_layout_and_comes_back(ran: Path, worlds: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "beir"
    told = ok("export", ran, "--format", "beir", "--out", out).split()
    assert sorted(told) == sorted(str(path) for path in out.rglob("*.*"))
    assert len(told) == 6
    (case,) = read_beir(out / worlds["small"])
    assert case.facts == tuple(sorted(SMALL, key=lambda fact: fact.fact_id))
    assert [(query.query_id, query.text, query.gold) for query in case.queries] == [("q 1", ASKED, GOLD)]
    assert "is there already" in refused("export", ran, "--format", "beir", "--out", out)


def test_a_world_that_changed_since_is_not_exported_as_what_was_run(
    ran: Path, worlds: dict[str, str], graph: Graph, settings: Settings, tmp_path: Path
) -> None:
    (query,) = read_queries(graph, worlds["small"])
    changed = Case(worlds["small"], SMALL[:3], queries=(query,), timeline=Timeline(ref_date=REF))
    try:
        write_world(graph, settings, Case(changed.world, SMALL[:3]), source="test")
        assert f"world {worlds['small']} has changed" in refused(
            "export", ran, "--format", "beir", "--out", tmp_path / "b"
        )
        assert not (tmp_path / "b").exists()
    finally:
        write_world(graph, settings, Case(changed.world, SMALL, (query,), timeline=changed.timeline), source="test")


def test_a_run_becomes_trec_files_of_what_ranks(ran: Path, worlds: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "trec"
    told = ok("export", ran, "--format", "trec", "--out", out)
    assert set(told.split()) == {
        str(out / name) for name in ("qrels.trec", "runs/bm25.trec", "runs/shuffled-memory.trec")
    }
    small = worlds["small"]
    assert f"{small}/q%201 0 {small}/d 1\n{small}/q%201 0 {small}/a 1\n" in (out / "qrels.trec").read_text()


def test_the_cost_of_a_run(ran: Path, worlds: dict[str, str]) -> None:
    rows = json.loads(ok("cost", ran, "--index-seconds", "80", "--json"))
    assert [(row["system"], row["queries"], row["calls"]) for row in rows] == [
        (name, 2, 0) for name in ("bm25", "oracle", "shuffled-memory")
    ]
    for row in rows:
        assert row["online_s"] > 0
        assert row["cold_start_s"] == pytest.approx(80 + 2 * row["online_s"])
    (one, *_) = json.loads(ok("cost", ran, "--index-seconds", "80", "--world", worlds["large"], "--json"))
    assert one["queries"] == 1
    assert "its worlds are:" in refused("cost", ran, "--world", "nowhere", "--index-seconds", "1")
    table = ok("cost", ran, ran, "--index-seconds", "80")
    assert table.count("shuffled-memory") == 2
    assert "80.00" in table
