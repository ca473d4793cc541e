"""Worlds in the layout of BEIR: `<world>/corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`.

What BEIR has no field for goes under `metadata`, which its readers pass over: the date of a fact; the day, label,
situation type and judgment of a request.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pace_graph.errors import WorldError
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.rows import Asked
from pace_graph.files import write_new
from pace_graph.graph import Graph
from pace_graph.records import Fact
from pace_graph.worlds import read_case, ready_row


def export_beir(graph: Graph, folder: RunFolder, out: Path) -> tuple[Path, ...]:
    """Writes every world of a run, facts from the graph and requests from the run.

    Raises:
        WorldError: when a world is not there, not ready, or not what it was when the run began.
        ConfigError: when a file is there already, or the folder cannot be written.
    """
    files: dict[Path, str] = {}
    queries = folder.queries()
    for world, kept in folder.config()["worlds"].items():
        if ready_row(graph, world)["digest"] != kept["digest"]:
            raise WorldError(f"world {world} has changed since {folder.path} was run; load it as it was, or run again")
        asked = [query for query in queries if query.world == world]
        files |= beir_files(out / world, read_case(graph, world).facts, asked)
    return write_new(files)


def beir_files(folder: Path, facts: Iterable[Fact], queries: Iterable[Asked]) -> dict[Path, str]:
    """The three files of one world, by path."""
    asked = tuple(queries)
    return {
        folder / "corpus.jsonl": _lines(_document(fact) for fact in facts),
        folder / "queries.jsonl": _lines(_query(query) for query in asked),
        folder / "qrels" / "test.tsv": _qrels(asked),
    }


def _lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _document(fact: Fact) -> dict[str, Any]:
    metadata = {} if fact.date is None else {"date": fact.date}
    return {"_id": fact.fact_id, "title": "", "text": fact.text, "metadata": metadata}


def _query(query: Asked) -> dict[str, Any]:
    known = {name: getattr(query, name) for name in ("ref_date", "label", "situation", "judgment")}
    return {"_id": query.query_id, "text": query.text, "metadata": {name: v for name, v in known.items() if v}}


def _qrels(queries: Iterable[Asked]) -> str:
    judged = ((query.query_id, fact_id, "1") for query in queries for fact_id in query.gold)
    return "".join(_tabbed(row) for row in (("query-id", "corpus-id", "score"), *judged))


def _tabbed(row: tuple[str, ...]) -> str:
    """One line; quoted only where an id holds a tab, a quote or a line end: BEIR reads its qrels by the same rules."""
    out = io.StringIO(newline="")
    # With this line end, which is then made a plain one, the writer quotes both of its characters.
    csv.writer(out, delimiter="\t", lineterminator="\r\n").writerow(row)
    return out.getvalue().removesuffix("\r\n") + "\n"
