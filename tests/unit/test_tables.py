"""Tables as values: which there are is decided by what the runs hold, and their figures are those of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pace_graph.evaluation import paper
from pace_graph.evaluation.rows import Answer, Judgment, Key, Retrieval, Row
from pace_graph.evaluation.scores import read_runs
from pace_graph.evaluation.stats import Rate, Resampling, p_of_passes
from pace_graph.evaluation.tables import Table, View, all_tables, not_final
from pace_graph.evaluation.tables.paired import common
from pace_graph.evaluation.tables.shape import Column
from pace_graph.evaluation.tables.sweeps import curves, sweep_points
from pace_graph.evaluation.wrong_answers import control_file, control_row, wrong_answers
from tests.made_runs import asked, realistic, steps, write_run

FAST = Resampling(resamples=100)


def view(*folders: Any, **choices: Any) -> View:
    return View(read_runs(folders, choices.pop("judge", None)), how=FAST, **choices)


def tables(*folders: Any, **choices: Any) -> dict[str, Table]:
    found = all_tables(view(*folders, **choices))
    assert len({table.name for table in found}) == len(found)
    return {table.name: table for table in found}


def cell(table: Table, column: str, *row: str) -> Any:
    """The value in a column of the row that begins with these texts."""
    at = [each.name for each in table.columns].index(column)
    return next(values[at] for values in table.rows if values[: len(row)] == row)


def value(table: Table, column: str, *row: str) -> float:
    found = cell(table, column, *row)
    assert isinstance(found, Rate)
    assert found.value is not None
    return found.value


def test_a_row_has_a_value_for_every_column() -> None:
    with pytest.raises(ValueError, match="table t: a row of 2 values below 1 columns"):
        Table("t", "T", (Column("a"),), ((1, 2),))


def test_a_whole_run_has_every_table_that_one_run_can_have(tmp_path: Path) -> None:
    found = tables(realistic(tmp_path / "run"))
    assert list(found) == [
        *("runs", "requests", "main", "status", "conflict-gain", "pass-by-type", "recall-by-type", "coverage"),
        *("ablation", "pass-tests", "recall-tests", "losses", "ceilings", "cost", "latency", "judges", "agreement"),
        *("example-temporal", "example-personal", "example-state"),
    ]


def test_a_run_without_answers_has_no_table_of_labels(tmp_path: Path) -> None:
    row = Retrieval(Key("bm25", "w", "q00"), "ok", ("g1",), steps=steps(retrieve=["g1"], fuse=["g1"]))
    run = write_run(tmp_path / "run", [asked("w", 0)], [row], systems=["bm25"], answers=False)
    found = tables(run)
    assert list(found) == [
        "runs",
        "requests",
        "main",
        "status",
        "recall-by-type",
        "coverage",
        "losses",
        "ceilings",
        "cost",
    ]
    assert "Pass" not in {column.name for table in found.values() for column in table.columns}
    assert cell(found["main"], "Pass, paper (Table 2)", "bm25") == "Qwen 62.73, GPT —, Gemini —"


def test_every_rate_has_an_interval(tmp_path: Path) -> None:
    for table in tables(realistic(tmp_path / "run")).values():
        for row in table.rows:
            for found, column in zip(row, table.columns, strict=True):
                if column.unit in {"percent", "points"} and found is not None:
                    assert isinstance(found, Rate), (table.name, column.name)
                    assert found.n < 2 or (found.low is not None and found.high is not None)


def small(tmp_path: Path) -> Any:
    """Two systems, four requests; labels of the first PPFW, of the second PFF and an answer that failed."""
    queries = [asked("w", n, ("g1", "g2")) for n in range(4)]
    kept = {"bm25": [("g1", "g2"), ("g1",), (), ("x",)], "dense": [("g1",), (), ("g1", "g2"), ("g1", "g2")]}
    labels = {"bm25": ["PASS", "PASS", "FAIL", "WRONG_RATIONALE"], "dense": ["PASS", "FAIL", "FAIL"]}
    rows: list[Row] = []
    judgments = []
    for system, lists in kept.items():
        for n, facts in enumerate(lists):
            key = Key(system, "w", queries[n].query_id)
            rows.append(Retrieval(key, "ok", facts, steps=steps(retrieve=[*facts, "g2"], fuse=facts)))
            failed = system == "dense" and n == 3
            rows.append(Answer(key, "error", error="gone") if failed else Answer(key, "ok", f"{system} on {n}"))
            if not failed:
                judgments.append(Judgment(key, "j", 0, "ok", labels[system][n]))  # type: ignore[arg-type]
    return write_run(tmp_path / "run", queries, rows, {"j": judgments}, list(kept))


def test_main_results_by_hand(tmp_path: Path) -> None:
    main = tables(small(tmp_path))["main"]
    assert value(main, "Recall@10", "bm25") == pytest.approx((1 + 0.5) / 4)
    assert value(main, "Gold@5", "dense") == pytest.approx(2 / 4)
    assert value(main, "MRR", "dense") == pytest.approx(3 / 4)
    assert [value(main, name, "bm25") for name in ("Pass", "Wrong", "Fail")] == [0.5, 0.25, 0.25]
    assert value(main, "Pass", "dense") == pytest.approx(1 / 3)
    assert cell(main, "judged", "dense") == 3
    assert cell(main, "requests", "dense") == 4


def test_by_status_and_type_by_hand(tmp_path: Path) -> None:
    found = tables(small(tmp_path))
    # Requests 0 and 2 are conflicts; 0 and 1 temporal, 2 and 3 personal.
    assert value(found["status"], "Pass", "bm25", "conflict") == 0.5
    assert value(found["status"], "Recall@10", "dense", "conflict") == pytest.approx(0.75)
    assert value(found["pass-by-type"], "temporal, non-conflict", "bm25") == 1.0
    assert value(found["recall-by-type"], "personal, conflict", "dense") == 1.0
    assert "state, conflict" not in {column.name for column in found["pass-by-type"].columns}


def test_coverage_by_hand(tmp_path: Path) -> None:
    coverage = tables(small(tmp_path))["coverage"]
    assert [cell(coverage, "requests", "bm25", bucket) for bucket in ("none", "partial", "full")] == [1, 0, 1]
    assert value(coverage, "Pass", "bm25", "full") == 1.0
    assert value(coverage, "Fail", "bm25", "none") == 1.0


def test_tests_are_over_common_requests(tmp_path: Path) -> None:
    found = tables(small(tmp_path))
    assert cell(found["pass-tests"], "common requests", "bm25", "dense") == 3
    assert value(found["pass-tests"], "first − second", "bm25", "dense") == pytest.approx(1 / 3)
    assert cell(found["pass-tests"], "p", "bm25", "dense") == p_of_passes([True, True, False], [True, False, False])
    assert cell(found["recall-tests"], "common requests", "bm25", "dense") == 4
    assert value(found["recall-tests"], "first − second", "bm25", "dense") == pytest.approx(-1 / 4)


def test_the_corrected_p_is_over_all_pairs(tmp_path: Path) -> None:
    table = tables(realistic(tmp_path / "run", systems=("bm25", "dense", "pacemaker")))["recall-tests"]
    raw, corrected = ([row[at] for row in table.rows] for at in (4, 5))
    assert len(raw) == 3
    assert max(map(float, corrected)) <= 1  # type: ignore[arg-type]
    assert min(corrected) == pytest.approx(min(3 * min(raw), 1))  # type: ignore[operator,type-var]


def test_losses_add_up_to_all_gold(tmp_path: Path) -> None:
    table = tables(realistic(tmp_path / "run"))["losses"]
    shares = [at for at, column in enumerate(table.columns) if column.unit == "percent"]
    for row in table.rows:
        assert sum(row[at].value or 0 for at in shares if isinstance(row[at], Rate)) == pytest.approx(1)  # type: ignore[union-attr]


def test_gold_that_is_no_fact_is_counted_apart(tmp_path: Path) -> None:
    row = Retrieval(Key("bm25", "w", "q00"), "ok", ("g1",), steps=steps(retrieve=["g1"], fuse=["g1"]))
    query = asked("w", 0, ("g1",), gold_missing=("gone", "lost"))
    losses = tables(write_run(tmp_path / "run", [query], [row], systems=["bm25"], answers=False))["losses"]
    assert cell(losses, "gold that is no fact of the world", "bm25") == 2
    assert cell(losses, "missed facts", "bm25") == 0
    assert value(losses, "given", "bm25") == 1.0


def test_macro_averages_worlds_and_leaves_labels_alone(tmp_path: Path) -> None:
    queries = [asked("a", 0, ("g",)), asked("a", 1, ("g",)), asked("b", 0, ("g",))]
    rows = [
        Retrieval(Key("bm25", query.world, query.query_id), "ok", ("g",) if query.world == "b" else ())
        for query in queries
    ]
    run = write_run(tmp_path / "run", queries, rows, systems=["bm25"], answers=False)
    assert value(tables(run)["main"], "Recall@10", "bm25") == pytest.approx(1 / 3)
    assert value(tables(run, averaging="macro")["main"], "Recall@10", "bm25") == pytest.approx(1 / 2)


def test_depths_are_the_ones_asked_for(tmp_path: Path) -> None:
    names = [column.name for column in tables(realistic(tmp_path / "run"), ks=(1, 20))["main"].columns]
    assert names[2:9] == ["Recall@1", "Recall@20", "Hit@1", "Hit@20", "Gold@1", "Gold@20", "MRR"]


def test_the_papers_figures_stand_beside_ours(tmp_path: Path) -> None:
    found = tables(realistic(tmp_path / "run"))
    assert cell(found["main"], "Pass, paper (Table 2)", "pacemaker") == "Qwen 68.82, GPT —, Gemini —"
    assert cell(found["main"], "Pass, paper (Table 2)", "oracle") == "—"
    assert cell(found["main"], "Pass, paper (Table 2)", "no-memory") == ""
    assert cell(found["conflict-gain"], "gain, paper (Table 3)", "pacemaker") == "Qwen +11.40, GPT +3.47, Gemini +4.02"
    assert cell(found["ablation"], "Pass, paper (Table 4, GPT)", "pacemaker-no-traversal") == "71.65"
    assert cell(found["ablation"], "Pass, conflict, paper (Table 4, GPT)", "pacemaker-no-traversal") == "52.41"
    assert cell(found["cost"], "seconds, paper (Table 25)", "pacemaker", "retrieval") == "7.46"
    assert cell(found["agreement"], "same label, paper (Table 8)", "judge-a and judge-b", "pacemaker", "all") == "86.40"


def test_the_papers_figures_are_counts_over_its_requests() -> None:
    # Specification 7.2, 7.6 and 7.11: each percentage is a whole number of answers.
    for told, of in ((paper.MAIN_PASS["pacemaker"]["Qwen"], 3249), ("52.41", 1641), ("8.83", 1608), ("86.40", 3249)):
        count = round(float(told) / 100 * of)
        assert f"{100 * count / of:.2f}" == told


def test_the_papers_cold_start_is_indexing_and_eighteen_requests() -> None:
    for system, expected in (("pacemaker", 215.06), ("hippo", 304.76), ("graphrag", 741.37)):
        row = paper.COST[system]
        assert float(row["indexing_s"]) + 18 * float(row["online_s"]) == pytest.approx(expected)


def test_ablations_are_against_their_whole(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("bm25", "pacemaker", "pacemaker-no-planning"))
    ablation, main = tables(run)["ablation"], tables(run)["main"]
    assert [row[0] for row in ablation.rows] == ["pacemaker", "pacemaker-no-planning"]
    drop = value(ablation, "against the whole", "pacemaker-no-planning")
    whole, part = (value(main, "Recall@10", name) for name in ("pacemaker", "pacemaker-no-planning"))
    assert drop == pytest.approx(part - whole)


def test_structured_methods_stand_beside_pacemaker(tmp_path: Path) -> None:
    found = tables(realistic(tmp_path / "run", systems=("bm25", "pacemaker", "hipporag2", "graphrag")))["structured"]
    assert [row[0] for row in found.rows] == ["pacemaker", "hipporag2", "graphrag"]
    assert cell(found, "paper (Tables 5, 23, 24)", "hipporag2") == "—"


def test_examples_are_one_a_type_with_every_answer(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("bm25", "dense"))
    found = tables(run)["example-personal"]
    assert [row[0] for row in found.rows] == ["bm25", "dense"]
    assert found.notes[0].startswith("Request (mara, q")
    assert "; conflict; made on 2026-03-20): Request " in found.notes[0]
    assert found.notes[1].startswith("Judgment in the data: Gold reason ")


def test_cost_by_hand(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("pacemaker",), judges=())
    cost = tables(run)["cost"]
    assert cell(cost, "calls a request", "pacemaker", "retrieval") == 4
    assert cell(cost, "tokens in", "pacemaker", "retrieval") == 54 * 4 * 300
    assert cell(cost, "tokens saved by our cache", "pacemaker", "answer") == 54 * 12
    assert cell(cost, "USD", "pacemaker", "retrieval") == pytest.approx(54 * 0.0021)


def test_judges_flips_and_agreement_by_hand(tmp_path: Path) -> None:
    query = asked("w", 0)
    keys = [Key(system, "w", "q00") for system in ("bm25", "pacemaker")]
    rows: list[Row] = [row for key in keys for row in (Retrieval(key, "ok"), Answer(key, "ok", "said"))]
    first = [Judgment(keys[0], "a", n, "ok", label) for n, label in enumerate(("PASS", "FAIL", "PASS"))]  # type: ignore[arg-type]
    first += [Judgment(keys[1], "a", n, "ok", "FAIL") for n in range(3)]
    second = [Judgment(keys[0], "b", 0, "ok", "PASS"), Judgment(keys[1], "b", 0, "ok", "PASS")]
    found = tables(write_run(tmp_path / "run", [query], rows, {"a": first, "b": second}, ["bm25", "pacemaker"]))
    assert value(found["judges"], "of them with different labels", "a", "all") == 0.5
    assert cell(found["judges"], "answers judged again", "b", "all") is None
    assert value(found["agreement"], "same label", "a and b", "all", "all") == 0.5
    assert value(found["agreement"], "same label", "a and b", "pacemaker", "all") == 0.0
    assert "control" not in found


def test_wrong_answers_that_pass_are_told(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("bm25",), judges=("j",))
    given = wrong_answers(run.queries(), 4)
    lines = [
        control_row(one, Judgment(one.key, "j", 0, "ok", "PASS" if n == 0 else "FAIL")) for n, one in enumerate(given)
    ]
    import json

    control_file(run, "j").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    table = tables(run)["control"]
    assert value(table, "Pass", "j", "opposite decision") == pytest.approx(1 / 4)
    assert value(table, "Fail", "j", "empty-handed") == 1.0


def test_runs_with_other_settings_make_a_sweep(tmp_path: Path) -> None:
    made = {"default": {}, "h1": {"hops": 1}, "h9": {"hops": 9}, "n5": {"n_filter": 5, "n_final": 5}}
    runs = [
        realistic(tmp_path / name, systems=("pacemaker",), judges=(), config=config) for name, config in made.items()
    ]
    points = sweep_points(view(*runs))["pacemaker"]
    assert [point.told for point in points] == ["as most runs", "hops = 1", "hops = 9", "n_filter = 5, n_final = 5"]
    found = {axis: [x for x, _ in on] for axis, on in curves(points).items()}
    assert found == {"hops": [1, 5, 9], "n_filter = n_final": [5, 10]}
    table = tables(*runs)["sweep"]
    assert [row[1] for row in table.rows] == list(made)


def test_runs_that_differ_in_nothing_are_no_sweep(tmp_path: Path) -> None:
    runs = [realistic(tmp_path / name, systems=("bm25",), judges=()) for name in ("one", "two")]
    found = tables(*runs)
    assert "sweep" not in found
    assert [row[0] for row in found["main"].rows] == ["one: bm25", "two: bm25"]


def test_runs_with_other_embedding_models_stand_side_by_side(tmp_path: Path) -> None:
    runs = [
        realistic(tmp_path / model, systems=("dense",), judges=(), worlds=[f"mara~{model}"]) for model in ("one", "two")
    ]
    for run in runs:
        config = (run.path / "config.json").read_text().replace("bge-small-en", f"model-{run.name}")
        (run.path / "config.json").write_text(config)
    found = tables(*runs)
    assert [row[0] for row in found["embeddings"].rows] == ["model-one", "model-two"]
    assert cell(found["recall-tests"], "common requests", "one: dense", "two: dense") == 18


def test_common_requests_are_those_of_both(tmp_path: Path) -> None:
    seen = view(small(tmp_path))
    one, other = seen.systems
    pairs = common(one.judged, other.judged)
    assert [(a.at, b.at) for a, b in pairs] == [(("w", f"q0{n}"),) * 2 for n in range(3)]


def test_what_is_not_final_is_told_by_system(tmp_path: Path) -> None:
    seen = view(small(tmp_path))
    assert not_final(seen) == ("dense, 4 requests: answer errors 1",)
    assert not seen.final
    requests = tables(small(tmp_path))["requests"]
    assert [cell(requests, "answer errors", name) for name in ("bm25", "dense")] == [0, 1]
    assert tables(small(tmp_path))["errors"].rows == (("dense", "answer", 1, "gone"),)


def test_a_final_run_says_nothing(tmp_path: Path) -> None:
    assert not_final(view(realistic(tmp_path / "run", systems=("bm25",)))) == ()
