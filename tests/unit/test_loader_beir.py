"""`load beir`: data sets in BEIR's layout, foreign ones and our own, and what is wrong with them by name."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.beir import read
from loaders.pace import read as read_pace
from pace_graph.errors import ConfigError, DataError
from pace_graph.evaluation.export_beir import beir_files
from pace_graph.evaluation.rows import Asked
from pace_graph.files import write_new
from pace_graph.formats import find_format
from pace_graph.records import Case, Fact, Query

CORPUS = [
    {"_id": "d1", "title": "Tea", "text": "is served at five.", "metadata": {"url": "x", "date": "2026-03-01"}},
    {"_id": "d2", "title": "", "text": " kept as it is ", "metadata": {"date": "some day"}},
    {"_id": "d3", "title": "Only a title", "text": ""},
    {"_id": "4", "text": "No title.", "metadata": {}},
]
QUERIES = [
    {"_id": "q1", "text": "When is tea?", "metadata": {"label": "conflict"}},
    {"_id": "q2", "text": "What is kept?"},
    {"_id": "q3", "text": "Who asked?"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td3\t2\nq1\td1\t1\nq1\td2\t0\nq3\td2\t-1\nq2\t4\t1\n"


def lines(rows: list[object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def put(
    folder: Path, corpus: object = CORPUS, queries: object = QUERIES, qrels: str = QRELS, split: str = "test"
) -> Path:
    for name, content in (("corpus.jsonl", corpus), ("queries.jsonl", queries), (f"qrels/{split}.tsv", qrels)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else lines(content), encoding="utf-8", newline="")
    return folder


def load(path: Path, **options: object) -> Case:
    (case,) = read(path, **options)
    return case


def problems(path: Path, **options: object) -> tuple[str, ...]:
    with pytest.raises(DataError) as caught:
        load(path, **options)
    return caught.value.problems


def test_a_data_set_becomes_a_world(tmp_path: Path) -> None:
    case = load(put(tmp_path / "sci fact"))
    assert case.world == "sci fact"
    assert case.facts == (
        Fact("d1", "Tea is served at five.", "2026-03-01"),
        Fact("d2", " kept as it is "),
        Fact("d3", "Only a title"),
        Fact("4", "No title."),
    )
    # Judged 0 or below is not gold; q3 has none and is left out. What metadata says of a request is not read.
    assert case.queries == (
        Query("When is tea?", "sci fact", "q1", gold=("d3", "d1")),
        Query("What is kept?", "sci fact", "q2", gold=("4",)),
    )
    assert case.notes == (
        "1 query is left out, as test judges nothing relevant to it (--all-queries keeps such).",
        "1 date under metadata could not be read and are left out.",
    )


def test_queries_without_judgments_can_stay(tmp_path: Path) -> None:
    case = load(put(tmp_path), world="w", all_queries=True)
    assert [(query.query_id, query.gold) for query in case.queries] == [
        ("q1", ("d3", "d1")),
        ("q2", ("4",)),
        ("q3", ()),
    ]
    assert {query.world for query in case.queries} == {"w"}


def test_a_split_is_chosen(tmp_path: Path) -> None:
    put(tmp_path)
    put(tmp_path, qrels="query-id\tcorpus-id\tscore\nq3\td1\t1\n", split="dev")
    assert [query.query_id for query in load(tmp_path, split="dev").queries] == ["q3"]
    assert problems(tmp_path, split="train") == ("holds no qrels/train.tsv; its splits are: dev, test (--split)",)


def test_a_first_line_that_judges_is_not_lost(tmp_path: Path) -> None:
    case = load(put(tmp_path, qrels="q1\td1\t1\nq2\td2\t1\n"))
    assert [query.gold for query in case.queries] == [("d1",), ("d2",)]


def test_ids_that_are_numbers_are_their_digits(tmp_path: Path) -> None:
    case = load(put(tmp_path, [{"_id": 7, "text": "x"}], [{"_id": 8, "text": "y"}], "8\t7\t1\n"))
    assert (case.facts[0].fact_id, case.queries[0].query_id, case.queries[0].gold) == ("7", "8", ("7",))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"corpus": [*CORPUS, {"_id": "d1", "text": "again"}]}, "fact 'd1' (line 5): the id is already used by line 1"),
        ({"corpus": [*CORPUS, {"text": "x"}]}, "line 5: the id is missing"),
        ({"corpus": [*CORPUS, {"_id": "e", "title": "", "text": ""}]}, "fact 'e' (line 5): the text is blank"),
        ({"corpus": [*CORPUS, ["d9"]]}, "line 5: is a list, not an object"),
        ({"corpus": lines(CORPUS) + "{"}, "line 5: not JSON"),
        ({"queries": [*QUERIES, {"_id": "q1", "text": "x"}]}, "query 'q1' (line 4): the query_id is already used"),
        ({"queries": [*QUERIES, {"text": "x"}]}, "line 4: the query_id is blank"),
        ({"queries": [*QUERIES, {"_id": "q4"}]}, "query 'q4' (line 4): the query is missing"),
        ({"qrels": QRELS + "q9\td1\t1\n"}, "line 7: there is no query 'q9' in queries.jsonl"),
        ({"qrels": QRELS + "q1\td9\t1\n"}, "line 7: there is no document 'd9' in the corpus (--skip-invalid"),
        ({"qrels": QRELS + "q1\td1\tmuch\n"}, "line 7: the score is 'much', not a whole number"),
        ({"qrels": QRELS + "q1 d1 1\n"}, "line 7: has 1 column; expected query-id, corpus-id and score"),
        ({"qrels": "q1\t0\td1\t1\n"}, "line 1: has 4 columns"),
    ],
)
def test_what_is_wrong_is_named_and_can_be_left_out(tmp_path: Path, changed: dict[str, object], expected: str) -> None:
    put(tmp_path, **changed)  # type: ignore[arg-type]
    (problem,) = problems(tmp_path)
    assert problem.startswith(expected)
    case = load(tmp_path, skip_invalid=True)
    assert len(case.facts) == 4
    assert all(set(query.gold) <= {"d1", "d2", "d3", "4"} for query in case.queries)


def test_all_faults_are_told_at_once_each_with_its_file(tmp_path: Path) -> None:
    put(tmp_path, corpus=[*CORPUS, {"text": "x"}], queries=[*QUERIES, {"_id": "q4"}], qrels=QRELS + "q9\td1\t1\n")
    told = problems(tmp_path)
    assert [Path(line.split(": ")[0]).name for line in told] == ["corpus.jsonl", "test.tsv", "queries.jsonl"]


def test_gold_that_is_no_document_is_set_aside(tmp_path: Path) -> None:
    put(tmp_path, qrels="q1\td9\t1\nq1\td1\t1\nq2\td8\t1\nq2\td2\t0\n")
    case = load(tmp_path, skip_invalid=True)
    assert [(query.query_id, query.gold, query.gold_missing) for query in case.queries] == [
        ("q1", ("d1",), ("d9",)),
        ("q2", (), ("d8",)),
    ]
    assert any("2 gold ids are no fact of the corpus" in note for note in case.notes)


def test_a_document_judged_irrelevant_need_not_be_there(tmp_path: Path) -> None:
    assert load(put(tmp_path, qrels=QRELS + "q1\td9\t0\n")).queries[0].gold == ("d3", "d1")


def test_what_is_no_data_set_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path / "none") == ("there is no such folder",)
    assert problems(tmp_path) == ("holds no corpus.jsonl and no queries.jsonl, so it is not in the layout of BEIR",)
    put(tmp_path)
    assert problems(put(tmp_path, qrels='q1\t"d1\t1\n'))[0].startswith(
        "not tab-separated in the row that starts on line 1"
    )
    with pytest.raises(ConfigError, match="--world: the name of a world must not be a path"):
        load(tmp_path, world="a/b")


def test_the_format_is_installed_and_replaces() -> None:
    found = find_format("beir")
    assert (found.read, found.merges) == (read, False)
    assert {option.name for option in found.options} == {"world", "split", "all_queries", "skip_invalid"}


# --- round trips


@pytest.mark.parametrize("name", ["mara_quill", "shen_yulan", "tomas_okafor"])
def test_a_bundled_world_comes_back(tmp_path: Path, name: str) -> None:
    (case,) = read_pace(Path(str(files("pace_graph").joinpath("data", "pace_mini"))), cases=[name])
    write_new(beir_files(tmp_path / name, case.facts, [Asked.of(query) for query in case.queries]))
    back = load(tmp_path / name, all_queries=True)
    assert back.world == name
    assert back.facts == case.facts
    assert len(back.queries) == 18
    told = [(query.query_id, query.text, query.gold) for query in case.queries]
    assert [(query.query_id, query.text, query.gold) for query in back.queries] == told
    assert {(query.label, query.situation) for query in back.queries} == {(None, None)}


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda text: not text.isspace()
)


@given(st.lists(st.tuples(words, words), min_size=2, unique_by=lambda pair: pair[0]), words)
def test_any_ids_and_texts_come_back(tmp_path_factory: pytest.TempPathFactory, pairs, query_id: str) -> None:
    facts = tuple(Fact(fact_id, text) for fact_id, text in pairs)
    query = Query("Book it.", "w", query_id, gold=(facts[1].fact_id, facts[0].fact_id))
    folder = tmp_path_factory.mktemp("beir")
    write_new(beir_files(folder, facts, [Asked.of(query)]))
    back = load(folder, world="w")
    assert (back.facts, back.queries) == (facts, (query,))
