"""PaceMaker with parts left out, and beside systems that build a structure of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pace_graph.evaluation import paper as printed
from pace_graph.evaluation.metrics import recall
from pace_graph.evaluation.scores import SystemScores, of
from pace_graph.evaluation.tables.paired import common, difference, passes
from pace_graph.evaluation.tables.shape import Column, Table, Value, paper, without_empty
from pace_graph.evaluation.tables.view import PACEMAKERS, View

_PARTS = ("planning", "traversal", "selection")
_STRUCTURED = re.compile(r"hippo|graph-?rag|h2")


def part_left_out(system: str) -> str | None:
    """What an ablation leaves out, by its name; None for a system that is none."""
    return next((part for part in _PARTS if part in system.lower()), None)


def ablation(view: View) -> list[Table]:
    """PaceMaker without planning, traversal or selection: the paper's Tables 4, 21 and 22."""
    rows = [row for run in view.runs for row in _ablated(view, run.systems)]
    columns = [
        *(Column("system"), Column("without"), Column(f"Recall@{view.deepest}", "percent")),
        *(Column("against the whole", "points"), Column("Pass", "percent"), paper("Pass, paper (Table 4, GPT)")),
        *(Column("Pass, against the whole", "points"), Column("Pass, conflict", "percent")),
        paper("Pass, conflict, paper (Table 4, GPT)"),
    ]
    found = without_empty(columns, rows)
    return [Table("ablation", "PaceMaker with a part left out", *found)] if rows else []


def _ablated(view: View, systems: Sequence[SystemScores]) -> list[tuple[Value, ...]]:
    variants = [system for system in systems if part_left_out(system.system)]
    whole = next((system for name in PACEMAKERS for system in systems if system.system == name), None)
    if not variants:
        return []
    return [_variant(view, system, whole) for system in (*([whole] if whole else []), *variants)]


def _variant(view: View, system: SystemScores, whole: SystemScores | None) -> tuple[Value, ...]:
    part = part_left_out(system.system)
    of_paper = ("", "") if "rules" in system.system else printed.ABLATION[part or "full"]
    metric = recall(view.deepest)
    compared = whole is not None and system is not whole
    found = common(system.found, whole.found) if whole and compared else []
    judged = common(system.judged, whole.judged) if whole and compared else []
    return (
        view.name(system),
        part or "nothing",
        view.recall(system),
        difference(view, found, lambda row: row.score(metric)) if found else None,
        view.labelled(system),
        of_paper[0],
        difference(view, judged, passes) if judged else None,
        view.labelled(system, chosen=of("conflict")),
        of_paper[1],
    )


def structured(view: View) -> list[Table]:
    """PaceMaker beside HippoRAG 2 and GraphRAG: the paper's Tables 5, 23 and 24."""
    others = [system for system in view.systems if _STRUCTURED.search(system.system)]
    if not others:
        return []
    chosen = [*view.find(PACEMAKERS), *others]
    columns = [
        Column("system"),
        *(Column(metric.name, "percent") for metric in view.metrics(others[0])),
        *(Column("Pass", "percent"), Column("Pass, conflict", "percent"), paper("paper (Tables 5, 23, 24)")),
    ]
    rows = [
        (
            view.name(system),
            *(view.retrieval(system, metric) for metric in view.metrics(system)),
            *(view.labelled(system), view.labelled(system, chosen=of("conflict")), printed.STRUCTURED),
        )
        for system in chosen
    ]
    notes = (
        "The paper finds PaceMaker slightly above both overall, and substantially on conflict requests.",
        "Its figures are not in our source (—).",
    )
    return [Table("structured", "Structured methods", *without_empty(columns, rows), notes)]
