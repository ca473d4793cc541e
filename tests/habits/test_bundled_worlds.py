"""The bundled worlds keep the rules that issue 3 and the specification set for them (1.3 to 1.6, 2, 3.6, 3.9, 3.10)."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import pace_graph
from pace_graph.dates import days_in, is_chinese, resolve
from pace_graph.lexical import Lexical, tokens
from tests.habits.atomic_facts import dateless, faults, named_days

FOLDER = Path(pace_graph.__file__).parent / "data" / "pace_mini"
SITUATIONS = ("temporal", "personal", "state")
LABELS = ("conflict", "non_conflict")
BEYOND_WINDOW = {("tomas_okafor", "d489")}
"""Facts that name a day after the window: the expiry date that is printed in a passport."""

COMMON = re.compile(
    r"an?|the|of|to|in|on|at|for|from|with|by|and|or|as|is|are|was|were|be|been|ha[sd]|have|who|whose|which|into|onto"
    r"|until|till|before|after|up|down|out|off|over|under|one|two|three|my|me|i|our|us|we|so|s"
)
VERDICTS = re.compile(
    r"\b(?:conflicts?|compatible|feasible|infeasible|clash\w*|in time|on time|too (?:late|early|far)|suitable"
    r"|unsuitable|unsafe|dangerous|hazard\w*|risky?|cannot|can't|unable|impossible|allowed|forbid\w*|prohibit\w*)\b"
    r"|冲突|来得及|来不及|赶得上|赶不上|没空|有空|不能|无法|禁止|危险|风险|不宜|合适|可行",
    re.IGNORECASE,
)
RESTRICTIONS = re.compile(
    r"\b(?:closed|closure|diverted|diversion|suspended|cancel\w*|strike|sold out|fully booked|out of order|outage"
    r"|roadworks?|advisory)\b|关闭|停运|绕行|取消|满员|售罄|暂停|停水|停电|封路|歇业|停业|限行",
    re.IGNORECASE,
)
CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])(?:\s*(p)\.?m\b)?", re.IGNORECASE)


@dataclass(frozen=True)
class World:
    name: str

    def _json(self, path: str) -> Any:
        return json.loads((FOLDER / path).read_text(encoding="utf-8"))

    @cached_property
    def corpus(self) -> dict[str, Any]:
        return dict(self._json(f"kb/{self.name}/corpus.json"))

    @cached_property
    def facts(self) -> dict[str, str]:
        return {fact["doc_id"]: fact["text"] for fact in self.corpus["corpus"]}

    @cached_property
    def queries(self) -> list[dict[str, Any]]:
        return list(self._json(f"kb/{self.name}/queries.json")["queries"])

    @cached_property
    def profile(self) -> dict[str, Any]:
        return dict(self._json(f"profile/{self.name}.json"))

    @cached_property
    def timeline(self) -> dict[str, date]:
        return {key: date.fromisoformat(day) for key, day in self.corpus["timeline"].items()}

    @property
    def ref_date(self) -> date:
        return self.timeline["ref_date"]

    @cached_property
    def gold(self) -> dict[str, str]:
        return {fact_id: query["query_id"] for query in self.queries for fact_id in query["gold_doc_ids"]}

    @cached_property
    def distractors(self) -> dict[str, str]:
        return {fact_id: text for fact_id, text in self.facts.items() if fact_id not in self.gold}

    @cached_property
    def terms(self) -> dict[str, frozenset[str]]:
        return {fact_id: terms(text) for fact_id, text in self.facts.items()}

    @cached_property
    def ego(self) -> str:
        return str(self.profile["spec"]["demographic"]["full_name"])

    def __str__(self) -> str:
        return self.name


def terms(text: str) -> frozenset[str]:
    return frozenset(term for term in tokens(text, of_query=True) if not COMMON.fullmatch(term))


WORLDS = [World(path.name) for path in sorted((FOLDER / "kb").iterdir())]
every_world = pytest.mark.parametrize("world", WORLDS, ids=str)


def told(found: dict[str, Any]) -> str:
    return "\n" + "\n".join(f"{key}: {value}" for key, value in found.items())


# --- the set -----------------------------------------------------------------------------------------------------


def test_two_worlds_are_english_and_one_is_chinese() -> None:
    languages = Counter(is_chinese(" ".join(world.facts.values())) for world in WORLDS)
    assert languages == {False: 2, True: 1}
    assert {path.stem for path in (FOLDER / "profile").iterdir()} == {world.name for world in WORLDS}


@every_world
def test_every_text_is_in_the_language_of_its_world(world: World) -> None:
    chinese = is_chinese(" ".join(world.facts.values()))
    texts = [*world.facts.values(), *(query["query"] for query in world.queries)]
    assert [text for text in texts if is_chinese(text) != chinese] == []


@every_world
def test_three_requests_of_each_situation_and_label(world: World) -> None:
    found = Counter((query["situation_type"], query["label"]) for query in world.queries)
    assert found == {(situation, label): 3 for situation in SITUATIONS for label in LABELS}
    assert len({query["query_id"] for query in world.queries}) == 18


@every_world
def test_each_request_has_three_to_five_gold_facts_of_its_own(world: World) -> None:
    for query in world.queries:
        gold = query["gold_doc_ids"]
        assert 3 <= len(set(gold)) == len(gold) <= 5, query["query_id"]
        assert set(gold) <= world.facts.keys(), query["query_id"]
    # S1: no fact is the hidden driver of two cases.
    assert len(world.gold) == sum(len(query["gold_doc_ids"]) for query in world.queries)


@every_world
def test_at_least_four_hundred_facts_with_ids_of_their_own(world: World) -> None:
    assert len(world.corpus["corpus"]) == len(world.facts) >= 400
    assert len(world.distractors) > 0.8 * len(world.facts)


@every_world
def test_nothing_but_ids_and_texts_is_stored_on_a_fact(world: World) -> None:
    # Whether a fact is gold must never be visible to retrieval (2.10).
    assert {key for fact in world.corpus["corpus"] for key in fact} == {"doc_id", "text"}
    assert list(world.facts) == sorted(world.facts)


@every_world
def test_each_type_and_label_has_a_case_with_an_alter_of_the_profile(world: World) -> None:
    alters = [name for alter in world.profile["relationships"] for name in _called(alter["alter_basic_info"]["name"])]
    cases = {
        (query["situation_type"], query["label"])
        for query in world.queries
        if query["alter_involved"] and any(name in _told_by(world, query) for name in alters)
    }
    assert len(cases) == 6


def _called(name: str) -> tuple[str, str]:
    return (name, name.split(maxsplit=1)[0]) if " " in name else (name, name[1:])


def _told_by(world: World, query: dict[str, Any]) -> str:
    return " ".join([query["query"], *(world.facts[fact_id] for fact_id in query["gold_doc_ids"])])


# --- the profile -------------------------------------------------------------------------------------------------

SCALARS = {
    "demographic": ("full_name", "age", "gender", "marital_status", "family"),
    "geographic": ("country", "city", "neighborhood", "housing", "environment", "mobility"),
    "socio_economic": ("occupation", "organization", "income_tier", "financial_status", "education"),
    "behavioral_preferences.tech_ecosystem": ("os",),
    "behavioral_preferences": ("vehicle",),
    "values_views": ("ethics", "politics"),
}
LISTS = {
    "health_physical": (
        "chronic_conditions",
        "physical_limitations",
        "assistive_devices",
        "medications",
        "dietary_restrictions",
    ),
    "behavioral_preferences.tech_ecosystem": ("main_devices", "key_apps", "subscriptions"),
    "behavioral_preferences": ("hobbies", "weekly_routine"),
    "values_views": ("food_likes", "food_dislikes"),
}


def group(world: World, path: str) -> dict[str, Any]:
    found = world.profile["spec"]
    for name in path.split("."):
        found = found[name]
    return dict(found)


@every_world
def test_the_profile_has_every_field_and_few_unknown(world: World) -> None:
    assert world.profile["case_id"] == world.name
    scalars = {(path, name): group(world, path)[name] for path, names in SCALARS.items() for name in names}
    lists = {(path, name): group(world, path)[name] for path, names in LISTS.items() for name in names}
    for key, value in scalars.items():
        assert value is None or isinstance(value, int if key[1] == "age" else str), key
        assert str(value).strip().lower() not in {"none", "null", "unknown", "n/a", ""} or value is None, key
    for key, values in lists.items():
        assert isinstance(values, list), key
        for value in values:
            wanted = {"name", "purpose"} if key[1] == "medications" else set()
            assert set(value) == wanted if wanted else isinstance(value, str) and value.strip(), key
    unknown = sum(value is None for value in scalars.values()) + sum(not values for values in lists.values())
    assert unknown < 0.2 * (len(scalars) + len(lists))
    extra = {
        path: set(group(world, path)) - set(SCALARS.get(path, ())) - set(LISTS.get(path, ()))
        for path in {*SCALARS, *LISTS}
    }
    assert {name for names in extra.values() for name in names} == {
        "health_summary",
        "tech_summary",
        "tech_ecosystem",
    }


@every_world
@pytest.mark.parametrize(
    ("path", "summary"),
    [("health_physical", "health_summary"), ("behavioral_preferences.tech_ecosystem", "tech_summary")],
)
def test_a_summary_names_an_item_of_a_list_that_is_not_empty(world: World, path: str, summary: str) -> None:
    found = group(world, path)
    items = [
        item["name"] if isinstance(item, dict) else item for name in LISTS[path] for item in found[name] if item
    ]  # fmt: skip
    assert items
    assert any(item.lower() in found[summary].lower() for item in items), found[summary]


@every_world
def test_alters_keep_their_cardinalities(world: World) -> None:
    assert world.profile["relationships"]
    for alter in world.profile["relationships"]:
        assert set(alter) == {"relation_type", "alter_basic_info", "alter_traits", "hooks", "shared_context"}
        assert set(alter["alter_basic_info"]) == {"name", "age", "gender", "city", "occupation"}
        assert alter["relation_type"].strip()
        assert 2 <= len(alter["alter_traits"]) <= 5
        assert 1 <= len(alter["shared_context"]) <= 4
        assert 1 <= len(alter["hooks"]) <= 2
        for hook in alter["hooks"]:
            assert set(hook) == {"type", "statement"}
            assert len(re.findall(r"[.!?。！？](?:\s|$)|[。！？]", hook["statement"])) == 1, hook


@every_world
def test_every_alter_appears_in_facts(world: World) -> None:
    texts = " ".join(world.facts.values())
    for alter in world.profile["relationships"]:
        assert texts.count(alter["alter_basic_info"]["name"]) >= 5, alter["alter_basic_info"]["name"]


# --- one fact ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Mara Quill left it on the bench on 2026-03-12.",
        "Nadia Rahman lost her scarf in Redland on 2026-03-12.",
        "The fee of that workshop was paid by Mara Quill on 2026-03-12.",
        "Joel Quill bakes at home on that day.",
        "That oven belongs to Joel Quill.",
        "Mara Quill and the others of this guild met on 2026-03-12.",
        "Mara Quill meets Joel Quill before the show.",
        "By then Joel Quill has gone home.",
        "Joel Quill parks nearby.",
        "Joel Quill walks home from there.",
        "Joel Quill goes to bed earlier.",
        "Joel Quill rang Mara Quill the evening before.",
        "Joel Quill bakes rye tomorrow.",
        "Joel Quill bakes rye next Friday.",
        "Joel Quill recently bought a pie dish.",
        "贺维舟今天上夜班。",
        "贺维舟的同事把他的杯子打碎了。",
        "那家店的老板是贺维舟的同学。",
        "青苔馆届时开放二楼。",
        "贺维舟下周休息。",
        "沈玉岚住在附近的宿舍里。",
        "2026年5月3日，沈玉岚读完绘本，之后去了书店。",
    ],
)
def test_the_lint_finds_what_a_fact_may_not_say(text: str) -> None:
    assert list(faults(text))


@pytest.mark.parametrize(
    "text",
    [
        "Brookside Court has a lobby fern that Gerald MacAskill calls Captain.",
        "Halifax Water posted on 2025-10-03 that mains in block NE-4 will be scoured on 2025-10-15.",
        "Gethin Pryce lays the last coat of shellac before five full days of rest.",
        "The clinic letter of 2022 tells Gethin Pryce to wear gloves.",
        "Gerald MacAskill expects to arrive later than Audrey Slaunwhite on 2025-10-17.",
        "贺维舟和其他同事用吉他伴奏，因此得了奖。",
        "排队家庭要在2026年5月17日12:00以前回复认领。",
        "青苔馆音乐绘本架有《彼得与狼》。",
    ],
)
def test_the_lint_lets_good_sentences_pass(text: str) -> None:
    assert list(faults(text)) == []


@every_world
def test_no_fact_leans_on_what_stands_outside_it(world: World) -> None:
    found = {f"{fact_id} {text}": list(faults(text)) for fact_id, text in world.facts.items()}
    assert not any(found.values()), told({key: value for key, value in found.items() if value})


@every_world
def test_every_fact_is_one_sentence_that_names_someone_or_something(world: World) -> None:
    end = "。" if is_chinese(world.ego) else "."
    for fact_id, text in world.facts.items():
        assert text == text.strip(), (fact_id, text)
        assert text.endswith(end), (fact_id, text)
        assert text.count("。") <= 1, (fact_id, text)
        assert not re.search(r"[a-z)\d]{3,}\. [A-Z]", text), (fact_id, text)
        assert 10 <= len(text) <= 240, (fact_id, text)
        if end == ".":
            # A capital behind the first word, or a first word that is a name: something named.
            named = re.search(r"(?<=[\s(\"'“])[A-Z0-9]", text) or re.match(r"[A-Z][\w.&'’-]+ (?:of|at|on|&)\b", text)
            opening = text.split()[0].removesuffix("'s").rstrip(",")
            assert named or sum(opening in other for other in world.facts.values()) > 1, (fact_id, text)


@every_world
def test_dates_are_whole_and_notices_have_one(world: World) -> None:
    found = {f"{fact_id} {text}": list(dateless(text)) for fact_id, text in world.facts.items()}
    assert not any(found.values()), told({key: value for key, value in found.items() if value})


def test_the_date_lint_can_fail() -> None:
    assert list(dateless("Mara Quill tuned the Steinway on 21 March."))
    assert list(dateless("The clinic has confirmed the slot of Mara Quill."))
    assert list(dateless("沈玉岚5月3日买了一本书。"))
    assert not list(dateless("Joel Quill has no bake on 22 or 23 March 2026."))


@every_world
def test_weekday_names_agree_with_dates(world: World) -> None:
    texts = [*world.facts.values(), *(q["query"] for q in world.queries), *(q["judgment"] for q in world.queries)]
    found = [(text, *named) for text in texts for named in named_days(text, world.ref_date.year)]
    wrong = [(text, written) for text, written, weekday, day in found if day.weekday() != weekday]
    assert wrong == []
    # Every weekday that stands beside a date was looked at: none slips past the shapes.
    beside = re.compile(
        r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? (?:\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
        r"|\d日?[（，]?(?:星期|周|礼拜)[一二三四五六日天]"
    )
    clear = [text for text in texts for _ in beside.finditer(text)]
    assert len(found) == len(clear) >= 20


@every_world
def test_weekdays_of_requests_with_a_day_number_agree(world: World) -> None:
    for query in world.queries:
        for moment in resolve(query["query"], world.ref_date):
            for name in re.findall(r"\b(\w+day) the \d", moment.text):
                assert moment.start.strftime("%A") == name, (query["query_id"], moment.text)


@every_world
def test_days_lie_in_the_window_or_are_background(world: World) -> None:
    begin, end = world.timeline["window_start"], world.timeline["window_end"]
    assert begin < world.ref_date < end
    assert (
        json.loads((FOLDER / f"kb/{world.name}/queries.json").read_text("utf-8"))["timeline"]
        == world.corpus["timeline"]
    )
    dated = {fact_id: days_in(text) for fact_id, text in world.facts.items() if days_in(text)}
    late = {fact_id for fact_id, days in dated.items() if max(days) > end}
    assert late == {fact_id for name, fact_id in BEYOND_WINDOW if name == world.name}
    # Before the window a fact is background: something that is over and done. There are few.
    early = [fact_id for fact_id, days in dated.items() if min(days) < begin]
    assert len(early) <= 0.05 * len(dated)
    anchors = Counter("future" if max(days) > world.ref_date else "past" for days in dated.values())
    assert min(anchors["future"], anchors["past"], len(world.facts) - len(dated)) >= 0.1 * len(world.facts)


# --- requests ----------------------------------------------------------------------------------------------------


@every_world
def test_no_request_means_the_past_and_all_mean_the_window(world: World) -> None:
    for query in world.queries:
        moments = resolve(query["query"], world.ref_date)
        assert moments or query["situation_type"] != "temporal", query["query_id"]
        for moment in moments:
            assert not moment.is_past(world.ref_date), (query["query_id"], moment)
            assert moment.end <= world.timeline["window_end"], (query["query_id"], moment)


@every_world
def test_requests_are_short_and_ask_without_a_hint(world: World) -> None:
    hints = re.compile(
        r"\b(?:can I|could I|should I|is it (?:ok|okay|safe|fine)|conflict|despite|even though|although|unless)\b"
        r"|可以吗|能不能|该不该|行不行|会不会|冲突|虽然|尽管|除非",
        re.IGNORECASE,
    )
    for query in world.queries:
        text = query["query"]
        assert not hints.search(text), (query["query_id"], text)
        assert 1 <= len(re.findall(r"[.!?](?=\s+[A-Z])|[。！？]|[.!?]$", text)) <= 2, (query["query_id"], text)


@every_world
def test_judgments_say_the_label_and_no_new_day(world: World) -> None:
    compatible = re.compile(r"\bis compatible\b|^不冲突")
    conflicting = re.compile(r"\bconflicts\b|^有冲突")
    for query in world.queries:
        wanted = conflicting if query["label"] == "conflict" else compatible
        assert wanted.search(query["judgment"]), query["query_id"]
        known = {day for fact_id in query["gold_doc_ids"] for day in days_in(world.facts[fact_id])}
        known |= {m.start + timedelta(step) for m in resolve(query["query"], world.ref_date) for step in range(-1, 15)}
        assert set(days_in(query["judgment"])) <= known, query["query_id"]


# --- gold and the rest -------------------------------------------------------------------------------------------


@every_world
def test_the_place_of_a_fact_says_nothing_about_gold(world: World) -> None:
    order = list(world.facts)
    places = [order.index(fact_id) / len(order) for fact_id in world.gold]
    # The mean of n uniform draws has a standard error of 1 / sqrt(12 n).
    assert abs(fmean(places) - 0.5) < 3 / (12 * len(places)) ** 0.5
    quarters = Counter(int(4 * place) for place in places)
    assert min(quarters[quarter] for quarter in range(4)) >= len(places) / 8
    beside = [
        (a, b)
        for query in world.queries
        for a, b in combinations(sorted(query["gold_doc_ids"]), 2)
        if order.index(b) - order.index(a) == 1
    ]
    assert len(beside) <= 6
    lengths = {kind: fmean(map(len, texts)) for kind, texts in _by_kind(world).items()}
    assert lengths["gold"] < 1.5 * lengths["other"]


def _by_kind(world: World) -> dict[str, list[str]]:
    return {"gold": [world.facts[fact_id] for fact_id in world.gold], "other": list(world.distractors.values())}


@every_world
def test_gold_shares_few_words_with_its_request(world: World) -> None:
    shares: dict[str, float] = {}
    for query in world.queries:
        asked = terms(query["query"])
        shared = [len(asked & world.terms[fact_id]) for fact_id in query["gold_doc_ids"]]
        # At least one decisive fact has next to nothing of the request in it.
        assert min(shared) <= 2, (query["query_id"], shared)
        shares[query["query_id"]] = fmean(shared) / len(asked)
    assert fmean(shares.values()) <= 0.15, shares
    assert max(shares.values()) <= 0.3, shares


@every_world
def test_words_alone_find_no_whole_answer(world: World) -> None:
    index = Lexical(world.facts)
    found = [
        len({fact_id for fact_id, _ in index.search(query["query"], 10)} & set(query["gold_doc_ids"]))
        / len(query["gold_doc_ids"])
        for query in world.queries
    ]
    assert fmean(found) <= 0.4
    assert sum(share == 1 for share in found) <= 1


@every_world
def test_no_two_facts_say_the_same(world: World) -> None:
    folded = Counter(re.sub(r"\W+", " ", text.casefold()).strip() for text in world.facts.values())
    assert [text for text, count in folded.items() if count > 1] == []
    near = [
        (a, b)
        for (a, in_a), (b, in_b) in combinations(world.terms.items(), 2)
        if len(in_a & in_b) > 0.6 * len(in_a | in_b)
    ]
    assert near == []


def test_no_two_worlds_share_a_sentence() -> None:
    texts = Counter(text.casefold() for world in WORLDS for text in set(world.facts.values()))
    assert [text for text, count in texts.items() if count > 1] == []


@every_world
def test_facts_are_not_made_from_one_mould(world: World) -> None:
    opens = sum(text.startswith(world.ego) for text in world.facts.values())
    assert opens <= 0.35 * len(world.facts)
    if not is_chinese(world.ego):
        starts = Counter(" ".join(text.split()[:3]) for text in world.facts.values())
        assert starts.most_common(1)[0][1] <= 0.03 * len(world.facts), starts.most_common(5)


@every_world
def test_no_distractor_judges_or_restricts(world: World) -> None:
    found = {
        fact_id: text
        for fact_id, text in world.distractors.items()
        if VERDICTS.search(text) or RESTRICTIONS.search(text)
    }
    assert found == {}, told(found)


@every_world
def test_no_distractor_restates_gold(world: World) -> None:
    names = _name_terms(world)
    found = {}
    for fact_id in world.gold:
        decisive = world.terms[fact_id] - names
        for other, text in world.distractors.items():
            if len(decisive) >= 4 and len(decisive & world.terms[other]) > 0.6 * len(decisive):
                found[f"{fact_id} {other}"] = text
    assert found == {}, told(found)


def _name_terms(world: World) -> frozenset[str]:
    """Words so common in the world that sharing them says nothing: its people, places and months."""
    counts = Counter(term for in_fact in world.terms.values() for term in in_fact)
    return frozenset(term for term, count in counts.items() if count > 0.03 * len(world.facts))


@every_world
def test_no_distractor_takes_the_hours_of_a_request(world: World) -> None:
    """On the day of a request, nothing with the ego and a clock time lies within two hours of what is asked for."""
    found = {}
    for query in world.queries:
        moments = [m for m in resolve(query["query"], world.ref_date) if m.clock and m.start == m.end]
        for fact_id, text in world.distractors.items():
            if world.ego not in text:
                continue
            for moment in moments:
                asked = moment.clock.hour + moment.clock.minute / 60 if moment.clock else 0
                if moment.start in days_in(text) and any(abs(hour - asked) < 2 for hour in _hours(text)):
                    found[f"{query['query_id']} {fact_id}"] = text
    assert found == {}, told(found)


def _hours(text: str) -> list[float]:
    return [
        int(hour) % 12 + 12 + int(minute) / 60 if after_noon else int(hour) + int(minute) / 60
        for hour, minute, after_noon in CLOCK.findall(text)
    ]
