"""The wrong-answer control: deliberately wrong answers, made without a model, that a sound judge lets none of pass."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from pace_graph.dates import is_chinese
from pace_graph.evaluation.folder import RunFolder, file_name, read_lines
from pace_graph.evaluation.judge import Given
from pace_graph.evaluation.rows import Asked, Judgment, Key, as_json, from_json
from pace_graph.records import Label

KINDS = ("opposite decision", "reason of another request", "empty-handed")
"""The kinds of wrong answers; in a control's rows they stand where the system would."""

_LABELS: tuple[str, ...] = get_args(Label)
# By (what the answer comes to, whether in Chinese).
_DECIDED = {
    ("conflict", False): "I would not go ahead with this as you asked: it clashes with something you already have on.",
    ("non_conflict", False): "Yes, that works. Nothing stands in the way, so I will arrange it just as you asked.",
    ("conflict", True): "这件事恐怕不能照您说的办，它和您已有的安排有冲突，我建议先不要这样做。",
    ("non_conflict", True): "可以的，没有什么妨碍，我这就按您说的去安排。",
}
_LEAD = {
    ("conflict", False): "I would not go ahead with this as you asked. ",
    ("non_conflict", False): "Yes, this can go ahead. ",
    ("conflict", True): "这件事不能照您说的办。",
    ("non_conflict", True): "可以，这件事能办。",
}
_EMPTY = {
    False: "I have looked into it, but I cannot tell whether it can be done. Tell me more and I will think about it.",
    True: "我看过了，但说不好这件事能不能办。请再多告诉我一些，我再想想。",
}


def wrong_answers(queries: Iterable[Asked], sample: int | None = None, seed: int = 0) -> list[Given]:
    """Deliberately wrong answers to requests, in the language of each.

    The opposite decision; the right decision with the gold judgment of another request of the same label and language
    (of another world where there is one, and never of one that shares a gold fact); and no decision at all. A request
    without such another one has no answer of the second kind.

    Args:
        sample: how many requests are answered so; None for all. The first of a larger sample are those of a smaller.
    """
    usable = [query for query in queries if query.label in _LABELS and query.judgment.strip()]
    chosen = sorted(usable, key=lambda query: _draw(seed, query.world, query.query_id))[:sample]
    return [given for query in chosen for given in _of(query, usable, seed)]


def _of(query: Asked, others: Sequence[Asked], seed: int) -> Iterator[Given]:
    right = str(query.label)
    wrong = next(label for label in _LABELS if label != right)
    chinese = is_chinese(query.text)
    other = _other(query, others, seed)
    answers = (_DECIDED[wrong, chinese], _LEAD[right, chinese] + other if other else "", _EMPTY[chinese])
    for kind, answer in zip(KINDS, answers, strict=True):
        if answer:
            yield Given(Key(kind, query.world, query.query_id), right, query.judgment, answer)


def _other(query: Asked, others: Sequence[Asked], seed: int) -> str:
    """The judgment of another request that is no reason for this one; "" when there is none."""
    chinese = is_chinese(query.text)
    fit = [
        other
        for other in others
        if other.label == query.label
        and is_chinese(other.text) == chinese
        and other.judgment.strip() != query.judgment.strip()
        and not (other.world == query.world and set(other.gold) & set(query.gold))
    ]
    own = (query.world, query.query_id)
    best = min(fit, key=lambda o: (o.world == query.world, _draw(seed, *own, o.world, o.query_id)), default=None)
    return best.judgment if best else ""


def _draw(*parts: object) -> str:
    """A place in an order that a seed fixes, whatever else is in it."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


def control_file(folder: RunFolder, judge: str) -> Path:
    """Where a judge's opinions of wrong answers are kept: not among its judgments of the run."""
    return folder.path / f"control-{file_name(judge)}.jsonl"


def control_row(given: Given, judgment: Judgment) -> dict[str, Any]:
    """The line of one wrong answer: its judgment, and what was judged."""
    return {**as_json(judgment), "answer": given.answer}


def control_judgments(folder: RunFolder, judge: str, given: Iterable[Given]) -> list[Judgment]:
    """The judgments there are of these wrong answers, word for word; of one that was tried again, the last."""
    wanted = {(one.key, one.answer) for one in given}
    found: dict[Any, Judgment] = {}
    for line in read_lines(control_file(folder, judge)):
        row = from_json({name: value for name, value in line.items() if name != "answer"})
        if isinstance(row, Judgment) and (row.key, line["answer"]) in wanted:
            found[row.key, row.repeat] = row
    return list(found.values())
