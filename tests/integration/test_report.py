"""`pace-graph report`, as people call it: formats, files, faults."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pace_graph.cli.main import main
from pace_graph.evaluation.rows import Judgment, Retrieval, Row
from tests.made_runs import realistic


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments), "--resamples", "100"])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return realistic(tmp_path / "run", systems=("bm25", "pacemaker"), per_world=6).path


def spoilt(rows: list[Row], judgments: list[Judgment]) -> None:
    rows[0] = Retrieval(rows[0].key, "error", error="429 from the endpoint")
    del rows[-3:]


@pytest.fixture
def half(tmp_path: Path) -> Path:
    return realistic(tmp_path / "half", systems=("bm25", "pacemaker"), per_world=6, change=spoilt).path


def test_markdown_to_standard_output_by_default(run: Path) -> None:
    done = call(run)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("# Report on run\n")
    assert "| pacemaker |" in done.stdout
    assert done.stderr == ""


def test_json_is_json_and_nothing_else(run: Path) -> None:
    found = json.loads(call(run, "--format", "json").stdout)
    assert found["final"] is True


@pytest.mark.parametrize("form", ["markdown", "latex", "csv", "json", "html"])
def test_every_format_goes_to_a_file(form: str, half: Path, tmp_path: Path) -> None:
    out = tmp_path / f"report.{form}"
    done = call(half, "--format", form, "--out", out)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr == f"Not final: {out}\n"
    text = out.read_text(encoding="utf-8")
    assert "bm25, 18 requests: retrieval errors 1" in text
    assert "pacemaker, 18 requests: not done yet 2" in text
    assert list(tmp_path.glob("*.part")) == []


def test_choices_reach_the_figures(run: Path) -> None:
    found = json.loads(call(run, "--format", "json", "--k", "3,1", "--averaging", "macro", "--judge", "judge-b").stdout)
    main_table = next(table for table in found["tables"] if table["name"] == "main")
    assert [column["name"] for column in main_table["columns"]][2:4] == ["Recall@1", "Recall@3"]
    assert "Labels are those of the judge judge-b." in found["choices"]
    assert any("means of worlds" in note for note in main_table["notes"])


def test_worlds_can_be_drawn_whole(run: Path) -> None:
    assert "draws of whole worlds" in call(run, "--clustered").stdout


def test_several_runs_stand_side_by_side(run: Path, half: Path) -> None:
    done = call(run, half)
    assert "| run: pacemaker |" in done.stdout
    assert "| half: pacemaker |" in done.stdout
    assert "half: bm25, 18 requests: retrieval errors 1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "nobody"], "nobody has judged none of run; there are: judge-a, judge-b"),
        (["--k", "0,5"], "'0,5' are no depths; write them as 5,10"),
        (["--k", "five"], "'five' are no depths; write them as 5,10"),
        (["--format", "pdf"], "'pdf' is not one of"),
        (["--out", "no/such/folder/report.html"], "there is no folder no/such/folder to write report.html into"),
    ],
)
def test_faults_are_one_sentence_and_status_two(run: Path, arguments: list[str], message: str) -> None:
    done = call(run, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    done = call(tmp_path)
    assert done.exit_code == 2
    assert f"{tmp_path} is no run folder" in done.stderr


def test_one_run_named_twice_is_refused(run: Path) -> None:
    done = call(run, run)
    assert done.exit_code == 2
    assert "several runs are called run" in done.stderr


def test_a_missing_library_is_told(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    done = call(run)
    assert done.exit_code == 2
    assert done.stderr == 'Error: reports need scipy, which is not installed; run: pip install "pace-graph[eval]"\n'


def test_a_run_that_has_only_begun_is_reported(tmp_path: Path) -> None:
    def nothing(rows: list[Row], judgments: list[Judgment]) -> None:
        rows.clear()

    run = realistic(tmp_path / "begun", systems=("bm25",), judges=(), per_world=2, change=nothing).path
    done = call(run, "--format", "html")
    assert done.exit_code == 0, done.output
    assert "bm25, 6 requests: not done yet 6" in done.stdout
