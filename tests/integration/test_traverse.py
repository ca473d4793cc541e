"""The walk, worked out on paper, and against a breadth-first search written from the specification (4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from unittest import mock
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pace_graph.config import PaceConfig
from pace_graph.graph import Graph
from pace_graph.records import Hit, KnowledgeBase, Plan, Query, Rankings, Retrieved, Step, View, Views
from pace_graph.stages import traverse as stage
from pace_graph.stages.traverse import traverse, walk
from pace_graph.worlds import open_world
from tests.drawn import Lists, draw

NewWorld = Callable[[], str]
HAND = {
    "s": ["a", "b", "c", "d"],
    "t": ["b", "e", "s", "f"],
    "a": ["s", "b", "g", "h"],
    "b": ["t", "a", "s", "i"],
    "c": ["s", "a", "j"],
    "d": ["k"],
    "e": ["g", "t", "c"],
    "f": [],
    "g": ["a", "l", "e"],
    "h": [],
    "i": [],
    "j": ["c"],
    "k": [],
    "l": ["g"],
}
"""Neighbours, nearest first. d, f, h and i are fourth in every list they are in, or follow only from such."""


@pytest.fixture(scope="module")
def hand(graph: Graph) -> str:
    world = f"w-{uuid4().hex[:12]}"
    draw(graph, world, HAND)
    return world


@pytest.fixture(params=["one statement", "hop by hop"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to walk; `_MOST_PATHS` is where the walk changes from one to the other."""
    monkeypatch.setattr(stage, "_MOST_PATHS", 10**9 if request.param == "one statement" else 0)
    return str(request.param)


def layers(graph: Graph, world: str, seeds: str | Sequence[str], **config: object) -> list[list[tuple[str, str]]]:
    return walk(graph, world, tuple(seeds), PaceConfig.model_validate(config))


# --- worked out by hand


@pytest.mark.usefixtures("way")
def test_the_whole_trace(graph: Graph, hand: str) -> None:
    # M = 3, seeds s then t.
    #   hop 1: s gives a, b, c; t gives (b seen) e, (s seen).            a<s b<s c<s e<t
    #   hop 2: a gives (s, b seen) g; b gives nothing; c gives (s, a) j; e gives (g seen, t, c).   g<a j<c
    #   hop 3: g gives (a seen) l, (e seen); j gives (c seen).           l<g
    #   hop 4: l gives (g seen): nothing is left, the walk ends early.
    # d, f, h, i, k: behind the first three of every list.
    assert layers(graph, hand, "st") == [
        [("a", "s"), ("b", "s"), ("c", "s"), ("e", "t")],
        [("g", "a"), ("j", "c")],
        [("l", "g")],
    ]


@pytest.mark.usefixtures("way")
def test_the_order_of_the_seeds_decides_who_discovers(graph: Graph, hand: str) -> None:
    # t first: b, e (s is a seed); then s: a, (b seen), c. Hop 2: b none; e gives g; a (g seen); c gives j.
    assert layers(graph, hand, "ts") == [
        [("b", "t"), ("e", "t"), ("a", "s"), ("c", "s")],
        [("g", "e"), ("j", "c")],
        [("l", "g")],
    ]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("hops", "found"), [(0, ""), (1, "abc"), (2, "abcgj"), (3, "abcgjel"), (20, "abcgjel")])
def test_depth(graph: Graph, hand: str, hops: int, found: str) -> None:
    # From s alone: hop 1 a, b, c; hop 2: a gives g, b gives t: see below; c gives j.
    got = [name for layer in layers(graph, hand, "s", hops=hops) for name, _ in layer]
    # b's nearest is t, met on hop 2 behind g and before j.
    expected = found.replace("gj", "gtj")
    # On hop 3, g (after a) gives l and e; t gives (b, e seen, s).
    assert got == list(expected.replace("el", "le"))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("width", "expected"),
    [
        # s: a; a: (s seen) ends.
        (1, [[("a", "s")]]),
        # s: a, b; a: (s, b seen); b: t, (a seen); t: (b seen), e; e: g, (t seen); g: (a seen), l.
        (2, [[("a", "s"), ("b", "s")], [("t", "b")], [("e", "t")], [("g", "e")], [("l", "g")]]),
        # Wider than any list: s: a b c d; a: g, h; b: t, i; c: j; d: k; g: l, e; t: (e seen), f.
        (
            9,
            [
                [("a", "s"), ("b", "s"), ("c", "s"), ("d", "s")],
                [("g", "a"), ("h", "a"), ("t", "b"), ("i", "b"), ("j", "c"), ("k", "d")],
                [("l", "g"), ("e", "g"), ("f", "t")],
            ],
        ),
    ],
)
def test_width(graph: Graph, hand: str, width: int, expected: list[list[tuple[str, str]]]) -> None:
    assert layers(graph, hand, "s", width=width) == expected


