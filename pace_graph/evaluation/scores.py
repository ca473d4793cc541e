"""What a run scored, request by request: retrieval at any depth, the judge's label, coverage, losses, cost.

Error rows are counted apart and never scored. A request for which a system found nothing scores 0. What is not done
yet is counted as waiting, and a run with either is not final.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pace_graph.errors import ConfigError
from pace_graph.evaluation.folder import RunFolder, file_name
from pace_graph.evaluation.losses import Account, account
from pace_graph.evaluation.metrics import Metric, all_gold, hit, recall, reciprocal_rank
from pace_graph.evaluation.opinions import label_by_answer
from pace_graph.evaluation.rows import Answer, Asked, Cost, Judged, Judgment, Key, Retrieval
from pace_graph.evaluation.wrong_answers import control_file, control_judgments, wrong_answers
from pace_graph.retrievers import SYSTEMS

Coverage = Literal["none", "partial", "full"]
SITUATIONS = ("temporal", "personal", "state")
COVERAGES: tuple[Coverage, ...] = ("none", "partial", "full")


@dataclass(frozen=True, slots=True)
class Found:
    """What is kept of a retrieval row: a run of the whole data set holds tens of thousands of them."""

    ok: bool
    kept: tuple[str, ...]
    account: Account
    cost: Cost
    error: str


@dataclass(frozen=True, slots=True)
class Scored:
    """One request of one system.

    Attributes:
        found: None while it is not done.
        label: of the chosen judge, by majority of its repeats.
    """

    asked: Asked
    found: Found | None = None
    answer: Answer | None = None
    label: Judged | None = None

    @property
    def at(self) -> tuple[str, str]:
        """World and id of the request: the same for every system, and for copies of a world that a sweep made."""
        return self.asked.world.partition("~")[0], self.asked.query_id

    @property
    def kept(self) -> tuple[str, ...]:
        """Fact ids, best first."""
        return self.found.kept if self.found else ()

    @property
    def is_found(self) -> bool:
        """Whether retrieval metrics count it: done, without an error."""
        return self.found.ok if self.found else self.answer is not None and self.answer.status == "ok"

    def score(self, metric: Metric) -> float:
        """A retrieval metric of it."""
        return metric(self.kept, self.asked.gold)

    def passed(self, label: Judged = "PASS") -> float:
        """1 when it was judged so."""
        return float(self.label == label)

    @property
    def coverage(self) -> Coverage:
        """How much of the gold the first ten facts hold.

        Source:
            PACE, section on coverage: partial is Hit@10 without Gold@10.
        """
        return "full" if self.score(all_gold(10)) else "partial" if self.score(hit(10)) else "none"


Chosen = Callable[[Scored], bool]


def of(label: str | None = None, situation: str | None = None) -> Chosen:
    """Requests of a status and a situation type; None is any."""
    return lambda row: label in (None, row.asked.label) and situation in (None, row.asked.situation)


EVERY = of()


@dataclass(frozen=True, slots=True)
class State:
    """How far one system is. A request that failed is counted once, where it failed."""

    requests: int
    retrieval_errors: int
    answer_errors: int
    judge_errors: int
    waiting: int
    unjudged: int

    @property
    def errors(self) -> int:
        """Error records of all kinds."""
        return self.retrieval_errors + self.answer_errors + self.judge_errors

    @property
    def final(self) -> bool:
        """Whether every figure is what it will be."""
        return not (self.errors or self.waiting or self.unjudged)


@dataclass(frozen=True)
class SystemScores:
    """One system of one run.

    Attributes:
        rows: one for every request of the run, in its order, done or not.
        spent: USD by kind of record (retrieval, answer, judge) over all of them, repeated and failed ones too; None
            without prices.
    """

    run: str
    system: str
    config: Mapping[str, Any]
    rows: tuple[Scored, ...]
    state: State
    spent: Mapping[str, float | None] = field(default_factory=dict)
    judge_costs: tuple[Cost, ...] = ()

    @property
    def ranks(self) -> bool:
        """Whether its facts are a ranked list, so that retrieval metrics say something about it."""
        return self.system not in SYSTEMS or SYSTEMS[self.system].ranks

    @cached_property
    def found(self) -> tuple[Scored, ...]:
        """The requests that retrieval metrics count."""
        return tuple(row for row in self.rows if row.is_found)

    @cached_property
    def judged(self) -> tuple[Scored, ...]:
        """The requests whose answer was judged."""
        return tuple(row for row in self.rows if row.label)

    def retrieval(self, metric: Metric, chosen: Chosen = EVERY) -> list[tuple[str, float]]:
        """(world, score) of every request that counts."""
        return [(row.asked.world, row.score(metric)) for row in self.found if chosen(row)]

    def labelled(self, label: Judged = "PASS", chosen: Chosen = EVERY) -> list[tuple[str, float]]:
        """(world, 1 or 0) of every judged request."""
        return [(row.asked.world, row.passed(label)) for row in self.judged if chosen(row)]


@dataclass(frozen=True)
class RunScores:
    """A run folder, scored.

    Attributes:
        judge: whose labels are used; None when the run was not judged.
        judgments: judge to all its judgments; `controls` likewise, of answers that are wrong on purpose.
    """

    name: str
    config: Mapping[str, Any]
    asked: tuple[Asked, ...]
    systems: tuple[SystemScores, ...]
    judge: str | None
    judgments: Mapping[str, tuple[Judgment, ...]]
    controls: Mapping[str, tuple[Judgment, ...]] = field(default_factory=dict)

    @property
    def final(self) -> bool:
        """Whether every figure is what it will be."""
        return all(system.state.final for system in self.systems)


def metrics(ks: Sequence[int], mrr_depth: int | None = None) -> tuple[Metric, ...]:
    """Recall, Hit and Gold at every depth, and MRR: the columns of the paper's main table."""
    return (*(make(k) for make in (recall, hit, all_gold) for k in ks), reciprocal_rank(mrr_depth))


