"""`load pace`: the released layout and the hub's tables, with their tolerances; all else refused by name."""

from __future__ import annotations

import builtins
import json
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from loaders.pace import read
from loaders.pace_profile import read_people
from pace_graph.errors import ConfigError, DataError
from pace_graph.records import Attribute, Case, Fact, Person, Timeline

TIMELINE = {"window_start": "2026-03-02", "ref_date": "2026-03-19", "window_end": "2026-04-05"}
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # for busy machines
DAYS = Timeline(date(2026, 3, 2), date(2026, 3, 19), date(2026, 4, 5))
CORPUS = [
    {"doc_id": "d1", "text": "Ivo is allergic to nuts.", "label": "x"},
    {"doc_id": "d2", "text": "Rain."},
]
QUERY = {
    "query_id": "q7",
    "query": "Order the nut cake for Ivo.",
    "label": "conflict",
    "situation_type": "personal",
    "judgment": "Ivo is allergic.",
    "gold_doc_ids": ["d1"],
    "alter_involved": True,
}
PROFILE = {
    "case_id": "ada",
    "spec": {"demographic": {"full_name": "Ada Moss", "age": 40}},
    "relationships": [],
}


def put(root: Path, **parts: Any) -> Path:
    """One case: each part a value to dump, bytes or a string as it is, or None for no file."""
    whole = {
        "corpus": {"timeline": TIMELINE, "corpus": CORPUS},
        "queries": {"timeline": TIMELINE, "queries": [QUERY]},
        "profile": PROFILE,
        **parts,
    }
    case = whole.pop("case", "ada")
    for name, value in whole.items():
        path = root / "profile" / f"{case}.json" if name == "profile" else root / "kb" / case / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        if value is not None:
            text = value if isinstance(value, str | bytes) else json.dumps(value)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def load(root: Path, **options: Any) -> Case:
    (case,) = read(root, **options)
    return case


