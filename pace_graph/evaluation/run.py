"""Running a plan into a folder: resumable at any instant, never paying twice, stopping cleanly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from langchain_core.runnables import Runnable

from pace_graph.asking import build
from pace_graph.env import Env
from pace_graph.errors import GraphError, ModelError, ServerDown
from pace_graph.evaluation.folder import Lines, RunFolder
from pace_graph.evaluation.plan import RunPlan
from pace_graph.evaluation.prices import total
from pace_graph.evaluation.rows import Answer, Asked, Cost, Key, Retrieval, Row, as_json, retrieval
from pace_graph.ledger import Ledger
from pace_graph.records import Answered, Hit, Plan, Query, Rankings, Retrieved, Views
from pace_graph.retrievers import answering, find_system
from pace_graph.stages.answer import answer


@dataclass(frozen=True)
class Chains:
    """The chains of one system for one world: to retrieve, and to answer from the first `shown` facts retrieved."""

    retrieve: Runnable[Query, Retrieved]
    answer: Runnable[Retrieved, Answered]
    shown: int


@dataclass
class Progress:
    """How far a run is, by system; read by whoever shows it.

    Attributes:
        usd: of this and earlier sessions of the run, where prices are set.
    """

    todo: dict[tuple[str, str], int] = field(default_factory=dict)
    done: dict[tuple[str, str], int] = field(default_factory=dict)
    errors: dict[tuple[str, str], int] = field(default_factory=dict)
    usd: float = 0.0
    unpriced: bool = False
    out_of_budget: bool = False

    def add(self, row: Row, *, last: bool) -> None:
        """Counts a row that was written; `last` when the request is done with it."""
        at = (row.key.system, row.key.world)
        if row.cost.usd is None:
            self.unpriced = True
        self.usd += row.cost.usd or 0.0
        if row.status == "error":
            self.errors[at] = self.errors.get(at, 0) + 1
        if last:
            self.done[at] = self.done.get(at, 0) + 1


def carry_out(
    env: Env, plan: RunPlan, folder: RunFolder, *, concurrency: int = 1, budget_usd: float | None = None,
    shown: Callable[[Progress], None] = lambda _: None,
) -> Progress:  # fmt: skip
    """Does what of the plan is not done yet, and appends each record as it is complete.

    A model that fails for good on one request leaves an error record; such a request is tried again by the next call. A
    server that is gone ends the run: nothing done is lost.

    Args:
        budget_usd: no request is begun once the run has cost this much.
        shown: told after each record.

    Raises:
        ServerDown: when the graph is gone.
        ConfigError: when the folder holds another run, or another process writes to it.
    """
    with folder.writing():
        folder.begin(plan.config, plan.queries)
        with Lines(folder.path / "records.jsonl") as lines:
            return _Run(env, plan, folder, lines, budget_usd, shown).all(concurrency)


class _Run:
    def __init__(
        self, env: Env, plan: RunPlan, folder: RunFolder, lines: Lines, budget: float | None,
        shown: Callable[[Progress], None],
    ) -> None:  # fmt: skip
        self._env, self._plan, self._lines, self._budget, self._shown = env, plan, lines, budget, shown
        self._queries = {(query.world, query.query_id): query for query in plan.queries}
        self._found = {row.key: row.kept for row in folder.retrievals() if row.status == "ok"}
        self._answered = {row.key for row in folder.answers() if row.status == "ok"}
        self._lock = threading.Lock()
        self.progress = Progress()
        for row in folder.rows():
            self.progress.usd += row.cost.usd or 0.0
        for key in plan.keys:
            at = (key.system, key.world)
            self.progress.todo[at] = self.progress.todo.get(at, 0) + 1
            if self._is_done(key):
                self.progress.done[at] = self.progress.done.get(at, 0) + 1

    def _is_done(self, key: Key) -> bool:
        return key in self._found and (not self._plan.answers or key in self._answered)

    def all(self, concurrency: int) -> Progress:
        """Runs everything left, at most `concurrency` requests at a time and few of them waiting."""
        left = self._left()
        with ThreadPoolExecutor(concurrency) as pool:
            under_way: set[Future[None]] = set()
            try:
                for key, chains in left:
                    under_way.add(pool.submit(self._one, key, chains))
                    if len(under_way) >= 2 * concurrency:
                        under_way = _settled(under_way)
                    if self.progress.out_of_budget:
                        break
                while under_way:
                    under_way = _settled(under_way)
            except BaseException:
                # Calls under way end, and their replies are kept; none is begun.
                self._env.chat.stop()
                pool.shutdown(wait=True, cancel_futures=True)
                self._env.chat.go_on()
                raise
        return self.progress

    def _left(self) -> Iterator[tuple[Key, Chains]]:
        chains: dict[tuple[str, str], Chains] = {}
        for key in self._plan.keys:
            if self._is_done(key):
                continue
            at = (key.system, key.world)
            if at not in chains:
                # One world at a time: the indexes of the last one are let go.
                chains = {kept: chain for kept, chain in chains.items() if kept[1] == key.world}
                self._env.forget_all_but(key.world)
                chains[at] = self._chains(key)
            yield key, chains[at]

    def _chains(self, key: Key) -> Chains:
        config, kb, system = self._plan.systems[key.system], self._env.world(key.world), find_system(key.system)
        shown = answering(system, config, kb)
        return Chains(
            build(self._env, kb, system, config, key.system), answer(self._env.chat, kb, shown), shown.n_answer
        )

    def _may_begin(self) -> bool:
        with self._lock:
            spent = self._budget is not None and self.progress.usd >= self._budget
            self.progress.out_of_budget |= spent
        return not spent

    def _one(self, key: Key, chains: Chains) -> None:
        if not self._may_begin():
            return
        query = self._queries[key.world, key.query_id]
        if key in self._found:
            retrieved = restored(query, self._found[key])
        else:
            row, found = self._retrieve(key, query, chains.retrieve)
            self._write(row, last=row.status == "error" or not self._plan.answers)
            if found is None:
                return
            retrieved = found
        if self._plan.answers:
            self._write(self._answer(key, retrieved, chains), last=True)

    def _retrieve(
        self, key: Key, query: Asked, chain: Runnable[Query, Retrieved]
    ) -> tuple[Retrieval, Retrieved | None]:
        ledger = Ledger()
        try:
            retrieved = chain.invoke(query.query(), {"callbacks": [ledger]})
        except ServerDown:
            raise
        except (ModelError, GraphError) as error:
            return Retrieval(key, "error", error=str(error), cost=self._cost(ledger)), None
        depth = self._plan.systems[key.system].k
        return retrieval(key, retrieved, self._cost(ledger), depth), retrieved

    def _answer(self, key: Key, retrieved: Retrieved, chains: Chains) -> Answer:
        ledger = Ledger()
        try:
            answered = chains.answer.invoke(retrieved, {"callbacks": [ledger]})
        except ModelError as error:
            return Answer(key, "error", error=str(error), cost=self._cost(ledger))
        shown = retrieved.fact_ids[: chains.shown]
        return Answer(key, "ok", answered.text, answered.verdict, shown, cost=self._cost(ledger))

    def _cost(self, ledger: Ledger) -> Cost:
        stages = ledger.costs()
        return Cost(stages, total(self._env.settings, stages), ledger.total().tokens_saved)

    def _write(self, row: Retrieval | Answer, *, last: bool) -> None:
        self._lines.append(as_json(row))
        with self._lock:
            self.progress.add(row, last=last)
            self._shown(self.progress)


def _settled(under_way: set[Future[None]]) -> set[Future[None]]:
    done, left = wait(under_way, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
    return left


def restored(query: Asked, kept: tuple[str, ...]) -> Retrieved:
    """A retrieval as far as answering needs it: the request and the facts kept, best first."""
    asked = query.query()
    hits = tuple(Hit(fact_id, path=(fact_id,)) for fact_id in kept)
    return Retrieved(Rankings(Views(Plan(asked, status="none"), ()), ()), hits)
