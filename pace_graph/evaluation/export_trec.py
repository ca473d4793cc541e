"""A run as TREC files, which trec_eval, ir_measures and ranx read: `qrels.trec` and `runs/<system>.trec`.

TREC separates by white space and knows one name space. So a request is called `<world>/<query_id>` and a fact
`<world>/<fact_id>`, each part percent-encoded as in an address: whatever is no ASCII letter, digit, `_`, `.`, `-` or
`~` becomes `%` and two hexadecimal digits a byte, the slash too. `names` reads it back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from pace_graph.evaluation.folder import RunFolder, file_name
from pace_graph.evaluation.rows import Asked, Retrieval
from pace_graph.files import write_new
from pace_graph.retrievers import SYSTEMS


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and what could not be.

    Attributes:
        errors: system to how many of its retrievals failed; to evaluators they are requests with nothing found.
        unranked: systems of the run that rank nothing.
    """

    files: tuple[Path, ...]
    errors: dict[str, int]
    unranked: tuple[str, ...] = ()


def trec_name(world: str, own: str) -> str:
    """The name of a request or a fact in TREC files."""
    return f"{quote(world, safe='')}/{quote(own, safe='')}"


def names(trec: str) -> tuple[str, str]:
    """The world, and the id of a request or a fact, of a name that `trec_name` made."""
    world, _, own = trec.partition("/")
    return unquote(world), unquote(own)


def export_trec(folder: RunFolder, out: Path) -> Exported:
    """Writes the qrels of a run and the ranked list of each system that ranks.

    Raises:
        ConfigError: when a file is there already, or the folder cannot be written.
    """
    by_system: dict[str, list[Retrieval]] = defaultdict(list)
    for row in folder.retrievals():
        by_system[row.key.system].append(row)
    ranking = {name: rows for name, rows in by_system.items() if ranks(name)}
    files = {out / "qrels.trec": qrels(folder.queries())}
    files |= {out / "runs" / f"{file_name(name)}.trec": run(name, rows) for name, rows in ranking.items()}
    failed = {name: sum(row.status == "error" for row in rows) for name, rows in ranking.items()}
    unranked = tuple(name for name in by_system if name not in ranking)
    return Exported(write_new(files), {name: count for name, count in failed.items() if count}, unranked)


def ranks(system: str) -> bool:
    """Whether a system's facts are a ranked list; one that is not known here is taken at its word."""
    return system not in SYSTEMS or SYSTEMS[system].ranks


def qrels(queries: Iterable[Asked]) -> str:
    """The gold facts of each request; one without gold is in no qrels, and no evaluator counts it."""
    return "".join(
        f"{trec_name(query.world, query.query_id)} 0 {trec_name(query.world, fact_id)} 1\n"
        for query in queries
        for fact_id in query.gold
    )


def run(system: str, rows: Iterable[Retrieval]) -> str:
    """The ranked lists of one system."""
    return "".join(line for row in rows if row.status == "ok" for line in _lines(row, file_name(system)))


def _lines(row: Retrieval, tag: str) -> Iterable[str]:
    request = trec_name(row.key.world, row.key.query_id)
    for rank, fact_id in enumerate(row.kept, start=1):
        # Evaluators sort by score, not by rank, and a last filter's order is not that of any score.
        yield f"{request} Q0 {trec_name(row.key.world, fact_id)} {rank} {len(row.kept) - rank + 1} {tag}\n"
