"""What a file format is: how `load` finds it, shows it and reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import entry_points

import click

from pace_graph.errors import ConfigError
from pace_graph.records import Case

GROUP = "pace_graph.loaders"


@dataclass(frozen=True)
class Format:
    """One format, found by the entry-point group `pace_graph.loaders`.

    Attributes:
        help: first line: what `load <name>` reads; shown as the command's help.
        metavar: what the path is called there, for instance DIR.
        read: reads a path, with the values of `options` as keywords, into cases. It raises DataError with every
            problem it finds, before it yields anything that hangs on them.
        options: the options of `load <name>`.
        merges: whether facts of the world that are not in the file stay (someone's notes) or go (a released data set).
    """

    help: str
    metavar: str
    read: Callable[..., Iterable[Case]]
    options: tuple[click.Option, ...] = ()
    merges: bool = False


def formats() -> dict[str, Format]:
    """Every installed format by name."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def find_format(name: str) -> Format:
    """The format of that name.

    Raises:
        ConfigError: when none is installed.
    """
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in found:
        raise ConfigError(f"no loader named {name} is installed; there are: {', '.join(sorted(found)) or 'none'}")
    loaded: Format = found[name].load()
    return loaded