@pytest.mark.usefixtures("way")
def test_an_isolated_seed_and_no_seed_at_all(graph: Graph, hand: str) -> None:
    assert layers(graph, hand, "h") == []
    assert layers(graph, hand, "") == []
    assert layers(graph, hand, "hk") == []


@pytest.mark.usefixtures("way")
def test_nothing_is_walked_outside_the_world(graph: Graph, hand: str, new_world: NewWorld) -> None:
    # A world with the same ids and other edges beside it changes nothing.
    draw(graph, new_world(), {"s": ["l", "k"], "t": [], "l": ["k"], "k": ["t"], "a": []})
    assert [name for name, _ in layers(graph, hand, "s", hops=1)[0]] == ["a", "b", "c"]


def test_first_m_unvisited(graph: Graph, hand: str) -> None:
    # A7(b), from s and t, one hop: s gives a, b, c; t's first three that are not visited: e, f (b and s are).
    # Hop 2: a gives g, h (s, b visited); b gives i; c gives j; e gives nothing new; f nothing.
    got = layers(graph, hand, "st", cut="after_visited", hops=2)
    assert got == [
        [("a", "s"), ("b", "s"), ("c", "s"), ("e", "t"), ("f", "t")],
        [("g", "a"), ("h", "a"), ("i", "b"), ("j", "c")],
    ]


def test_first_m_unvisited_of_everything_collected(graph: Graph, hand: str) -> None:
    # A7(b) and A8(b): on hop 2 the seeds are expanded again, first of all; s then gives d, which no frontier would.
    got = layers(graph, hand, "st", cut="after_visited", expand="collected", hops=2)
    assert got[1] == [("d", "s"), ("g", "a"), ("h", "a"), ("i", "b"), ("j", "c")]


def test_edges_both_ways_and_mutual(graph: Graph, new_world: NewWorld) -> None:
    world = new_world()
    # Directed: a > b (0.9), a > c (0.5); b > a (0.9); c > d (0.8); d > a (0.7), e > a (0.5).
    draw(
        graph,
        world,
        {"a": [("b", 0.9), ("c", 0.5)], "b": [("a", 0.9)], "c": [("d", 0.8)], "d": [("a", 0.7)], "e": [("a", 0.5)]},
    )
    found = {edges: layers(graph, world, "a", edges=edges, hops=2) for edges in ("directed", "symmetric", "mutual")}
    assert found == {
        "directed": [[("b", "a"), ("c", "a")], [("d", "c")]],
        # a's neighbours by score: b 0.9 (once, though both chose each other), d 0.7, c 0.5 before e 0.5 by id;
        # the first three are b, d, c. Of d: c 0.8, a. Of c: d, a.
        "symmetric": [[("b", "a"), ("d", "a"), ("c", "a")]],
        "mutual": [[("b", "a")]],
    }


# --- the stage


def seeded(*fact_ids: str) -> Retrieved:
    rankings = Rankings(Views(Plan(Query("q", "w")), (View("q", "original", 1.0),)), ())
    hits = tuple(Hit(fact_id, 1 - i / 10, path=(fact_id,)) for i, fact_id in enumerate(fact_ids))
    return Retrieved(rankings, hits, (Step("pre-hop", hits),))


@pytest.mark.usefixtures("way")
def test_the_stage_keeps_seeds_first_and_every_path(graph: Graph, hand: str) -> None:
    given_seeds = seeded("s", "t")
    found = traverse(graph, open_world(graph, hand), PaceConfig()).invoke(given_seeds)
    assert found.fact_ids == ("s", "t", "a", "b", "c", "e", "g", "j", "l")
    assert found.hits[:2] == given_seeds.hits
    assert {hit.fact_id: (hit.hop, hit.score, "".join(hit.path)) for hit in found.hits[2:]} == {
        "a": (1, 0.0, "sa"), "b": (1, 0.0, "sb"), "c": (1, 0.0, "sc"), "e": (1, 0.0, "te"), "g": (2, 0.0, "sag"),
        "j": (2, 0.0, "scj"), "l": (3, 0.0, "sagl"),
    }  # fmt: skip
    assert [(step.stage, "".join(step.fact_ids)) for step in found.trail] == [
        ("pre-hop", "st"), ("hop 1", "abce"), ("hop 2", "gj"), ("hop 3", "l"),
    ]  # fmt: skip


def test_without_hops_or_seeds_the_stage_changes_nothing(graph: Graph, hand: str) -> None:
    kb = open_world(graph, hand)
    for seeds, hops in ((("s", "t"), 0), ((), 5)):
        given_seeds = seeded(*seeds)
        assert traverse(graph, kb, PaceConfig(hops=hops)).invoke(given_seeds) == given_seeds


# --- any graph, against the reference algorithm


Near = Callable[[str], list[str]]


