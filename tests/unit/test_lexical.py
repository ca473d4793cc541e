"""BM25 over one world: the terms of Annex R, pairs for Chinese, and hits by shared term whatever the score."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pace_graph.lexical import Lexical, tokens

calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # for busy machines


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Mara's sister-in-law, MARA’S well-being", ["mara", "sister-in-law", "mara", "well-being"]),
        ("On 2026-03-14 at 09:30, room 12", ["on", "2026-03-14", "at", "09:30", "room", "12"]),
        ("2026-03-141 3:4:5", ["2026", "03", "141", "3:4", "5"]),
        ("C++ and C#; 50/50 ^2 && who?", ["c", "and", "c", "50", "50", "2", "who"]),
        ("A/B-7 (gym): ~never", ["a", "b", "7", "gym", "never"]),
        ("the cats' toys; it's 5 o'clock", ["the", "cats", "toys", "it", "5", "o", "clock"]),
        ("9router snake_case", ["9", "router", "snake", "case"]),
        ("-lead trail- a--b", ["lead", "trail", "a", "b"]),
        ("Zürich naïve Ångström ПРИВЕТ", ["zürich", "naïve", "ångström", "привет"]),
        ("ＦＵＬＬ ｗｉｄｔｈ　１２：３０", ["full", "width", "12:30"]),
        ("repeat repeat", ["repeat", "repeat"]),
        ("", []),
        ("?! … \0 \n ___ 👩‍👩‍👧", []),
    ],
)
def test_the_terms_of_latin_script(text: str, terms: list[str]) -> None:
    assert tokens(text) == terms
    assert tokens(text, of_query=True) == terms


@pytest.mark.parametrize(
    ("text", "of_fact", "of_query"),
    [
        ("骑车", ["骑", "车", "骑车"], ["骑车"]),
        ("西湖边", ["西", "湖", "边", "西湖", "湖边"], ["西湖", "湖边"]),
        ("药", ["药"], ["药"]),
        ("花生，药", ["花", "生", "花生", "药"], ["花生", "药"]),
        ("林桥 uses 9router", ["林", "桥", "林桥", "uses", "9", "router"], ["林桥", "uses", "9", "router"]),
        ("2026年3月", ["2026", "年", "3", "月"], ["2026", "年", "3", "月"]),
        ("𠮷野", ["𠮷", "野", "𠮷野"], ["𠮷野"]),
        ("ｶﾀｶﾅ", ["カ", "タ", "カ", "ナ", "カタ", "タカ", "カナ"], ["カタ", "タカ", "カナ"]),
        ("서울", ["서", "울", "서울"], ["서울"]),
    ],
)
def test_the_terms_of_scripts_without_spaces(text: str, of_fact: list[str], of_query: list[str]) -> None:
    assert tokens(text) == of_fact
    assert tokens(text, of_query=True) == of_query


@calm
@given(st.text(max_size=40))
def test_the_form_in_which_a_letter_is_written_changes_no_term_and_a_querys_terms_are_a_facts(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC"):
        assert tokens(unicodedata.normalize(form, text)) == tokens(text)
    assert set(tokens(text, of_query=True)) <= set(tokens(text))
    assert all(tokens(text))


def found(texts: dict[str, str], query: str, k: int = 10) -> list[str]:
    return [fact_id for fact_id, _ in Lexical(texts).search(query, k)]


TWO = {"f1": "Mara drinks oat milk", "f2": "Mara cycles to work"}


def test_in_a_world_of_two_a_fact_is_a_hit_because_it_shares_a_term() -> None:
    assert found(TWO, "oat") == ["f1"]
    assert found({"f1": TWO["f1"]}, "oat") == ["f1"]
    assert sorted(found(TWO, "mara")) == ["f1", "f2"]
    # What the library scores here is zero and less: the hit does not hang on it.
    assert all(score <= 0 for _, score in Lexical(TWO).search("mara", 10))
    assert Lexical({"f1": TWO["f1"]}).search("oat", 10)[0][1] < 0


@calm
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=3), st.text("xyz 药骑", max_size=8), min_size=0, max_size=8),
    st.text("xyz 药骑", max_size=6),
    st.integers(1, 9),
)
def test_hits_are_exactly_the_facts_that_share_a_term_best_first_ties_by_id(
    texts: dict[str, str], query: str, k: int
) -> None:
    wanted = {i for i, text in texts.items() if set(tokens(text)) & set(tokens(query, of_query=True))}
    hits = Lexical(texts).search(query, 100)
    assert {fact_id for fact_id, _ in hits} == wanted
    assert len(hits) == len(wanted)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    assert Lexical(dict(reversed(texts.items()))).search(query, k) == hits[:k]


@pytest.mark.parametrize("texts", [{}, {"f1": "?!"}, {"f1": "…", "f2": " "}])
@pytest.mark.parametrize("query", ["anything", "?!", "骑车", ""])
def test_a_world_without_a_single_term_finds_nothing_and_divides_by_nothing(texts: dict[str, str], query: str) -> None:
    assert Lexical(texts).search(query, 5) == []


CHINESE = {
    "c1": "林桥喜欢在周末去西湖边骑车",
    "c2": "林桥对花生过敏，出门总带药",
    "c3": "林桥 uses 9router at home",
}


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("骑车", ["c1"]),
        ("花生过敏", ["c2"]),
        ("西湖", ["c1"]),
        ("9router", ["c3"]),
        ("药", ["c2"]),
        ("雪", []),
        ("车骑", []),
        ("湖西", []),
        ("明天下雪", []),
    ],
)
def test_a_chinese_query_finds_what_shares_a_pair_and_no_more(query: str, hits: list[str]) -> None:
    assert found(CHINESE, query) == hits


def test_a_term_that_one_world_lacks_costs_nothing_and_brings_nothing() -> None:
    assert Lexical(TWO).search("oat unicorn", 10) == Lexical(TWO).search("oat", 10)
    assert found(TWO, "unicorn") == []


def test_another_worlds_facts_change_no_score() -> None:
    one = Lexical(TWO).search("oat milk", 10)
    Lexical({f"x{n}": "oat milk oat" for n in range(50)})
    assert Lexical(TWO).search("oat milk", 10) == one


def test_scores_are_those_of_okapi_worked_out_by_hand() -> None:
    import math

    # Three facts of 2, 2 and 4 terms; "oat" is in one of them: idf = ln((3 - 1 + 0.5) / (1 + 0.5)).
    texts = {"a": "oat milk", "b": "green tea", "c": "tea milk bread jam"}
    idf = math.log(2.5 / 1.5)
    length = 2 / (8 / 3)
    expected = idf * (1 * 2.5) / (1 + 1.5 * (0.25 + 0.75 * length))
    [(fact_id, score)] = Lexical(texts).search("oat", 3)
    assert (fact_id, score) == ("a", pytest.approx(expected))