def refused(root: Path, **options: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        list(read(root, **options))
    str(caught.value).encode("utf-8")
    return caught.value


def test_the_released_layout(tmp_path: Path) -> None:
    case = load(put(tmp_path))
    assert case.world == "ada"
    assert case.facts == (Fact("d1", CORPUS[0]["text"]), Fact("d2", "Rain."))
    assert case.timeline == DAYS
    assert case.notes == ()
    assert json.loads(case.profile_json) == PROFILE
    assert case.people == (Person("Ada Moss", "ego", "", (Attribute("demographic", "age", "40"),)),)
    (query,) = case.queries
    assert (query.query_id, query.text, query.world) == ("q7", QUERY["query"], "ada")
    assert (query.label, query.situation, query.gold) == ("conflict", "personal", ("d1",))
    assert (query.judgment, query.ref_date) == ("Ivo is allergic.", date(2026, 3, 19))


def test_bundled_worlds_load_without_a_note() -> None:
    worlds = list(read(Path(str(files("pace_graph").joinpath("data/pace_mini")))))
    assert [world.world for world in worlds] == ["mara_quill", "shen_yulan", "tomas_okafor"]
    for world in worlds:
        assert world.notes == ()
        assert len(world.queries) == 18
        assert len(world.facts) >= 400
        assert [person.role for person in world.people] == ["ego", "alter", "alter", "alter"]
        assert all(query.label and query.situation and query.gold for query in world.queries)


def test_bare_lists_other_names_and_marks(tmp_path: Path) -> None:
    """The tolerances of the release."""
    queries = [
        {"text": "First?", "label": "Non-Conflict"},
        {"text": "Second?", "type": "State", "gold_doc_ids": [7, 7, "8"]},
        {"query": "Third?", "situation": " TEMPORAL ", "type": "any", "query_id": 3},
    ]
    corpus = [{"doc_id": 7, "text": "x"}, {"doc_id": 8, "text": "y", "date": "2026-03-01"}]
    marked = b"\xef\xbb\xbf" + json.dumps(corpus).encode()
    case = load(put(tmp_path, corpus=marked, queries=queries, profile=None))
    assert case.facts == (Fact("7", "x"), Fact("8", "y", "2026-03-01"))
    assert [query.query_id for query in case.queries] == ["q000", "q001", "3"]
    assert [query.label for query in case.queries] == ["non_conflict", None, None]
    assert [query.situation for query in case.queries] == [None, "state", "temporal"]
    assert case.queries[1].gold == ("7", "8")
    assert case.timeline == Timeline()
    assert len(case.notes) == 2  # no profile, no reference date


@pytest.mark.parametrize(
    "spelling", ["non_conflict", "non-conflict", "non conflict", "no_conflict", "no-conflict", "No Conflict"]
)
def test_label_spellings(tmp_path: Path, spelling: str) -> None:
    case = load(put(tmp_path, queries=[{**QUERY, "label": spelling}]))
    assert case.queries[0].label == "non_conflict"


@pytest.mark.parametrize("missing", ["corpus", "queries"])
def test_the_timeline_may_be_in_one_file(tmp_path: Path, missing: str) -> None:
    case = load(put(tmp_path, **{missing: {"corpus": CORPUS, "queries": [QUERY]}}))
    assert case.timeline == DAYS
    assert case.queries[0].ref_date == DAYS.ref_date


def test_no_queries_and_no_facts_are_noted(tmp_path: Path) -> None:
    case = load(put(tmp_path, corpus={"corpus": []}, queries=None, profile=None))
    assert (case.facts, case.queries, case.people, case.profile_json) == ((), (), (), "")
    assert len(case.notes) == 4


def test_two_timelines_that_differ(tmp_path: Path) -> None:
    other = {"timeline": {**TIMELINE, "ref_date": "2026-03-20"}, "queries": [QUERY]}
    error = refused(put(tmp_path, queries=other))
    assert error.path.name == "queries.json"
    assert "ref_date is 2026-03-20, but 2026-03-19 in" in error.problems[0]


def test_a_reference_date_outside_the_window_is_noted(tmp_path: Path) -> None:
    late = {"timeline": {**TIMELINE, "ref_date": "2027-01-01"}}
    case = load(put(tmp_path, corpus={**late, "corpus": CORPUS}, queries={**late, "queries": [QUERY]}))
    assert "outside the window" in case.notes[0]


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("corpus", None, "No such file"),
        ("corpus", "", "the file is empty"),
        ("corpus", '{"corpus": [', "it may be cut short"),
        ("corpus", '{"corpus": [{"text": "half', "it may be cut short"),
        ("corpus", b"[\xc3]", "byte offset 1"),
        ("corpus", {"facts": []}, 'an object without a list "corpus"'),
        ("corpus", "7", "holds a whole number"),
        ("corpus", "null", "holds null"),
        ("corpus", {"timeline": [], "corpus": CORPUS}, '"timeline" is a list'),
        (
            "corpus",
            {"timeline": {"ref_date": "2026-02-30"}, "corpus": CORPUS},
            "ref_date '2026-02-30' is not",
        ),
        ("corpus", [*CORPUS, {"doc_id": "d1", "text": "z"}], "fact 'd1' (item 3): the id is already used"),
        ("corpus", [*CORPUS, {"doc_id": "d3", "text": " "}], "fact 'd3' (item 3): the text is blank"),
        ("queries", "[", "cut short"),
        ("queries", [QUERY, QUERY], "query 'q7' (item 2): the query_id is already used by item 1"),
        ("queries", [{**QUERY, "query": ""}], "the query is blank"),
        ("queries", [{**QUERY, "query": None}], "the query is missing"),
        ("queries", [{**QUERY, "query_id": ""}], "item 1: the query_id is blank"),
        ("queries", [{**QUERY, "query_id": "q" * 201}], "longer than 200"),
        ("queries", [{**QUERY, "label": "maybe"}], "the label is 'maybe'"),
        ("queries", [{**QUERY, "label": 1}], "the label is 1"),
        ("queries", [{**QUERY, "situation_type": "mood"}], "the situation type is 'mood'"),
        ("queries", [{**QUERY, "judgment": {}}], "the judgment is an object"),
        ("queries", [{**QUERY, "ref_date": "soon"}], "ref_date 'soon' is not a date"),
        ("queries", [{**QUERY, "gold_doc_ids": "d1"}], "gold_doc_ids is a string"),
        ("queries", [{**QUERY, "gold_doc_ids": [None]}], "the gold id is missing"),
        ("queries", [{**QUERY, "gold_doc_ids": ["d1", "d9"]}], "no fact of the corpus: 'd9'"),
        ("queries", ["Order the cake"], "item 1: is a string"),
        ("profile", "{", "cut short"),
        ("profile", [], "holds a list"),
        ("profile", '{"a": "\\ud800"}', "half of a surrogate pair"),
        ("profile", '{"a":' * 90_000, "nested too deeply"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path: Path, part: str, value: Any, reason: str) -> None:
    error = refused(put(tmp_path, **{part: value}))
    assert error.path.name == ("ada.json" if part == "profile" else f"{part}.json")
    assert len(error.problems) == 1
    assert reason in error.problems[0]


def test_faults_of_all_files_come_together(tmp_path: Path) -> None:
    error = refused(put(tmp_path, corpus=[{"doc_id": "d1"}], queries=[{"label": "x"}], profile="{"))
    assert error.path == tmp_path / "kb" / "ada"
    named = {Path(line.split(": ")[0]).name for line in error.problems}
    assert named == {"corpus.json", "queries.json", "ada.json"}
    assert len(error.problems) == 3


def test_gold_of_a_refused_fact_is_not_called_missing(tmp_path: Path) -> None:
    error = refused(put(tmp_path, corpus=[{"doc_id": "d1", "text": ""}]))
    assert error.path.name == "corpus.json"


def test_skip_invalid_sets_unknown_gold_aside(tmp_path: Path) -> None:
    queries = [{**QUERY, "gold_doc_ids": ["d9", "d1"]}, {"query": ""}]
    case = load(put(tmp_path, corpus=[*CORPUS, {"doc_id": "d9", "text": ""}], queries=queries), skip_invalid=True)
    (query,) = case.queries
    assert (query.gold, query.gold_missing) == (("d1",), ("d9",))
    assert any(note.startswith("1 gold id is no fact") for note in case.notes)
    assert any("2 skipped" in note for note in case.notes)


def test_one_case_folder_its_parent_and_kb_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path)
    whole = load(tmp_path)
    assert load(tmp_path / "kb") == whole
    assert load(tmp_path / "kb" / "ada") == whole
    monkeypatch.chdir(tmp_path / "kb" / "ada")
    assert load(Path()) == whole


