"""Systems against each other over the requests that both have: differences, tests, corrected for being many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from pace_graph.evaluation import paper as printed
from pace_graph.evaluation.metrics import recall
from pace_graph.evaluation.scores import EVERY, Chosen, Scored, SystemScores, of
from pace_graph.evaluation.stats import Rate, holm, p_of_means, p_of_passes, rate
from pace_graph.evaluation.tables.shape import Column, Table, Value, paper
from pace_graph.evaluation.tables.view import PACEMAKERS, View

Pairs = list[tuple[Scored, Scored]]


def passes(row: Scored) -> float:
    """1 for a Pass."""
    return row.passed()


def common(first: Sequence[Scored], second: Sequence[Scored], chosen: Chosen = EVERY) -> Pairs:
    """The requests that both have, each with both rows."""
    other = {row.at: row for row in second}
    return [(row, other[row.at]) for row in first if row.at in other and chosen(row)]


def difference(view: View, pairs: Pairs, score: Callable[[Scored], float]) -> Rate:
    """The mean difference of the first to the second, with its interval, as a share."""
    return rate([(one.asked.world, score(one) - score(other)) for one, other in pairs], view.how)


def paired_tests(view: View) -> list[Table]:
    """Every pair of systems by Recall and, where judged, by Pass."""
    ranked = [system for system in view.systems if system.ranks and system.found]
    judged = [system for system in view.systems if system.judged]
    return [*_passes(view, judged), *_recalls(view, ranked)]


def _recalls(view: View, systems: Sequence[SystemScores]) -> list[Table]:
    metric = recall(view.deepest)
    pairs = [(one, other, common(one.found, other.found)) for one, other in combinations(systems, 2)]
    p_values = [p_of_means(*_both(shared, lambda row: row.score(metric)), seed=view.how.seed) for *_, shared in pairs]
    rows = _rows(view, pairs, p_values, lambda row: row.score(metric))
    note = (
        "Paired randomisation test over the requests both systems have; two-sided; p corrected by Holm over all pairs."
    )
    return _table("recall-tests", f"{metric.name}, system against system", rows, note)


def _passes(view: View, systems: Sequence[SystemScores]) -> list[Table]:
    pairs = [(one, other, common(one.judged, other.judged)) for one, other in combinations(systems, 2)]
    p_values = [
        p_of_passes([o.label == "PASS" for o, _ in shared], [o.label == "PASS" for _, o in shared])
        for *_, shared in pairs
    ]
    rows = _rows(view, pairs, p_values, passes)
    note = (
        "McNemar's exact test over the requests judged for both systems; two-sided; p corrected by Holm over all pairs."
    )
    return _table("pass-tests", "Pass, system against system", rows, note)


def _both(pairs: Pairs, score: Callable[[Scored], float]) -> tuple[list[float], list[float]]:
    return [score(one) for one, _ in pairs], [score(other) for _, other in pairs]


def _rows(
    view: View,
    pairs: Sequence[tuple[SystemScores, SystemScores, Pairs]],
    p_values: Sequence[float],
    score: Callable[[Scored], float],
) -> list[tuple[Value, ...]]:
    return [
        (view.name(one), view.name(other), len(shared), difference(view, shared, score), p, corrected)
        for (one, other, shared), p, corrected in zip(pairs, p_values, holm(p_values), strict=True)
    ]


def _table(name: str, title: str, rows: Sequence[tuple[Value, ...]], note: str) -> list[Table]:
    columns = (
        *(Column("first"), Column("second"), Column("common requests", "count")),
        *(Column("first − second", "points"), Column("p", "p"), Column("p, Holm", "p")),
    )
    return [Table(name, title, columns, tuple(rows), (note,))] if rows else []


def conflict_gain(view: View) -> list[Table]:
    """Pass of PaceMaker on conflict requests over the strongest other system that is no oracle: the paper's Table 3."""
    rows: list[tuple[Value, ...]] = []
    for run in view.runs:
        for system in run.systems:
            if system.system in PACEMAKERS and system.judged and (best := _strongest(view, run.systems)):
                shared = common(system.judged, best.judged, of("conflict"))
                gain = difference(view, shared, passes)
                gains = printed.by_configuration(printed.CONFLICT_GAIN) if system.system == "pacemaker" else ""
                rows.append((view.name(system), view.name(best), len(shared), gain, gains))
    columns = (
        *(Column("system"), Column("strongest baseline"), Column("conflict requests", "count")),
        *(Column("gain in Pass", "points"), paper("gain, paper (Table 3)")),
    )
    return [Table("conflict-gain", "Gain on conflict requests", columns, tuple(rows))] if rows else []


def _strongest(view: View, systems: Sequence[SystemScores]) -> SystemScores | None:
    baselines = [s for s in systems if not s.system.startswith("pacemaker") and s.system != "oracle" and s.judged]
    return max(baselines, key=lambda s: _value(view.labelled(s, chosen=of("conflict"))), default=None)


def _value(found: Rate | None) -> float:
    return found.value if found and found.value is not None else -1.0
