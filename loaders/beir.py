"""`load beir DIR`: any data set in the layout of BEIR as one world, its documents as facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from loaders.beir_corpus import DateReader, documents
from loaders.beir_qrels import read_relevant
from loaders.checks import why_no_world
from loaders.fact_files import read_rows
from loaders.fact_items import FactReader
from loaders.pace_queries import QueryReader, query_notes
from loaders.problems import Problems, plural
from loaders.sections import Section
from pace_graph.errors import ConfigError, DataError
from pace_graph.formats import Format
from pace_graph.records import Case, Query


def read(
    path: Path,
    *,
    world: str | None = None,
    split: str = "test",
    all_queries: bool = False,
    skip_invalid: bool = False,
) -> Iterator[Case]:
    """The one world of a folder with corpus.jsonl, queries.jsonl and qrels/<split>.tsv.

    Title and text of a document are joined as BEIR joins them. Requests have no label and no situation type.

    Args:
        world: the name of the world; the folder's when None.
        split: whose judgments are read; a relevance above 0 is gold.
        all_queries: keeps requests that the split judges nothing relevant to.
        skip_invalid: leaves out what cannot be used, and sets gold ids aside that are no documents.

    Raises:
        ConfigError: when an option cannot be used.
        DataError: with everything that is wrong with the files.
    """
    path = Path(path)
    named = path.resolve().name if world is None else world
    why = why_no_world(named)
    if why is not None:
        raise ConfigError(f"--world: {why}")
    _check_files(path, split)
    problems = Problems(path, skip_invalid=skip_invalid)
    dates = DateReader()
    facts = FactReader(problems, dates.read)
    facts.read([documents(read_rows(path / "corpus.jsonl", "jsonl", problems))])
    queries = _queries(path, split, named, facts, problems)
    problems.check()
    kept = tuple(query for query in queries if all_queries or query.gold or query.gold_missing)
    left_out = len(queries) - len(kept)
    yield Case(named, tuple(facts.facts), kept, notes=_notes(kept, left_out, split, problems, dates))


def _check_files(path: Path, split: str) -> None:
    if not path.is_dir():
        raise DataError(path, "is not a folder" if path.exists() else "there is no such folder")
    missing = [name for name in ("corpus.jsonl", "queries.jsonl") if not (path / name).is_file()]
    if missing:
        raise DataError(path, f"holds no {' and no '.join(missing)}, so it is not in the layout of BEIR")
    splits = sorted(file.stem for file in (path / "qrels").glob("*.tsv"))
    if split not in splits:
        raise DataError(path, f"holds no qrels/{split}.tsv; its splits are: {', '.join(splits) or 'none'} (--split)")


def _queries(path: Path, split: str, world: str, facts: FactReader, problems: Problems) -> list[Query]:
    section = read_rows(path / "queries.jsonl", "jsonl", problems)
    known = {str(item["_id"]) for _, item in section.items if isinstance(item, dict) and "_id" in item}
    relevant = read_relevant(path / "qrels" / f"{split}.tsv", known, facts.seen, problems)
    reader = QueryReader(world, facts.seen, None, problems)
    reader.read([Section(section.path, section.unit, [(n, _query(item, relevant)) for n, item in section.items])])
    return reader.queries


def _query(item: object, relevant: dict[str, list[str]]) -> object:
    if not isinstance(item, dict):
        return item
    given = item.get("_id")
    # A blank id is refused by name; without one the reader would make one up.
    return {
        "query_id": "" if given is None else given,
        "query": item.get("text"),
        "gold_doc_ids": relevant.get(str(given)),
    }


def _notes(
    queries: tuple[Query, ...], left_out: int, split: str, problems: Problems, dates: DateReader
) -> tuple[str, ...]:
    notes = query_notes(queries)
    if left_out:
        count = plural(left_out, "query is", "queries are")
        notes.append(f"{count} left out, as {split} judges nothing relevant to it (--all-queries keeps such).")
    if problems.skipped:
        notes.append(f"{problems.skipped} skipped, as they cannot be used; without --skip-invalid each is named.")
    if dates.unread:
        notes.append(f"{plural(dates.unread, 'date', 'dates')} under metadata could not be read and are left out.")
    return tuple(notes)


FORMAT = Format(
    help="Load a data set in BEIR's layout from DIR: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, as one world.",
    metavar="DIR",
    read=read,
    options=(
        click.Option(["--world"], metavar="W", help="Name of the world; the folder's by default."),
        click.Option(["--split"], default="test", show_default=True, metavar="SPLIT", help="Whose judgments are gold."),
        click.Option(["--all-queries"], is_flag=True, help="Keep queries that SPLIT judges nothing relevant to."),
        click.Option(
            ["--skip-invalid"],
            is_flag=True,
            help="Leave out what cannot be used, set unknown gold ids aside, and load the rest.",
        ),
    ),
)