def read_run(folder: RunFolder, judge: str | None = None) -> RunScores:
    """A run folder with every request scored.

    Args:
        judge: whose labels to use; the only one, or the first by name, when it is not given.
    """
    return _Reading(folder, judge).scores()


def read_runs(folders: Iterable[RunFolder], judge: str | None = None) -> tuple[RunScores, ...]:
    """Several run folders, scored by one judge.

    Raises:
        ConfigError: when that judge has judged none of them.
    """
    found = list(folders)
    there = sorted({name for folder in found for name in folder.judges()})
    if judge is not None and file_name(judge) not in there:
        told = f"there are: {', '.join(there)}" if there else "none has judged yet; run: pace-graph judge"
        raise ConfigError(f"{judge} has judged none of {', '.join(folder.name for folder in found)}; {told}")
    return tuple(read_run(folder, judge) for folder in found)


class _Reading:
    def __init__(self, folder: RunFolder, judge: str | None) -> None:
        self._folder = folder
        self._config = folder.config()
        self._asked = folder.queries()
        names = folder.judges()
        wanted = file_name(judge) if judge else next(iter(names), None)
        self._judge = wanted if wanted in names else None
        self._found: dict[Key, Found] = {}
        self._answers: dict[Key, Answer] = {}
        self._spent: dict[tuple[str, str], list[float | None]] = defaultdict(list)
        self._read_records()
        self._judgments = {name: tuple(folder.judgments(name)) for name in names}

    def _read_records(self) -> None:
        gold = {(query.world, query.query_id): query.gold for query in self._asked}
        for row in self._folder.rows():
            if isinstance(row, Retrieval):
                self._found[row.key] = _slim(row, gold.get((row.key.world, row.key.query_id), ()))
                self._spent[row.key.system, "retrieval"].append(row.cost.usd)
            elif isinstance(row, Answer):
                self._answers[row.key] = row
                self._spent[row.key.system, "answer"].append(row.cost.usd)

    def scores(self) -> RunScores:
        return RunScores(
            self._folder.name,
            self._config,
            self._asked,
            tuple(self._system(name, config) for name, config in self._config["systems"].items()),
            self._judge,
            self._judgments,
            {name: found for name in self._judgments if (found := self._control(name))},
        )

    def _control(self, judge: str) -> tuple[Judgment, ...]:
        if not control_file(self._folder, judge).exists():
            return ()
        return tuple(control_judgments(self._folder, judge, wrong_answers(self._asked)))

    def _system(self, name: str, config: Mapping[str, Any]) -> SystemScores:
        labels = label_by_answer(self._of_judge(name))
        rows = tuple(self._scored(Key(name, query.world, query.query_id), query, labels) for query in self._asked)
        costs = tuple(row.cost for row in self._of_judge(name))
        spent = {stage: _sum(usd) for (system, stage), usd in self._spent.items() if system == name}
        if costs:
            spent["judge"] = _sum([cost.usd for cost in costs])
        return SystemScores(self._folder.name, name, config, rows, self._state(name, rows), spent, costs)

    def _scored(self, key: Key, query: Asked, labels: Mapping[Key, Judged]) -> Scored:
        found, answer = self._found.get(key), self._answers.get(key)
        answered = answer is not None and answer.status == "ok"
        return Scored(query, found, answer, labels.get(key) if answered else None)

    def _of_judge(self, system: str) -> Iterator[Judgment]:
        return (row for row in self._judgments.get(self._judge or "", ()) if row.key.system == system)

    def _state(self, system: str, rows: Sequence[Scored]) -> State:
        judge_errors = sum(
            row.status == "error" for found in self._judgments.values() for row in found if row.key.system == system
        )
        answered = [row for row in rows if row.answer and row.answer.status == "ok"]
        failed = {row.key for row in self._of_judge(system) if row.status == "error"}
        unjudged = [
            row
            for row in answered
            if _may_be_judged(row) and Key(system, row.asked.world, row.asked.query_id) not in failed
        ]
        return State(
            len(rows),
            sum(bool(row.found and not row.found.ok) for row in rows),
            sum(bool(row.answer and row.answer.status == "error" and row.is_found) for row in rows),
            judge_errors,
            sum(_waits(row, answers=bool(self._config.get("answers"))) for row in rows),
            len(unjudged) if self._judge else 0,
        )


def _slim(row: Retrieval, gold: Sequence[str]) -> Found:
    return Found(row.status == "ok", row.kept, account(row, gold), row.cost, row.error)


def _may_be_judged(row: Scored) -> bool:
    """Whether a judge will still give it a label: an answer to a request without gold gets none."""
    return row.label is None and row.asked.label is not None and bool(row.asked.judgment.strip())


def _waits(row: Scored, *, answers: bool) -> bool:
    if row.found is None and row.answer is None:
        return True
    return answers and row.answer is None and row.is_found


def _sum(usd: Sequence[float | None]) -> float | None:
    return None if any(each is None for each in usd) else sum(each for each in usd if each is not None)
