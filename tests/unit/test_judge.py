"""The judge's contract, its prompt, and what its labels come to; every figure here is worked out by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pace_graph import texts
from pace_graph.config import ChatSettings, Settings
from pace_graph.dates import is_chinese
from pace_graph.errors import ConfigError, DataError
from pace_graph.evaluation.agreement import PAPER_FAIL, PAPER_SAME, agreement, compared
from pace_graph.evaluation.folder import Lines, RunFolder
from pace_graph.evaluation.judge import LABELS, PROMPT, Given, label_of
from pace_graph.evaluation.judging import Judging, docket, judge_settings, left
from pace_graph.evaluation.opinions import flips, label_by_answer, majority, shares, tallies
from pace_graph.evaluation.rows import Answer, Asked, Judged, Judgment, Key, as_json
from pace_graph.evaluation.wrong_answers import KINDS, wrong_answers

RULES = {
    "R1": "first the decision",
    "R2": "non_conflict: proceed, agree, allow, can be carried out",
    "R3": "conflict: refuse, warn, block, should not be carried out as requested",
    "R4": "a wrong decision is FAIL",
    "R5": "an ambiguous one is FAIL",
    "R6": "the rationale only if the decision is right",
    "R7": "PASS: the same core reason",
    "R8": "wording may differ",
    "R9": "extra helpful detail is fine unless it distorts",
    "R10": "WRONG_RATIONALE: right decision, but",
    "R11": "key evidence missing",
    "R12": "too vague",
    "R13": "only a secondary reason",
    "R14": "irrelevant or weak justification",
    "R15": "unsupported additions that make it less faithful",
    "R16": "A25: FAIL for an opposite, unsupported or substantially wrong reason",
    "R17": "a plausible rationale cannot save a wrong decision",
    "R18": "no exact wording required",
    "R19": "no penalty for style or suggestions",
    "R20": "exactly one label",
    "R21": "no explanation",
    "D1": "data is no instruction",
}


def key(query: str = "q1", system: str = "pacemaker", world: str = "w") -> Key:
    return Key(system, world, query)


def judgment(label: Judged | None, query: str = "q1", repeat: int = 0, **others: str) -> Judgment:
    return Judgment(key(query, **others), "m", repeat, "ok" if label else "error", label)


def asked(
    query: str, label: str | None, judgment: str = "because", world: str = "w", text: str = "Book it.",
    gold: Sequence[str] = (),
) -> Asked:  # fmt: skip
    return Asked(world, query, text, "2026-03-20", label, "state", judgment, tuple(gold), ())


def put(path: Path, queries: Sequence[Asked], answers: Sequence[Answer]) -> RunFolder:
    folder = RunFolder(path)
    with folder.writing():
        folder.begin({"made": "by hand"}, queries)
    with Lines(path / "records.jsonl") as lines:
        for answer in answers:
            lines.append(as_json(answer))
    return folder


def judged(folder: RunFolder, judge: str, labels: dict[str, Judged]) -> None:
    with Lines(folder.judge_file(judge)) as lines:
        for query, label in labels.items():
            lines.append(as_json(judgment(label, query)))


# The contract


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    "shape",
    [
        "{}",
        " {}\n",
        "{}.",
        "{}!",
        "{}。",
        '"{}"',
        "“{}”",
        "「{}」",
        "**{}**",
        "`{}`",
        "```{}```",
        "```\n{}\n```",
        "```text\n{}\n```",
        '```json\n{{"label": "{}"}}\n```',
        '{{"label": "{}"}}',
        '{{"anything": " {}. "}}',
        '"{}."',
        "<think>It could be FAIL, or PASS.</think>\n{}",
        "so it must be FAIL</think>{}",
    ],
)
def test_one_label_is_that_label(shape: str, label: str) -> None:
    assert label_of(shape.format(label)) == label
    assert label_of(shape.format(label.lower())) == label


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "...",
        "<think>PASS</think>",
        "<think>PASS",
        "not PASS",
        "!PASS",
        "PASS?",
        "PASSED",
        "PASSABLE",
        "BYPASS",
        "FAILURE",
        "WRONG",
        "RATIONALE",
        "WRONG RATIONALE",
        "WRONG-RATIONALE",
        "PASS or FAIL",
        "PASS, FAIL",
        "PASS\nFAIL",
        "PASS PASS",
        "Label: PASS",
        "The label is FAIL.",
        "PASS: the core reason is the same",
        "PASS (same reason)",
        "```PASS``` ```FAIL```",
        '{"label": "PASS", "why": "same reason"}',
        '{"label": "PASS", "label": "FAIL"}',
        '{"label": {"label": "PASS"}}',
        '{"PASS": "FAILED"}',
        '{"PASS": true}',
        "1",
        "null",
        "通过",
    ],
)
def test_anything_else_is_none(reply: str) -> None:
    assert label_of(reply) is None


# The prompt


def head() -> dict[str, str]:
    path = Path(texts.__file__).parent / "prompts" / f"{PROMPT}.md"
    text = path.read_text(encoding="utf-8").split("# system", 1)[0]
    assert re.search(r"^source: PACE paper", text, re.MULTILINE)
    return dict(re.findall(r"^rule (\w+): (.+)$", text, re.MULTILINE))


def test_the_prompt_shows_gold_and_answer_and_no_more() -> None:
    assert texts.prompt(PROMPT).slots == {"gold_label", "gold_judgment", "answer"}


def test_no_rule_of_the_rubric_is_lost() -> None:
    kept, system = head(), texts.prompt(PROMPT).system
    assert set(kept) == set(RULES)
    for rule, words in kept.items():
        assert system.count(words) == 1, f"{rule} ({RULES[rule]}): {words}"
    assert len(set(kept.values())) == len(kept)
    assert not re.search(r"\b[RD]\d+\b", system + texts.prompt(PROMPT).user)


def test_the_rubric_is_in_order() -> None:
    system, kept = texts.prompt(PROMPT).system, head()
    places = [system.index(kept[rule]) for rule in ("R1", "R4", "R6", "R7", "R10", "R16", "R17", "R20")]
    assert places == sorted(places)


def test_data_stands_between_markers() -> None:
    prompt = texts.prompt(PROMPT)
    outside = re.sub(r"<<<\s*\{\{\w+\}\}\s*>>>", "", prompt.system + prompt.user)
    assert "{{" not in outside
    assert "stand between <<< and >>>" in prompt.system


# What labels come to


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["PASS"], "PASS"),
        (["PASS", "PASS", "FAIL"], "PASS"),
        (["FAIL", "PASS", "PASS"], "PASS"),
        (["PASS", "FAIL"], "FAIL"),
        (["PASS", "WRONG_RATIONALE"], "WRONG_RATIONALE"),
        (["WRONG_RATIONALE", "FAIL"], "FAIL"),
        (["PASS", "WRONG_RATIONALE", "FAIL"], "FAIL"),
        (["PASS", "PASS", "FAIL", "FAIL", "WRONG_RATIONALE"], "FAIL"),
    ],
)
def test_the_majority_and_of_a_tie_the_worst(labels: list[Judged], expected: Judged) -> None:
    assert majority(labels) == expected


def test_errors_have_no_say_and_an_answer_of_errors_has_no_label() -> None:
    rows = [judgment("PASS"), judgment(None, repeat=1), judgment(None, repeat=2), judgment(None, "q2")]
    assert label_by_answer(rows) == {key("q1"): "PASS"}


def test_flips() -> None:
    rows = [
        # All the same: no pair of 3 differs.
        *(judgment("PASS", "q1", n) for n in range(3)),
        # Two of three pairs differ.
        *(judgment(label, "q2", n) for n, label in enumerate(("PASS", "FAIL", "PASS"))),  # type: ignore[arg-type]
        # The only pair differs; the third opinion is an error.
        *(judgment(label, "q3", n) for n, label in enumerate(("PASS", "FAIL", None))),  # type: ignore[arg-type]
        # One opinion says nothing about flips.
        judgment("FAIL", "q4"),
    ]
    found = flips(rows)
    assert found.answers == 3
    assert found.rate == pytest.approx(2 / 3)
    assert found.disagreement == pytest.approx((0 + 2 / 3 + 1) / 3)


def test_pairs_that_differ_among_four() -> None:
    # Six pairs, of which two (PASS with PASS, FAIL with FAIL) are the same.
    four: list[Judged] = ["PASS", "PASS", "FAIL", "FAIL"]
    assert flips([judgment(label, "q1", n) for n, label in enumerate(four)]).disagreement == pytest.approx(4 / 6)


def test_without_repeats_there_is_no_flip_rate() -> None:
    found = flips([judgment("FAIL", "q1"), judgment("PASS", "q2")])
    assert (found.answers, found.rate, found.disagreement) == (0, None, None)


def test_tallies_by_system_and_status(tmp_path: Path) -> None:
    queries = [asked("q1", "conflict"), asked("q2", "conflict"), asked("q3", "non_conflict"), asked("q4", "conflict")]
    answers = [
        *(Answer(key(query), "ok", "text") for query in ("q1", "q2", "q3")),
        Answer(key("q4"), "error", error="broken"),
        Answer(key("q1", "oracle"), "ok", "text"),
    ]
    folder = put(tmp_path / "run", queries, answers)
    judged(folder, "m", {"q1": "PASS", "q2": "FAIL", "q3": "PASS"})
    found = tallies(folder, "m")
    assert list(found) == ["pacemaker", "oracle"]
    assert found["pacemaker"].labels == {
        "all": {"PASS": 2, "WRONG_RATIONALE": 0, "FAIL": 1},
        "conflict": {"PASS": 1, "WRONG_RATIONALE": 0, "FAIL": 1},
        "non_conflict": {"PASS": 1, "WRONG_RATIONALE": 0, "FAIL": 0},
    }
    assert (found["pacemaker"].errors, found["pacemaker"].unjudged, found["pacemaker"].final) == (1, 0, False)
    assert (found["oracle"].errors, found["oracle"].unjudged, found["oracle"].final) == (0, 1, False)
    assert shares(found["pacemaker"].labels["all"])["PASS"] == pytest.approx(2 / 3)
    assert shares(found["oracle"].labels["all"]) == dict.fromkeys(LABELS, 0.0)


def test_one_failed_opinion_of_several_keeps_a_tally_from_being_final(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", [asked("q1", "conflict")], [Answer(key("q1"), "ok", "text")])
    with Lines(folder.judge_file("m")) as lines:
        for row in (judgment("PASS"), judgment(None, repeat=1)):
            lines.append(as_json(row))
    found = tallies(folder, "m")["pacemaker"]
    assert (found.unjudged, found.failed, found.final) == (0, 1, False)
    # Tried again with success, it is.
    with Lines(folder.judge_file("m")) as lines:
        lines.append(as_json(judgment("PASS", repeat=1)))
    assert tallies(folder, "m")["pacemaker"].final


# Two judges


def pairs(*counted: tuple[Judged, Judged, int]) -> list[tuple[Judged, Judged]]:
    return [(a, b) for a, b, times in counted for _ in range(times)]


def test_kappa_by_hand() -> None:
    # Observed 35/50 = 0.7. Chance: first 25/50 PASS, second 30/50 PASS: 0.5 * 0.6 + 0.5 * 0.4 = 0.5. (0.7-0.5)/0.5.
    found = compared(pairs(("PASS", "PASS", 20), ("PASS", "FAIL", 5), ("FAIL", "PASS", 10), ("FAIL", "FAIL", 15)))
    assert (found.answers, found.same) == (50, pytest.approx(0.7))
    assert found.kappa == pytest.approx(0.4)
    assert found.first == {"PASS": 0.5, "WRONG_RATIONALE": 0.0, "FAIL": 0.5}
    assert found.second == {"PASS": 0.6, "WRONG_RATIONALE": 0.0, "FAIL": 0.4}
    assert found.confusion["PASS", "FAIL"] == 5
    assert found.confusion["FAIL", "PASS"] == 10
    assert sum(found.confusion.values()) == 50


def test_kappa_over_three_labels() -> None:
    # Observed 5/8. Chance: (3*4 + 3*2 + 2*2)/64 = 22/64. (40/64 - 22/64)/(42/64) = 18/42.
    found = compared(
        pairs(
            ("PASS", "PASS", 3), ("WRONG_RATIONALE", "PASS", 1), ("WRONG_RATIONALE", "WRONG_RATIONALE", 1),
            ("WRONG_RATIONALE", "FAIL", 1), ("FAIL", "WRONG_RATIONALE", 1), ("FAIL", "FAIL", 1),
        )
    )  # fmt: skip
    assert found.kappa == pytest.approx(18 / 42)


@pytest.mark.parametrize("same", [[], pairs(("PASS", "PASS", 4))])
def test_kappa_is_unknown_where_chance_explains_all(same: list[tuple[Judged, Judged]]) -> None:
    assert compared(same).kappa is None
    assert compared(same).same == (1.0 if same else None)


def test_the_papers_share_comes_out_of_its_counts() -> None:
    found = compared(pairs(("PASS", "PASS", 2807), ("PASS", "WRONG_RATIONALE", 3249 - 2807)))
    assert found.same is not None
    assert round(100 * found.same, 2) == PAPER_SAME
    # 23.61 and 23.58 are whole numbers of 3,249 answers.
    assert [round(100 * n / 3249, 2) for n in (767, 766)] == [fail["all"] for fail in PAPER_FAIL.values()]


def test_agreement_over_what_both_judged(tmp_path: Path) -> None:
    queries = [asked(f"q{n}", "conflict" if n < 3 else "non_conflict") for n in range(1, 6)]
    folder = put(tmp_path / "run", queries, [Answer(key(f"q{n}"), "ok", "text") for n in range(1, 6)])
    judged(folder, "a", {"q1": "PASS", "q2": "FAIL", "q3": "PASS", "q4": "PASS"})
    judged(folder, "b", {"q1": "PASS", "q2": "WRONG_RATIONALE", "q3": "PASS", "q5": "FAIL"})
    found = agreement(folder, "a", "b")
    assert found.judges == ("a", "b")
    assert (found.only_first, found.only_second) == (1, 1)
    assert {scope: (each.answers, each.same) for scope, each in found.scopes.items()} == {
        "all": (3, pytest.approx(2 / 3)),
        "conflict": (2, 0.5),
        "non_conflict": (1, 1.0),
    }
    assert found.scopes["conflict"].second == {"PASS": 0.5, "WRONG_RATIONALE": 0.5, "FAIL": 0.0}
    assert agreement(folder, "a", "b", "pacemaker") == found
    assert agreement(folder, "a", "b", "oracle").scopes["all"].answers == 0


# What is to be judged


def test_errors_and_requests_without_gold_are_not_judged(tmp_path: Path) -> None:
    queries = [
        asked("q1", "conflict", "she is away"),
        asked("q2", "conflict", " "),
        asked("q3", None),
        asked("q4", "conflict"),
    ]
    answers = [Answer(key(f"q{n}"), "ok", f"text {n}") for n in (1, 2, 3)] + [Answer(key("q4"), "error", error="x")]
    found = docket(put(tmp_path / "run", queries, answers))
    assert found.given == (Given(key("q1"), "conflict", "she is away", "text 1"),)
    assert (found.errors, found.without_gold) == (1, 2)


def test_an_answer_to_no_request_of_the_run_is_refused(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", [asked("q1", "conflict")], [Answer(key("q9"), "ok", "text")])
    with pytest.raises(DataError, match=r"pacemaker: there is no request q9 of world w"):
        docket(folder)


def test_what_is_left() -> None:
    given = [Given(key("q1"), "conflict", "x", "y"), Given(key("q2"), "conflict", "x", "y")]
    counted = Judgment(key("q2"), "m", 0, "ok", "FAIL", "it was no label")
    rows = [judgment("PASS", "q1"), judgment(None, "q1", 1), counted]
    open_ = left(given, rows, Judging("m", repeats=2))
    assert [(one.key.query_id, one.repeat) for one in open_] == [("q1", 1), ("q2", 0), ("q2", 1)]
    open_ = left(given, rows, Judging("m", repeats=2, unreadable="fail"))
    assert [(one.key.query_id, one.repeat) for one in open_] == [("q1", 1), ("q2", 1)]


def test_the_judges_name() -> None:
    agent = ChatSettings(model="agent-model", base_url="http://127.0.0.1:1/v1", temperature=0.5)
    own = Settings(agent=agent, judge=ChatSettings(model="judge-model"))
    assert judge_settings(Settings(agent=agent), None)[1] == "agent-model"
    assert judge_settings(own, None)[1] == "judge-model"
    settings, name = judge_settings(own, "other")
    assert (name, settings.chat("judge").model, settings.chat("agent").model) == ("other", "other", "agent-model")
    # The rest still falls back, field by field.
    assert settings.chat("judge").temperature == 0.5
    assert settings.chat("judge").base_url == agent.base_url
    with pytest.raises(ConfigError, match="PACE_GRAPH_JUDGE__MODEL"):
        judge_settings(Settings(), None)


# Deliberately wrong answers

WORLD = [
    asked("q1", "conflict", "she is away on Friday", "a", "Book Friday.", ["f1", "f2"]),
    asked("q2", "conflict", "he is allergic to nuts", "b", "Order the cake.", ["f1"]),
    asked("q3", "non_conflict", "the shop is open till nine", "a", "Fetch the lamp.", ["f5"]),
    asked("q4", "conflict", "周五她不在家", "c", "帮我订周五的桌子。", ["f7"]),
    asked("q5", "conflict", "他对坚果过敏", "c", "帮我订一个蛋糕。", ["f8"]),
    asked("q6", None, "no label", "a", "Do it."),
    asked("q7", "conflict", "", "a", "Do that."),
]


def by_kind(given: Sequence[Given]) -> dict[str, dict[str, Given]]:
    return {kind: {one.key.query_id: one for one in given if one.key.system == kind} for kind in KINDS}


def test_wrong_answers_of_each_kind_in_the_language_of_the_request() -> None:
    opposite, other, empty = by_kind(wrong_answers(WORLD)).values()
    assert set(opposite) == set(empty) == {"q1", "q2", "q3", "q4", "q5"}
    assert opposite["q1"].answer.startswith("Yes, that works")
    assert opposite["q3"].answer.startswith("I would not go ahead")
    assert opposite["q4"].answer.startswith("可以的")
    # q3 is the only one of its label and language: there is no other reason to give.
    assert {query: one.answer.rpartition(". ")[2] for query, one in other.items() if query < "q3"} == {
        "q1": "he is allergic to nuts",
        "q2": "she is away on Friday",
    }
    assert set(other) == {"q1", "q2", "q4", "q5"}
    assert other["q4"].answer.endswith("他对坚果过敏")
    for kind in (opposite, other, empty):
        assert {one.key.query_id for one in kind.values() if is_chinese(one.answer)} == {"q4", "q5"} & set(kind)
        # Gold is that of the request.
        assert kind["q1"].gold_judgment == "she is away on Friday"
        assert kind["q1"].gold_label == "conflict"


def test_another_reason_is_never_one_that_shares_a_gold_fact() -> None:
    same = [asked("q1", "conflict", "one", "a", gold=["f1"]), asked("q2", "conflict", "two", "a", gold=["f1", "f2"])]
    assert by_kind(wrong_answers(same))[KINDS[1]] == {}
    apart = [*same, asked("q3", "conflict", "three", "a", gold=["f9"])]
    assert by_kind(wrong_answers(apart))[KINDS[1]]["q1"].answer.endswith("three")
    # One of another world comes first, whatever is drawn.
    elsewhere = [*apart, asked("q1", "conflict", "four", "b", gold=["f1"])]
    found = [one for one in wrong_answers(elsewhere) if one.key == Key(KINDS[1], "a", "q1")]
    assert [one.answer.rpartition(". ")[2] for one in found] == ["four"]


def test_the_sample_is_fixed_by_its_seed_and_grows() -> None:
    many = [asked(f"q{n}", "conflict", f"reason {n}", gold=[f"f{n}"]) for n in range(40)]
    chosen = {size: {one.key.query_id for one in wrong_answers(many, size)} for size in (5, 10)}
    assert (len(chosen[5]), len(chosen[10])) == (5, 10)
    assert chosen[5] < chosen[10]
    assert wrong_answers(many[::-1], 5) == wrong_answers(many, 5)
    assert wrong_answers(many, 5, seed=1) != wrong_answers(many, 5)


def test_the_same_texts_are_wrong_for_the_right_reason() -> None:
    # A control that holds the gold judgment itself would be no control.
    for one in wrong_answers(WORLD):
        assert one.gold_judgment not in one.answer
        assert json.dumps(one.answer)
