"""What a command may ask of the daemon: a file in a private folder, a knock, an answer beside it."""

from __future__ import annotations

import os
import secrets
import signal
import time
import traceback
from collections.abc import Callable, Mapping

from pace_graph.errors import GraphError, ServerDown
from pace_graph.server import state
from pace_graph.server.places import Places

KNOCK = signal.SIGUSR1
DONE = "done"


def ask(places: Places, running: state.State, what: str, timeout_s: float) -> None:
    """Has the daemon do it, and returns when it is done.

    Raises:
        GraphError: the daemon tried and failed; says why.
        ServerDown: it ended, or took longer than `timeout_s`.
    """
    request = places.requests / f"{what}.{secrets.token_hex(8)}"
    answer = request.with_name(f"{request.name}.answer")
    state.private(request, "")
    try:
        os.kill(running.pid, KNOCK)
        said = _wait(places, running, answer.name, timeout_s)
    except ProcessLookupError as error:
        raise ServerDown(f"the local Neo4j ended before its {what}") from error
    finally:
        request.unlink(missing_ok=True)
        answer.unlink(missing_ok=True)
    if said != DONE:
        raise GraphError(f"the local Neo4j could not do its {what}: {said}")


def answer(places: Places, does: Mapping[str, Callable[[], None]]) -> None:
    """Does every request that waits, and says so beside it."""
    for request in sorted(places.requests.glob("*.*")) if places.requests.is_dir() else ():
        if request.suffix in (".answer", ".new"):
            continue
        said = DONE
        try:
            does[request.name.split(".")[0]]()
        except Exception as error:  # noqa: BLE001 - the asking command must be told, and the server must live
            traceback.print_exc()
            said = str(error) or type(error).__name__
        request.unlink(missing_ok=True)
        state.private(request.with_name(f"{request.name}.answer"), said)


def _wait(places: Places, running: state.State, name: str, timeout_s: float) -> str:
    end = time.monotonic() + timeout_s
    answered = places.requests / name
    while time.monotonic() < end:
        if answered.exists():
            return answered.read_text("utf-8")
        if not running.alive():
            raise ServerDown("the local Neo4j ended while it was asked for something")
        time.sleep(0.05)
    raise ServerDown(f"the local Neo4j did not answer within {timeout_s:g} s; see {places.log}")
