"""Starts the daemon and waits until it is ready."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

from pace_graph.errors import ServerDown
from pace_graph.server import process, state
from pace_graph.server.places import Places

# Recovery of a large store after a crash takes minutes.
READY_S = 600.0
SHOWN_LINES = 6
# A daemon that outlives the command keeps neither its keys nor anything that bends Java or Python.
KEPT = (
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
)
PORT_LOST = "Address already in use"


def launch(places: Places) -> state.State:
    """A new server, ready.

    Raises:
        ServerDown: it did not start; with the reason.
    """
    places.state.unlink(missing_ok=True)
    try:
        return awaited(places, _spawn(places))
    except ServerDown as error:
        # Between choosing a port and binding it another program may have taken it: choose again, once.
        if PORT_LOST not in str(error):
            raise
    places.state.unlink(missing_ok=True)
    return awaited(places, _spawn(places))


def awaited(places: Places, pid: int) -> state.State:
    """The state of the daemon `pid` once it is ready.

    Raises:
        ServerDown: it ended, or was not ready in time.
    """
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        # Looked at before the file is read: a daemon writes its last word and then ends.
        lives = process.lives(pid)
        now = state.read(places)
        if now is not None and now.pid == pid and now.phase == "ready" and now.alive():
            return now
        if now is not None and now.pid == pid and now.phase == "failed":
            raise ServerDown(f"the local Neo4j did not start: {now.reason}; the log is {places.log}")
        if not lives:
            raise ServerDown(f"the local Neo4j ended while it started:\n{tail(places.log)}\nThe log is {places.log}")
        time.sleep(0.05)
    raise ServerDown(f"the local Neo4j was not ready within {READY_S:g} s; see {places.log}")


def tail(log: Path) -> str:
    """The last lines of a log."""
    try:
        lines = log.read_text("utf-8", "replace").splitlines()
    except OSError:
        return "  (no log)"
    return "\n".join(f"  {line[:200]}" for line in lines[-SHOWN_LINES:])


def _spawn(places: Places) -> int:
    nonce = secrets.token_hex(12)
    module = "pace_graph.server.daemon"
    command = [sys.executable, "-P", "-m", module, str(places.home), str(places.repository), nonce]
    started = subprocess.run(  # noqa: S603 - our own interpreter, our own module
        command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if started.returncode or not started.stdout.strip().isdigit():
        raise ServerDown(f"the local Neo4j could not be started: {started.stderr.strip()[-400:]}")
    return int(started.stdout)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    # From a checkout that is not installed the daemon finds us where this process did.
    return {**kept, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *_python_path()])}


def _python_path() -> list[str]:
    return [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
