"""What a judge's judgments come to: one label an answer, rates by status, and how steady the judge is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean

from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.judge import LABELS
from pace_graph.evaluation.rows import Judged, Judgment, Key

STATUSES = ("conflict", "non_conflict")
NAMES: Mapping[Judged, str] = {"PASS": "Pass", "WRONG_RATIONALE": "Wrong", "FAIL": "Fail"}
"""What tables call the labels."""


@dataclass(frozen=True)
class Flips:
    """How far a judge agrees with itself over repeats.

    Attributes:
        answers: answers with two labels or more.
        rate: share of them whose labels are not all the same.
        disagreement: mean over them of the share of pairs of labels that differ.
    """

    answers: int
    rate: float | None
    disagreement: float | None


@dataclass(frozen=True)
class Tally:
    """The labels of one system's answers.

    Attributes:
        labels: how many of each label, by status of the request and over `all`.
        errors: answers that are errors.
        unjudged: answers without any label, for now or because every opinion on them is an error.
        failed: opinions that are errors, each repeat counted.
    """

    labels: Mapping[str, Mapping[Judged, int]]
    errors: int
    unjudged: int
    failed: int

    @property
    def final(self) -> bool:
        """Whether every answer is in the labels, with every opinion that was asked for."""
        return not self.errors and not self.unjudged and not self.failed


def majority(labels: Iterable[Judged]) -> Judged:
    """The label given most often; of labels given equally often the worst, so that no doubt is worth a Pass."""
    counts = Counter(labels)
    return max(LABELS, key=lambda label: (counts[label], LABELS.index(label)))


def label_by_answer(judgments: Iterable[Judgment]) -> dict[Key, Judged]:
    """One label an answer: the majority over repeats, errors left out; an answer with nothing but errors has none."""
    return {key: majority(labels) for key, labels in _by_answer(judgments).items()}


def _by_answer(judgments: Iterable[Judgment]) -> dict[Key, list[Judged]]:
    found: dict[Key, list[Judged]] = defaultdict(list)
    for row in judgments:
        if row.status == "ok" and row.label is not None:
            found[row.key].append(row.label)
    return dict(found)


def flips(judgments: Iterable[Judgment]) -> Flips:
    """How far a judge agrees with itself."""
    repeated = [labels for labels in _by_answer(judgments).values() if len(labels) > 1]
    if not repeated:
        return Flips(0, None, None)
    rate = fmean(len(set(labels)) > 1 for labels in repeated)
    return Flips(len(repeated), rate, fmean(map(_pairs_that_differ, repeated)))


def _pairs_that_differ(labels: Sequence[Judged]) -> float:
    same = sum(comb(count, 2) for count in Counter(labels).values())
    return 1 - same / comb(len(labels), 2)


def statuses(folder: RunFolder) -> dict[tuple[str, str], str | None]:
    """The label of every request, by world and id."""
    return {(query.world, query.query_id): query.label for query in folder.queries()}


def tallies(folder: RunFolder, judge: str) -> dict[str, Tally]:
    """The labels of one judge by system, in the order the systems were first answered."""
    judgments, status = list(folder.judgments(judge)), statuses(folder)
    labels, answers = label_by_answer(judgments), list(folder.answers())
    failed = Counter(row.key.system for row in judgments if row.status == "error")
    found = {}
    for system in dict.fromkeys(row.key.system for row in answers):
        rows = [row for row in answers if row.key.system == system]
        said = [row.key for row in rows if row.status == "ok"]
        judged = [key for key in said if key in labels]
        counts = {
            scope: count(labels[key] for key in judged if scope in ("all", status[key.world, key.query_id]))
            for scope in ("all", *STATUSES)
        }
        found[system] = Tally(counts, len(rows) - len(said), len(said) - len(judged), failed[system])
    return found


def count(labels: Iterable[Judged]) -> dict[Judged, int]:
    """How many of each label, all three named."""
    counts = Counter(labels)
    return {label: counts[label] for label in LABELS}


def shares(counts: Mapping[Judged, int]) -> dict[Judged, float]:
    """The share of each label, in [0, 1]; 0 where there is no label at all."""
    whole = sum(counts.values())
    return {label: counts[label] / whole if whole else 0.0 for label in counts}
