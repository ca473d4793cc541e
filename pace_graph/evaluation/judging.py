"""Judging the answers of a run folder: what is left to judge, and judging it, many at once, kept line by line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from langchain_core.runnables import Runnable

from pace_graph.config import Settings
from pace_graph.errors import ConfigError, DataError, ModelError, ReplyError
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.judge import PROMPT, Given, judge
from pace_graph.evaluation.rows import Asked, Cost, Judged, Judgment
from pace_graph.ledger import Ledger, StageCost
from pace_graph.llm import Chat, untraced
from pace_graph.texts import prompt

Unreadable = Literal["error", "fail"]
Price = Callable[[StageCost, str], float | None]
Write = Callable[[Given, Judgment], object]


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
    concurrency: int = 8


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
    if model:
        settings = settings.model_copy(update={"judge": settings.judge.model_copy(update={"model": model})})
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


def _given(asked: Asked, answer: str, key: Any) -> Given | None:
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


def hold(folder: RunFolder, settings: Settings, model: str) -> None:
    """Notes what changes a judge's labels beside its judgments, or checks that they were made the same way.

    Raises:
        ConfigError: when they were not; names what differs.
    """
    sent = settings.chat("judge")
    now = {
        "model": model,
        "prompt": prompt(PROMPT).digest,
        "temperature": sent.temperature,
        "max_tokens": sent.max_tokens,
    }
    path = folder.judge_file(model).with_suffix(".json")
    if not path.is_file():
        _put(path, now)
        return
    there = json.loads(path.read_text(encoding="utf-8"))
    different = [
        f"{name}: {there.get(name)!r} there, {now[name]!r} now" for name in now if there.get(name) != now[name]
    ]
    if different:
        raise ConfigError(
            f"{path} was judged otherwise ({'; '.join(different)}); set it so again, or to judge anew remove it and "
            f"{folder.judge_file(model).name}"
        )


def _put(path: Path, value: Mapping[str, Any]) -> None:
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(json.dumps(value, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
