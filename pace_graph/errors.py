"""Every error of pace-graph.

PaceGraphError            exit status 1 on the command line
├── InputError            what was asked for cannot be used; exit status 2
│   ├── ConfigError       a setting is missing or wrong
│   ├── DataError         a file or a record in it is wrong
│   └── WorldError        a world is unknown, not ready, or kept with another embedding model
├── TextError             a Cypher or prompt file does not hold what its header says (a fault of ours)
├── GraphError            the database refused a statement
│   └── ServerDown        the database could not be reached or started
└── ModelError            a chat or embedding endpoint failed
    └── ReplyError        it answered, with something that could not be read
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class PaceGraphError(Exception):
    """The root of every error that pace-graph raises on purpose."""

    exit_code = 1


class InputError(PaceGraphError):
    """Something the caller gave cannot be used; nothing was written."""

    exit_code = 2


class ConfigError(InputError):
    """A setting is missing or has a value that cannot be used."""


class DataError(InputError):
    """A file, or records in it, cannot be used.

    Attributes:
        path: the file.
        problems: one line a fault, each naming the line or id and the reason.
    """

    SHOWN = 20

    def __init__(self, path: Path | str, problems: Sequence[str] | str) -> None:
        self.path = Path(path)
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(self._message())

    def _message(self) -> str:
        if len(self.problems) == 1:
            return f"{self.path}: {self.problems[0]}"
        shown = [f"  {problem}" for problem in self.problems[: self.SHOWN]]
        left = len(self.problems) - self.SHOWN
        more = [f"  and {left} more"] if left > 0 else []
        return "\n".join([f"{self.path}: {len(self.problems)} problems", *shown, *more])


class WorldError(InputError):
    """A world is unknown, not ready, or kept with another embedding model."""


class TextError(PaceGraphError):
    """A Cypher or prompt file does not hold what its header says."""


class GraphError(PaceGraphError):
    """The database refused a statement."""


class ServerDown(GraphError):
    """The database could not be reached or started."""


class ModelError(PaceGraphError):
    """A chat or embedding endpoint failed."""


class ReplyError(ModelError):
    """A model answered with something that could not be read.

    Attributes:
        prompt: the name of the prompt file.
        reply: what came back, whole.
    """

    def __init__(self, prompt: str, reply: str, why: str) -> None:
        self.prompt = prompt
        self.reply = reply
        super().__init__(f"the reply to {prompt} could not be read: {why}")
