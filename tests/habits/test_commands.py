"""Commands are documented, by their own help and in the README, and help is quick."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pace_graph.cli.main import COMMANDS as TABLE
from tests.habits.commands import COMMANDS, LEAVES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HEAVY = ("neo4j", "langchain", "langchain_core", "langchain_openai", "openai", "numpy", "rich", "pydantic", "rank_bm25")

every_command = pytest.mark.parametrize(
    ("path", "command"), COMMANDS, ids=[" ".join(path) or "pace-graph" for path, _ in COMMANDS]
)
every_leaf = pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])


def test_all_commands_of_the_issue_are_there() -> None:
    wanted = {
        *("demo", "load", "load pace", "load facts", "worlds", "search", "ask", "explain"),
        *("db", "db start", "db stop", "db status", "db browser", "db doctor"),
        *("world", "world show", "world verify", "world delete", "world export"),
    }
    assert wanted <= {" ".join(path) for path, _ in COMMANDS}


@every_command
def test_every_command_has_help(path: tuple[str, ...], command: click.Command) -> None:
    assert command.help
    # What a list of commands shows is a whole sentence, not one cut with dots.
    assert command.get_short_help_str(limit=120).endswith((".", ")")), command.get_short_help_str(limit=120)


@every_command
def test_every_option_has_help(path: tuple[str, ...], command: click.Command) -> None:
    bare = [param.name for param in command.params if isinstance(param, click.Option) and not param.help]
    assert bare == []


@every_leaf
def test_every_command_shows_its_help(path: tuple[str, ...], command: click.Command) -> None:
    context = click.Context(command, info_name=f"pace-graph {' '.join(path)}")
    shown = command.get_help(context)
    for param in command.params:
        names = param.opts if isinstance(param, click.Option) else [param.make_metavar(context)]
        assert any(name in shown for name in names), param.name


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_commands_says_what_the_commands_say(name: str) -> None:
    command = dict(COMMANDS)[(name,)]
    assert command.help
    assert TABLE[name][1] == command.help.split("\n\n")[0].replace("\n", " ")


@every_leaf
def test_every_command_is_in_the_readme(path: tuple[str, ...], command: click.Command) -> None:
    *groups, name = path
    whole = rf"pace-graph {' '.join(path)}(?![\w-])"
    # Siblings may share an entry: `pace-graph db start|stop|status`.
    listed = rf"pace-graph {' '.join(groups)} (?:[\w-]+(?:\\?\||, ))*{re.escape(name)}(?![\w-])" if groups else whole
    apart = rf"pace-graph {' '.join(groups)}[^\n]*`{re.escape(name)}(?![\w-])" if groups else whole
    assert any(re.search(shape, README) for shape in (whole, listed, apart)), f"pace-graph {' '.join(path)}"


def test_the_readme_names_no_command_that_is_not_there() -> None:
    groups = {path for path, command in COMMANDS if isinstance(command, click.Group)}
    known = {path for path, _ in COMMANDS}
    fences = "\n".join(re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
    said = [
        *re.findall(r"^pace-graph ([a-z].*)", fences, re.MULTILINE),
        *re.findall(r"`pace-graph ([a-z][^`]*)`", README),
    ]
    assert len(said) >= 15  # otherwise the README is not read as it is written
    for line in said:
        words = tuple(re.match(r"[a-z][a-z-]*(?: [a-z][a-z-]*)?", line)[0].split())  # type: ignore[index]
        path = words if words[:1] in groups else words[:1]
        assert path in known, line


def _imported(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sorted(sys.modules), file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in done.stderr.split()}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-h"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
from pace_graph.cli.main import main
try:
    main({arguments!r})
except SystemExit as left:
    assert left.code == 0, left.code
"""
    loaded = _imported(code)
    assert {"click", "pace_graph"} <= loaded
    assert sorted(loaded & set(HEAVY)) == []


def test_a_command_does_import_them() -> None:
    # Otherwise the test above looks in the wrong place.
    assert set(HEAVY) & _imported("import pace_graph.cli.ask") >= {"rich", "pydantic", "numpy"}
