"""What every system owes, whatever it does inside: one contract, all of SYSTEMS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from uuid import uuid4

import pytest

from loaders.write import write_world
from pace_graph.asking import ask, build
from pace_graph.config import ChatSettings, PaceConfig, Settings
from pace_graph.env import Env, open_env
from pace_graph.errors import WorldError
from pace_graph.graph import Graph
from pace_graph.records import Case, Fact, Person, Query, Retrieved, Timeline
from pace_graph.retrievers import SYSTEMS, find_system
from tests.integration.test_pacemaker import Script
from tests.openai_server import ScriptedServer

REF = date(2026, 3, 20)
ASKED = "Book the lake cabin for Joan tomorrow evening."
CHINESE = "明天晚上帮我订湖边的木屋。"
WORDS = ("lake", "cabin", "evening", "bridge", "garden", "market", "harbour", "museum", "station", "library")
HAN = ("湖边", "木屋", "晚上", "大桥", "花园", "市场", "码头", "展馆", "车站", "书店")
PLAIN = ("bm25", "dense", "hybrid")
ALL = list(SYSTEMS)
SEARCHING = [name for name, system in SYSTEMS.items() if system.group != "control"]
"""All but those that a search is compared with: they are given their facts."""


def english(count: int, start: int = 0) -> dict[str, str]:
    return {
        f"d{i:03d}": f"Note {i}: the {WORDS[i % 10]} is near the {WORDS[(i * 7 + 3) % 10]}."
        for i in range(start, count)
    }


def chinese(count: int) -> dict[str, str]:
    return {f"z{i:03d}": f"第{i}条：{HAN[i % 10]}在{HAN[(i * 7 + 3) % 10]}旁边" for i in range(count)}


SHAPES = {
    "english": english(60),
    "chinese": chinese(40),
    "one fact": {"only": "The cabin by the lake has a red door."},
    "three facts": english(3),
    "empty": {},
    # Facts that are equal in text are told apart by nothing but their ids.
    "twins": {f"t{i:02d}": "The cabin by the lake has a red door." for i in range(30)},
}


@pytest.fixture(scope="module")
def worlds(graph: Graph, settings: Settings) -> dict[str, str]:
    made = {shape: f"w-{uuid4().hex[:12]}" for shape in SHAPES}
    for shape, world in made.items():
        case = Case(
            world,
            tuple(Fact(fact_id, text) for fact_id, text in SHAPES[shape].items()),
            people=(Person("Ada", "ego"), Person("Joan Parr", "alter")),
            timeline=Timeline(ref_date=REF),
        )
        write_world(graph, settings, case, source="test")
    return made


@pytest.fixture(scope="module")
def chatty(settings: Settings) -> Iterator[Env]:
    """An environment with a model by script: it keeps the last candidates, the last one first."""

    def fresh(request):
        # Each request alone: which of the two filters asks makes no difference to this script.
        return Script()(request)

    with ScriptedServer(fresh) as server:
        agent = ChatSettings(model="scripted", base_url=server.url)
        with open_env(settings.model_copy(update={"agent": agent})) as env:
            yield env


Run = Callable[..., Retrieved]


@pytest.fixture
def run(chatty: Env, worlds: dict[str, str]) -> Run:
    def retrieve(name: str, shape: str, text: str = ASKED, **config: int) -> Retrieved:
        system = find_system(name)
        chain = build(chatty, chatty.world(worlds[shape]), system, system.config(**config), name)
        return chain.invoke(Query(text, worlds[shape], ref_date=REF))

    return retrieve


def at_most(name: str, shape: str) -> int:
    c = PaceConfig()
    if name == "full-kb" or name.endswith("-no-selection"):
        return len(SHAPES[shape])
    return {"oracle": 0, "no-memory": 0}.get(name, c.n_baseline if name in PLAIN else c.n_final)


@pytest.mark.parametrize("text", [ASKED, CHINESE], ids=["english", "chinese"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ALL)
def test_only_facts_of_the_world_once_each_and_not_too_many(run: Run, name: str, shape: str, text: str) -> None:
    found = run(name, shape, text)
    ids = found.fact_ids
    assert set(ids) <= set(SHAPES[shape])
    assert len(set(ids)) == len(ids) <= at_most(name, shape)
    for step in found.trail:
        assert set(step.fact_ids) <= set(SHAPES[shape])
        assert len(set(step.fact_ids)) == len(step.fact_ids)
    assert found.query.text == text


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ALL)
def test_the_same_request_twice_gives_the_same(run: Run, name: str, shape: str) -> None:
    assert run(name, shape) == run(name, shape)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("shape", ["english", "chinese", "twins"])
def test_plain_systems_sort_by_score_then_best_rank_then_id(run: Run, name: str, shape: str) -> None:
    hits = run(name, shape).hits
    keys = [(-hit.score, min(share.rank for share in hit.shares), hit.fact_id) for hit in hits]
    assert keys == sorted(keys)
    for hit in hits:
        assert hit.score == pytest.approx(sum(share.part for share in hit.shares))


@pytest.mark.parametrize("shape", ["english", "chinese", "twins"])
def test_rules_sort_by_what_their_last_filter_says(run: Run, shape: str) -> None:
    # No fact of these worlds speaks of a constraint or a day: the order is that of the fused score, ties by id.
    found = run("pacemaker-rules", shape)
    keys = [(-hit.score, hit.fact_id) for hit in found.hits]
    assert keys == sorted(keys)


def test_pacemaker_sorts_as_its_last_filter_says(run: Run) -> None:
    found = run("pacemaker", "english")
    pool = [
        hit.fact_id
        for step in found.trail
        if step.stage == "pre-hop" or step.stage.startswith("hop ")
        for hit in step.hits
    ]
    assert list(found.fact_ids) == pool[::-1][:10]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("name", [name for name in SEARCHING if not name.endswith("-no-selection")])
def test_fewer_where_fewer_are_asked_for(run: Run, name: str, k: int) -> None:
    found = run(name, "english", n_baseline=k, n_final=k)
    assert len(found.fact_ids) == k
    # Of two lists each is cut too (A10), so that only a system with one has its best of ten first among three.
    if name in {"bm25", "dense"}:
        assert found.fact_ids == run(name, "english").fact_ids[:k]


@pytest.mark.parametrize("name", SEARCHING)
def test_ten_where_there_are_ten(run: Run, name: str) -> None:
    found = len(run(name, "english").fact_ids)
    # Without its last filter a chain gives the whole pool.
    assert found > 10 if name.endswith("-no-selection") else found == 10


@pytest.mark.parametrize("name", ALL)
def test_an_empty_world_has_nothing_and_no_error(run: Run, name: str) -> None:
    assert run(name, "empty").hits == ()


@pytest.mark.parametrize("name", SEARCHING)
def test_a_world_of_one_fact_has_that_one(run: Run, name: str) -> None:
    assert run(name, "one fact").fact_ids == ("only",)


@pytest.mark.parametrize("name", [name for name in SEARCHING if name != "bm25"])
def test_a_world_of_another_language_is_still_searched(run: Run, name: str) -> None:
    assert len(run(name, "chinese", ASKED).fact_ids) >= 10
    assert len(run(name, "english", CHINESE).fact_ids) >= 10


def test_words_alone_find_nothing_in_another_language(run: Run) -> None:
    assert run("bm25", "chinese", "Rent a boat.").hits == ()
    assert run("bm25", "english", "租一条船").hits == ()


@pytest.mark.parametrize("name", ALL)
def test_other_worlds_change_nothing(
    run: Run, name: str, chatty: Env, settings: Settings, new_world: Callable[[], str]
) -> None:
    before = run(name, "english")
    other = Case(new_world(), tuple(Fact(i, f"{text} {ASKED}") for i, text in english(80, start=20).items()))
    write_world(chatty.graph, settings, other, source="test")
    assert run(name, "english").fact_ids == before.fact_ids


@pytest.mark.parametrize("name", ALL)
def test_a_changed_world_is_answered_from_what_it_is_now(
    name: str, chatty: Env, settings: Settings, new_world: Callable[[], str]
) -> None:
    world = new_world()
    for facts in (english(3), {"new": "A cabin."}):
        case = Case(world, tuple(Fact(fact_id, text) for fact_id, text in facts.items()))
        write_world(chatty.graph, settings, case, source="test")
        found = ask(chatty, world, ASKED, system=name, trace=False).retrieved.fact_ids
        assert set(found) <= set(facts)
        assert found or name not in SEARCHING


@pytest.mark.parametrize("name", ALL)
def test_a_world_that_is_not_there_is_refused(name: str, chatty: Env) -> None:
    with pytest.raises(WorldError, match="no world named nowhere"):
        ask(chatty, "nowhere", ASKED, system=name)


@pytest.mark.parametrize("name", [name for name in ALL if name != "oracle"])
def test_gold_changes_nothing(run: Run, name: str, chatty: Env, worlds: dict[str, str]) -> None:
    system = find_system(name)
    chain = build(chatty, chatty.world(worlds["english"]), system, system.config(), name)
    told = Query(
        ASKED,
        worlds["english"],
        ref_date=REF,
        label="conflict",
        situation="state",
        judgment="no",
        gold=("d059", "d058"),
    )
    assert chain.invoke(told).fact_ids == run(name, "english").fact_ids


@pytest.mark.parametrize("name", ALL)
def test_a_batch_gives_what_one_by_one_gives(name: str, chatty: Env, worlds: dict[str, str]) -> None:
    system = find_system(name)
    chain = build(chatty, chatty.world(worlds["english"]), system, system.config(), name)
    queries = [Query(f"{ASKED} {word}", worlds["english"], ref_date=REF) for word in WORDS[:4]]
    assert chain.batch(queries, {"max_concurrency": 4}) == [chain.invoke(query) for query in queries]


def test_systems_say_what_they_are() -> None:
    assert ALL[:5] == ["bm25", "dense", "hybrid", "pacemaker-rules", "pacemaker"]
    calling = {name for name in ALL if name.startswith("pacemaker") and not name.startswith("pacemaker-rules")}
    assert {name for name, system in SYSTEMS.items() if system.needs_chat} == calling
    assert all(system.help for system in SYSTEMS.values())
