"""The released layout on disk: `kb/<case_id>/corpus.json` and `queries.json`, `profile/<case_id>.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loaders.pace_source import TIMELINE, Raw
from loaders.problems import Problems, kind
from loaders.reading import read_json
from loaders.sections import Section, section_of
from pace_graph.errors import DataError


@dataclass(frozen=True, slots=True)
class FolderSource:
    """One case folder."""

    world: str
    root: Path
    profile: Path | None

    def load(self, problems: Problems) -> Raw:
        """The parts of the world, as parsed."""
        corpus, queries = (_Listed(self.root / f"{name}.json", name) for name in ("corpus", "queries"))
        corpus.read(problems)
        if queries.path.exists():
            queries.read(problems)
        profile = None if self.profile is None else _json_or_none(self.profile, problems)
        return Raw(
            corpus=corpus.sections,
            queries=queries.sections,
            profile=None if self.profile is None or profile is None else (self.profile, profile),
            timelines=tuple((one.path, one.timeline) for one in (corpus, queries) if one.timeline),
            row_timelines=corpus.bare,
        )


class _Listed:
    """A file that holds a list, bare or in an object beside the timeline."""

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.key = key
        self.bare = False
        self.sections: tuple[Section, ...] | None = None
        self.timeline: Mapping[str, Any] = {}

    def read(self, problems: Problems) -> None:
        value = _json_or_none(self.path, problems)
        if value is None:
            return
        self.bare = isinstance(value, list)
        found = value.get(self.key) if isinstance(value, dict) else value
        if not isinstance(found, list):
            held = f'an object without a list "{self.key}"' if isinstance(value, dict) else kind(value)
            problems.refuse(self.path, f'holds {held}; expected {{"{self.key}": [...]}} or a list')
            return
        self.sections = (section_of(self.path, found),)
        if isinstance(value, dict):
            self._read_timeline(value, problems)

    def _read_timeline(self, value: Mapping[str, Any], problems: Problems) -> None:
        timeline = value.get("timeline")
        if timeline is None:
            self.timeline = {name: value[name] for name in TIMELINE if name in value}
        elif isinstance(timeline, dict):
            self.timeline = timeline
        else:
            problems.refuse(self.path, f'"timeline" is {kind(timeline)}, not an object of {", ".join(TIMELINE)}')


def _json_or_none(path: Path, problems: Problems) -> object:
    try:
        value = read_json(path)
    except DataError as error:
        problems.adopt(error)
        return None
    if value is None:
        problems.refuse(path, "holds null")
    return value


def folder_sources(path: Path) -> list[FolderSource]:
    """The case folders in a folder: in its `kb`, in itself, or itself; none when there are none."""
    kb = path / "kb"
    if kb.is_dir():
        inside = _folders(kb)
        beside = [path]
    else:
        inside = [folder for folder in _folders(path) if _is_case(folder)]
        beside = [path, path.resolve().parent]
        if not inside and _is_case(path):
            inside, beside = [path.resolve()], [path.resolve().parent, path.resolve().parent.parent]
    return [FolderSource(folder.name, folder, _profile(folder.name, beside)) for folder in inside]


def _folders(path: Path) -> list[Path]:
    return sorted(child for child in path.iterdir() if child.is_dir() and not child.name.startswith("."))


def _is_case(folder: Path) -> bool:
    return (folder / "corpus.json").is_file() or (folder / "queries.json").is_file()


def _profile(name: str, beside: list[Path]) -> Path | None:
    places = [folder / called / f"{name}.json" for folder in beside for called in ("profile", "profiles")]
    return next((place for place in places if place.is_file()), None)
