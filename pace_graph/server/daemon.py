"""The process that hosts the server: `python -m pace_graph.server.daemon HOME REPOSITORY NONCE`.

It detaches itself, keeps the server lock for life, writes the state file, and ends on SIGTERM.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pace_graph.server import errands, ports, process, state
from pace_graph.server.jvm import Neo4j
from pace_graph.server.places import Places
from pace_graph.server.probe import signs_in
from pace_graph.server.release import NEO4J_VERSION

WAKE_S = 1.0


def main(arguments: list[str]) -> None:
    """Forks, tells the parent the child's pid, and lives on in the child."""
    home, repository, nonce = arguments
    child = os.fork()
    if child:
        os.write(1, f"{child}\n".encode())
        os._exit(0)
    places = Places(Path(home), Path(repository))
    _detach(places)
    os._exit(_serve(places, nonce))


def _detach(places: Places) -> None:
    # The caller's pipes must close now: pytest and make wait for them to.
    os.setsid()
    os.chdir(places.home)
    os.umask(0o077)
    if places.log.exists():
        places.log.replace(places.log.with_suffix(".previous.log"))
    log = os.open(places.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)


def _serve(places: Places, nonce: str) -> int:
    try:
        with FileLock(places.server_lock, mode=0o600, timeout=10):
            return _life(places, nonce)
    except Timeout:
        sys.stderr.write(f"another server holds {places.server_lock}\n")
        return 1


def _life(places: Places, nonce: str) -> int:
    bolt, http = ports.free(ports.BOLT), ports.free(ports.HTTP)
    now = state.State(nonce, os.getpid(), "starting", bolt, http, NEO4J_VERSION, time.time())
    state.write(places, now)
    try:
        server = _started(places, bolt, http)
    except Exception as error:  # noqa: BLE001 - whatever it was, the command that waits must be told
        traceback.print_exc()
        state.write(places, now.now("failed", str(error)))
        return 1
    # Only now: while Neo4j starts, its own handlers stop it cleanly, and it would replace ours.
    bell = _bell()
    state.write(places, now.now("ready"))
    _attend(places, nonce, server, bell)
    server.stop()
    _forget(places, nonce)
    return 0


def _started(places: Places, bolt: int, http: int) -> Neo4j:
    password = state.made_password(places).get_secret_value()
    server = Neo4j(places, process.memory_bytes())
    if not server.start(bolt, http):
        raise RuntimeError(_cause(places))
    if not signs_in(f"bolt://{ports.LOOPBACK}:{bolt}", password):
        server.set_password(password)
    return server


def _cause(places: Places) -> str:
    sys.stdout.flush()
    lines = [line.strip() for line in places.log.read_text("utf-8", "replace").splitlines() if line.strip()]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return (causes or lines or ["no reason given"])[-1]


def _bell() -> int:
    """A descriptor that gets the number of each signal as a byte, whichever thread of the JVM took it."""
    heard, rung = os.pipe()
    os.set_blocking(heard, False)
    os.set_blocking(rung, False)
    signal.set_wakeup_fd(rung, warn_on_full_buffer=False)
    for name in (signal.SIGTERM, signal.SIGINT, errands.KNOCK):
        signal.signal(name, lambda *_: None)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return heard


def _attend(places: Places, nonce: str, server: Neo4j, bell: int) -> None:
    while True:
        errands.answer(places, {"checkpoint": server.checkpoint})
        # A server whose folder was deleted or handed to another has nothing left to serve.
        kept = state.read(places)
        if kept is None or kept.nonce != nonce:
            return
        if select.select([bell], [], [], WAKE_S)[0] and set(os.read(bell, 64)) & {
            signal.SIGTERM,
            signal.SIGINT,
        }:
            return


def _forget(places: Places, nonce: str) -> None:
    kept = state.read(places)
    if kept is not None and kept.nonce == nonce:
        with suppress(OSError):
            places.state.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
