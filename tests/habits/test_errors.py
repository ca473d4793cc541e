"""The error tree as it is drawn is the error tree as it is; each error has the exit status it promises."""

from __future__ import annotations

import inspect
import re

import pytest

from pace_graph import errors
from pace_graph.errors import DataError, InputError, PaceGraphError, ReplyError

CLASSES = {name: each for name, each in vars(errors).items() if inspect.isclass(each) and issubclass(each, Exception)}

SAID = re.compile(r"^[│├└─\s]*([A-Z]\w+)\s{2,}.*exit status (\d)", re.MULTILINE)


def drawn() -> dict[str, str | None]:
    """Class to base, read from the tree in the docstring by its indentation."""
    found: dict[str, str | None] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        shape = re.match(r"(?P<lead>[│├└─\s]*)(?P<name>[A-Z]\w+)\s{2,}\S", line)
        if shape is None:
            continue
        depth = len(shape["lead"])
        above = [(at, name) for at, name in above if at < depth]
        found[shape["name"]] = above[-1][1] if above else None
        above.append((depth, shape["name"]))
    return found


def test_the_drawn_tree_is_the_tree() -> None:
    bases = {name: each.__base__.__name__ if each is not PaceGraphError else None for name, each in CLASSES.items()}
    assert drawn() == bases
    assert len(bases) >= 10


@pytest.mark.parametrize("name", CLASSES)
def test_the_exit_status_is_two_for_bad_input_and_one_for_the_rest(name: str) -> None:
    assert CLASSES[name].exit_code == (2 if issubclass(CLASSES[name], InputError) else 1)


def test_the_drawn_statuses_hold() -> None:
    told = {name: int(status) for name, status in SAID.findall(errors.__doc__ or "")}
    assert told == {"PaceGraphError": PaceGraphError.exit_code, "InputError": InputError.exit_code}


@pytest.mark.parametrize("name", CLASSES)
def test_every_error_says_what_it_means(name: str) -> None:
    assert CLASSES[name].__doc__


def test_a_data_error_names_the_file_and_every_fault_up_to_a_limit() -> None:
    one = DataError("notes.csv", "line 3: no id")
    assert str(one) == "notes.csv: line 3: no id"
    many = DataError("notes.csv", [f"line {line}: no id" for line in range(25)])
    assert str(many).splitlines()[0] == "notes.csv: 25 problems"
    assert str(many).splitlines()[-1] == "  and 5 more"
    assert len(str(many).splitlines()) == DataError.SHOWN + 2


def test_a_reply_error_keeps_the_reply_whole_and_out_of_its_message() -> None:
    error = ReplyError("pace/plan", "gibberish " * 100, "no JSON object")
    assert error.reply == "gibberish " * 100
    assert str(error) == "the reply to pace/plan could not be read: no JSON object"