def test_some_cases(tmp_path: Path) -> None:
    for name in ("ada", "ben", "cem"):
        put(tmp_path, case=name)
    assert [case.world for case in read(tmp_path, cases=("cem", "ada"))] == ["ada", "cem"]
    error = refused(tmp_path, cases=("dan", "ada"))
    assert error.problems == ("there is no case 'dan'; there are: ada, ben, cem",)


def test_a_bad_world_raises_when_it_is_reached(tmp_path: Path) -> None:
    put(tmp_path, case="ada")
    put(tmp_path, case="ben", corpus="[")
    worlds = read(tmp_path)
    assert next(iter(worlds)).world == "ada"
    with pytest.raises(DataError, match="ben"):
        next(iter(worlds))


def test_nothing_recognised(tmp_path: Path) -> None:
    assert "looked for kb/<case_id>/corpus.json" in refused(tmp_path).problems[0]
    assert "no such folder" in refused(tmp_path / "none").problems[0]
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert "is not a folder" in refused(tmp_path / "file").problems[0]


def test_names_that_no_world_can_have(tmp_path: Path) -> None:
    put(tmp_path, case="a\nb")
    assert "control character" in refused(tmp_path).problems[0]


def test_people_of_a_profile_of_unknown_nesting() -> None:
    notes: list[str] = []
    profile = {
        "spec": {
            "demographic": {"full_name": "Ada", "family": None, "tags": []},
            "health": {"medications": [{"name": "Zinc", "purpose": "colds"}, {"name": "Iron"}]},
            "deep": {"a": {"b": [{"c": 1, "d": [True]}]}},
            "motto": "onward",
        },
        "relationships": [
            {
                "relation_type": "sister",
                "alter_basic_info": {"name": "Ada", "age": 3},
                "alter_traits": ["calm"],
            },
            {"relation": "aunt", "name": "Ada", "hooks": [{"statement": "Sleeps late.", "type": "schedule"}]},
            {"relation": "aunt", "name": "Ada"},
            {"relation_type": "neighbour", "shared_context": ["a fence"]},
            "a friend",
        ],
    }
    people = read_people(profile, "w", notes)
    assert [person.name for person in people] == [
        "Ada",
        "Ada (sister)",
        "Ada (aunt)",
        "Ada (2)",
        "neighbour 4",
    ]
    assert [(one.group, one.name, one.value) for one in people[0].attributes] == [
        ("health", "medications", "Zinc (colds)"),
        ("health", "medications", "Iron"),
        ("deep", "a.b.c", "1"),
        ("deep", "a.b.d", "true"),
        ("general", "motto", "onward"),
    ]
    assert people[1].attributes == (
        Attribute("basic_info", "age", "3"),
        Attribute("traits", "traits", "calm"),
    )
    assert people[2].attributes == (Attribute("hooks", "schedule", "Sleeps late."),)
    assert len(notes) == 5


