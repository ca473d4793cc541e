"""Cypher statements and prompts: files, checked against their own headers.

A Cypher file starts with comment lines: a sentence, `// params:`, `// returns:` and where due `// shape:` and `//
source:`. `shape` names whole numbers that Cypher takes no parameter for (a path's length, a vector's dimension). Such
a number stands in the text as `5/*hops*/`, so that the file runs as it is, and only a whole number can ever take its
place.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pace_graph.errors import TextError

_PARAMETER = re.compile(r"\$(\w+)")
_SHAPE = re.compile(r"(\d+)/\*(\w+)\*/")
_WORD = re.compile(r"(\w+)")
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def _cypher_root() -> Traversable:
    # Installed, the statements lie inside the package; in a checkout, beside it.
    shipped = files("pace_graph").joinpath("cypher")
    return shipped if shipped.is_dir() else Path(__file__).resolve().parents[1] / "cypher"


def _prompt_root() -> Traversable:
    return files("pace_graph").joinpath("prompts")


@dataclass(frozen=True)
class Statement:
    """One Cypher statement.

    Attributes:
        name: its path below `cypher/`, without the ending.
        params: the parameters it takes.
        shape: the whole numbers that are part of its text.
    """

    name: str
    text: str
    question: str
    params: frozenset[str]
    shape: frozenset[str]

    def shaped(self, numbers: dict[str, int]) -> str:
        """The text with its shape numbers set.

        Raises:
            TextError: when a number is missing, too many, or no whole number from 0 up.
        """
        if set(numbers) != self.shape:
            raise TextError(f"{self.name} takes the shape numbers {sorted(self.shape)}, not {sorted(numbers)}")
        for name, number in numbers.items():
            if type(number) is not int or number < 0:
                raise TextError(f"{self.name}: {name} is a whole number from 0 up, not {number!r}")
        return _SHAPE.sub(lambda found: str(numbers[found[2]]), self.text)


@dataclass(frozen=True)
class Prompt:
    """One prompt: a system part, a user part, and the slots they take."""

    name: str
    system: str
    user: str
    slots: frozenset[str]
    digest: str

    def fill(self, **values: str) -> tuple[str, str]:
        """The system and the user message, slots filled.

        Raises:
            TextError: when a slot is missing or unknown.
        """
        if set(values) != self.slots:
            raise TextError(f"{self.name} takes {sorted(self.slots)}, not {sorted(values)}")

        def put(text: str) -> str:
            # One pass: what a fact says can never be read as a slot.
            return _SLOT.sub(lambda found: values[found[1]], text)

        return put(self.system), put(self.user)


def _header(text: str, key: str, name: re.Pattern[str]) -> frozenset[str]:
    found = re.search(rf"^// {key}:(.*)$", text, re.MULTILINE)
    return frozenset(name.findall(found[1])) if found else frozenset()


def _body(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


@cache
def statement(name: str) -> Statement:
    """The statement kept in `cypher/<name>.cypher`.

    Raises:
        TextError: when there is none, or when its header and its body differ.
    """
    source = _cypher_root().joinpath(f"{name}.cypher")
    if not source.is_file():
        raise TextError(f"there is no statement cypher/{name}.cypher")
    text = source.read_text(encoding="utf-8")
    body = _body(text)
    params, used = _header(text, "params", _PARAMETER), frozenset(_PARAMETER.findall(body))
    if params != used:
        raise TextError(f"cypher/{name}.cypher declares {sorted(params)} and uses {sorted(used)}")
    shape, shaped = _header(text, "shape", _WORD), frozenset(found[1] for found in _SHAPE.findall(body))
    if shape != shaped:
        raise TextError(f"cypher/{name}.cypher declares the shape {sorted(shape)} and uses {sorted(shaped)}")
    question = text.splitlines()[0].removeprefix("//").strip()
    return Statement(name=name, text=body.strip(), question=question, params=params, shape=shape)


def names() -> tuple[str, ...]:
    """The names of all statements, in order."""
    found: list[str] = []

    def walk(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                walk(entry, f"{prefix}{entry.name}/")
            elif entry.name.endswith(".cypher"):
                found.append(prefix + entry.name.removesuffix(".cypher"))

    walk(_cypher_root(), "")
    return tuple(sorted(found))


@cache
def prompt(name: str, folder: Path | None = None) -> Prompt:
    """The prompt kept in `pace_graph/prompts/<name>.md`: `# system`, `# user`, slots written {{name}}.

    Args:
        folder: where prompts of the user's own may lie, under the same names; those that do not are ours.

    Raises:
        TextError: when there is none, or its parts are not there.
    """
    source: Traversable = _prompt_root().joinpath(f"{name}.md")
    if folder is not None and (folder / f"{name}.md").is_file():
        source = folder / f"{name}.md"
    if not source.is_file():
        raise TextError(f"there is no prompt {name}.md")
    text = source.read_text(encoding="utf-8")
    parts = re.split(r"^# (system|user)\s*$", text, flags=re.MULTILINE)
    if parts[1::2] != ["system", "user"]:
        raise TextError(f"prompt {name}.md needs `# system` and then `# user`")
    system, user = parts[2].strip(), parts[4].strip()
    slots = frozenset(_SLOT.findall(system + user))
    head = re.search(r"^slots:(.*)$", parts[0], re.MULTILINE)
    declared = frozenset(_WORD.findall(head[1])) if head else frozenset()
    if slots != declared:
        raise TextError(f"prompt {name}.md declares the slots {sorted(declared)} and uses {sorted(slots)}")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Prompt(name=name, system=system, user=user, slots=slots, digest=digest)


def prompt_names() -> tuple[str, ...]:
    """The names of all prompts, in order."""
    root = _prompt_root()
    return tuple(
        sorted(
            f"{folder.name}/{entry.name.removesuffix('.md')}"
            for folder in root.iterdir()
            if folder.is_dir()
            for entry in folder.iterdir()
            if entry.name.endswith(".md")
        )
    )
