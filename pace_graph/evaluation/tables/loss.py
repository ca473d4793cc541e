"""Where gold was lost, and what each stage could still have given."""

from __future__ import annotations

from pace_graph.evaluation.losses import CEILINGS, LOSSES
from pace_graph.evaluation.scores import Scored, SystemScores
from pace_graph.evaluation.stats import Rate, rate
from pace_graph.evaluation.tables.shape import Column, Table, Value, without_empty
from pace_graph.evaluation.tables.view import View


def with_gold(system: SystemScores) -> list[tuple[Scored, int]]:
    """The requests that name gold and were retrieved for, with how many gold facts they have."""
    return [(row, len(row.asked.gold)) for row in system.found if row.found and row.asked.gold]


def lost_share(view: View, system: SystemScores, stage: str) -> Rate | None:
    """The share of a request's gold that a stage lost, over requests; None where it lost nothing."""
    rows = [
        (row.asked.world, row.found.account.share_lost(stage, gold)) for row, gold in with_gold(system) if row.found
    ]
    return rate(rows, view.how, view.averaging) if any(share for _, share in rows) else None


def given_share(view: View, system: SystemScores) -> Rate:
    """The share of a request's gold that was given, over requests."""
    return ceiling(view, system, "kept") or Rate(None)


def ceiling(view: View, system: SystemScores, stage: str) -> Rate | None:
    """The share of a request's gold that was still there after a stage; None for a system without that stage."""
    rows = [
        (row.asked.world, dict(row.found.account.ceilings)[stage])
        for row, _ in with_gold(system)
        if row.found and stage in dict(row.found.account.ceilings)
    ]
    return rate(rows, view.how, view.averaging) if rows else None


def losses(view: View) -> Table:
    """The stage that lost each missed gold fact."""
    columns = [
        *(Column("system"), Column("gold facts", "count"), Column("given", "percent")),
        *(Column(text, "percent") for text in LOSSES.values()),
        *(Column("missed facts", "count"), Column("gold that is no fact of the world", "count")),
    ]
    rows: list[tuple[Value, ...]] = []
    for system in _ranked(view):
        found = with_gold(system)
        missed = sum(len(row.found.account.lost) for row, _ in found if row.found)
        missing = sum(len(row.asked.gold_missing) for row in system.found) or None
        shares = (lost_share(view, system, stage) for stage in LOSSES)
        gold = sum(gold for _, gold in found)
        rows.append((view.name(system), gold, given_share(view, system), *shares, missed, missing))
    notes = (
        "Shares of a request's gold, averaged over requests; a row adds up to 100.",
        "A stage loses what it had and did not give on, unless the walk met it again.",
        "What no view found is lost by the walk where there is one.",
    )
    return Table("losses", "Where gold was lost", *without_empty(columns, rows), notes)


def ceilings(view: View) -> Table:
    """The oracle ceiling after each stage, and how many facts it is among."""
    columns = [Column("system")]
    for name in CEILINGS.values():
        columns += [Column(name, "percent"), Column(f"facts, {name}", "number")]
    rows = [
        (
            view.name(system),
            *(value for stage in CEILINGS for value in (ceiling(view, system, stage), _size(system, stage))),
        )
        for system in _ranked(view)
    ]
    notes = (
        "The share of gold that a perfect choice after the stage could still give, and the mean number of facts.",
        "The walk finds facts anew, so it may lie above the filter before it.",
    )
    return Table("ceilings", "Oracle ceiling after each stage", *without_empty(columns, rows), notes)


def _ranked(view: View) -> list[SystemScores]:
    return [system for system in view.systems if system.ranks and with_gold(system)]


def _size(system: SystemScores, stage: str) -> float | None:
    sizes = [dict(row.found.account.sizes).get(stage) for row, _ in with_gold(system) if row.found]
    known = [size for size in sizes if size is not None]
    return sum(known) / len(known) if known else None
