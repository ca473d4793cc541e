"""What each system cost: seconds, calls, tokens, money; and which stage took the time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median

from pace_graph.evaluation import paper as printed
from pace_graph.evaluation.rows import Cost
from pace_graph.evaluation.scores import SystemScores
from pace_graph.evaluation.stats import rate
from pace_graph.evaluation.tables.shape import Column, Table, Value, paper
from pace_graph.evaluation.tables.view import View
from pace_graph.ledger import StageCost

Costs = list[tuple[str, Cost]]
"""(world, cost) of each record without an error."""


def cost(view: View) -> Table:
    """A request's cost by kind of record: retrieval, answer, judge. The paper's Table 25."""
    rows = [
        _row(view, system, kind, costs) for system in view.systems for kind, costs in _kinds(system).items() if costs
    ]
    columns = (
        *(Column("system"), Column("of"), Column("records", "count"), Column("seconds a request", "seconds")),
        *(Column("calls a request", "number"), Column("tokens in", "count"), Column("tokens out", "count")),
        *(
            Column("cached by the endpoint", "count"),
            Column("tokens saved by our cache", "count"),
            Column("USD", "usd"),
        ),
        *(paper("seconds, paper (Table 25)"), paper("calls, paper (Table 25)")),
    )
    notes = (
        "Tokens are sums. USD counts failed and repeated records too; it is empty where no price is set.",
        "A reply from our cache takes no model's time: seconds are those of a first run only where nothing was saved.",
        "The paper's figures are of one instance (2,056 facts, 18 requests), retrieval alone.",
    )
    return Table("cost", "Cost", columns, tuple(rows), notes)


def _kinds(system: SystemScores) -> dict[str, Costs]:
    found = [(row.asked.world, row.found.cost) for row in system.rows if row.found and row.found.ok]
    answers = [(r.asked.world, r.answer.cost) for r in system.rows if r.answer and r.answer.status == "ok"]
    return {"retrieval": found, "answer": answers, "judge": [("", each) for each in system.judge_costs]}


def _row(view: View, system: SystemScores, kind: str, costs: Costs) -> tuple[Value, ...]:
    totals = [each.total for _, each in costs]
    of_paper = printed.COST.get(_as_in_paper(system.system), {}) if kind == "retrieval" else {}
    return (
        *(view.name(system), kind, len(costs)),
        rate([(world, total.seconds) for (world, _), total in zip(costs, totals, strict=True)], view.how),
        fmean(total.calls for total in totals),
        *(sum(getattr(total, name) for total in totals) for name in ("tokens_in", "tokens_out", "tokens_cached")),
        sum(each.tokens_saved for _, each in costs),
        system.spent.get(kind),
        *(of_paper.get(name, "") for name in ("online_s", "calls")),
    )


def _as_in_paper(system: str) -> str:
    return "hippo" if "hippo" in system else "graphrag" if "graphrag" in system.replace("-", "") else system


def stages_of(system: SystemScores) -> dict[str, list[StageCost]]:
    """Every stage of the chain, the answer last, to its cost in each record without an error."""
    found: dict[str, list[StageCost]] = defaultdict(list)
    for costs in _kinds(system).values():
        for stage in _stages(each for _, each in costs):
            found[stage.stage].append(stage)
    found.pop("judge", None)
    return dict(found)


def _stages(costs: Iterable[Cost]) -> Iterable[StageCost]:
    return (stage for each in costs for stage in each.stages)


def latency(view: View) -> Table:
    """Where the time went, stage by stage."""
    rows = [
        (
            *(view.name(system), stage, *percentiles([each.seconds for each in costs])),
            *(fmean(each.calls for each in costs), sum(each.tokens_in for each in costs)),
            *(sum(each.tokens_out for each in costs), sum(each.errors for each in costs)),
        )
        for system in view.systems
        for stage, costs in stages_of(system).items()
    ]
    columns = (
        *(Column("system"), Column("stage"), Column("p50", "ms"), Column("p95", "ms")),
        *(Column("calls a request", "number"), Column("tokens in", "count"), Column("tokens out", "count")),
        Column("failed calls", "count"),
    )
    return Table("latency", "Time by stage", columns, tuple(rows))


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    ordered = sorted(seconds)
    return median(ordered), ordered[round(0.95 * (len(ordered) - 1))]
