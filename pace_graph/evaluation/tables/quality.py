"""How good each system is: over all requests, by status, by situation type, by coverage."""

from __future__ import annotations

from pace_graph.evaluation import paper as printed
from pace_graph.evaluation.judge import LABELS
from pace_graph.evaluation.opinions import NAMES, STATUSES
from pace_graph.evaluation.scores import COVERAGES, EVERY, SITUATIONS, Chosen, SystemScores, of
from pace_graph.evaluation.tables.shape import Column, Table, Value, paper, without_empty
from pace_graph.evaluation.tables.view import View

SAID = {"conflict": "conflict", "non_conflict": "non-conflict"}
_PASS = tuple(Column(NAMES[label], "percent") for label in LABELS)


def main_results(view: View) -> Table:
    """Retrieval and Pass over all requests: the paper's Table 2."""
    first = view.systems[0]
    columns = [
        *(Column("system"), Column("requests", "count")),
        *(Column(metric.name, "percent") for metric in view.metrics(first)),
        *(Column("judged", "count"), *_PASS, paper("Pass, paper (Table 2)")),
    ]
    rows = [
        (
            view.name(system),
            len(system.found),
            *(view.retrieval(system, metric) for metric in view.metrics(system)),
            *_labels(view, system),
            printed.main_pass(system.system),
        )
        for system in view.systems
    ]
    notes = (
        f"Retrieval is averaged over {'requests' if view.averaging == 'micro' else 'the means of worlds'} (A23).",
        "Pass, Wrong and Fail are averaged over answers.",
        "The paper's figures are over its own 3,249 requests; its retrieval columns are not in our source (—).",
        *_without_gold(view),
    )
    return Table("main", "Main results", *without_empty(columns, rows), notes)


def _labels(view: View, system: SystemScores, chosen: Chosen = EVERY) -> tuple[Value, ...]:
    judged = sum(chosen(row) for row in system.judged)
    return judged or None, *(view.labelled(system, label, chosen) for label in LABELS)


def _without_gold(view: View) -> tuple[str, ...]:
    count = sum(not query.gold for run in view.runs for query in run.asked)
    return (f"{count} requests name no gold fact of their world and score 0.",) if count else ()


def by_status(view: View) -> Table:
    """The same by status of the request: the paper's Table 3."""
    columns = [
        *(Column("system"), Column("status"), Column("requests", "count")),
        *(Column(metric.name, "percent") for metric in view.metrics(view.systems[0])),
        *(Column("judged", "count"), *_PASS),
    ]
    rows = [
        (
            view.name(system),
            SAID[status],
            sum(map(of(status), system.found)),
            *(view.retrieval(system, metric, of(status)) for metric in view.metrics(system)),
            *_labels(view, system, of(status)),
        )
        for system in view.systems
        for status in STATUSES
    ]
    notes = ("The paper prints these as Table 3; our source has only its gains (—).",)
    return Table("status", "By status of the request", *without_empty(columns, rows), notes)


def by_type(view: View) -> list[Table]:
    """Pass, and Recall, by situation type and status: the paper's Figures 5 to 7."""
    tables = [_by_type(view, "recall-by-type", f"Recall@{view.deepest}")]
    return [_by_type(view, "pass-by-type", "Pass"), *tables] if view.is_judged else tables


def _by_type(view: View, name: str, measure: str) -> Table:
    cells = [(situation, status) for situation in SITUATIONS for status in STATUSES]
    columns = [Column("system"), *(Column(f"{situation}, {SAID[status]}", "percent") for situation, status in cells)]
    score = view.labelled if measure == "Pass" else view.recall
    rows = [
        (view.name(system), *(score(system, chosen=of(status, situation)) for situation, status in cells))
        for system in view.systems
        if (system.judged if measure == "Pass" else system.ranks)
    ]
    counts = ", ".join(f"{_count(view, *cell)} {cell[0]} {SAID[cell[1]]}" for cell in cells)
    notes = (f"Requests: {counts}.", "The paper draws these as Figures 5 to 7, without figures in our source (—).")
    return Table(name, f"{measure} by situation type and status", *without_empty(columns, rows), notes)


def _count(view: View, situation: str, status: str) -> int:
    return sum(query.situation == situation and query.label == status for query in view.runs[0].asked)


def coverage(view: View) -> Table:
    """Conflict requests by how much of their gold the first ten facts hold: the paper's Figure 3."""
    columns = [
        *(Column("system"), Column("gold among the first 10"), Column("requests", "count")),
        *(Column("share", "percent"), Column("judged", "count"), *_PASS),
    ]
    rows = []
    for system in view.systems:
        conflicts = [row for row in system.found if row.asked.label == "conflict"]
        for bucket in COVERAGES if system.ranks else ():
            inside = _covered(bucket)
            count = sum(map(inside, conflicts))
            rows.append(
                (view.name(system), bucket, count, view.share(conflicts, inside), *_labels(view, system, inside))
            )
    notes = ("Conflict requests. Partial: some gold, not all. The paper draws this as Figure 3 (—).",)
    return Table("coverage", "By coverage of the evidence", *without_empty(columns, rows), notes)


def _covered(bucket: str) -> Chosen:
    return lambda row: row.asked.label == "conflict" and row.coverage == bucket
