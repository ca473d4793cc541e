"""What it costs to find evidence: indexing once, then seconds and model calls a request.

Answering and judging are left out, as they are the same for every system.

Source:
    PACE, section on cost (specification 7.8).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from pace_graph.errors import WorldError
from pace_graph.evaluation.rows import Retrieval
from pace_graph.graph import Graph
from pace_graph.worlds import ready_row


@dataclass(frozen=True, slots=True)
class SystemCost:
    """The cost of one system over the requests of a run.

    Attributes:
        queries: retrievals that did not fail; `errors` failed and count for nothing else here.
        indexing_s: seconds to load the worlds, embeddings and k-NN graph included; None when not known.
        online_s: mean seconds a retrieval; None without any.
        calls: model calls of all retrievals together. Loading a world makes none.
        replayed: retrievals that had a reply from our cache: their seconds and calls are not those of a first run.
    """

    system: str
    queries: int
    errors: int
    indexing_s: float | None
    online_s: float | None
    calls: int
    calls_indexing: int = 0
    replayed: int = 0

    @property
    def cold_start_s(self) -> float | None:
        """Seconds from nothing to the last request; None when a part is not known."""
        if self.indexing_s is None or self.online_s is None:
            return None
        return cold_start(self.indexing_s, self.queries, self.online_s)


def cold_start(indexing_s: float, queries: int, online_s: float) -> float:
    """Seconds from nothing to the last of some requests asked one after the other."""
    return indexing_s + queries * online_s


def indexing_seconds(graph: Graph, worlds: Mapping[str, str]) -> float | None:
    """Seconds that loading some worlds took, all together; None when the graph does not know it of one of them.

    Args:
        worlds: name to digest; a world with another digest now is another world.
    """
    found = [_seconds(graph, world, digest) for world, digest in worlds.items()]
    known = [seconds for seconds in found if seconds is not None]
    return sum(known) if found and len(known) == len(found) else None


def _seconds(graph: Graph, world: str, digest: str) -> float | None:
    try:
        row = ready_row(graph, world)
    except WorldError:
        return None
    return row.get("seconds") if row["digest"] == digest else None


def costs(rows: Iterable[Retrieval], indexing_s: float | None) -> tuple[SystemCost, ...]:
    """The cost of every system of some retrievals, in the order in which they are met.

    Args:
        indexing_s: of the worlds that the retrievals are of, together.
    """
    by_system: dict[str, list[Retrieval]] = defaultdict(list)
    for row in rows:
        by_system[row.key.system].append(row)
    return tuple(_cost(system, found, indexing_s) for system, found in by_system.items())


def _cost(system: str, rows: list[Retrieval], indexing_s: float | None) -> SystemCost:
    done = [row for row in rows if row.status == "ok"]
    return SystemCost(
        system,
        len(done),
        len(rows) - len(done),
        indexing_s,
        fmean(row.cost.total.seconds for row in done) if done else None,
        sum(row.cost.total.calls for row in done),
        replayed=sum(row.cost.tokens_saved > 0 for row in done),
    )
