"""Tables as values: which of them there are is decided by what the runs hold."""

from __future__ import annotations

from pace_graph.evaluation.tables.costs import cost, latency
from pace_graph.evaluation.tables.examples import examples
from pace_graph.evaluation.tables.families import ablation, structured
from pace_graph.evaluation.tables.judging import judges
from pace_graph.evaluation.tables.loss import ceilings, losses
from pace_graph.evaluation.tables.paired import conflict_gain, paired_tests
from pace_graph.evaluation.tables.quality import by_status, by_type, coverage, main_results
from pace_graph.evaluation.tables.shape import Column, Table
from pace_graph.evaluation.tables.state import errors, not_final, requests, runs
from pace_graph.evaluation.tables.sweeps import embeddings, sweep
from pace_graph.evaluation.tables.view import View


def all_tables(view: View) -> tuple[Table, ...]:
    """Every table that the runs have something for, in the order of a report."""
    found = [
        *(runs(view), requests(view), *errors(view), main_results(view), by_status(view), *conflict_gain(view)),
        *(*by_type(view), coverage(view), *ablation(view), *structured(view), *paired_tests(view)),
        *(losses(view), ceilings(view), *sweep(view), *embeddings(view), cost(view), latency(view)),
        *(*judges(view), *examples(view)),
    ]
    return tuple(table for table in found if table.rows)


__all__ = ["Column", "Table", "View", "all_tables", "not_final"]
