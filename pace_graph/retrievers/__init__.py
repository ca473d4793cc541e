"""Systems: each built for one world, then asked query by query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from pace_graph.config import PaceConfig
from pace_graph.errors import ConfigError
from pace_graph.records import KnowledgeBase
from pace_graph.retrievers.full_kb import full_kb
from pace_graph.retrievers.no_memory import no_memory
from pace_graph.retrievers.no_planning import without_planning
from pace_graph.retrievers.no_selection import without_selection
from pace_graph.retrievers.no_traversal import shown_without_traversal, without_traversal
from pace_graph.retrievers.oracle import oracle
from pace_graph.retrievers.pacemaker import pacemaker, with_model
from pace_graph.retrievers.parts import Build
from pace_graph.retrievers.plain import bm25, dense, hybrid
from pace_graph.retrievers.rules import pacemaker_rules, with_rules
from pace_graph.retrievers.shuffled_memory import shuffled_memory


def first(c: PaceConfig) -> int | None:
    """How many facts the answer generator is shown of a ranked list."""
    return c.n_answer


def everything(c: PaceConfig) -> int | None:  # noqa: ARG001 - as `first`
    """The answer generator is shown all there is."""
    return None


@dataclass(frozen=True)
class System:
    """A way to retrieve.

    Attributes:
        build: makes the chain for one world.
        needs_chat: whether its retrieval calls a chat model.
        defaults: settings that this system has other defaults for.
        ranks: whether its facts are a ranked list, so that retrieval metrics say something.
        shows: how many of its facts the answer generator is shown, under a configuration; None: all.
        group: what it is there for: to be used, to compare with, or to see what a part of PaceMaker is worth.
    """

    build: Build
    help: str
    needs_chat: bool = False
    defaults: tuple[tuple[str, int], ...] = ()
    ranks: bool = True
    shows: Callable[[PaceConfig], int | None] = first
    group: Literal["system", "control", "ablation"] = "system"

    def config(self, **given: object) -> PaceConfig:
        """The configuration: the paper's, this system's own defaults, then what is given.

        Raises:
            ConfigError: when a setting is unknown or cannot be used; names it.
        """
        try:
            return PaceConfig.model_validate({**dict(self.defaults), **given})
        except ValidationError as error:
            raise ConfigError(unusable(error)) from error


# Its filters cost nothing, so it reads deeper before the first one than a model is asked to.
_DEEPER = (("k", 20), ("n_seed", 40), ("n_filter", 20))


def _model(build: Build, what: str, shows: Callable[[PaceConfig], int | None] = first) -> System:
    return System(build, f"pacemaker without {what}", needs_chat=True, shows=shows, group="ablation")


def _rules(build: Build, what: str, shows: Callable[[PaceConfig], int | None] = first) -> System:
    return System(build, f"pacemaker-rules without {what}", defaults=_DEEPER, shows=shows, group="ablation")


SYSTEMS: dict[str, System] = {
    "bm25": System(bm25, "words only: BM25 with the request"),
    "dense": System(dense, "meaning only: vector search with the request"),
    "hybrid": System(hybrid, "both, fused; the request as the only view"),
    "pacemaker-rules": System(
        pacemaker_rules, "PaceMaker's chain with deterministic stages; no chat model", defaults=_DEEPER
    ),
    "pacemaker": System(pacemaker, "PaceMaker with a chat model: four calls a query", needs_chat=True),
    "oracle": System(oracle, "the gold facts and nothing else", ranks=False, shows=everything, group="control"),
    "full-kb": System(full_kb, "every fact of the world", ranks=False, shows=everything, group="control"),
    "no-memory": System(no_memory, "no fact at all", ranks=False, group="control"),
    "shuffled-memory": System(shuffled_memory, "facts drawn by chance", group="control"),
    "pacemaker-rules-no-planning": _rules(without_planning(with_rules), "plan and counter views"),
    "pacemaker-rules-no-traversal": _rules(without_traversal(with_rules), "the walk", shown_without_traversal),
    "pacemaker-rules-no-selection": _rules(without_selection(with_rules), "the last filter", everything),
    "pacemaker-no-planning": _model(without_planning(with_model), "plan and counter views"),
    "pacemaker-no-traversal": _model(without_traversal(with_model), "the walk", shown_without_traversal),
    "pacemaker-no-selection": _model(without_selection(with_model), "the last filter", everything),
}


def answering(system: System, c: PaceConfig, kb: KnowledgeBase) -> PaceConfig:
    """The configuration of the answer generator: as the system's, with as many facts as the system shows it."""
    return c.model_copy(update={"n_answer": system.shows(c) or max(1, len(kb.facts))})


def unusable(error: ValidationError) -> str:
    """What is wrong with a setting, in one sentence."""
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"there is no setting named {name}; there are: {', '.join(PaceConfig.model_fields)}"
    return f"the setting {name} cannot be {first['input']!r}: {first['msg']}"


def find_system(name: str) -> System:
    """The system of that name.

    Raises:
        ConfigError: when there is none.
    """
    if name not in SYSTEMS:
        raise ConfigError(f"there is no system named {name}; there are: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
