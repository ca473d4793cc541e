"""Every command of pace-graph, sub-commands too, as the command line knows them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pace_graph.cli.main import main


def walk(command: click.Command = main, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """(path, command) of a command and all below it; the path of `db start` is ("db", "start")."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None, (*path, name)
            yield from walk(found, (*path, name))


COMMANDS = list(walk())
LEAVES = [(path, command) for path, command in COMMANDS if not isinstance(command, click.Group)]
