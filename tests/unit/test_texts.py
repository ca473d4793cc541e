"""Cypher and prompt files: checked against their headers; numbers and slots set, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pace_graph import texts
from pace_graph.errors import TextError
from pace_graph.texts import Statement, names, prompt, prompt_names, statement

GOOD = """// Finds facts.
// params: $world, $k (how many)
// shape: hops
// returns: fact_id
MATCH (f:Fact {world: $world})-->{1,5/*hops*/}()
RETURN f.fact_id LIMIT $k
"""

Put = Callable[[str], str]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Put]:
    """Writes a file below a root of its own and gives the name it has there."""
    monkeypatch.setattr(texts, "_cypher_root", lambda: tmp_path)
    monkeypatch.setattr(texts, "_prompt_root", lambda: tmp_path)
    statement.cache_clear()
    prompt.cache_clear()

    def write(text: str) -> str:
        number = len([*tmp_path.rglob("*.md")])
        for ending in ("cypher", "md"):
            file = tmp_path / f"made/t{number}.{ending}"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return f"made/t{number}"

    yield write
    statement.cache_clear()
    prompt.cache_clear()


def test_a_statement_knows_its_question_parameters_and_shape(put: Put) -> None:
    found = statement(put(GOOD))
    assert (found.question, found.params, found.shape) == ("Finds facts.", {"world", "k"}, {"hops"})
    assert found.text.startswith("MATCH (f:Fact")
    assert "//" not in found.text


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("$k (how many)", "how many", r"declares \['world'\] and uses \['k', 'world'\]"),
        ("LIMIT $k", "LIMIT 3", r"declares \['k', 'world'\] and uses \['world'\]"),
        ("// params: $world, $k (how many)\n", "", r"declares \[\]"),
        ("// shape: hops\n", "", r"declares the shape \[\] and uses \['hops'\]"),
        ("5/*hops*/", "5", r"declares the shape \['hops'\] and uses \[\]"),
        ("5/*hops*/", "5/*depth*/", r"shape \['hops'\] and uses \['depth'\]"),
        ("RETURN f.fact_id", "RETURN f.fact_id, $other", "uses .*other"),
    ],
)
def test_a_header_that_differs_from_its_statement_is_refused(put: Put, was: str, now: str, said: str) -> None:
    text = GOOD
    assert was in text
    with pytest.raises(TextError, match=said):
        statement(put(text.replace(was, now)))


@pytest.mark.parametrize("name", ["no/such", "../pyproject", "search/dense.cypher", ""])
def test_a_statement_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(TextError, match="there is no statement"):
        statement(name)


def test_shape_numbers_take_the_place_of_those_in_the_file_wherever_they_stand() -> None:
    made = Statement("x", "a 384/*d*/ b 1/*h*/ V384/*d*/ 384", "", frozenset(), frozenset({"d", "h"}))
    assert made.shaped({"d": 64, "h": 0}) == "a 64 b 0 V64 384"


@pytest.mark.parametrize("number", [-1, True, 3.0, "3", "3}) DETACH DELETE (n", None])
def test_only_a_whole_number_from_zero_up_can_become_part_of_a_statement(number: object) -> None:
    made = Statement("x", "LIMIT 5/*h*/", "", frozenset(), frozenset({"h"}))
    with pytest.raises(TextError, match="whole number from 0 up"):
        made.shaped({"h": number})


@pytest.mark.parametrize("numbers", [{}, {"h": 1, "x": 2}, {"x": 1}])
def test_shape_numbers_must_be_exactly_those_of_the_header(numbers: dict[str, int]) -> None:
    with pytest.raises(TextError, match="takes the shape numbers"):
        Statement("x", "LIMIT 5/*h*/", "", frozenset(), frozenset({"h"})).shaped(numbers)


@pytest.mark.parametrize("name", names())
def test_every_statement_has_a_sentence_and_says_what_it_returns(name: str) -> None:
    found = statement(name)
    source = (Path(__file__).resolve().parents[2] / "cypher" / f"{name}.cypher").read_text(encoding="utf-8")
    assert re.match(r"[A-Z].*[.?]$", found.question), found.question
    assert re.search(r"^// params:", source, re.MULTILINE)
    assert re.search(r"^// returns:", source, re.MULTILINE)
    assert found.shaped(dict.fromkeys(found.shape, 7)).count("/*") == 0


@pytest.mark.parametrize(
    "name", [name for name in names() if name.split("/")[0] in {"load", "world", "search", "trace"}]
)
def test_every_statement_on_worlds_takes_the_world_as_a_parameter(name: str) -> None:
    assert "world" in statement(name).params or name in {"world/list"}


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("search/")])
def test_no_statement_of_retrieval_touches_gold(name: str) -> None:
    assert not re.search(r"GOLD|Query\b|judgment|label", statement(name).text)


def test_names_are_those_of_the_files() -> None:
    root = Path(__file__).resolve().parents[2] / "cypher"
    assert names() == tuple(sorted(str(f.relative_to(root))[: -len(".cypher")] for f in root.rglob("*.cypher")))
    assert "load/begin" in names()


PROMPT = "slots: who, what\n\n# system\n\nYou help {{who}}.\n\n# user\n\n{{what}} for {{who}}\n"


def test_a_prompt_is_filled_in_one_pass(put: Put) -> None:
    found = prompt(put(PROMPT))
    assert found.fill(who="{{what}}", what=r"\1 {{who}}") == ("You help {{what}}.", r"\1 {{who}} for {{what}}")
    assert found.slots == {"who", "what"}


def test_the_digest_of_a_prompt_follows_its_text(put: Put) -> None:
    assert prompt(put(PROMPT)).digest == prompt(put(PROMPT)).digest
    assert prompt(put(PROMPT)).digest != prompt(put(PROMPT.replace("help", "helped"))).digest


@pytest.mark.parametrize("values", [{}, {"who": "a"}, {"who": "a", "what": "b", "more": "c"}])
def test_slots_must_be_filled_exactly(put: Put, values: dict[str, str]) -> None:
    with pytest.raises(TextError, match="takes"):
        prompt(put(PROMPT)).fill(**values)


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("# system", "## system", "needs `# system`"),
        ("# user", "# system", "needs `# system`"),
        ("who, what", "who", "declares the slots"),
        ("who, what", "who, what, more", "declares the slots"),
        ("slots: who, what\n", "", "declares the slots"),
    ],
)
def test_a_prompt_that_differs_from_its_head_is_refused(put: Put, was: str, now: str, said: str) -> None:
    with pytest.raises(TextError, match=said):
        prompt(put(PROMPT.replace(was, now, 1)))


def test_a_prompt_that_is_not_there_is_named() -> None:
    with pytest.raises(TextError, match=r"there is no prompt no/such\.md"):
        prompt("no/such")


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_can_be_filled(name: str) -> None:
    found = prompt(name)
    system, user = found.fill(**dict.fromkeys(found.slots, "VALUE"))
    assert system
    assert user
    assert "{{" not in system + user