def test_a_profile_without_a_name(tmp_path: Path) -> None:
    case = load(put(tmp_path, profile={"spec": {"demographic": {"full_name": None, "age": 3}}}))
    assert case.people[0].name == "ada"
    assert "names no person" in case.notes[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@calm
@given(st.dictionaries(st.sampled_from(["spec", "relationships", "name", "x"]), json_values))
def test_any_profile_gives_people_with_names_of_their_own(profile: dict[str, Any]) -> None:
    people = read_people(profile, "w", [])
    assert people[0].role == "ego"
    assert len({person.name for person in people}) == len(people)
    assert all(one.name and one.value.strip() for person in people for one in person.attributes if one.group)


@calm
@given(st.sampled_from(["corpus", "queries", "profile"]), json_values)
def test_any_json_loads_or_is_refused(tmp_path_factory: pytest.TempPathFactory, part: str, value: object) -> None:
    root = put(tmp_path_factory.mktemp("any"), **{part: json.dumps(value)})
    try:
        found = load(root)
    except DataError as error:
        str(error).encode("utf-8")
    else:
        found.profile_json.encode("utf-8")


def tables(root: Path, layout: str = "{}/test-00000-of-00001.parquet", **changed: Any) -> Path:
    rows: dict[str, Any] = {
        "corpus": [{"case_id": case, **row, **TIMELINE} for case in ("ada", "ben") for row in CORPUS],
        "queries": [{"case_id": case, **QUERY, **TIMELINE} for case in ("ada", "ben")],
        "profiles": [{**PROFILE, "case_id": "ada"}],
        **changed,
    }
    for name, found in rows.items():
        if found is not None:
            path = root / layout.format(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(pa.Table.from_pylist(found), path)
    return root


@pytest.mark.parametrize(
    "layout",
    ["{}.parquet", "{}/test-00000-of-00001.parquet", "data/{}/test.parquet", "data/{}-test-0.parquet"],
)
def test_the_tables_of_the_hub(tmp_path: Path, layout: str) -> None:
    ada, ben = read(tables(tmp_path, layout))
    whole = load(put(tmp_path / "released"))
    assert (ada.world, ada.facts, ada.queries, ada.timeline) == (
        "ada",
        whole.facts,
        whole.queries,
        whole.timeline,
    )
    assert ada.people == whole.people
    assert ben.world == "ben"
    assert ben.notes == ("There is no profile, so the ego and the alters are unknown.",)
    assert load(tmp_path, cases=["ben"]) == ben


@pytest.mark.parametrize(
    "row",
    [
        {"profile": json.dumps(PROFILE)},
        {"profile": PROFILE},
        {"spec": json.dumps(PROFILE["spec"]), "relationships": "[]", "note": "[not JSON"},
    ],
)
def test_profiles_as_json_or_structs(tmp_path: Path, row: dict[str, Any]) -> None:
    if isinstance(row.get("profile"), dict):
        row = {"profile": {"spec": PROFILE["spec"]}}
    ada, _ = read(tables(tmp_path, profiles=[{"case_id": "ada", **row}]))
    assert ada.people[0].name == "Ada Moss"
    assert Attribute("demographic", "age", "40") in ada.people[0].attributes


def test_tables_with_dates_numbers_and_json_lists(tmp_path: Path) -> None:
    days = {name: date.fromisoformat(day) for name, day in TIMELINE.items()}
    corpus = [{"case_id": 7, "doc_id": n, "text": f"t{n}", **days} for n in (1, 2)]
    queries = [{"case_id": "7", "query": "x?", "gold_doc_ids": "[1, 2]"}]
    case = load(tables(tmp_path, corpus=corpus, queries=queries, profiles=None))
    assert (case.world, case.timeline) == ("7", DAYS)
    assert (case.queries[0].gold, case.queries[0].query_id) == (("1", "2"), "q000")


def test_a_table_in_several_files(tmp_path: Path) -> None:
    tables(tmp_path)
    more = [{"case_id": "ada", "doc_id": "d1", "text": "again", **TIMELINE}]
    parquet.write_table(pa.Table.from_pylist(more), tmp_path / "corpus" / "train-0.parquet")
    error = refused(tmp_path)
    assert error.path.name == "train-0.parquet"
    assert "fact 'd1' (row 1): the id is already used by row 1 of " in error.problems[0]


@pytest.mark.parametrize(
    ("changed", "file", "reason"),
    [
        ({"corpus": [{"doc_id": "d1", "text": "x"}]}, "corpus", "has no column case_id"),
        (
            {"corpus": [{"case_id": "ada", "text": "x"}, {"case_id": None, "text": "y"}]},
            "corpus",
            "row 2: the case_id",
        ),
        (
            {"corpus": [{"case_id": "ada", "doc_id": "d1", "text": " "}]},
            "corpus",
            "fact 'd1' (row 1): the text is",
        ),
        ({"queries": [{"case_id": "ada", **QUERY, "gold_doc_ids": ["d3"]}]}, "queries", "query 'q7' (row 1)"),
        ({"profiles": [{"case_id": "ada", "spec": "{"}]}, "profiles", "row 1: column spec: not JSON"),
        ({"profiles": [{**PROFILE, "case_id": "ada"}] * 2}, "profiles", "row 2: a second profile"),
    ],
)
def test_bad_tables(tmp_path: Path, changed: dict[str, Any], file: str, reason: str) -> None:
    error = refused(tables(tmp_path, "{}.parquet", **changed))
    assert error.path.name == f"{file}.parquet"
    assert reason in error.problems[0]


def test_a_case_without_facts(tmp_path: Path) -> None:
    error = refused(tables(tmp_path, queries=[{"case_id": "zoe", **QUERY}]), cases=["zoe"])
    assert "case 'zoe' has no rows in the table corpus" in error.problems[0]


@pytest.mark.parametrize("keep", [0, 3, 100, -1])
def test_truncated_parquet(tmp_path: Path, keep: int) -> None:
    file = tables(tmp_path, "{}.parquet") / "corpus.parquet"
    file.write_bytes(file.read_bytes()[:keep])
    error = refused(tmp_path)
    assert error.path == file
    assert "cannot be read as parquet" in error.problems[0]


@calm
@given(st.data())
def test_damaged_parquet_loads_or_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tables(tmp_path_factory.mktemp("damaged"), "{}.parquet")
    raw = bytearray((root / "corpus.parquet").read_bytes())
    for _ in range(3):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    (root / "corpus.parquet").write_bytes(bytes(raw))
    try:
        list(read(root))
    except DataError as error:
        str(error).encode("utf-8")


def test_without_pyarrow_the_mend_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables(tmp_path)
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r'pip install "pace-graph\[parquet\]"'):
        list(read(tmp_path))
