"""What is known about a running server: the state file, and whether its process is still that process."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from pace_graph.errors import ConfigError
from pace_graph.server import process
from pace_graph.server.places import Places


@dataclass(frozen=True)
class State:
    """One life of the daemon.

    Attributes:
        nonce: a word on the daemon's command line; a reused pid does not carry it.
        started: seconds since 1970.
        reason: why it failed, when it did.
    """

    nonce: str
    pid: int
    phase: Literal["starting", "ready", "failed"]
    bolt_port: int
    http_port: int
    release: str
    started: float
    reason: str = ""

    @property
    def uri(self) -> str:
        """Bolt's address."""
        return f"bolt://127.0.0.1:{self.bolt_port}"

    @property
    def browser_url(self) -> str:
        """Neo4j Browser with the server filled in; `&cmd=edit&arg=<statement>` may follow."""
        return f"http://127.0.0.1:{self.http_port}/browser/?dbms=bolt://neo4j@127.0.0.1:{self.bolt_port}"

    def alive(self) -> bool:
        """Whether the very process that wrote this state still runs."""
        return process.lives(self.pid, self.nonce)

    def now(self, phase: Literal["starting", "ready", "failed"], reason: str = "") -> State:
        """The same life in another phase."""
        return replace(self, phase=phase, reason=reason)


def read(places: Places) -> State | None:
    """The state last written; None without one, and for a file that is not ours or was cut short."""
    try:
        return State(**json.loads(places.state.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def running(places: Places) -> State | None:
    """The state of a server whose process lives (it may still be starting)."""
    state = read(places)
    return state if state is not None and state.phase != "failed" and state.alive() else None


def write(places: Places, state: State) -> None:
    """Replaces the state file at once, mode 0600."""
    private(places.state, json.dumps(asdict(state), indent=2) + "\n")


def private(path: Path, text: str) -> None:
    """Writes a file that only its owner can read; readers see the old or the new text, never half of it."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def password(places: Places) -> SecretStr:
    """The password of a server that runs.

    Raises:
        ConfigError: its file is gone; a new start mends that.
    """
    try:
        return SecretStr(places.password.read_text("utf-8").strip())
    except OSError as error:
        raise ConfigError(
            f"{places.password}: cannot be read ({error.strerror}); `pace-graph db stop`, and the next "
            "start makes a new one"
        ) from error


def made_password(places: Places) -> SecretStr:
    """The password, made up where there is none yet; the daemon calls it, holding its lock."""
    if not places.password.exists() or not places.password.read_text("utf-8").strip():
        private(places.password, secrets.token_urlsafe(18) + "\n")
    return password(places)
