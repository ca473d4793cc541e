"""Runs as TREC files: what ir_measures reads there gives our own metrics; names come back whatever they hold."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import ir_measures
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ir_measures import RR, R, Success

from pace_graph.errors import ConfigError
from pace_graph.evaluation.export_beir import beir_files
from pace_graph.evaluation.export_trec import export_trec, names, qrels, ranks, trec_name
from pace_graph.evaluation.export_trec import run as trec_run
from pace_graph.evaluation.folder import Lines, RunFolder
from pace_graph.evaluation.metrics import all_gold, hit, recall, reciprocal_rank
from pace_graph.evaluation.rows import Asked, Key, Retrieval, as_json
from pace_graph.files import write_new
from pace_graph.records import Fact, Query

ODD = ("a b", "tab\there", "100%", "a/b", "a%2Fb", "#1", "事実", "line\nend", "\u2028", "Q0", " ", "👩‍👩‍👧")


def asked(query_id: str, gold: Sequence[str], world: str = "w") -> Asked:
    return Asked.of(Query("Book it.", world, query_id, gold=tuple(gold)))


def found(query_id: str, kept: Sequence[str], system: str = "bm25", world: str = "w", error: str = "") -> Retrieval:
    return Retrieval(Key(system, world, query_id), "error" if error else "ok", tuple(kept), error=error)


def put(folder: Path, queries: Sequence[Asked], rows: Sequence[Retrieval]) -> RunFolder:
    """A run folder with these requests and records."""
    made = RunFolder(folder)
    with made.writing():
        made.begin({"worlds": {}}, queries)
        with Lines(folder / "records.jsonl") as lines:
            for row in rows:
                lines.append(as_json(row))
    return made


# --- names


@example("a/b", "c/d")
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text(st.characters(exclude_categories=["Cs"])))
def test_a_name_comes_back_and_is_one_word(world: str, own: str) -> None:
    name = trec_name(world, own)
    assert names(name) == (world, own)
    assert name.isascii()
    assert name.split() == [name]
    assert name.count("/") == 1


def test_names_by_hand() -> None:
    assert trec_name("mara_quill", "q-01.a~b") == "mara_quill/q-01.a~b"
    assert trec_name("a b", "c/d%") == "a%20b/c%2Fd%25"
    assert trec_name("w", "é") == "w/%C3%A9"
    assert len({trec_name("a/b", "c"), trec_name("a", "b/c"), trec_name("a%2Fb", "c")}) == 3


# --- the files, by hand


def test_the_files_of_a_run(tmp_path: Path) -> None:
    queries = [asked("q 1", ["g/1", "g2"]), asked("q2", []), asked("q 1", ["g2"], "w2")]
    rows = [
        found("q 1", ["x", "g2"]),
        found("q 1", ["x", "g2"], "oracle"),
        found("q2", ["x"]),
        found("q 1", [], world="w2"),
        found("q 1", ["x"], "my own"),
        found("q2", [], "my own", error="no reply"),
        found("q 1", ["g2"], "my own", "w2", error="no reply"),
    ]
    exported = export_trec(put(tmp_path / "run", queries, rows), tmp_path / "out")
    written = {str(path.relative_to(tmp_path / "out")): path.read_text() for path in exported.files}
    assert written == {
        "qrels.trec": "w/q%201 0 w/g%2F1 1\nw/q%201 0 w/g2 1\nw2/q%201 0 w2/g2 1\n",
        "runs/bm25.trec": "w/q%201 Q0 w/x 1 2 bm25\nw/q%201 Q0 w/g2 2 1 bm25\nw/q2 Q0 w/x 1 1 bm25\n",
        "runs/my-own.trec": "w/q%201 Q0 w/x 1 1 my-own\n",
    }
    assert exported.unranked == ("oracle",)
    assert exported.errors == {"my own": 2}


def test_a_request_tried_again_is_there_once(tmp_path: Path) -> None:
    rows = [found("q", [], error="no reply"), found("q", ["a"])]
    exported = export_trec(put(tmp_path / "run", [asked("q", ["a"])], rows), tmp_path / "out")
    assert (tmp_path / "out" / "runs" / "bm25.trec").read_text() == "w/q Q0 w/a 1 1 bm25\n"
    assert exported.errors == {}


def test_nothing_is_written_over(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", [asked("q", ["a"])], [found("q", ["a"])])
    (tmp_path / "out" / "runs").mkdir(parents=True)
    (tmp_path / "out" / "runs" / "bm25.trec").write_text("mine")
    with pytest.raises(ConfigError, match=r"bm25\.trec is there already"):
        export_trec(folder, tmp_path / "out")
    assert not (tmp_path / "out" / "qrels.trec").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        export_trec(folder, tmp_path / "file")


@pytest.mark.parametrize(
    ("system", "expected"), [("oracle", False), ("full-kb", False), ("bm25", True), ("mine", True)]
)
def test_what_ranks(system: str, expected: bool) -> None:
    assert ranks(system) is expected


# --- read by ir_measures

OURS = {R @ 5: recall(5), R @ 10: recall(10), Success @ 5: hit(5), Success @ 10: hit(10), RR: reciprocal_rank()}


def by_ir_measures(folder: Path, queries: Sequence[Asked], rows: Sequence[Retrieval]) -> dict[tuple[str, str], float]:
    """(measure, request) to its value."""
    write_new({folder / "qrels": qrels(queries), folder / "run": trec_run("bm25", rows)})
    judged = ir_measures.read_trec_qrels(str(folder / "qrels"))
    ranked = ir_measures.read_trec_run(str(folder / "run"))
    return {
        (str(each.measure), each.query_id): each.value
        for each in ir_measures.iter_calc(list(OURS), list(judged), list(ranked))
    }


def by_us(queries: Sequence[Asked], rows: Sequence[Retrieval]) -> dict[tuple[str, str], float]:
    kept = {(row.key.world, row.key.query_id): row.kept for row in rows}
    return {
        (str(theirs), trec_name(query.world, query.query_id)): ours(kept[query.world, query.query_id], query.gold)
        for theirs, ours in OURS.items()
        for query in queries
    }


def test_a_list_by_hand_as_ir_measures_sees_it(tmp_path: Path) -> None:
    ranked = ["x1", "g 1", "x2", "x3", "x4", "g2", "x5", "x6", "x7", "x8", "g3", "x9"]
    seen = by_ir_measures(tmp_path, [asked("q", ["g 1", "g2", "g3"])], [found("q", ranked)])
    expected = {"R@5": 1 / 3, "R@10": 2 / 3, "Success@5": 1, "Success@10": 1, "RR": 1 / 2}
    assert seen == {(measure, "w/q"): pytest.approx(value) for measure, value in expected.items()}


@pytest.mark.parametrize("seed", range(5))
def test_ir_measures_gives_our_metrics_on_random_runs(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    facts = [*ODD, *(f"f{n}" for n in range(30))]
    ids = [(world, query_id) for world in ("w", "w 2") for query_id in ("q", *ODD)]
    queries = [asked(query_id, dice.sample(facts, dice.randint(1, 5)), world) for world, query_id in ids]
    rows = [found(query_id, dice.sample(facts, dice.randint(0, 25)), world=world) for world, query_id in ids]
    ours, theirs = by_us(queries, rows), by_ir_measures(tmp_path, queries, rows)
    assert theirs == {at: pytest.approx(value, abs=1e-6) for at, value in ours.items()}
    assert len({value for value in theirs.values() if 0 < value < 1}) > 5
    whole = {at[1] for at, value in theirs.items() if at[0] == "R@10" and value == pytest.approx(1)}
    kept = {(row.key.world, row.key.query_id): row.kept for row in rows}
    complete = [query for query in queries if all_gold(10)(kept[query.world, query.query_id], query.gold)]
    assert whole == {trec_name(query.world, query.query_id) for query in complete}


# --- BEIR


def test_the_files_of_a_world_in_beirs_layout() -> None:
    facts = [Fact("a\tb", "Tee um fünf.", "2026-03-01"), Fact("c", "Eve.")]
    queries = [
        Asked("w", "q1", "Book it.", "2026-03-20", "conflict", "state", "No.", ("c", "a\tb"), ("gone",)),
        Asked("w", "q2", "Pay.", None, None, None, "", (), ()),
    ]
    files = {str(path): text for path, text in beir_files(Path("w"), facts, queries).items()}
    assert [json.loads(line) for line in files["w/corpus.jsonl"].splitlines()] == [
        {"_id": "a\tb", "title": "", "text": "Tee um fünf.", "metadata": {"date": "2026-03-01"}},
        {"_id": "c", "title": "", "text": "Eve.", "metadata": {}},
    ]
    told = {"ref_date": "2026-03-20", "label": "conflict", "situation": "state", "judgment": "No."}
    assert [json.loads(line) for line in files["w/queries.jsonl"].splitlines()] == [
        {"_id": "q1", "text": "Book it.", "metadata": told},
        {"_id": "q2", "text": "Pay.", "metadata": {}},
    ]
    assert files["w/qrels/test.tsv"] == 'query-id\tcorpus-id\tscore\nq1\tc\t1\nq1\t"a\tb"\t1\n'
    assert len(files) == 3
    assert re.search("fünf", files["w/corpus.jsonl"])
