"""A run folder: lines are whole or absent, one writer at a time, one run a folder, and rows come back as they were."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace_graph.errors import ConfigError, DataError
from pace_graph.evaluation.folder import Lines, RunFolder, file_name, read_lines
from pace_graph.evaluation.rows import Answer, Asked, Cost, Judgment, Key, Retrieval, Row, as_json, from_json
from pace_graph.ledger import StageCost
from pace_graph.records import Query

KEY = Key("dense", "ada", "q1")
ASKED = Asked("ada", "q1", "Book it. 订吧。", "2026-03-19", "conflict", "state", "no", ("f1",), ("f9",))
CONFIG = {"systems": {"dense": {"k": 10}}, "worlds": {"ada": {"digest": "a"}}, "limit": None}
ROWS: list[dict[str, Any]] = [
    {"n": 1, "text": "plain"},
    {"n": 2, "text": "两行\nein Zeichen:   und \u0085", "list": [1.5, None, True]},
    {"n": 3, "text": ""},
]


def write(path: Path, *rows: dict[str, Any]) -> None:
    with Lines(path) as lines:
        for row in rows:
            lines.append(row)


# --- lines


def test_a_file_cut_at_any_byte_holds_the_lines_before_and_takes_the_next(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    write(path, *ROWS)
    whole = path.read_bytes()
    ends = [at + 1 for at, sign in enumerate(whole) if sign == ord("\n")]
    assert len(ends) == len(ROWS)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        there = ROWS[: sum(end <= cut for end in ends)]
        assert list(read_lines(path)) == there
        write(path, {"n": 4})
        assert list(read_lines(path)) == [*there, {"n": 4}]


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":')
    assert list(read_lines(path)) == [{"n": 1}]
    assert path.read_bytes() == b'{"n":1}\n{"n":'


def test_no_file_holds_no_lines(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "none.jsonl")) == []


@pytest.mark.parametrize("line", ["{", "[1]", "7", "null", '"text"', ""])
def test_a_whole_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f'{{"n": 1}}\n{line}\n', encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(f"{path}: line 2 is no JSON")):
        list(read_lines(path))


def test_threads_never_mix_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with Lines(path) as lines, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: lines.append({"n": n, "text": "x" * (n % 5000)}), range(400)))
    assert sorted(row["n"] for row in read_lines(path)) == list(range(400))


def test_a_disk_that_takes_a_part_is_asked_again_for_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "records.jsonl"
    lines = Lines(path)
    monkeypatch.setattr(lines, "_file", _Grudging(lines._file, most=7))
    for row in ROWS:
        lines.append(row)
    lines.close()
    assert list(read_lines(path)) == ROWS


def test_a_full_disk_is_told_and_leaves_no_part_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "records.jsonl"
    lines = Lines(path)
    lines.append(ROWS[0])
    real = lines._file
    monkeypatch.setattr(lines, "_file", _Grudging(real, most=7, room=20))
    with pytest.raises(ConfigError, match=r"records\.jsonl cannot be written: .*No space left.*; make room"):
        lines.append(ROWS[1])
    monkeypatch.setattr(lines, "_file", real)
    lines.append(ROWS[2])
    lines.close()
    assert list(read_lines(path)) == [ROWS[0], ROWS[2]]


class _Grudging:
    """A file that takes a few bytes at a time, and has only so much room."""

    def __init__(self, file: Any, most: int, room: int = 10**9) -> None:
        self._file, self._most, self._room = file, most, room

    def write(self, text: bytes) -> int:
        if self._room <= 0:
            raise OSError(28, "No space left on device")
        self._room -= self._most
        return int(self._file.write(text[: self._most]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


# --- one run a folder


def begun(path: Path) -> RunFolder:
    folder = RunFolder(path / "run")
    with folder.writing():
        folder.begin(CONFIG, [ASKED])
    return folder


def test_what_is_begun_is_there_to_read(tmp_path: Path) -> None:
    folder = RunFolder.there(begun(tmp_path).path)
    assert (folder.name, folder.config(), folder.queries()) == ("run", CONFIG, (ASKED,))
    assert (list(folder.rows()), list(folder.retrievals()), list(folder.answers()), folder.judges()) == ([], [], [], ())
    assert not list(folder.path.glob("*.part"))


def test_the_same_run_is_begun_as_often_as_wanted(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    before = {file.name: file.read_bytes() for file in folder.path.iterdir()}
    begun(tmp_path)
    assert {file.name: file.read_bytes() for file in folder.path.iterdir()} == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"limit": 3}, r"limit: None there, 3 now"),
        ({"systems": {"bm25": {"k": 10}}}, r"systems: .*dense.* there, .*bm25.* now"),
        ({"worlds": {"ada": {"digest": "b"}}}, r"worlds: .*'a'.* there, .*'b'.* now"),
        ({"more": 1}, r"more: None there, 1 now"),
    ],
)
def test_another_run_is_refused_and_what_differs_is_named(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    folder = begun(tmp_path)
    with pytest.raises(ConfigError, match=rf"holds another run \({told}\); name another folder with --out"):
        folder.begin({**CONFIG, **change}, [ASKED])
    assert folder.config() == CONFIG


def test_a_begin_that_was_cut_short_is_made_good_by_the_next(tmp_path: Path) -> None:
    whole = begun(tmp_path / "whole").path
    for cut in ((), ("queries.jsonl",), ("queries.jsonl", "config.json.part")):
        folder = tmp_path / f"cut{len(cut)}" / "run"
        folder.mkdir(parents=True)
        for name in cut:
            (folder / name).write_bytes((whole / name.removesuffix(".part")).read_bytes()[:20])
        with pytest.raises(ConfigError, match="is no run folder"):
            RunFolder.there(folder)
        assert begun(folder.parent).queries() == (ASKED,)


def test_a_folder_that_is_none_is_told_with_the_way_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is no run folder: it has no config\.json; make one with: pace-graph run"):
        RunFolder.there(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "\xff"])
def test_a_broken_config_is_named(tmp_path: Path, text: str) -> None:
    folder = begun(tmp_path)
    (folder.path / "config.json").write_text(text, encoding="latin-1")
    with pytest.raises(DataError, match=r"config\.json: is no JSON"):
        begun(tmp_path)


# --- one writer


def test_a_second_writer_is_refused_in_this_process_and_in_another(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = (
        "import sys; from pathlib import Path; from pace_graph.evaluation.folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])).writing(): print('in')"
    )
    other = [sys.executable, "-c", script, str(folder.path)]
    with folder.writing():
        with pytest.raises(ConfigError, match="another process is writing to"), RunFolder(folder.path).writing():
            pass
        refused = subprocess.run(other, capture_output=True, text=True, check=False)
        assert "another process is writing to" in refused.stderr
        assert refused.stdout == ""
    assert subprocess.run(other, capture_output=True, text=True, check=True).stdout == "in\n"


def test_a_lock_does_not_outlive_an_error(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    with pytest.raises(ZeroDivisionError), folder.writing():
        raise ZeroDivisionError
    with folder.writing():
        pass


# --- rows


def test_of_a_request_that_was_tried_again_the_last_counts(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    other = replace(KEY, query_id="q2")
    rows: list[Row] = [
        Retrieval(KEY, "error", error="went away"),
        Retrieval(other, "ok", ("f2",)),
        Retrieval(KEY, "ok", ("f1",)),
        Answer(KEY, "error", error="went away"),
        Answer(KEY, "ok", "Done."),
    ]
    write(folder.path / "records.jsonl", *map(as_json, rows))
    assert list(folder.rows()) == rows
    assert {row.key: row.kept for row in folder.retrievals()} == {KEY: ("f1",), other: ("f2",)}
    assert [(row.status, row.text) for row in folder.answers()] == [("ok", "Done.")]
    first, again = Judgment(KEY, "m", 0, "error"), Judgment(KEY, "m", 0, "ok", "PASS")
    write(folder.judge_file("m"), as_json(first), as_json(again), as_json(replace(again, repeat=1)))
    assert folder.judges() == ("m",)
    assert list(folder.judgments("m")) == [again, replace(again, repeat=1)]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", ".", "", "gpt-5:latest", "C:\\x", "模型", "a\0b"])
def test_a_judge_of_any_name_has_a_file_in_the_folder(tmp_path: Path, name: str) -> None:
    folder = RunFolder(tmp_path)
    file = folder.judge_file(name)
    assert file.parent == tmp_path
    assert os.sep not in file_name(name)
    file.touch()
    assert folder.judges() == (file_name(name),)


text = st.text(st.characters(codec="utf-8"), max_size=20)
ids = st.lists(text, max_size=4).map(tuple)
keys = st.builds(Key, text, text, text)
whole = st.integers(0, 10**9)
real = st.floats(allow_nan=False, allow_infinity=False)
stage_costs = st.builds(StageCost, text, real, whole, whole, whole, whole, whole, whole, whole)
costs = st.builds(Cost, st.lists(stage_costs, max_size=3).map(tuple), st.none() | real, whole)
# What JSON has: the objects inside a retrieval are kept as they are.
plain = st.recursive(
    st.none() | st.booleans() | whole | real | text, lambda each: st.lists(each, max_size=3), max_leaves=6
)
objects = st.lists(st.dictionaries(text, plain, max_size=3), max_size=3).map(tuple)
status = st.sampled_from(["ok", "error"])
rows = st.one_of(
    st.builds(Retrieval, keys, status, ids, objects, objects, objects, objects, text, costs),
    st.builds(Answer, keys, status, text, st.none() | text, ids, text, costs),
    st.builds(
        Judgment,
        keys,
        text,
        whole,
        status,
        st.none() | st.sampled_from(["PASS", "WRONG_RATIONALE", "FAIL"]),
        text,
        costs,
    ),
)


@given(rows)
def test_a_row_comes_back_as_it_was(row: Row) -> None:
    line = json.dumps(as_json(row), ensure_ascii=False)
    assert from_json(json.loads(line)) == row


@given(st.lists(rows, max_size=4))
def test_rows_of_any_text_are_one_line_each(tmp_path_factory: pytest.TempPathFactory, given: list[Row]) -> None:
    path = tmp_path_factory.mktemp("rows") / "records.jsonl"
    write(path, *map(as_json, given))
    assert path.read_bytes().count(b"\n") == len(given)
    assert [from_json(row) for row in read_lines(path)] == given


queries = st.builds(
    Query,
    text,
    text,
    text,
    st.none() | st.dates(),
    st.none() | st.sampled_from(["conflict", "non_conflict"]),
    st.none() | st.sampled_from(["state", "temporal"]),
    text,
    gold=ids,
    gold_missing=ids,
)


@given(queries)
def test_a_request_comes_back_as_it_was(query: Query) -> None:
    line = json.dumps({name: getattr(Asked.of(query), name) for name in Asked.__slots__})
    read = Asked.read(json.loads(line))
    assert read == Asked.of(query)
    assert read.query() == query


def test_a_cost_of_an_older_or_newer_release_is_read_as_far_as_it_is_known() -> None:
    row = {"stages": [{"stage": "plan", "calls": 2, "carbon": 1}], "usd": None, "tokens_saved": 3}
    assert Cost.read(row) == Cost((StageCost("plan", calls=2),), None, 3)


def test_the_pool_of_a_retrieval_is_what_its_last_filter_chose_from() -> None:
    def step(stage: str, *hits: str) -> dict[str, Any]:
        return {"stage": stage, "hits": [[hit, 0.0, 0, [hit]] for hit in hits]}

    walked = Retrieval(
        KEY,
        "ok",
        steps=(step("retrieve", "a", "b", "c"), step("fuse", "a", "b"), step("pre-hop", "a"), step("hop 1", "d")),
    )
    assert walked.pool() == {"a", "d"}
    assert (walked.after("fuse"), walked.after("post-hop"), walked.has("hop 2")) == (("a", "b"), (), False)
    assert Retrieval(KEY, "ok", steps=(step("retrieve", "a", "b"), step("fuse", "a"))).pool() == {"a", "b"}


def test_a_day_is_kept_as_a_day() -> None:
    query = Query("Book it.", "ada", "q1", date(2026, 3, 19))
    assert Asked.of(query).ref_date == "2026-03-19"
