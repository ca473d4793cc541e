"""Judging the answers of a run folder: what is left to judge, and judging it, many at once, kept line by line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Self

from langchain_core.runnables import Runnable

from pace_graph.config import Settings
from pace_graph.errors import ConfigError, DataError, ModelError, ReplyError
from pace_graph.evaluation.folder import Lines, RunFolder
from pace_graph.evaluation.judge import PROMPT, Given, judge
from pace_graph.evaluation.rows import Asked, Cost, Judged, Judgment, Key
from pace_graph.ledger import Ledger, StageCost
from pace_graph.llm import Chat, untraced
from pace_graph.texts import prompt

Unreadable = Literal["error", "fail"]
Price = Callable[[StageCost, str], float | None]
Write = Callable[[Given, Judgment], object]

_PRICES = ("usd_in", "usd_cached", "usd_out")


@dataclass(frozen=True)
class Judging:
    """How answers are judged.

    Attributes:
        model: names the judge, and its file.
        repeats: opinions on every answer.
        retries: asks again when a reply is no label.
        unreadable: what becomes of a reply that is no label in the end: an error, which is never scored, or FAIL, as
            the release of PACE's authors counts it.
        concurrency: answers judged at once.
    """

    model: str
    repeats: int = 1
    retries: int = 1
    unreadable: Unreadable = "error"
    concurrency: int = 4


@dataclass(frozen=True)
class Docket:
    """The answers of a run, as far as they can be judged.

    Attributes:
        errors: answers that are errors; they are not judged.
        without_gold: answers to requests without a label or a judgment in the data; they cannot be judged.
    """

    given: tuple[Given, ...]
    errors: int = 0
    without_gold: int = 0


def judge_settings(settings: Settings, model: str | None) -> tuple[Settings, str]:
    """The settings of a judge and its name: the model given, or the one set for the role.

    Raises:
        ConfigError: when there is none.
    """
    if model and model != settings.chat("judge").model:
        # A price that was set for another model says nothing about this one.
        no_prices = {name: None for name in _PRICES if name not in settings.judge.model_fields_set}
        own = settings.judge.model_copy(update={"model": model, **no_prices})
        settings = settings.model_copy(update={"judge": own})
    name = settings.chat("judge").model
    if not name:
        raise ConfigError(
            "no model is set for judge: give --model, or set PACE_GRAPH_JUDGE__MODEL or PACE_GRAPH_AGENT__MODEL "
            "(and __BASE_URL)"
        )
    return settings, name


def docket(folder: RunFolder) -> Docket:
    """Every answer of a run that can be judged, and how many cannot.

    Raises:
        DataError: when an answer is to a request that the folder does not have.
    """
    asked = {(query.world, query.query_id): query for query in folder.queries()}
    answers = list(folder.answers())
    strange = [row.key for row in answers if (row.key.world, row.key.query_id) not in asked]
    if strange:
        problems = [f"{key.system}: there is no request {key.query_id} of world {key.world}" for key in strange]
        raise DataError(folder.path / "queries.jsonl", problems)
    said = [row for row in answers if row.status == "ok"]
    given = (_given(asked[row.key.world, row.key.query_id], row.text, row.key) for row in said)
    can = tuple(found for found in given if found is not None)
    return Docket(can, len(answers) - len(said), len(said) - len(can))


def _given(asked: Asked, answer: str, key: Key) -> Given | None:
    if not asked.label or not asked.judgment.strip():
        return None
    return Given(key, asked.label, asked.judgment, answer)


def left(given: Iterable[Given], judged: Iterable[Judgment], how: Judging) -> list[Given]:
    """What is to be judged, once for every repeat, without what has been.

    Errors are tried again; so is a reply that was no label and was counted as FAIL, unless that is wanted now too.
    """
    done = {
        (row.key, row.repeat) for row in judged if row.status == "ok" and (not row.error or how.unreadable == "fail")
    }
    every = (replace(one, repeat=repeat) for one in given for repeat in range(how.repeats))
    return [one for one in every if (one.key, one.repeat) not in done]


def judge_all(
    chat: Chat, todo: Iterable[Given], how: Judging, write: Write, price: Price = lambda *_: None
) -> list[Judgment]:
    """Judges, `how.concurrency` at once; every judgment is handed to `write` as soon as it is there.

    Returns:
        The judgments, in the order they came in; a call that failed for good is one with status error.

    Raises:
        ConfigError: when the endpoint does not know key or model; what was not begun is left.
    """
    chain = judge(chat, how.retries)

    def one(given: Given) -> Judgment:
        row = _judgment(chain, given, how, price)
        write(given, row)
        return row

    with ThreadPoolExecutor(how.concurrency) as pool:
        futures = [pool.submit(one, given) for given in todo]
        try:
            return [future.result() for future in as_completed(futures)]
        except BaseException:
            # What runs is finished and kept; nothing else is begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _judgment(chain: Runnable[Given, Judged], given: Given, how: Judging, price: Price) -> Judgment:
    ledger = Ledger({"judge"})
    label: Judged | None = None
    why = ""
    try:
        with untraced():
            label = chain.invoke(given, {"callbacks": [ledger]})
    except ReplyError as error:
        label, why = ("FAIL" if how.unreadable == "fail" else None), str(error)
    except ModelError as error:
        why = str(error)
    cost = _cost(ledger, how.model, price)
    return Judgment(given.key, how.model, given.repeat, "ok" if label else "error", label, why, cost)


def _cost(ledger: Ledger, model: str, price: Price) -> Cost:
    stages = ledger.costs()
    prices = [price(stage, model) for stage in stages]
    known = [usd for usd in prices if usd is not None]
    return Cost(stages=stages, usd=sum(known) if known and len(known) == len(prices) else None)


class Book:
    """The file of a judge's lines. It is begun with the first line: a judge that never judged leaves nothing behind.

    Threads may share it.
    """

    def __init__(self, path: Path, begin: Callable[[], object] = lambda: None) -> None:
        """Calls `begin` before the first line."""
        self._path, self._begin = path, begin
        self._lines: Lines | None = None
        self._lock = Lock()

    def append(self, row: Mapping[str, Any]) -> None:
        """Writes one line and has the disk keep it."""
        with self._lock:
            if self._lines is None:
                self._begin()
                self._lines = Lines(self._path)
        self._lines.append(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lines is not None:
            self._lines.close()


def judged_by(settings: Settings, model: str) -> dict[str, Any]:
    """What changes the labels of a judge: kept beside its judgments."""
    sent = settings.chat("judge")
    return {
        "model": model,
        "prompt": prompt(PROMPT).digest,
        "temperature": sent.temperature,
        "max_tokens": sent.max_tokens,
    }


def same_judge(folder: RunFolder, now: Mapping[str, Any]) -> None:
    """Checks that the judgments there are were made the same way.

    Raises:
        ConfigError: when they were not; names what differs.
    """
    path = _note(folder, now)
    there = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else now
    different = [
        f"{name}: {there.get(name)!r} there, {now[name]!r} now" for name in now if there.get(name) != now[name]
    ]
    if different:
        lines = folder.judge_file(now["model"]).name
        raise ConfigError(
            f"{path} was judged otherwise ({'; '.join(different)}); set it so again, or remove it with {lines} "
            "to judge anew"
        )


def note(folder: RunFolder, now: Mapping[str, Any]) -> None:
    """Writes down how a judge judges."""
    path = _note(folder, now)
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(json.dumps(now, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _note(folder: RunFolder, now: Mapping[str, Any]) -> Path:
    return folder.judge_file(now["model"]).with_suffix(".json")