def reference(near: Near, seeds: Sequence[str], c: PaceConfig) -> list[list[tuple[str, str]]]:
    """Spec 4.8, with A7 and A8 as readings: who is discovered on each hop, and from where."""
    pool, visited, frontier = list(seeds), set(seeds), list(seeds)
    hops: list[list[tuple[str, str]]] = []
    for _ in range(c.hops):
        found: list[tuple[str, str]] = []
        for d in list(frontier if c.expand == "frontier" else pool):
            if c.cut == "before_visited":
                candidates = near(d)[: c.width]
            else:
                # The first M that nobody has visited when d's turn comes.
                candidates = [n for n in near(d) if n not in visited][: c.width]
            for n in candidates:
                if n not in visited:
                    visited.add(n)
                    found.append((n, d))
        if not found:
            break
        frontier = [n for n, _ in found]
        pool.extend(frontier)
        hops.append(found)
    return hops


def neighbours_of(lists: Mapping[str, list[tuple[str, float]]], edges: str) -> Near:
    """Reading A9: whose neighbour is whose, nearest first."""

    def near(d: str) -> list[str]:
        out = [n for n, _ in lists[d]]
        if edges == "directed":
            return out
        if edges == "mutual":
            return [n for n in out if any(back == d for back, _ in lists[n])]
        scores = dict(lists[d])
        for other, its in lists.items():
            scores |= {source: score for source, (n, score) in ((other, near) for near in its) if n == d}
        return sorted(scores, key=lambda n: (-scores[n], n))

    return near


@st.composite
def knn_graphs(draw_from: st.DrawFn) -> tuple[dict[str, list[tuple[str, float]]], list[str]]:
    """The k-NN lists of a random symmetric similarity with many ties, and some seeds."""
    size = draw_from(st.integers(2, 24))
    k = draw_from(st.integers(1, 6))
    # Shuffled, so that the order of ids is not the order in which facts were written.
    names = draw_from(st.permutations([f"f{i:02d}" for i in range(size)]))
    pairs = size * (size - 1) // 2
    levels = iter(draw_from(st.lists(st.integers(0, 9), min_size=pairs, max_size=pairs)))
    score = {frozenset((a, b)): next(levels) / 10 for i, a in enumerate(names) for b in names[:i]}
    lists = {
        a: sorted(((b, score[frozenset((a, b))]) for b in names if b != a), key=lambda near: (-near[1], near[0]))[:k]
        for a in names
    }
    seeds = draw_from(st.lists(st.sampled_from(names), min_size=1, max_size=5, unique=True))
    return lists, seeds


READINGS = [
    {"cut": cut, "expand": expand, "edges": edges}
    for cut in ("before_visited", "after_visited")
    for expand in ("frontier", "collected")
    for edges in ("directed", "symmetric", "mutual")
]


@examples(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(drawn=knn_graphs(), hops=st.integers(1, 6), width=st.integers(1, 4))
def test_any_walk_is_that_of_the_reference(
    graph: Graph, drawn: tuple[dict[str, list[tuple[str, float]]], list[str]], hops: int, width: int
) -> None:
    lists, seeds = drawn
    world = f"w-{uuid4().hex[:12]}"
    written: Lists = dict(lists)
    draw(graph, world, written)
    for reading in READINGS:
        c = PaceConfig.model_validate({"hops": hops, "width": width, **reading})
        expected = reference(neighbours_of(lists, c.edges), seeds, c)
        for most in (10**9, 0):
            with mock.patch.object(stage, "_MOST_PATHS", most):
                assert walk(graph, world, tuple(seeds), c) == expected, (reading, most)


def test_the_two_ways_are_two(graph: Graph, hand: str) -> None:
    # What the tests above rest on: a small walk is one statement, and with the limit at 0 it is several.
    assert ways(graph, hand, PaceConfig(), 10**9) == ["search/walk"]
    assert set(ways(graph, hand, PaceConfig(), 0)) == {"search/neighbours"}
    assert ways(graph, hand, PaceConfig(), stage._MOST_PATHS) == ["search/walk"]
    assert "search/walk" not in ways(graph, hand, PaceConfig(width=10, hops=20), stage._MOST_PATHS)


def ways(graph: Graph, world: str, c: PaceConfig, most: int) -> list[str]:
    with mock.patch.object(stage, "_MOST_PATHS", most), mock.patch.object(graph, "read", wraps=graph.read) as read:
        walk(graph, world, ("s",), c)
    return [call.args[0] for call in read.call_args_list]


def test_a_pool_may_become_the_whole_world(graph: Graph, new_world: NewWorld) -> None:
    # A ring: every hop meets the next two; 2 * 20 hops from one seed reach all 30.
    names = [f"r{i:02d}" for i in range(30)]
    world = new_world()
    draw(graph, world, {name: [names[(i + 1) % 30], names[(i + 2) % 30]] for i, name in enumerate(names)})
    kb: KnowledgeBase = open_world(graph, world)
    found = traverse(graph, kb, PaceConfig(hops=20, width=2)).invoke(seeded("r00"))
    assert found.fact_ids == tuple(names)
    assert [hit.hop for hit in found.hits] == [0, *(hop for hop in range(1, 15) for _ in "ab"), 15]
