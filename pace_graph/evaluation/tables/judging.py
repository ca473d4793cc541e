"""The judges themselves: what they give, how steady they are, whether they agree, what wrong answers they pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from pace_graph.evaluation import paper as printed
from pace_graph.evaluation.agreement import compared
from pace_graph.evaluation.judge import LABELS
from pace_graph.evaluation.opinions import NAMES, STATUSES, flips, label_by_answer
from pace_graph.evaluation.rows import Judged, Judgment, Key
from pace_graph.evaluation.scores import RunScores
from pace_graph.evaluation.stats import rate
from pace_graph.evaluation.tables.quality import SAID
from pace_graph.evaluation.tables.shape import Column, Table, Value, paper, without_empty
from pace_graph.evaluation.tables.view import View

_SCOPES = ("all", *STATUSES)
Labels = dict[Key, Judged]


def judges(view: View) -> list[Table]:
    """Every table about judges that the runs have something for."""
    if not any(run.judgments for run in view.runs):
        return []
    return [_given(view), *_agreements(view), *_controls(view)]


def _given(view: View) -> Table:
    rows = [row for run in view.runs for name, found in run.judgments.items() for row in _judge(view, run, name, found)]
    columns = (
        *(Column("judge"), Column("requests"), Column("answers", "count")),
        *(Column(NAMES[label], "percent") for label in LABELS),
        *(Column("answers judged again", "count"), Column("of them with different labels", "percent")),
    )
    notes = ("Of repeats the majority counts; of labels given equally often the worst. All systems together.",)
    return Table("judges", "Judges", columns, tuple(rows), notes)


def _judge(view: View, run: RunScores, name: str, found: Sequence[Judgment]) -> list[tuple[Value, ...]]:
    status = _statuses(run)
    title = name if len(view.runs) == 1 else f"{run.name}: {name}"
    rows: list[tuple[Value, ...]] = []
    for scope in _SCOPES:
        judged = [row for row in found if scope in ("all", status.get((row.key.world, row.key.query_id)))]
        labels = [(key.world, label) for key, label in label_by_answer(judged).items()]
        shares = (rate([(world, float(given == label)) for world, given in labels], view.how) for label in LABELS)
        rows.append((title, SAID.get(scope, scope), len(labels), *shares, *_repeats(view, judged)))
    return rows


def _repeats(view: View, found: Sequence[Judgment]) -> tuple[Value, Value]:
    by_answer: dict[Key, set[Judged]] = defaultdict(set)
    counts: dict[Key, int] = defaultdict(int)
    for row in found:
        if row.label:
            by_answer[row.key].add(row.label)
            counts[row.key] += 1
    repeated = flips(found).answers
    flipped = [(key.world, float(len(by_answer[key]) > 1)) for key, count in counts.items() if count > 1]
    return repeated or None, rate(flipped, view.how) if flipped else None


def _statuses(run: RunScores) -> dict[tuple[str, str], str | None]:
    return {(query.world, query.query_id): query.label for query in run.asked}


def _agreements(view: View) -> list[Table]:
    rows = [
        row for run in view.runs for pair in combinations(sorted(run.judgments), 2) for row in _pair(view, run, *pair)
    ]
    columns = (
        *(Column("judges"), Column("system"), Column("requests"), Column("answers", "count")),
        *(Column("same label", "percent"), Column("Cohen's kappa", "number")),
        *(Column("Fail, first", "percent"), Column("Fail, second", "percent")),
        *(paper("same label, paper (Table 8)"), paper("Fail, paper (Table 8)")),
    )
    notes = (
        "The paper's are over PaceMaker's answers with open-source agents.",
        "Which figure is whose it does not say for certain.",
    )
    return [Table("agreement", "Agreement of judges", columns, tuple(rows), notes)] if rows else []


def _pair(view: View, run: RunScores, one: str, other: str) -> list[tuple[Value, ...]]:
    first, second = (label_by_answer(run.judgments[name]) for name in (one, other))
    systems = dict.fromkeys(key.system for key in first if key in second)
    scopes = ["all", *(systems if len(systems) > 1 else ())]
    return [
        row
        for system in scopes
        for row in _compared(
            view, run, (one, other), {k: v for k, v in first.items() if system in ("all", k.system)}, second, system
        )
    ]


def _compared(
    view: View, run: RunScores, names: tuple[str, str], first: Labels, second: Labels, system: str
) -> list[tuple[Value, ...]]:
    status, rows = _statuses(run), list[tuple[Value, ...]]()
    for scope in _SCOPES if system in ("all", "pacemaker") else _SCOPES[:1]:
        keys = [k for k in first if k in second and scope in ("all", status.get((k.world, k.query_id)))]
        of_paper = system == "pacemaker"
        rows.append(
            (
                *(" and ".join(names), system, SAID.get(scope, scope), len(keys)),
                rate([(key.world, float(first[key] == second[key])) for key in keys], view.how),
                compared([(first[key], second[key]) for key in keys]).kappa,
                *(rate([(k.world, float(labels[k] == "FAIL")) for k in keys], view.how) for labels in (first, second)),
                (printed.JUDGES_SAME if scope == "all" else printed.NONE) if of_paper else "",
                " and ".join(printed.JUDGES_FAIL[scope]) if of_paper else "",
            )
        )
    return rows


def _controls(view: View) -> list[Table]:
    rows: list[tuple[Value, ...]] = []
    for run in view.runs:
        for judge, found in run.controls.items():
            labels = label_by_answer(found)
            for kind in dict.fromkeys(key.system for key in labels):
                chosen = [(key.world, label) for key, label in labels.items() if key.system == kind]
                shares = (
                    rate([(world, float(given == label)) for world, given in chosen], view.how) for label in LABELS
                )
                rows.append((judge, kind, len(chosen), *shares))
    columns = (
        *(Column("judge"), Column("wrong answers"), Column("judged", "count")),
        *(Column(NAMES[label], "percent") for label in LABELS),
    )
    found_columns, found_rows = without_empty(columns, rows)
    note = "Answers made wrong on purpose: a sound judge passes none."
    return [Table("control", "Wrong answers that judges pass", found_columns, found_rows, (note,))] if rows else []
