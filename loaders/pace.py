"""`load pace DIR`: the worlds of the PACE data set, as released or as the hub has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from loaders.checks import why_no_world
from loaders.pace_case import build_case
from loaders.pace_folder import folder_sources
from loaders.pace_hub import hub_sources
from loaders.pace_source import Source
from pace_graph.errors import DataError
from pace_graph.formats import Format
from pace_graph.records import Case

LOOKED_FOR = (
    "holds no PACE data; looked for kb/<case_id>/corpus.json, for <case_id>/corpus.json, for corpus.json, "
    "and for parquet tables named corpus, queries and profiles (by file or folder)"
)


def read(path: Path, *, cases: Sequence[str] = (), skip_invalid: bool = False) -> Iterator[Case]:
    """The worlds of a folder, one after the other.

    The layout with `kb` is taken before parquet tables where a folder holds both.

    Args:
        path: the folder.
        cases: the ids of the wanted worlds, in any order; empty: all.
        skip_invalid: leaves out what cannot be used, and sets gold ids aside that are no facts.

    Raises:
        DataError: with everything that is wrong with a world, when that world is reached.
    """
    for source in _chosen(Path(path), cases):
        yield build_case(source, skip_invalid=skip_invalid)


def _chosen(path: Path, cases: Sequence[str]) -> list[Source]:
    sources = _sources(path)
    by_name = {source.world: source for source in sources}
    unknown = [case for case in dict.fromkeys(cases) if case not in by_name]
    if unknown:
        there = ", ".join(sorted(by_name)[:20]) + (", …" if len(by_name) > 20 else "")
        raise DataError(path, [f"there is no case {case!r}; there are: {there}" for case in unknown])
    chosen = [source for source in sources if not cases or source.world in cases]
    faults = [why for source in chosen if (why := why_no_world(source.world))]
    if faults:
        raise DataError(path, faults)
    return chosen


def _sources(path: Path) -> list[Source]:
    if not path.is_dir():
        raise DataError(path, "is not a folder" if path.exists() else "there is no such folder")
    try:
        found: list[Source] = [*folder_sources(path)] or [*hub_sources(path)]
    except OSError as error:
        raise DataError(error.filename or path, f"cannot be read: {error.strerror or error}") from error
    if not found:
        raise DataError(path, LOOKED_FOR)
    return found


FORMAT = Format(
    help="Load the worlds of the PACE data set from DIR: kb/ and profile/, or the hub's parquet tables.",
    metavar="DIR",
    read=read,
    options=(
        click.Option(["--case", "cases"], multiple=True, metavar="ID", help="Only this world; may be repeated."),
        click.Option(
            ["--skip-invalid"],
            is_flag=True,
            help="Leave out what cannot be used, set unknown gold ids aside, and load the rest.",
        ),
    ),
)
