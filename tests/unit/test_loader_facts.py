"""`load facts`: what loads comes back byte for byte; what cannot is refused in one go, by name."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loaders.facts import FORMAT, read
from loaders.reading import parse_json
from pace_graph.errors import ConfigError, DataError
from pace_graph.records import Case, Fact, Person, Timeline

ODD = [
    "NUL \0 inside",
    "שלום \u202eRTL\u202c",
    "e\u0301 and \u00e9",
    "👩‍👩‍👧 emoji",
    "  spaces kept \t\r\n",
    "\ufeffmark inside",
    "line\u2028separator\u0085next",
    "bell \x07 del \x7f",
    "x" * 30_000,
    "'; MATCH (n) DETACH DELETE n // $where {a: 1}",
    'A/B-7 (gym): ~never "Dune" [2nd] ^2 && ||',
    "林桥对花生过敏，出门总带药",
]
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # for busy machines
storable = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: not text.isspace())
ids = storable.map(lambda text: text[:200]).filter(lambda text: not text.isspace())


def put(folder: Path, content: object, name: str = "notes.json") -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def load(path: Path, **options: object) -> Case:
    (case,) = read(path, **{"world": "w", **options})
    return case


def problems(path: Path, **options: object) -> tuple[str, ...]:
    with pytest.raises(DataError) as caught:
        load(path, **options)
    assert caught.value.path == path
    assert caught.value.exit_code == 2
    str(caught.value).encode("utf-8")
    return caught.value.problems


def as_csv(facts: list[dict[str, str]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["id", "text", "date"], quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(facts)
    return out.getvalue()


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_odd_texts_come_back_byte_for_byte(tmp_path: Path, name: str, mark: bytes) -> None:
    facts = [{"id": f"f{n} {text[:50]}", "text": text} for n, text in enumerate(ODD)]
    written = {
        "a.json": json.dumps(facts, ensure_ascii=False),
        "a.jsonl": "\r\n\n".join(json.dumps(fact, ensure_ascii=False) for fact in facts) + "\n",
        "a.csv": as_csv(facts),
    }
    case = load(put(tmp_path, mark + written[name].encode(), name))
    assert case.facts == tuple(Fact(fact["id"], fact["text"]) for fact in facts)


@calm
@given(st.dictionaries(ids, storable, max_size=5), st.sampled_from(["json", "jsonl", "csv"]))
def test_any_storable_text_and_id_round_trips(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str], form: str
) -> None:
    facts = [{"id": fact_id, "text": text} for fact_id, text in texts.items()]
    lines = "\n".join(json.dumps(fact) for fact in facts)
    written = {"json": json.dumps({"facts": facts}), "jsonl": lines or "[]", "csv": as_csv(facts)}[form]
    if form == "jsonl" and not facts:
        return
    path = put(tmp_path_factory.mktemp("any"), written, "notes.txt")
    assert load(path, form=form).facts == tuple(Fact(*pair) for pair in texts.items())


def test_blank_and_missing_texts_are_named_together(tmp_path: Path) -> None:
    """Public report A08."""
    facts = [
        {"id": "f1", "text": "Mara plays cello"},
        {"id": "f2", "text": ""},
        {"id": "f3", "text": "  \n\t"},
        {"id": "f4"},
        {"id": "f5", "text": "Ivo plays chess"},
    ]
    path = put(tmp_path, {"facts": facts})
    found = problems(path)
    assert found == (
        "fact 'f2' (item 2): the text is blank",
        "fact 'f3' (item 3): the text is blank",
        "fact 'f4' (item 4): the text is missing",
    )
    case = load(path, skip_invalid=True)
    assert [fact.fact_id for fact in case.facts] == ["f1", "f5"]
    assert any("3 skipped" in note for note in case.notes)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("text only", "is a string, not an object"),
        (None, "is null, not an object"),
        ({"text": "x"}, "the id is missing"),
        ({"id": None, "text": "x"}, "the id is missing"),
        ({"id": " ", "text": "x"}, "the id is blank"),
        ({"id": True, "text": "x"}, "the id is true"),
        ({"id": 1.5, "text": "x"}, "the id is a number with a fraction"),
        ({"id": ["a"], "text": "x"}, "the id is a list"),
        ({"id": "a" * 201, "text": "x"}, "longer than 200"),
        ({"id": 10**200, "text": "x"}, "longer than 200"),
        ({"id": "\ud83d", "text": "x"}, "half of a surrogate pair"),
        ({"id": "a", "text": "x\udc00"}, "half of a surrogate pair (\\udc00 at character 2)"),
        ({"id": "a", "text": 7}, "the text is a whole number"),
        ({"id": "a", "text": {"en": "x"}}, "the text is an object"),
        ({"id": "a", "text": "x", "date": "not a date"}, "'not a date'"),
        ({"id": "a", "text": "x", "date": "2026-02-30"}, "2026-02-30"),
        ({"id": "a", "text": "x", "date": 20260301}, "the date is a whole number"),
        ({"id": "a", "text": "x", "date": " "}, "the date"),
    ],
)
def test_a_bad_record_is_refused_with_its_place_and_reason(tmp_path: Path, record: object, reason: str) -> None:
    path = put(tmp_path, [{"id": "ok", "text": "fine"}, record])
    (found,) = problems(path)
    assert "item 2" in found
    assert reason in found
    case = load(path, skip_invalid=True)
    assert [fact.fact_id for fact in case.facts] == ["ok"]


def test_every_fault_of_a_record_is_told_at_once(tmp_path: Path) -> None:
    (found,) = problems(put(tmp_path, [{"text": " ", "date": "soon"}]))
    assert found.startswith("item 1: the id is missing; the text is blank; the date 'soon'")


def test_ids_that_collide_are_refused(tmp_path: Path) -> None:
    records = [{"id": one, "text": "x"} for one in (7, "7", "a", "a", 8, 8)]
    found = problems(put(tmp_path, records))
    assert [line.split(":")[0] for line in found] == [
        "fact '7' (item 2)",
        "fact 'a' (item 4)",
        "fact 8 (item 6)",
    ]
    assert "the id '7' and the id 7 of item 1 would be one" in found[0]
    assert "already used by item 3" in found[1]
    kept = load(put(tmp_path, records), skip_invalid=True)
    assert [fact.fact_id for fact in kept.facts] == ["7", "a", "8"]


def test_normal_forms_stay_different_ids(tmp_path: Path) -> None:
    facts = [{"id": "\u00e9", "text": "composed"}, {"id": "e\u0301", "text": "apart"}]
    assert [fact.fact_id for fact in load(put(tmp_path, facts)).facts] == ["\u00e9", "e\u0301"]


def test_the_three_names_of_an_id_serve(tmp_path: Path) -> None:
    facts = [{"id": "a", "text": "x"}, {"fact_id": "b", "text": "y"}, {"doc_id": 3, "text": "z", "more": {}}]
    assert [fact.fact_id for fact in load(put(tmp_path, facts)).facts] == ["a", "b", "3"]


def test_dates_stay_as_given_and_naive_ones_are_reported(tmp_path: Path) -> None:
    """Public report A10."""
    dates = [
        "2026-03-01T09:00:00",
        "2026-03-01T09:00:00+08:00",
        "2026-03-01T01:00:00Z",
        "2026-03-01",
        "2026-03-29T02:30:00[Europe/Berlin]",
    ]
    facts = [{"id": f"d{n}", "text": "x", "date": date} for n, date in enumerate(dates)]
    case = load(put(tmp_path, facts))
    assert [fact.date for fact in case.facts] == dates
    assert case.notes == ("2 dates name no time zone and are read in UTC (--zone).",)
    (found,) = problems(put(tmp_path, [*facts, {"id": "d5", "text": "x", "date": "not a date"}]))
    assert "fact 'd5'" in found


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", "", "the file is empty"),
        ("a.jsonl", " \n\n", "the file is empty"),
        ("a.csv", b"\xef\xbb\xbf", "the file is empty"),
        ("a.json", '[{"id": "a", "text": "x"},\n {"id": "b", "te', "line 2, column 14"),
        ("a.json", '[{"id": "a", "text": "x"}', "it may be cut short"),
        ("a.json", "[1, NaN]", "NaN is no JSON value"),
        ("a.json", '[{"id": "a", "id": "b", "text": "x"}]', "the key 'id' is given twice"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", '[{"id": ' + "9" * 5000 + "}]", "cannot be read as JSON"),
        ("a.json", '{"corpus": []}', "load pace"),
        ("a.json", '"facts"', "holds a string"),
        ("a.jsonl", '{"id": "a", "text": "x"}\n{"id": "b"', "line 2: not JSON at line 2, column"),
        ("a.csv", "name;text\n", "the header must be id,text"),
        ("a.csv", "id,text,text\n", "has the column text twice"),
        ("a.csv", "id,text\na,one, two\n", "line 2: has 3 columns, the header has 2"),
        ("a.csv", 'id,text\na,"one\nb,two\n', "not CSV in the row that starts on line 2"),
        ("a.json", b'["\xff"]', "not UTF-8 at byte offset 2 (line 1, byte 0xff)"),
        ("a.csv", b"\xef\xbb\xbfid,text\na,\xe9\n", "not UTF-8 at byte offset 13 (line 2, byte 0xe9)"),
        ("a.json", "[]".encode("utf-16"), "looks like UTF-16"),
    ],
)
def test_a_file_that_is_none_of_these(tmp_path: Path, name: str, content: str | bytes, expected: str) -> None:
    (found,) = problems(put(tmp_path, content, name))
    assert expected in found


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert "No such file" in problems(tmp_path / "none.json")[0]
    assert "cannot be read" in problems(tmp_path, form="json")[0]


def test_faults_of_lines_and_of_records_come_together(tmp_path: Path) -> None:
    path = put(tmp_path, '{"id": "a", "text": ""}\n{"id": \n{"id": "c", "text": "x"}\n', "a.jsonl")
    assert len(problems(path)) == 2
    case = load(path, skip_invalid=True)
    assert [fact.fact_id for fact in case.facts] == ["c"]


def test_csv_columns_in_any_order_and_empty_dates(tmp_path: Path) -> None:
    path = put(tmp_path, "Date, Text ,colour,ID\n,one,red,a\n2026-03-01Z,,,b\n\n2026-03-02,three,,c\n", "a.csv")
    assert [line.split(":")[0] for line in problems(path)] == ["fact 'b' (line 3)"]
    case = load(path, skip_invalid=True)
    assert case.facts == (Fact("a", "one"), Fact("c", "three", "2026-03-02"))


def test_csv_lines_are_counted_through_quoted_texts(tmp_path: Path) -> None:
    path = put(tmp_path, 'id,text\r\na,"one\r\ntwo\r\nthree"\r\nb,\r\n', "a.csv")
    assert problems(path) == ("fact 'b' (line 5): the text is blank",)


def test_csv_fields_may_be_long(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    assert load(put(tmp_path, f"id,text\na,{'x' * 200_000}\n", "a.csv")).facts[0].text == "x" * 200_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(("name", "content"), [("a.json", "[]"), ("a.json", '{"facts": []}'), ("a.csv", "id,text\n")])
def test_an_empty_world_loads_with_a_note(tmp_path: Path, name: str, content: str) -> None:
    case = load(put(tmp_path, content, name))
    assert case.facts == ()
    assert case.notes == ("The world has no facts.",)


def test_options_become_timeline_and_ego(tmp_path: Path) -> None:
    path = put(tmp_path, [{"id": "a", "text": "x"}])
    case = load(path, world="林 桥", ref_date="2026-03-01", persona="Mara Quill", zone="Asia/Shanghai")
    assert case.world == "林 桥"
    assert case.people == (Person("Mara Quill", "ego"),)
    assert case.timeline == Timeline(ref_date=case.timeline.ref_date)
    assert str(case.timeline.ref_date) == "2026-03-01"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"zone": "Mars/Olympus"}, "--zone"),
        ({"zone": "../../etc/passwd"}, "--zone"),
        ({"ref_date": "2026-02-30"}, "--ref-date"),
        ({"ref_date": "tomorrow"}, "--ref-date"),
        ({"persona": " "}, "--persona"),
        ({"world": "a/b"}, "--world"),
        ({"world": ".."}, "--world"),
        ({"world": "a\\b"}, "--world"),
        ({"world": "a\nb"}, "--world"),
        ({"world": ""}, "--world"),
        ({"world": "a" * 201}, "--world"),
        ({"world": "\ud800"}, "--world"),
    ],
)
def test_options_that_cannot_be_used(tmp_path: Path, options: dict[str, object], named: str) -> None:
    path = put(tmp_path, [{"id": "a", "text": "x"}])
    with pytest.raises(ConfigError, match=named):
        load(path, **options)


def test_an_unknown_ending_asks_for_the_format(tmp_path: Path) -> None:
    path = put(tmp_path, '[{"id": "a", "text": "x"}]', "notes.txt")
    with pytest.raises(ConfigError, match="--as json, jsonl or csv"):
        load(path)
    assert load(path, form="json").facts == (Fact("a", "x"),)


def test_a_hundred_thousand_facts_are_read_in_linear_time(tmp_path: Path) -> None:
    lines = "".join(f'{{"id": {n}, "text": "fact number {n}", "date": "2026-03-01Z"}}\n' for n in range(100_000))
    records = lines.replace('"2026-03-01Z"', "null")
    assert len(load(put(tmp_path, records, "a.jsonl")).facts) == 100_000
    assert len(problems(put(tmp_path, lines, "a.jsonl"))) == 100_000


def test_the_options_reach_read() -> None:
    command = click.Command("facts", params=[click.Argument(["path"]), *FORMAT.options])
    given_options = [
        "notes.json",
        "--world",
        "w",
        "--as",
        "csv",
        "--ref-date",
        "2026-03-01",
        "--skip-invalid",
    ]
    params = command.make_context("facts", given_options).params
    assert params.pop("path") == "notes.json"
    assert params == {
        "world": "w",
        "form": "csv",
        "ref_date": "2026-03-01",
        "persona": None,
        "zone": "UTC",
        "skip_invalid": True,
    }
    assert FORMAT.merges


@calm
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_is_read_as_the_standard_library_reads_it(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@calm
@given(st.binary(max_size=60), st.sampled_from(["json", "jsonl", "csv"]))
def test_any_bytes_load_or_are_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes, form: str) -> None:
    path = put(tmp_path_factory.mktemp("bytes"), raw, "notes.txt")
    with contextlib.suppress(DataError):  # and no other error
        load(path, form=form)
