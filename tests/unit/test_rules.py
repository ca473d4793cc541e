"""The stages without a model: days, people, views and priorities, in English and Chinese.

March 2026: the 16th is a Monday, the 20th a Friday. Nothing here is taken from a bundled world.
"""

from __future__ import annotations

from datetime import date

import pytest

from pace_graph import cues
from pace_graph.config import PaceConfig, RuleConfig
from pace_graph.records import (
    Fact,
    Hit,
    KnowledgeBase,
    Person,
    Plan,
    Query,
    Ranking,
    Rankings,
    Retrieved,
    View,
    Views,
)
from pace_graph.stages.rules import by_priority, concerned_days, named_people, rescore, rule_plan, rule_views

FRIDAY = date(2026, 3, 20)


def world(texts: dict[str, str] | None = None, *people: str, days: dict[str, tuple[str, ...]] | None = None):
    return KnowledgeBase(
        "w",
        "digest",
        "hash-64",
        64,
        facts={fact_id: Fact(fact_id, text) for fact_id, text in (texts or {}).items()},
        days=days or {},
        people=(Person("Ego Self", "ego"), *(Person(name, "alter") for name in people)),
        persona="Ego Self",
    )


def query(text: str, ref_date: date | None = FRIDAY) -> Query:
    return Query(text, "w", ref_date=ref_date)


def days(*numbers: int) -> frozenset[date]:
    return frozenset(date(2026, 3, number) for number in numbers)


# --- days


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Book a table for tomorrow at 7 pm.", days(21)),
        ("Book a table for today or tomorrow.", days(20, 21)),
        ("Keep this weekend free.", days(21, 22)),
        ("Reserve the hall on 24 March.", days(24)),
        ("Reserve the hall from 24 to 26 March 2026.", days(24, 25, 26)),
        ("帮我订明天晚上七点的位子。", days(21)),
        ("这个周末去爬山。", days(21, 22)),
        ("3月24日去取。", days(24)),
        ("Book a table.", frozenset()),
        ("订个位子。", frozenset()),
    ],
)
def test_the_days_a_request_is_about(text: str, expected: frozenset[date]) -> None:
    assert concerned_days(query(text)) == expected


def test_a_long_span_concerns_its_first_ten_days() -> None:
    assert concerned_days(query("Sublet the flat from 1 to 30 March 2026.")) == days(*range(1, 11))


def test_without_a_day_of_asking_nothing_is_resolved() -> None:
    assert concerned_days(query("Book a table for tomorrow.", None)) == frozenset()


# --- people


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Invite Joan Parr to the show.", ("Joan Parr",)),
        ("Invite Joan to the show.", ("Joan Parr",)),
        ("Take Joan's car.", ("Joan Parr",)),
        ("Invite (Joan) and Art Stone!", ("Joan Parr", "Art Stone")),
        # A name inside a longer word names nobody.
        ("Read the Article on Joanna.", ()),
        # Whoever asks is no alter.
        ("Book it for Ego Self.", ()),
        # A family name alone may be anyone's.
        ("Call Mr Parr.", ()),
        ("Invite a friend.", ()),
    ],
)
def test_people_named_in_english(text: str, expected: tuple[str, ...]) -> None:
    assert named_people(text, world(None, "Joan Parr", "Art Stone")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("和陆之恒一起去看展。", ("陆之恒",)),
        ("叫上之恒。", ("陆之恒",)),
        ("和唐宁吃饭。", ("唐宁",)),
        # Of a name of two characters the second alone is a common word.
        ("找个安宁的地方。", ()),
        ("和陆先生吃饭。", ()),
    ],
)
def test_people_named_in_chinese(text: str, expected: tuple[str, ...]) -> None:
    assert named_people(text, world(None, "陆之恒", "唐宁")) == expected


def test_a_name_in_latin_script_inside_chinese() -> None:
    assert named_people("和 Joan 去吃饭", world(None, "Joan Parr")) == ("Joan Parr",)


def test_a_person_without_a_name_is_named_by_nothing() -> None:
    assert named_people("anything at all", world(None, " ")) == ()


# --- plan and views


