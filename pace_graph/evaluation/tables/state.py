"""How far the runs are: errors and requests not done, by system; and what was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pace_graph.evaluation.scores import RunScores, Scored, SystemScores
from pace_graph.evaluation.tables.shape import Column, Table
from pace_graph.evaluation.tables.sweeps import embedding
from pace_graph.evaluation.tables.view import View

_LONGEST = 300


def not_final(view: View) -> tuple[str, ...]:
    """One sentence a system whose figures may still change; none when the report is final."""
    return tuple(_sentence(view, system) for system in view.systems if not system.state.final)


def _sentence(view: View, system: SystemScores) -> str:
    state = system.state
    counts = {
        "retrieval errors": state.retrieval_errors,
        "answer errors": state.answer_errors,
        "judge errors": state.judge_errors,
        "not done yet": state.waiting,
        "answers not judged yet": state.unjudged,
    }
    told = ", ".join(f"{what} {count}" for what, count in counts.items() if count)
    return f"{view.name(system)}, {state.requests} requests: {told}"


def requests(view: View) -> Table:
    """Requests by system: done, failed, waiting. Failed ones are never scored."""
    columns = (
        *(Column("system"), Column("requests", "count"), Column("retrieved", "count"), Column("answered", "count")),
        *(Column("judged", "count"), Column("retrieval errors", "count"), Column("answer errors", "count")),
        *(Column("judge errors", "count"), Column("not done yet", "count"), Column("not judged yet", "count")),
    )
    rows = tuple(
        (
            *(view.name(system), system.state.requests, len(system.found)),
            sum(bool(row.answer and row.answer.status == "ok") for row in system.rows),
            *(len(system.judged), system.state.retrieval_errors, system.state.answer_errors),
            *(system.state.judge_errors, system.state.waiting, system.state.unjudged),
        )
        for system in view.systems
    )
    note = "Errors and requests that are not done are left out of every rate; one for which nothing was found scores 0."
    return Table("requests", "Requests and errors by system", columns, rows, (note,))


def errors(view: View) -> list[Table]:
    """What went wrong, each message once a system."""
    counted = Counter((view.name(system), stage, said) for system in view.systems for stage, said in _errors(system))
    for run in view.runs:
        counted.update((f"{run.name}, judge {judge}", "judge", said) for judge, said in _judge_errors(run))
    columns = (Column("system"), Column("in"), Column("times", "count"), Column("error", "long"))
    rows = tuple((system, stage, times, said[:_LONGEST]) for (system, stage, said), times in counted.items())
    return [Table("errors", "Errors", columns, rows)] if rows else []


def _errors(system: SystemScores) -> Iterator[tuple[str, str]]:
    for row in system.rows:
        if row.found and not row.found.ok:
            yield "retrieval", row.found.error
        elif _answer_failed(row):
            yield "answer", row.answer.error if row.answer else ""


def _answer_failed(row: Scored) -> bool:
    return row.answer is not None and row.answer.status == "error"


def _judge_errors(run: RunScores) -> Iterator[tuple[str, str]]:
    return ((judge, row.error) for judge, rows in run.judgments.items() for row in rows if row.status == "error")


def runs(view: View) -> Table:
    """What was run."""
    columns = (
        *(Column("run"), Column("worlds", "count"), Column("requests", "count"), Column("agent"), Column("answers")),
        *(Column("embedding"), Column("judge"), Column("pace-graph")),
    )
    rows = tuple(
        (
            *(run.name, len({query.world for query in run.asked}), len(run.asked)),
            *(_model(run, "agent"), _model(run, "answer") if run.config.get("answers") else "none"),
            *(embedding(run) or "—", run.judge or "none", str(run.config.get("versions", {}).get("pace-graph", "—"))),
        )
        for run in view.runs
    )
    return Table("runs", "What was run", columns, rows)


def _model(run: RunScores, role: str) -> str:
    return str(run.config.get("models", {}).get(role, {}).get("model") or "none")
