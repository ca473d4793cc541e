"""Two judges over the same answers.

Source:
    PACE, section on cross-judge agreement and its Table 8 (specification 6.5 and 7.11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.judge import LABELS
from pace_graph.evaluation.opinions import STATUSES, count, label_by_answer, shares, statuses
from pace_graph.evaluation.rows import Judged

Pair = tuple[Judged, Judged]

PAPER_SAME = 86.40
"""Percent of all answers of PaceMaker (open-source agents) that the paper's two judges gave the same label."""

PAPER_FAIL: Mapping[str, Mapping[str, float]] = {
    "first listed (probably Gemini 3.1 Flash-Lite)": {"all": 23.61, "conflict": 38.09, "non_conflict": 8.83},
    "second listed (probably GPT-5.4-mini)": {"all": 23.58, "conflict": 38.94, "non_conflict": 7.90},
}
"""Percent Fail by judge and status. The paper does not say for certain which figures are whose (A28)."""


@dataclass(frozen=True)
class Compared:
    """Two judges over some answers. Shares are in [0, 1].

    Attributes:
        same: share of answers with the same of the three labels; None without answers.
        kappa: Cohen's; None where chance alone would have them agree always.
        first: share of each label, of the first judge; `second` likewise.
        confusion: how many answers have (label of the first, label of the second).
    """

    answers: int
    same: float | None
    kappa: float | None
    first: Mapping[Judged, float]
    second: Mapping[Judged, float]
    confusion: Mapping[Pair, int]


@dataclass(frozen=True)
class Agreement:
    """Two judges over a run.

    Attributes:
        scopes: over `all` answers, and by status of the request.
        only_first: answers that only the first judge has a label for; `only_second` likewise. They are left out.
    """

    judges: tuple[str, str]
    scopes: Mapping[str, Compared]
    only_first: int
    only_second: int


def agreement(run: RunFolder, judge_a: str, judge_b: str, system: str | None = None) -> Agreement:
    """How far two judges agree over the answers that both have judged; of repeats, over their majority.

    Args:
        system: whose answers; None for all.
    """
    first, second = (
        {key: label for key, label in label_by_answer(run.judgments(judge)).items() if system in (None, key.system)}
        for judge in (judge_a, judge_b)
    )
    both = [key for key in first if key in second]
    status = statuses(run)
    scopes = {
        scope: compared(
            [(first[key], second[key]) for key in both if scope in ("all", status[key.world, key.query_id])]
        )
        for scope in ("all", *STATUSES)
    }
    return Agreement((judge_a, judge_b), scopes, len(first) - len(both), len(second) - len(both))


def compared(pairs: Sequence[Pair]) -> Compared:
    """Two judges over pairs of labels."""
    counts = Counter(pairs)
    first, second = count(a for a, _ in pairs), count(b for _, b in pairs)
    same = sum(counts[label, label] for label in LABELS)
    return Compared(
        len(pairs),
        same / len(pairs) if pairs else None,
        _kappa(same, first, second, len(pairs)),
        shares(first),
        shares(second),
        {(a, b): counts[a, b] for a in LABELS for b in LABELS},
    )


def _kappa(same: int, first: Mapping[Judged, int], second: Mapping[Judged, int], answers: int) -> float | None:
    """(observed - chance) / (1 - chance), over whole numbers as far as it goes."""
    chance = sum(first[label] * second[label] for label in LABELS)
    whole = answers * answers
    return (same * answers - chance) / (whole - chance) if whole != chance else None
