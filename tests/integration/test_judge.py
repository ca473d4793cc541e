"""`pace-graph judge` over real HTTP: what a judge is told, what is kept, what is tried again, what is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pace_graph.evaluation.folder import Lines, RunFolder
from pace_graph.evaluation.rows import Answer, Asked, Key, as_json
from tests.made import ok, refused, run
from tests.openai_server import Reply, Request, Scripted, ScriptedServer

REQUESTS = [
    Asked("w", "q1", "Book the lake cabin.", "2026-03-20", "conflict", "state", "Joan is in Oslo.", ("f1",), ()),
    Asked("w", "q2", "Order the walnut cake.", "2026-03-21", "conflict", "state", "Ivo has an allergy.", ("f2",), ()),
    Asked("w", "q3", "Fetch the brass lamp.", "2026-03-22", "non_conflict", "state", "The shop is open.", ("f3",), ()),
    Asked("w", "q4", "帮我订湖边的木屋。", "2026-03-23", "non_conflict", "state", "那天他们有空。", ("f4",), ()),
]
ANSWERS = {"q1": "No: Joan is abroad.", "q2": "Yes, of course.", "q3": "Yes, it opens.", "q4": "可以，那天有空。"}
GOOD = {"q1": "PASS", "q2": "FAIL", "q3": "WRONG_RATIONALE", "q4": "PASS"}

Script = Callable[[Request], Scripted]


def asked_about(request: Request) -> str:
    """The id of the request whose answer is shown."""
    return next(query for query, answer in ANSWERS.items() if f"<<<\n{answer}\n>>>" in request.user)


def labels(request: Request) -> str:
    return GOOD[asked_about(request)]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    with made.writing():
        made.begin({"made": "by hand"}, REQUESTS)
    with Lines(made.path / "records.jsonl") as lines:
        for query, text in ANSWERS.items():
            lines.append(as_json(Answer(Key("pacemaker", "w", query), "ok", text, evidence=("secret-evidence",))))
        lines.append(as_json(Answer(Key("oracle", "w", "q1"), "error", error="the endpoint failed")))
    return made


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ScriptedServer]]:
    opened: list[ScriptedServer] = []

    def start(script: Any, **others: Any) -> ScriptedServer:
        opened.append(ScriptedServer(script, **others).__enter__())
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "judge-1")
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", opened[-1].url)
        monkeypatch.setenv("PACE_GRAPH_AGENT__MAX_RETRIES", "0")
        return opened[-1]

    yield start
    for server in opened:
        server.__exit__(None, None, None)


Serve = Callable[..., ScriptedServer]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def told(folder: RunFolder, *more: object) -> Any:
    return json.loads(ok("judge", folder.path, "--json", *more))


def cells(shown: str) -> str:
    """What a table holds, without its lines."""
    return shown.replace("│", " ")


# What is judged


def test_a_judge_is_told_gold_and_answer_and_nothing_else(folder: RunFolder, serve: Serve) -> None:
    server = serve(labels)
    told(folder)
    assert sorted(map(asked_about, server.chats)) == ["q1", "q2", "q3", "q4"]
    for request in server.chats:
        query = next(each for each in REQUESTS if each.query_id == asked_about(request))
        data = re.findall(r"<<<\n(.*?)\n>>>", request.user, re.DOTALL)
        assert data == [query.label, query.judgment, ANSWERS[query.query_id]]
        sent = json.dumps(request.body, ensure_ascii=False)
        for hidden in (query.text, str(query.ref_date), "secret-evidence", *query.gold, query.query_id, "pacemaker"):
            assert hidden not in sent
        assert set(request.body) <= {"model", "messages", "stream"}


def test_no_answer_reaches_a_tracing_service(folder: RunFolder, serve: Serve) -> None:
    server = serve(labels)
    with ScriptedServer(lambda _: "Yes.") as elsewhere:
        # In a process of its own: LangSmith reads its variables once, and sends what it has when that ends.
        tracing = {"LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": "x", "LANGSMITH_ENDPOINT": elsewhere.url[:-3]}
        command = [sys.executable, "-c", "from pace_graph.cli.main import main; main()", "judge", str(folder.path)]
        subprocess.run(command, env=os.environ | tracing, check=True, capture_output=True)
    assert len(server.chats) == 4
    assert elsewhere.requests == []


def test_labels_by_system_and_status(folder: RunFolder, serve: Serve) -> None:
    serve(labels)
    found = told(folder)
    assert found["systems"]["pacemaker"]["labels"] == {
        "all": {"PASS": 2, "WRONG_RATIONALE": 1, "FAIL": 1},
        "conflict": {"PASS": 1, "WRONG_RATIONALE": 0, "FAIL": 1},
        "non_conflict": {"PASS": 1, "WRONG_RATIONALE": 1, "FAIL": 0},
    }
    assert found["systems"]["pacemaker"]["shares"]["conflict"] == {"PASS": 0.5, "WRONG_RATIONALE": 0.0, "FAIL": 0.5}
    assert found["systems"]["pacemaker"]["final"] is True
    # The answer that is an error was never shown to the judge, and is counted.
    assert (found["systems"]["oracle"]["errors"], found["systems"]["oracle"]["final"]) == (1, False)
    assert found["flips"]["rate"] is None
    assert {row.key.query_id: row.label for row in folder.judgments("judge-1")} == GOOD


def test_the_table(folder: RunFolder, serve: Serve) -> None:
    serve(labels)
    result = run("judge", folder.path)
    assert result.exit_code == 0
    assert re.search(r"pacemaker +all +4 +50\.00 +25\.00 +25\.00 +0 +0", cells(result.stdout))
    assert re.search(r"conflict +2 +50\.00 +0\.00 +50\.00", cells(result.stdout))
    assert re.search(r"oracle \(not final\) +all +0 +– +– +– +1 +0", cells(result.stdout))
    # Told before anything is spent.
    assert re.search(r"judge-1 judges 4 answers: 4 calls, up to 8 .*1 answers are errors", result.stderr)


def test_every_judgment_says_what_it_cost(folder: RunFolder, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(lambda request: Reply(labels(request), usage=(1000, 10, 0)))
    monkeypatch.setenv("PACE_GRAPH_AGENT__USD_IN", "2")
    monkeypatch.setenv("PACE_GRAPH_AGENT__USD_OUT", "10")
    told(folder)
    for row in folder.judgments("judge-1"):
        assert [stage.stage for stage in row.cost.stages] == ["judge"]
        assert (row.cost.total.calls, row.cost.total.tokens_in, row.cost.total.tokens_out) == (1, 1000, 10)
        assert row.cost.usd == pytest.approx(0.002 + 0.0001)
    # The price of one model is not that of another.
    told(folder, "--model", "judge-2")
    assert {row.cost.usd for row in folder.judgments("judge-2")} == {None}


# Replies that are no labels


def test_an_unreadable_reply_is_asked_for_again(folder: RunFolder, serve: Serve) -> None:
    seen: set[str] = set()

    def script(request: Request) -> str:
        query = asked_about(request)
        first = query not in seen
        seen.add(query)
        return f"I would say {GOOD[query]}." if first else GOOD[query]

    server = serve(script)
    told(folder, "--concurrency", 1)
    assert len(server.chats) == 8
    assert {row.key.query_id: row.label for row in folder.judgments("judge-1")} == GOOD
    assert {row.cost.total.calls for row in folder.judgments("judge-1")} == {2}
    assert len({request.user for request in server.chats}) == 4


def stubborn(request: Request) -> str:
    query = asked_about(request)
    return "This should PASS" if query == "q1" else GOOD[query]


def test_one_that_stays_unreadable_is_an_error_and_never_scored(folder: RunFolder, serve: Serve) -> None:
    server = serve(stubborn)
    result = run("judge", folder.path, "--json", "--retries", 2)
    assert len(server.chats) == 3 + 3
    found = json.loads(result.stdout)["systems"]["pacemaker"]
    assert found["labels"]["all"] == {"PASS": 1, "WRONG_RATIONALE": 1, "FAIL": 1}
    assert (found["unjudged"], found["final"]) == (1, False)
    assert "1 of 4 could not be judged" in result.stderr
    row = next(row for row in folder.judgments("judge-1") if row.key.query_id == "q1")
    assert (row.status, row.label, row.cost.total.calls) == ("error", None, 3)
    assert "not exactly one of PASS, WRONG_RATIONALE, FAIL" in row.error


def test_the_release_counts_it_as_fail(folder: RunFolder, serve: Serve) -> None:
    server = serve(stubborn)
    found = told(folder, "--retries", 0, "--unreadable", "fail")["systems"]["pacemaker"]
    assert found["labels"]["all"] == {"PASS": 1, "WRONG_RATIONALE": 1, "FAIL": 2}
    assert len(server.chats) == 4
    told(folder, "--retries", 0, "--unreadable", "fail")
    assert len(server.chats) == 4
    # Without that option it is no label, and is tried again.
    result = run("judge", folder.path, "--json", "--retries", 0)
    assert result.exit_code == 1
    assert len(server.chats) == 5
    row = next(row for row in folder.judgments("judge-1") if row.key.query_id == "q1")
    assert row.status == "error"


@pytest.mark.parametrize("reply", [Reply("PASS", finish="length"), Reply(None, refusal="I refuse to PASS"), Reply("")])
def test_a_reply_that_is_not_whole_is_no_label(folder: RunFolder, serve: Serve, reply: Reply) -> None:
    serve(lambda request: reply if asked_about(request) == "q1" else labels(request))
    assert told(folder)["systems"]["pacemaker"]["unjudged"] == 1


# Going on


def test_what_is_judged_is_not_judged_again(folder: RunFolder, serve: Serve) -> None:
    server = serve(labels)
    first = told(folder)
    before = folder.judge_file("judge-1").read_bytes()
    assert told(folder) == first
    assert len(server.chats) == 4
    assert folder.judge_file("judge-1").read_bytes() == before


def test_errors_are_tried_again(folder: RunFolder, serve: Serve) -> None:
    broken = True

    def script(request: Request) -> Scripted:
        return 500 if broken and asked_about(request) in {"q1", "q2"} else labels(request)

    server = serve(script)
    assert told(folder)["systems"]["pacemaker"]["unjudged"] == 2
    broken = False
    assert told(folder)["systems"]["pacemaker"]["unjudged"] == 0
    assert sorted(map(asked_about, server.chats)) == ["q1", "q1", "q2", "q2", "q3", "q4"]
    assert {row.key.query_id: row.label for row in folder.judgments("judge-1")} == GOOD


def test_a_line_cut_short_is_judged_again_and_the_others_are_not(folder: RunFolder, serve: Serve) -> None:
    server = serve(labels)
    told(folder, "--concurrency", 1)
    path = folder.judge_file("judge-1")
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    told(folder)
    assert len(server.chats) == 5
    assert len(lines(path)) == 4
    assert path.read_bytes().startswith(whole[: whole[:-30].rindex(b"\n") + 1])
    assert {row.key.query_id: row.label for row in folder.judgments("judge-1")} == GOOD


def test_a_dead_endpoint_ends_with_status_1(folder: RunFolder, serve: Serve) -> None:
    serve(lambda _: 503)
    said = refused("judge", folder.path, status=1)
    assert "none of 4 answers could be judged" in said
    assert "503" in said


@pytest.mark.parametrize("status", [401, 404])
def test_a_wrong_key_or_model_stops_at_once_and_leaves_no_judge(folder: RunFolder, serve: Serve, status: int) -> None:
    server = serve(lambda _: status)
    refused("judge", folder.path, "--concurrency", 1, status=2)
    assert len(server.chats) <= 2
    assert folder.judges() == ()
    assert [path.name for path in folder.path.glob("judge-*")] == []


def test_no_model_no_folder(folder: RunFolder, tmp_path: Path) -> None:
    assert "PACE_GRAPH_JUDGE__MODEL" in refused("judge", folder.path)
    assert "there is no folder" in refused("judge", tmp_path / "nowhere", "--model", "m")
    assert folder.judges() == ()


def test_labels_of_another_prompt_or_temperature_are_not_mixed_in(
    folder: RunFolder, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(labels)
    told(folder)
    monkeypatch.setenv("PACE_GRAPH_JUDGE__TEMPERATURE", "0.5")
    said = refused("judge", folder.path)
    assert "temperature: None there, 0.5 now" in said
    assert "judge-judge-1.jsonl" in said
    assert len(server.chats) == 4
    # A name that only its file shares is another judge.
    monkeypatch.delenv("PACE_GRAPH_JUDGE__TEMPERATURE")
    assert "model: 'judge-1' there, 'judge/1' now" in refused("judge", folder.path, "--model", "judge/1")


def test_answers_are_judged_at_once(folder: RunFolder, serve: Serve) -> None:
    together = threading.Barrier(4, timeout=20)

    def script(request: Request) -> str:
        together.wait()
        return labels(request)

    # Each of four replies waits for the other three: fewer at once would break the barrier.
    serve(script)
    assert told(folder, "--concurrency", 4)["systems"]["pacemaker"]["unjudged"] == 0


# Repeats, and a second judge


def test_repeats_ask_the_same_again_and_give_a_flip_rate(folder: RunFolder, serve: Serve) -> None:
    asked: list[str] = []

    def script(request: Request) -> str:
        query = asked_about(request)
        asked.append(query)
        return "FAIL" if query == "q1" and asked.count("q1") == 3 else GOOD[query]

    server = serve(script)
    told(folder, "--concurrency", 1)
    found = told(folder, "--repeats", 3, "--concurrency", 1)
    # The first opinion was there: eight more, each the very same prompt.
    assert len(server.chats) == 12
    assert len({request.user for request in server.chats}) == 4
    assert sorted((row.key.query_id, row.repeat) for row in folder.judgments("judge-1")) == [
        (query, repeat) for query in GOOD for repeat in range(3)
    ]
    assert found["flips"]["answers"] == 4
    assert found["flips"]["rate"] == pytest.approx(1 / 4)
    assert found["flips"]["disagreement"] == pytest.approx((2 / 3) / 4)
    # Two of three say PASS.
    assert found["systems"]["pacemaker"]["labels"]["all"]["PASS"] == 2
    assert "25.00 % of 4 answers get different labels" in ok("judge", folder.path, "--repeats", 3)


def test_a_second_judge_is_shown_beside_the_first(folder: RunFolder, serve: Serve) -> None:
    server = serve(lambda request: "FAIL" if request.body["model"] == "judge-2" else labels(request))
    told(folder)
    found = told(folder, "--model", "judge-2")
    assert [request.body["model"] for request in server.chats] == ["judge-1"] * 4 + ["judge-2"] * 4
    assert folder.judges() == ("judge-1", "judge-2")
    whole, *_ = found["agreement"]
    assert (whole["system"], whole["judges"]) == ("all", ["judge-2", "judge-1"])
    assert {scope: (each["answers"], each["same"]) for scope, each in whole["scopes"].items()} == {
        "all": (4, 0.25),
        "conflict": (2, 0.5),
        "non_conflict": (2, 0.0),
    }
    assert whole["scopes"]["all"]["confusion"]["FAIL"] == {"PASS": 2, "WRONG_RATIONALE": 1, "FAIL": 1}
    assert [each["system"] for each in found["agreement"]] == ["all", "pacemaker", "oracle"]
    shown = ok("judge", folder.path, "--model", "judge-2")
    for figure in ("86.40", "23.61", "38.09", "8.83", "23.58", "38.94", "7.90"):
        assert figure in shown
    assert re.search(r"judge-2 / judge-1 +all +4 +25\.00 +50\.00 +0\.00 +0\.000", cells(shown))


# The control


def test_a_judge_that_lets_all_pass_is_found_out(folder: RunFolder, serve: Serve) -> None:
    server = serve(lambda _: "PASS")
    shown = ok("judge", folder.path, "--control")
    # q3 and q4 are alone in their label and language: no other reason to give.
    assert "10 of 10 deliberately wrong answers pass." in shown
    assert re.search(r"opposite decision +4 +0 +0 +0", cells(shown))
    assert re.search(r"reason of another request +2 +0 +0 +0", cells(shown))
    assert len(server.chats) == 10
    # No judge of the run, and no judgment of an answer.
    assert folder.judges() == ()
    assert not any(answer in request.user for answer in ANSWERS.values() for request in server.chats)
    rows = lines(folder.path / "control-judge-1.jsonl")
    assert {row["system"] for row in rows} == {"opposite decision", "reason of another request", "empty-handed"}
    assert all(row["answer"] for row in rows)


def test_the_control_goes_on_and_a_sample_is_part_of_it(folder: RunFolder, serve: Serve) -> None:
    server = serve(lambda request: "PASS" if "Yes, that works" in request.user else "FAIL")
    first = told(folder, "--control-sample", 2)
    asked = len(server.chats)
    assert asked == first["all"]["answers"]
    assert told(folder, "--control-sample", 2) == first
    assert len(server.chats) == asked
    found = told(folder, "--control")
    assert len(server.chats) == 10
    assert found["kinds"]["opposite decision"] == {
        "answers": 4,
        "labels": {"PASS": 2, "WRONG_RATIONALE": 0, "FAIL": 2},
    }
    assert found["all"] == {"answers": 10, "labels": {"PASS": 2, "WRONG_RATIONALE": 0, "FAIL": 8}}
    # It leaves the answers to be judged.
    assert told(folder)["systems"]["pacemaker"]["unjudged"] == 0
    assert len(server.chats) == 14
