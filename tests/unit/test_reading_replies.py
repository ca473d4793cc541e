"""Replies as models really send them: what is read, what is "none", and what could not be read."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace_graph.llm.contracts import Decision, FilterReply, PlanReply, ViewsReply, whole
from pace_graph.llm.formats import strict_schema
from pace_graph.llm.reading import UnreadableError, read, unthought
from pace_graph.llm.spans import spans

GOOD = '{"selected_doc_ids": ["f2", "f4"]}'


def ids(text: str) -> list[str]:
    return read(text, FilterReply).selected_doc_ids


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  \n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"```JSON {GOOD}```",
        f"```json\n{GOOD}",
        f"Sure! Here it is:\n```json\n{GOOD}\n```\nHope this helps {{smile}}",
        f"The ids [most useful first] are {GOOD} (I left out [f1, f3]).",
        f"<think>Maybe {{'selected_doc_ids': ['f1']}}?</think>{GOOD}",
        f"<THINK>\nf1 {{\n</THINK>\n\n{GOOD}",
        f"maybe f1 </think> {GOOD}",
        f"<think>f1? no. So: {GOOD}",
        f"<thinking>a</thinking><reasoning>b</reasoning>{GOOD}",
        "{'selected_doc_ids': ['f2', 'f4']}",
        '{"selected_doc_ids": ["f2", "f4",],}',
        "{selected_doc_ids: [f2, f4]}",
        "{“selected_doc_ids”: [“f2”, “f4”]}",
        '{"selected_doc_ids": ["f2", "f4"}',
        '{"selected_doc_ids": [" f2 ", "f4\\n"]}',
        '{"keep": ["f2", "f4"]}',
        "{'keep': ['f2', 'f4']}",
        '{"keep": ["f2", "f4"], "why": "they say when"}',
        '["f2", "f4"]',
        '```json\n["f2", "f4"]\n```',
        'The ids are:\n["f2", "f4"]',
        '[{"doc_id": "f2", "why": "when"}, {"doc_id": "f4"}]',
        '{"result": {"selected_doc_ids": ["f2", "f4"]}}',
        '[{"selected_doc_ids": ["f2", "f4"]}]',
        json.dumps(GOOD),
        '{"selected_doc_ids": ["f1"]}\nNo, better:\n{"selected_doc_ids": ["f2", "f4"]}',
        '好的，结果如下：{"selected_doc_ids": ["f2", "f4"]}。',
    ],
)
def test_the_ids_are_read(text: str) -> None:
    assert ids(text) == ["f2", "f4"]


@pytest.mark.parametrize(
    "text",
    [
        '{"selected_doc_ids": []}',
        '```\n{"keep": [ ]}\n```',
        "{'keep': []}",
        "[]",
        "```json\n[]\n```",
        "None fit: {keep: []}",
    ],
)
def test_none_is_said(text: str) -> None:
    assert ids(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "I keep f2 and f4.",
        "I cannot help with that.",
        "<think>",
        "<think>f2 and f4 look right",
        "{}",
        "{note}",
        "null",
        "7",
        '""',
        '{"selected_doc_ids": ["f2", "f4',
        '{"selected_doc_ids": ["f2", "f4"',
        '{"selected_doc_ids": ["f2", "f4"]',
        'Here: ```json\n{"selected_doc_ids": ["f2", "f',
        '{"a": {"selected_doc_ids": ["f2"]}, "b": ',
        '{"selected_doc_ids": null}',
        '{"selected_doc_ids": "none"}',
        '{"selected_doc_ids": }',
        '{"selected_doc_ids": [ , ]}',
        '{"selected_doc_ids": [007, 8,]}',
        '{"selected_doc_ids": [["f2"]]}',
        '{"keep": ["f2"], "other": ["f4"]}',
        '{"not_selected": ["f2", "f4"]}',
        '{"irrelevant_ids": ["f2"]}',
        "done [x] to do [ ]",
        "Facts [1] and [3] speak against it.",
        "According to [f2, f4] it is off",
        json.dumps(strict_schema(FilterReply)),
        "[" * 5000 + "]" * 5000,
        "{" * 5000,
    ],
)
def test_what_cannot_be_read_is_not_none(text: str) -> None:
    with pytest.raises(UnreadableError):
        ids(text)


def test_the_reason_is_named() -> None:
    for text, why in [
        ("", "empty"),
        ("<think>x", "thoughts"),
        ("well", "no complete JSON"),
        ('{"a": 1}', "contract"),
    ]:
        with pytest.raises(UnreadableError, match=why):
            ids(text)


def test_numbers_become_ids_as_they_are_written() -> None:
    assert ids('{"keep": ["f4", "f9", "f4", "F2", " f1 ", 16, "f4"]}') == [
        "f4",
        "f9",
        "f4",
        "F2",
        "f1",
        "16",
        "f4",
    ]
    assert ids('{"selected_doc_ids": [7, 1e3, 16.0, -2, true, null]}') == [
        "7",
        "1e3",
        "16.0",
        "-2",
        "True",
        "None",
    ]
    assert ids("[" + "9" * 6000 + "]") == ["9" * 6000]


def test_texts_keep_quotes_brackets_and_lines() -> None:
    reply = read('{"verdict": "decline", "answer": "It is \\"off\\": see {x} and [y], ```z```\nand <b>."}', Decision)
    assert reply.answer == 'It is "off": see {x} and [y], ```z```\nand <b>.'
    assert read("""{'verdict': 'Decline.', 'answer': "Mara's plan is off, Ivo's too"}""", Decision).verdict == "decline"
    assert "Mara's plan" in read("{'verdict': 'proceed', 'answer': 'Mara's plan is on'}", Decision).answer


def test_a_tag_inside_the_json_is_no_thought() -> None:
    assert read('{"counter": ["a </think> b", "<think>"]}', ViewsReply).counter == ["a </think> b", "<think>"]


def test_a_verdict_is_one_of_two_words_and_has_an_answer() -> None:
    for text in (
        '{"verdict": "maybe", "answer": "x"}',
        '{"verdict": "proceed", "answer": " "}',
        '{"verdict": "proceed"}',
    ):
        with pytest.raises(UnreadableError):
            read(text, Decision)


def test_a_plan_is_read_in_the_forms_it_comes_in() -> None:
    one = {"dimension": "evening", "description": "when", "key_anchors": ["tonight"]}
    whole_plan = {"conflict_dimensions": [one], "risk_summary": "s"}
    for value in (whole_plan, {"directions": [one], "risk_summary": "s"}, [one], one, {"plan": whole_plan}):
        plan = read(json.dumps(value), PlanReply)
        assert [part.dimension for part in plan.conflict_dimensions] == ["evening"]
        assert plan.conflict_dimensions[0].key_anchors == ["tonight"]
    bare = read('{"conflict_dimensions": ["evening", {"dimension": "rest", "key_anchors": null}]}', PlanReply)
    assert [part.dimension for part in bare.conflict_dimensions] == ["evening", "rest"]


def test_views_are_read_in_the_forms_they_come_in() -> None:
    assert read('{"counter": ["一", {"query": "二"}]}', ViewsReply).counter == ["一", "二"]
    assert read('{"queries": ["a"]}', ViewsReply).counter == ["a"]


def test_lone_surrogates_do_not_come_through() -> None:
    assert read('{"counter": ["a\\ud83d", "\\ud83d\\ude00"]}', ViewsReply).counter == ["a\ufffd", "😀"]
    assert whole("x\udcff") == "x\ufffd"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a", ""),
        ("b", "b"),
        ("<think>\n\n</think>\n\nb\n", "b"),
    ],
)
def test_thoughts_are_taken_out(text: str, left: str) -> None:
    assert unthought(text) == left


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
    st.sampled_from(["", "Here: ", "```json\n", "ok.\n"]),
)
def test_whatever_json_carries_is_read_whole(texts: list[str], before: str) -> None:
    reply = before + json.dumps({"counter": texts}, ensure_ascii=False) + ("\n```" if "```" in before else "")
    assert read(reply, ViewsReply).counter == [text.strip() for text in texts]


@given(VALUES, st.integers(0))
def test_json_cut_short_is_never_taken_for_whole(value: object, at: int) -> None:
    text = json.dumps({"selected_doc_ids": ["f1", value, "f12"]}, ensure_ascii=False)
    with pytest.raises(UnreadableError):
        ids(text[: at % len(text)])


@given(st.text(alphabet="{}[]\"',: \\a1\n“”<think/>`") | st.text())
def test_nothing_but_unreadable_is_ever_raised(text: str) -> None:
    with contextlib.suppress(UnreadableError):
        ids(text)
    assert all(text.find(span.text) >= 0 for span in spans(text))
