"""What the systems said, side by side: one request of each situation type."""

from __future__ import annotations

from pace_graph.evaluation.opinions import NAMES
from pace_graph.evaluation.rows import Asked
from pace_graph.evaluation.scores import SITUATIONS, RunScores, Scored
from pace_graph.evaluation.tables.quality import SAID
from pace_graph.evaluation.tables.shape import Column, Table
from pace_graph.evaluation.tables.view import View

Said = list[tuple[str, Scored]]
"""Name of a system, and its row."""


def examples(view: View) -> list[Table]:
    """The paper's Tables 18 to 20, from the first run with answers."""
    run = next((run for run in view.runs if any(row.answer for system in run.systems for row in system.rows)), None)
    if run is None:
        return []
    by_type = {situation: _chosen(run, situation) for situation in SITUATIONS}
    return [_table(situation, *found) for situation, found in by_type.items() if found]


def _chosen(run: RunScores, situation: str) -> tuple[Asked, Said] | None:
    """The request that tells systems apart best: conflict first, then most answers, most labels, first in order."""
    found = [(asked, _said(run, at)) for at, asked in enumerate(run.asked) if asked.situation == situation]
    answered = [(asked, said) for asked, said in found if said]
    return max(
        answered,
        key=lambda each: (each[0].label == "conflict", len(each[1]), len({row.label for _, row in each[1]})),
        default=None,
    )


def _said(run: RunScores, at: int) -> Said:
    rows = [(system.system, system.rows[at]) for system in run.systems]
    return [(name, row) for name, row in rows if row.answer and row.answer.status == "ok"]


def _table(situation: str, asked: Asked, said: Said) -> Table:
    columns = (Column("system"), Column("label"), Column("gold among the first 10"), Column("answer", "long"))
    rows = tuple(
        (name, NAMES[row.label] if row.label else "not judged", row.coverage, row.answer.text if row.answer else "")
        for name, row in said
    )
    status = SAID.get(asked.label or "", "no label")
    notes = (
        f"Request ({asked.world}, {asked.query_id}; {status}; made on {asked.ref_date or 'no date'}): {asked.text}",
        f"Judgment in the data: {asked.judgment or '—'}",
        "The paper prints such examples as Tables 18 to 20, one a situation type.",
    )
    return Table(f"example-{situation}", f"What was said: {situation}", columns, rows, notes)