def test_a_plan_has_times_people_and_conditions() -> None:
    plan = rule_plan(world(None, "Joan Parr")).invoke(query("Take Joan out tomorrow at 7 pm."))
    assert [found.dimension for found in plan.directions] == ["times", "people", "conditions"]
    times, people, conditions = plan.directions
    assert times.anchors == ("tomorrow at 7 pm",)
    assert (people.anchors, conditions.anchors) == (("Joan Parr",), ())
    assert plan.status == "ok"


@pytest.mark.parametrize("ref_date", [FRIDAY, None])
def test_a_plan_without_times_has_two_directions(ref_date: date | None) -> None:
    text = "Take Joan out." if ref_date else "Take Joan out tomorrow."
    plan = rule_plan(world(None, "Joan Parr")).invoke(query(text, ref_date))
    assert [found.dimension for found in plan.directions] == ["people", "conditions"]


def views_of(text: str, kb: KnowledgeBase, c: PaceConfig | None = None) -> Views:
    found = (rule_plan(kb) | rule_views(c or PaceConfig())).invoke(query(text))
    assert isinstance(found, Views)
    return found


def test_views_in_english() -> None:
    found = views_of("Take Joan out tomorrow.", world(None, "Joan Parr"))
    original, times, people, conditions = found.views
    assert (original.text, original.kind, original.weight) == ("Take Joan out tomorrow.", "original", 1.0)
    assert {(view.kind, view.weight) for view in found.views[1:]} == {("counter", 1.2)}
    assert times.text == "2026-03-21 March 21, 2026"
    assert people.text.startswith("Joan Parr ")
    assert "allergy" in people.text
    assert conditions.text.startswith("Take Joan out tomorrow. ")
    assert "notice" in conditions.text


def test_views_in_chinese() -> None:
    found = views_of("明天和陆之恒去看展。", world(None, "陆之恒"))
    _, times, people, conditions = found.views
    assert times.text == "2026-03-21 2026年3月21日"
    assert people.text.startswith("陆之恒 ")
    assert "过敏" in people.text
    assert conditions.text.startswith("明天和陆之恒去看展。 ")
    assert "通知" in conditions.text


def test_without_a_name_the_request_itself_is_the_subject() -> None:
    people = views_of("Find a quiet place.", world()).views[1]
    assert people.text.startswith("Find a quiet place. ")


def test_of_many_days_the_first_two_are_spelled_out() -> None:
    times = views_of("Reserve the hall from 24 to 27 March 2026.", world()).views[1]
    assert times.text == "2026-03-24 March 24, 2026 2026-03-25 March 25, 2026"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_no_more_counter_views_than_asked_for(count: int) -> None:
    found = views_of("Take Joan out tomorrow.", world(None, "Joan Parr"), PaceConfig(counter_views=count))
    assert len(found.views) == 1 + min(count, 3)


def test_the_weights_are_those_of_the_config() -> None:
    c = PaceConfig(w_original=0.5, w_counter=2.0, original_view="dated")
    found = views_of("Take Joan out tomorrow.", world(None, "Joan Parr"), c)
    assert [view.weight for view in found.views] == [0.5, 2.0, 2.0, 2.0]
    assert "21" in found.views[0].text


# --- cues: the definitions of spec 1.4 (time, person, state) and the first priorities of 4.7


@pytest.mark.parametrize(
    ("kind", "english", "chinese"),
    [
        ("span", "The ceremony lasts forty minutes; packing up takes another 2 hours.", "仪式之后还要收拾两小时"),
        ("clock", "The doors shut at 18:10.", "大门18:10落锁"),
        ("window", "The library lends from Monday until Thursday.", "图书馆周一至周四外借"),
        ("limit", "Dogs must stay outside.", "禁止带狗"),
        ("notice", "A notice says the lift is out of order.", "公告说电梯坏了"),
        ("health", "Uncle has a shellfish allergy.", "叔叔对虾过敏"),
        ("duty", "She promised to feed the cat.", "她答应喂猫"),
        ("travel", "The ferry is the way across.", "步行过桥"),
        ("measure", "The shelf holds 20 kg.", "架子承20公斤"),
    ],
)
def test_each_kind_of_constraint_is_told_by_its_definition(kind: str, english: str, chinese: str) -> None:
    assert kind in cues.kinds(english)
    assert kind in cues.kinds(chinese)


@pytest.mark.parametrize(
    "text", ["Blue suits her best.", "He likes jazz and old maps.", "她喜欢蓝色", "他爱听爵士乐", "", "…"]
)
def test_a_mere_taste_is_no_constraint(text: str) -> None:
    assert cues.weight(text) == 0


