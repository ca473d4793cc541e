"""Fetches the jars: jgo finds them on Maven Central, the list says what they must be."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from pace_graph.errors import ServerDown
from pace_graph.server.jars import Jar, megabytes, missing
from pace_graph.server.places import Places
from pace_graph.server.release import NEO4J_VERSION

ATTEMPTS = 4
AT_ONCE = 8
TIMEOUT_S = 30
Say = Callable[[str], None]


def install(places: Places, say: Say) -> None:
    """Fetches the jars that are not there yet; those that are stay as they are.

    Raises:
        ServerDown: they could not be fetched; what was fetched is kept for the next try.
    """
    if not missing(places.repository):
        return
    with FileLock(places.repository / "fetch.lock", mode=0o600):
        wanted = missing(places.repository)
        if wanted:
            say(f"Fetching Neo4j {NEO4J_VERSION} from Maven Central, once: {len(wanted)} jars, {megabytes(wanted)} MB.")
            _room(places.repository, wanted)
            _fetch_all(places.repository, wanted, say)


def _room(repository: Path, wanted: Sequence[Jar]) -> None:
    free = shutil.disk_usage(repository).free
    if free < 2 * sum(jar.size for jar in wanted):
        raise ServerDown(
            f"{repository}: only {free // 1_000_000} MB are free for {megabytes(wanted)} MB of jars; "
            "make room or set PACE_GRAPH_CACHE_DIR"
        )


def _fetch_all(repository: Path, wanted: Sequence[Jar], say: Say) -> None:
    with (
        TemporaryDirectory(prefix="fetching-", dir=repository) as staging,
        _progress(wanted, say) as done,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        jobs = {pool.submit(_fetch, jar, repository, Path(staging)): jar for jar in wanted}
        try:
            for job in as_completed(jobs):
                job.result()
                done(jobs[job])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _fetch(jar: Jar, repository: Path, staging: Path) -> None:
    reason = ""
    for attempt in range(ATTEMPTS):
        time.sleep(attempt * attempt * 0.5)
        try:
            fetched = _download(jar, staging / f"{jar.artifact}{jar.classifier}{attempt}")
        except (OSError, RuntimeError) as error:
            reason = _short(error)
            continue
        if jar.intact(fetched):
            target = jar.path(repository)
            target.parent.mkdir(parents=True, exist_ok=True)
            fetched.replace(target)
            return
        reason = "its bytes are not the expected ones"
    raise ServerDown(
        f"{jar} could not be fetched from Maven Central ({reason}); check the network or proxy and try "
        "again, or set PACE_GRAPH_NEO4J__URI to a server of yours"
    )


def _download(jar: Jar, folder: Path) -> Path:
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=folder, timeout=TIMEOUT_S)
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    return component.artifact(jar.classifier, "jar").resolve()


def _short(error: BaseException) -> str:
    """What went wrong, without the address and the chain of wrappers."""
    root: BaseException = error
    while root.__context__ is not None:
        root = root.__context__
    text = str(root).split("\n")[0]
    return f"{type(root).__name__}: {text[:120]}"


@contextmanager
def _progress(wanted: Sequence[Jar], say: Say) -> Iterator[Callable[[Jar], None]]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(wanted, say)
        return
    columns = (
        TextColumn("Neo4j"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[jars]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=sum(jar.size for jar in wanted), jars=f"0/{len(wanted)} jars")
        count = 0

        def done(jar: Jar) -> None:
            nonlocal count
            count += 1
            bar.update(task, advance=jar.size, jars=f"{count}/{len(wanted)} jars")

        yield done


class _Lines:
    """One plain line for each fifth of the bytes."""

    def __init__(self, wanted: Sequence[Jar], say: Say) -> None:
        self._wanted = wanted
        self._say = say
        self._done: list[Jar] = []
        self._said = 0

    def __call__(self, jar: Jar) -> None:
        self._done.append(jar)
        total = megabytes(self._wanted)
        fifth = 5 * sum(done.size for done in self._done) // sum(wanted.size for wanted in self._wanted)
        if fifth > self._said:
            self._said = fifth
            self._say(f"  {len(self._done)} of {len(self._wanted)} jars, {megabytes(self._done)} of {total} MB")
