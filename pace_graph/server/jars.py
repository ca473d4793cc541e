"""The jars of the server: a fixed list with digests, so that every machine runs the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True)
class Jar:
    """One file of a Maven repository.

    Attributes:
        size: in bytes.
        sha256: lower-case hexadecimal.
    """

    group: str
    artifact: str
    version: str
    classifier: str
    size: int
    sha256: str

    def path(self, repository: Path) -> Path:
        """Where a local Maven repository keeps it."""
        tail = f"-{self.classifier}" if self.classifier else ""
        folder = repository.joinpath(*self.group.split("."), self.artifact, self.version)
        return folder / f"{self.artifact}-{self.version}{tail}.jar"

    def there(self, repository: Path) -> bool:
        """Whether it is kept whole, by size; quick enough for every start."""
        path = self.path(repository)
        return path.is_file() and path.stat().st_size == self.size

    def intact(self, path: Path) -> bool:
        """Whether these bytes are the listed ones."""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256

    def __str__(self) -> str:
        named = f"{self.group}:{self.artifact}:{self.version}"
        return f"{named}:{self.classifier}" if self.classifier else named


@cache
def listed() -> tuple[Jar, ...]:
    """Every jar of jars.txt, in class-path order."""
    lines = files("pace_graph.server").joinpath("jars.txt").read_text("utf-8").splitlines()
    return tuple(_parsed(line) for line in lines if line and not line.startswith("#"))


def missing(repository: Path) -> list[Jar]:
    """The listed jars that are not kept whole."""
    return [jar for jar in listed() if not jar.there(repository)]


def damaged(repository: Path) -> list[Jar]:
    """The listed jars that are missing or hold other bytes than listed (reads all of them)."""
    return [jar for jar in listed() if not jar.there(repository) or not jar.intact(jar.path(repository))]


def megabytes(jars: Iterable[Jar]) -> int:
    """Their size together, in MB of 10^6 bytes, rounded up."""
    return -(-sum(jar.size for jar in jars) // 1_000_000)


def _parsed(line: str) -> Jar:
    sha256, size, coordinate = line.split()
    group, artifact, version, *classifier = coordinate.split(":")
    return Jar(group, artifact, version, "".join(classifier), int(size), sha256)