def test_case_makes_no_difference() -> None:
    assert cues.kinds("MUST NOT") == cues.kinds("must not") == {"limit"}


def test_a_word_inside_another_is_no_cue() -> None:
    assert cues.kinds("Mustard and knots.") == frozenset()


def test_more_kinds_than_four_add_nothing() -> None:
    text = "A notice: the clinic must close at 18:10 until repairs end, 20 kg limit, 40 minutes by bus, she promised."
    assert len(cues.kinds(text)) > cues.MOST
    assert cues.weight(text) == cues.MOST


# --- priorities


def pool(*hits: tuple[str, float], text: str = "Take Joan out tomorrow.") -> Retrieved:
    rankings = Rankings(Views(Plan(query(text)), (View(text, "original", 1.0),)), ())
    return Retrieved(rankings, tuple(Hit(fact_id, score, path=(fact_id,)) for fact_id, score in hits))


FACTS = {
    "plain": "Blue suits her best.",
    "one": "Dogs must stay outside.",
    "two": "Dogs must stay outside after 18:10.",
    "day": "Joan paints.",
}
"""Kinds of constraint: 0, 1 (limit), 3 (limit, window, clock), 0."""


def test_priority_worked_out_by_hand() -> None:
    # Score times 2 ** kinds, times 3 on the day asked about:
    #   plain 0.6 * 1 = 0.6;  one 0.4 * 2 = 0.8;  two 0.2 * 8 = 1.6;  day 0.3 * 1 * 3 = 0.9
    kb = world(FACTS, days={"day": ("2026-03-21", "2026-04-01"), "plain": ("2026-03-20",)})
    rules = RuleConfig(cue_factor=2, day_factor=3)
    given = pool(("plain", 0.6), ("one", 0.4), ("two", 0.2), ("day", 0.3))
    kept = by_priority(kb, rules, name="post-hop", n=3).invoke(given)
    assert kept.fact_ids == ("two", "day", "one")
    assert [hit.score for hit in kept.hits] == [0.2, 0.3, 0.4]
    assert [(step.stage, step.fact_ids, step.status) for step in kept.trail] == [
        ("post-hop", ("two", "day", "one"), "ok")
    ]


def test_with_factors_of_one_the_fused_score_decides_and_ties_go_by_id() -> None:
    kb = world(FACTS, days={"day": ("2026-03-21",)})
    given = pool(("two", 0.2), ("one", 0.2), ("plain", 0.3), ("day", 0.2))
    kept = by_priority(kb, RuleConfig(cue_factor=1, day_factor=1), name="pre-hop", n=10).invoke(given)
    assert kept.fact_ids == ("plain", "day", "one", "two")


def test_nothing_to_choose_from_leaves_nothing() -> None:
    assert by_priority(world(), RuleConfig(), name="pre-hop", n=3).invoke(pool()).hits == ()


def test_rescore_gives_the_pool_its_ranks_for_the_request_within_itself() -> None:
    # The pool is a, b, x. In the request's dense list (m, a, x) without m: a 1, x 2; in its words' list: b 1, a 2.
    # a = 1/61 + 1/62, b = 1/61, x = 1/62. A counter view's list says nothing here.
    views = (View("q", "original", 1.0), View("c", "counter", 1.2))
    lists = (
        Ranking(0, "dense", ("m", "a", "x"), (0.9, 0.8, 0.7)),
        Ranking(0, "lexical", ("b", "a"), (2.0, 1.0)),
        Ranking(1, "dense", ("y", "x"), (0.9, 0.8)),
    )
    rankings = Rankings(Views(Plan(query("q")), views), lists)
    hits = (Hit("a", 5.0), Hit("b", 4.0), Hit("x", 0.0, 1, ("a", "x")), Hit("y", 0.0, 1, ("a", "y")))
    found = rescore(PaceConfig()).invoke(Retrieved(rankings, hits))
    assert {hit.fact_id: hit.score for hit in found.hits} == {
        "a": pytest.approx(1 / 61 + 1 / 62), "b": 1 / 61, "x": 1 / 62, "y": 0.0,
    }  # fmt: skip
    assert found.hits[2].path == ("a", "x")
    assert found.fact_ids == ("a", "b", "x", "y")
