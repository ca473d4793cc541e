"""Retrieved → Retrieved: breadth first from the seeds over the k-NN graph, in Cypher."""

from __future__ import annotations

from bisect import bisect_right

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.graph import Graph
from pace_graph.records import Hit, KnowledgeBase, Retrieved, Step
from pace_graph.stages.stage import stage

_MOST_PATHS = 20_000

Layer = list[tuple[str, str]]
"""Facts found by one hop, in discovery order, each with the fact it was met from."""


def traverse(graph: Graph, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Retrieved, Retrieved]:
    """The walk: seeds stay first, then what each hop discovers, in the order in which it is met.

    Source:
        PACE, section on multi-hop traversal; A7, A8 and A9 are settings.
    """

    def step(retrieved: Retrieved) -> Retrieved:
        layers = walk(graph, kb.world, retrieved.fact_ids, c)
        hits = {hit.fact_id: hit for hit in retrieved.hits}
        trail = list(retrieved.trail)
        for hop, layer in enumerate(layers, start=1):
            found = {i: Hit(i, hop=hop, path=(*hits[parent].path, i)) for i, parent in layer}
            hits |= found
            trail.append(Step(f"hop {hop}", tuple(found.values())))
        return Retrieved(retrieved.rankings, tuple(hits.values()), tuple(trail))

    return stage("traverse", step)


def walk(graph: Graph, world: str, seeds: tuple[str, ...], c: PaceConfig) -> list[Layer]:
    """What each hop discovers, up to `c.hops` hops; the list ends with the last hop that found anything."""
    if not seeds or not c.hops:
        return []
    plain = c.edges == "directed" and c.cut == "before_visited"
    # A8 changes nothing under A7's "before_visited": what was collected earlier has no unvisited neighbour left among
    # its M.
    if plain and len(seeds) * c.width**c.hops <= _MOST_PATHS:
        return _in_one_statement(graph, world, seeds, c)
    return _hop_by_hop(graph, world, seeds, c)


def _in_one_statement(graph: Graph, world: str, seeds: tuple[str, ...], c: PaceConfig) -> list[Layer]:
    base = c.width + 1
    # Codes of paths of h steps lie below (seeds) * base**h, so these weights set every longer path behind every
    # shorter one.
    weights = [0]
    for hop in range(c.hops):
        weights.append(weights[-1] + len(seeds) * base**hop)
    rows = graph.read(
        "search/walk",
        shape={"hops": c.hops},
        world=world,
        seeds=list(seeds),
        width=c.width,
        base=base,
        weights=weights,
    )
    found = {(0, position): seed for position, seed in enumerate(seeds)}
    layers: list[Layer] = []
    for fact_id, key in zip(rows[0]["fact_ids"], rows[0]["keys"], strict=True):
        hop = bisect_right(weights, key) - 1
        code = key - weights[hop]
        found[hop, code] = fact_id
        if hop > len(layers):
            layers.append([])
        # The least path to a fact leads through the fact it was discovered from: that one's code is one digit shorter.
        layers[hop - 1].append((fact_id, found[hop - 1, code // base]))
    return layers


def _hop_by_hop(graph: Graph, world: str, seeds: tuple[str, ...], c: PaceConfig) -> list[Layer]:
    near: dict[str, list[str]] = {}
    seen, frontier, layers = dict.fromkeys(seeds), list(seeds), list[Layer]()
    for _ in range(c.hops):
        expanded = list(seen) if c.expand == "collected" else frontier
        unknown = [fact_id for fact_id in expanded if fact_id not in near]
        rows = graph.read("search/neighbours", world=world, facts=unknown, edges=c.edges)
        near |= {row["fact_id"]: row["neighbours"] for row in rows}
        layer = _next(expanded, near, seen, c)
        if not layer:
            break
        layers.append(layer)
        frontier = [fact_id for fact_id, _ in layer]
    return layers


def _next(expanded: list[str], near: dict[str, list[str]], seen: dict[str, None], c: PaceConfig) -> Layer:
    layer: Layer = []
    for fact_id in expanded:
        known = near.get(fact_id, [])
        if c.cut == "after_visited":
            known = [neighbour for neighbour in known if neighbour not in seen]
        for neighbour in known[: c.width]:
            if neighbour not in seen:
                seen[neighbour] = None
                layer.append((neighbour, fact_id))
    return layer
