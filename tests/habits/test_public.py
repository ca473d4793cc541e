"""The public list: sorted, whole, importable, and quick to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pace_graph
from pace_graph import errors


def test_the_list_is_sorted_and_without_doubles() -> None:
    # As ruff sorts it: constants, then classes, then the rest.
    def kind(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert pace_graph.__all__ == sorted(set(pace_graph.__all__), key=kind)


@pytest.mark.parametrize("name", pace_graph.__all__)
def test_every_member_can_be_imported(name: str) -> None:
    scope: dict[str, object] = {}
    exec(f"from pace_graph import {name}", scope)
    assert scope[name] is not None


@pytest.mark.parametrize("name", [name for name in pace_graph.__all__ if not name.startswith("__")])
def test_every_member_says_what_it_is(name: str) -> None:
    member = getattr(pace_graph, name)
    assert (member.__doc__ or "").strip()


def test_every_error_is_public() -> None:
    known = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert known <= set(pace_graph.__all__)


def test_dir_shows_the_list_and_an_unknown_name_fails() -> None:
    assert dir(pace_graph) == sorted(pace_graph.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        pace_graph.no_such_name  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, pace_graph; print(*({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"neo4j", "langchain_core", "numpy", "pydantic", "rich"} & set(loaded)


def test_the_function_ask_is_not_hidden_by_a_module() -> None:
    # A module named as the function would take its place once anything imports it.
    import pace_graph.asking
    import pace_graph.cli.ask

    assert callable(pace_graph.ask)
