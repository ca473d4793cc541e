"""Scores of a run: what counts, what is left out, and metrics that agree with ir_measures."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success

from pace_graph.errors import ConfigError
from pace_graph.evaluation.metrics import hit, mean, recall, reciprocal_rank
from pace_graph.evaluation.rows import Answer, Judgment, Key, Retrieval
from pace_graph.evaluation.scores import SystemScores, metrics, of, read_run, read_runs
from tests.made_runs import asked, costs, realistic, write_run

Qrels = dict[str, set[str]]
Runs = dict[str, list[str]]


def theirs(qrels: Qrels, runs: Runs) -> dict[str, float]:
    """Recall@5, Hit@5 and MRR as ir_measures has them."""
    wanted = [ir_measures.Qrel(query, fact, 1) for query, gold in qrels.items() for fact in sorted(gold)]
    docs = [
        ir_measures.ScoredDoc(query, fact, float(len(ranked) - at))
        for query, ranked in runs.items()
        for at, fact in enumerate(ranked)
    ]
    found = ir_measures.calc_aggregate([R @ 5, Success @ 5, RR], wanted, docs)
    return {str(measure): float(value) for measure, value in found.items()}


def ours(qrels: Qrels, runs: Runs) -> dict[str, float]:
    """The same by our metrics."""
    pairs = {"R@5": recall(5), "Success@5": hit(5), "RR": reciprocal_rank()}
    return {
        name: mean(("w", metric(runs.get(query, []), gold)) for query, gold in qrels.items())
        for name, metric in pairs.items()
    }


@pytest.mark.parametrize(
    ("gold", "ranked", "expected"),
    [
        ({"g1", "g2"}, ["g1", "x", "g2"], {"R@5": 1, "Success@5": 1, "RR": 1}),
        ({"g1", "g2"}, ["x", "g2", "y"], {"R@5": 1 / 2, "Success@5": 1, "RR": 1 / 2}),
        ({"g1"}, ["a", "b", "c", "d", "e", "g1"], {"R@5": 0, "Success@5": 0, "RR": 1 / 6}),
        ({"g1", "g2", "g3"}, ["x", "y"], {"R@5": 0, "Success@5": 0, "RR": 0}),
        ({"g1"}, [], {"R@5": 0, "Success@5": 0, "RR": 0}),
    ],
)
def test_metrics_agree_with_ir_measures_by_hand(gold: set[str], ranked: list[str], expected: dict[str, float]) -> None:
    assert ours({"q": gold}, {"q": ranked}) == pytest.approx(expected)
    # Another request, so that one without results is still part of their mean.
    both = theirs({"q": gold, "other": {"o"}}, {"q": ranked, "other": ["o"]})
    assert both == pytest.approx({name: (value + 1) / 2 for name, value in expected.items()})


facts = st.integers(0, 30).map("f{}".format)


@given(
    st.dictionaries(
        st.integers(0, 9).map("q{}".format),
        st.tuples(st.sets(facts, min_size=1, max_size=6), st.lists(facts, unique=True, max_size=15)),
        min_size=1,
    ).filter(lambda drawn: any(ranked for _, ranked in drawn.values()))
)
def test_metrics_agree_with_ir_measures_on_random_runs(drawn: dict[str, tuple[set[str], list[str]]]) -> None:
    qrels = {query: gold for query, (gold, _) in drawn.items()}
    runs = {query: ranked for query, (_, ranked) in drawn.items() if ranked}
    assert ours(qrels, runs) == pytest.approx(theirs(qrels, runs))


def test_a_run_agrees_with_ir_measures(tmp_path: Path) -> None:
    run = read_run(realistic(tmp_path / "run", systems=("pacemaker",)))
    system = run.systems[0]
    name = "{0.world} {0.query_id}".format
    qrels = {name(row.asked): set(row.asked.gold) for row in system.rows}
    runs = {name(row.asked): list(row.kept) for row in system.rows if row.kept}
    for ours_, their_name in ((recall(5), "R@5"), (hit(5), "Success@5"), (reciprocal_rank(), "RR")):
        assert mean(system.retrieval(ours_)) == pytest.approx(theirs(qrels, runs)[their_name])


def test_columns_follow_the_depths() -> None:
    names = ["Recall@1", "Recall@3", "Hit@1", "Hit@3", "Gold@1", "Gold@3", "MRR@10"]
    assert [metric.name for metric in metrics((1, 3), 10)] == names


def made(tmp_path: Path, judged: bool = True) -> SystemScores:
    """Seven requests: found, found nothing, retrieval failed, answer failed, not begun, not answered, judge failed."""
    queries = [asked("w", n) for n in range(7)]
    keys = [Key("bm25", "w", query.query_id) for query in queries]
    rows = [
        Retrieval(keys[0], "error", error="tried again below", cost=costs(usd=0.5)),
        Retrieval(keys[0], "ok", ("g1", "x"), cost=costs(usd=0.25)),
        Answer(keys[0], "ok", "said", cost=costs(usd=1.0)),
        Retrieval(keys[1], "ok", (), cost=costs(usd=0.0)),
        Answer(keys[1], "ok", "said", cost=costs()),
        Retrieval(keys[2], "error", error="gone", cost=costs(usd=0.0)),
        Retrieval(keys[3], "ok", ("g1", "g2"), cost=costs(usd=0.0)),
        Answer(keys[3], "error", error="gone", cost=costs(usd=0.0)),
        Retrieval(keys[5], "ok", ("x", "g1"), cost=costs(usd=0.0)),
        Retrieval(keys[6], "ok", ("g1",), cost=costs(usd=0.0)),
        Answer(keys[6], "ok", "said", cost=costs(usd=0.0)),
    ]
    labels = [
        Judgment(keys[0], "j", 0, "ok", "PASS"),
        Judgment(keys[0], "j", 1, "ok", "FAIL"),
        Judgment(keys[0], "j", 2, "ok", "PASS"),
        Judgment(keys[1], "j", 0, "ok", "PASS"),
        Judgment(keys[1], "j", 1, "ok", "FAIL"),
        Judgment(keys[3], "j", 0, "ok", "PASS"),  # of an answer that is an error now
        Judgment(keys[6], "j", 0, "error", error="no label"),
    ]
    run = write_run(tmp_path / "run", queries, rows, {"j": labels} if judged else {}, ["bm25"])
    return read_run(run).systems[0]


def test_errors_are_left_out_and_nothing_found_scores_zero(tmp_path: Path) -> None:
    system = made(tmp_path)
    assert [row.asked.query_id for row in system.found] == ["q00", "q01", "q03", "q05", "q06"]
    assert system.retrieval(recall(10)) == [("w", 0.5), ("w", 0.0), ("w", 1.0), ("w", 0.5), ("w", 0.5)]


def test_labels_are_majorities_and_ties_the_worst(tmp_path: Path) -> None:
    system = made(tmp_path)
    assert {row.asked.query_id: row.label for row in system.judged} == {"q00": "PASS", "q01": "FAIL"}
    assert system.labelled("PASS") == [("w", 1.0), ("w", 0.0)]
    assert system.labelled("PASS", of("conflict")) == [("w", 1.0)]


def test_the_state_counts_each_request_once(tmp_path: Path) -> None:
    state = made(tmp_path).state
    assert (state.requests, state.retrieval_errors, state.answer_errors, state.judge_errors) == (7, 1, 1, 1)
    assert state.waiting == 2  # one not begun, one not answered
    assert state.unjudged == 0  # the judge failed on the only one without a label
    assert (state.errors, state.final) == (3, False)


def test_without_a_judge_nothing_waits_for_one(tmp_path: Path) -> None:
    state = made(tmp_path, judged=False).state
    assert (state.judge_errors, state.unjudged) == (0, 0)


def test_money_counts_what_was_tried_in_vain_and_is_unknown_without_a_price(tmp_path: Path) -> None:
    spent = made(tmp_path).spent
    assert spent["retrieval"] == 0.75
    assert spent["answer"] is None
    assert spent["judge"] is None


def test_coverage_is_by_the_first_ten(tmp_path: Path) -> None:
    queries = [asked("w", n, ("g1", "g2")) for n in range(4)]
    filler = [f"x{i}" for i in range(9)]
    ranked = [("x", "y"), ("g1",), ("g2", "g1"), (*filler, "g1", "g2")]
    rows = [
        Retrieval(Key("bm25", "w", query.query_id), "ok", kept) for query, kept in zip(queries, ranked, strict=True)
    ]
    system = read_run(write_run(tmp_path / "run", queries, rows, systems=["bm25"], answers=False)).systems[0]
    assert [row.coverage for row in system.rows] == ["none", "partial", "full", "partial"]
    assert system.state.final


def test_controls_rank_nothing_and_unknown_systems_do(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("oracle", "no-memory", "someones-own"))
    assert [system.ranks for system in read_run(run).systems] == [False, False, True]


def test_a_whole_run_is_final(tmp_path: Path) -> None:
    assert read_run(realistic(tmp_path / "run", systems=("bm25",))).final


def test_a_request_without_gold_label_waits_for_no_judge(tmp_path: Path) -> None:
    query, key = asked("w", 0, label=None), Key("bm25", "w", "q00")
    rows = [Retrieval(key, "ok"), Answer(key, "ok", "said")]
    run = read_run(write_run(tmp_path / "run", [query], rows, {"j": []}, ["bm25"]))
    assert run.judge == "j"
    assert run.final


def test_the_judge_is_the_one_named_or_the_first(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("bm25",), judges=("b", "a"))
    assert read_run(run).judge == "a"


def test_an_unknown_judge_is_refused_by_name(tmp_path: Path) -> None:
    run = realistic(tmp_path / "run", systems=("bm25",), judges=("one", "two"))
    with pytest.raises(ConfigError, match=r"^nobody has judged none of run; there are: one, two$"):
        read_runs([run], "nobody")
    assert read_runs([run], "two")[0].judge == "two"


def test_of_judges_one_may_have_judged_some_of_the_runs(tmp_path: Path) -> None:
    first = realistic(tmp_path / "first", systems=("bm25",), judges=("one",))
    second = realistic(tmp_path / "second", systems=("bm25",), judges=("two",))
    found = read_runs([first, second], "two")
    assert [run.judge for run in found] == [None, "two"]
    assert found[0].systems[0].judged == ()


def test_copies_of_a_world_are_the_same_requests(tmp_path: Path) -> None:
    query = asked("mara~bge-m3", 0)
    row = Retrieval(Key("bm25", query.world, query.query_id), "ok", ("g1",))
    system = read_run(write_run(tmp_path / "run", [query], [row], systems=["bm25"], answers=False)).systems[0]
    assert system.rows[0].at == ("mara", "q00")


def test_many_rows_are_random_but_the_same(tmp_path: Path) -> None:
    one, two = (read_run(realistic(tmp_path / name, systems=("dense",), seed=4)) for name in ("one", "two"))
    assert one.systems[0].retrieval(recall(10)) == two.systems[0].retrieval(recall(10))
