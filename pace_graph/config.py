"""Settings (where things are, and secrets) kept apart from PaceConfig (what changes numbers)."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from pace_graph.errors import ConfigError

APP = "pace-graph"


class Neo4jSettings(BaseModel):
    """How to reach a graph. Without `uri` the managed local server is used."""

    uri: str | None = None
    user: str = "neo4j"
    password: SecretStr | None = None
    database: str = "neo4j"
    timeout_s: float = Field(5.0, gt=0, description="how long to wait for the first connection")


class ChatSettings(BaseModel):
    """One chat endpoint. What is None is not sent."""

    model: str | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    timeout_s: float = Field(120.0, gt=0)
    max_retries: int = Field(3, ge=0, description="tries again after a failed call, with backoff")
    usd_in: float | None = Field(None, ge=0, description="price of a million prompt tokens")
    usd_cached: float | None = Field(
        None, ge=0, description="price of a million the endpoint had cached; usd_in if unset"
    )
    usd_out: float | None = Field(None, ge=0, description="price of a million reply tokens")


class EmbeddingSettings(BaseModel):
    """The embedding model of worlds that are loaded from now on.

    `model` is `auto` (a local model by the script most facts are written in), the name of a local model,
    `hash-<dimension>` (for tests and load trials), or the model name of an endpoint at `base_url`.
    """

    model: str = "auto"
    base_url: str | None = None
    api_key: SecretStr | None = None
    dimensions: int | None = Field(None, ge=1)
    batch: int = Field(64, ge=1, description="texts a call, for an endpoint")
    timeout_s: float = Field(60.0, gt=0)


class Settings(BaseSettings):
    """Where things are, read from the environment: PACE_GRAPH_NEO4J__URI, PACE_GRAPH_AGENT__MODEL and so on.

    `agent` serves planning, views and filters; `answer` and `judge` fall back to it field by field.
    """

    model_config = SettingsConfigDict(env_prefix="PACE_GRAPH_", env_nested_delimiter="__", extra="ignore", frozen=True)

    neo4j: Neo4jSettings = Neo4jSettings()
    agent: ChatSettings = ChatSettings()
    answer: ChatSettings = ChatSettings()
    judge: ChatSettings = ChatSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    prompts_dir: Path | None = Field(None, description="prompts to use instead of ours, where it has one of that name")
    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir(APP, appauthor=False)))
    cache_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir(APP, appauthor=False)))

    @classmethod
    def read(cls, **given: Any) -> Settings:
        """The settings of this process.

        Raises:
            ConfigError: when a variable cannot be used; names the variable and why.
        """
        try:
            return cls(**given)
        except SettingsError as error:
            found = re.search(r'field "(\w+)"', str(error))
            name = f"PACE_GRAPH_{found[1].upper() if found else '*'}"
            raise ConfigError(
                f"{name}: is a group of settings; set one of it, as {name}__NAME=…, or unset it"
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            name = "PACE_GRAPH_" + "__".join(str(part).upper() for part in first["loc"])
            raise ConfigError(f"{name}: {first['msg']}; correct it or unset it") from error

    def chat(self, role: Literal["agent", "answer", "judge"]) -> ChatSettings:
        """The endpoint of a role: its own fields where set, otherwise those of `agent`."""
        own = getattr(self, role).model_dump(exclude_unset=True)
        return self.agent.model_copy(update=own)

    @cached_property
    def managed(self) -> bool:
        """Whether the managed local server is meant (no URI is set)."""
        return self.neo4j.uri is None


class Frozen(BaseModel):
    """A value: cannot be changed, knows no other fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PaceConfig(Frozen):
    """Every number and reading of PaceMaker; written whole into results.

    Defaults are the paper's (section 4.1 of its hyperparameters); fields that answer an open question name it (A1 to
    A33).
    """

    k_graph: int = Field(10, ge=1, description="neighbours stored per fact when a world is loaded")
    directions: int = Field(3, ge=1, le=10, description="most directions kept of a plan")
    counter_views: int = Field(3, ge=0, le=10, description="counter views asked for")
    k: int = Field(10, ge=1, description="K: hits per view and leg (A10: the per-list cut)")
    k_rrf: float = Field(60.0, gt=0, description="constant of reciprocal rank fusion")
    w_original: float = Field(1.0, ge=0, description="weight of the original view")
    w_counter: float = Field(1.2, ge=0, description="weight of each counter view")
    n_seed: int = Field(20, ge=1, description="fused facts given to the pre-hop filter")
    n_filter: int = Field(10, ge=1, description="seeds kept by the pre-hop filter")
    hops: int = Field(5, ge=0, le=20, description="H: depth of the walk")
    width: int = Field(3, ge=1, description="M: neighbours expanded per fact")
    n_final: int = Field(10, ge=1, description="facts kept by the post-hop filter")
    n_answer: int = Field(10, ge=1, description="facts shown to the answer generator (A16: 10; the release shows 8)")
    n_baseline: int = Field(10, ge=1, description="facts a plain retriever returns (A21)")

    cut: Literal["before_visited", "after_visited"] = Field(
        "before_visited", description="A7: take the first M neighbours before or after dropping visited ones"
    )
    expand: Literal["frontier", "collected"] = Field("frontier", description="A8: which facts are expanded per hop")
    edges: Literal["directed", "symmetric", "mutual"] = Field("directed", description="A9: which edges are walked")
    filter_sees_date: bool = Field(False, description="A12: show the reference date to the filters")
    small_pool: Literal["skip", "call"] = Field("skip", description="A13: call the filter when the pool already fits")
    short_list: Literal["accept", "backfill", "retry"] = Field("accept", description="A14: the filter kept too few")
    original_view: Literal["verbatim", "dated"] = Field(
        "verbatim", description="A15: the original view as written, or with its relative dates resolved"
    )
    few_counters: Literal["accept", "retry", "pad"] = Field("accept", description="A33: fewer counter views than asked")
    no_counters: Literal["original_only", "fail"] = Field("original_only", description="A33: no counter view at all")
    walk: Literal["bfs"] = Field("bfs", description="A32: the walk is plain breadth first")
    query_prefix: str = Field("", description="A20: text put before a query, not before a fact, when it is embedded")
    ablate_planning: Literal["original_only", "unplanned_views"] = Field(
        "original_only", description="A19: without planning, the request alone, or views written without a plan"
    )
    ablate_traversal: Literal["fused_top", "fused_all", "prehop", "both_filters"] = Field(
        "fused_top",
        description="A17: without the walk, the best n_final fused, all n_seed, or those behind the filters",
    )
    full_kb_order: Literal["id", "date"] = Field(
        "id", description="A22: facts of full-kb by id, or oldest first and those without a date last"
    )
    full_kb_chars: int | None = Field(
        None, ge=1, description="A22: full-kb ends before the fact that goes beyond so many characters of the prompt"
    )
    seed: int = Field(0, ge=0, description="what shuffled-memory draws by, with the id of the query")
    averaging: Literal["micro", "macro"] = Field("micro", description="A23: mean over queries, or over worlds' means")
    mrr_depth: int | None = Field(None, ge=1, description="A24: cut the list for MRR; None is the whole list")
    reply_retries: int = Field(1, ge=0, le=5, description="asks again when a reply cannot be read")
    answer_form: Literal["prose", "decision"] = Field(
        "prose", description="prose as in the paper, or prose with a machine-readable verdict beside it"
    )


class RuleConfig(Frozen):
    """The numbers of the filter without a model. Chosen on worlds that are not shipped, by structure, not by words."""

    cue_factor: float = Field(1.3, ge=1, description="times this for each kind of constraint that a fact speaks of")
    day_factor: float = Field(2.0, ge=1, description="times this when a fact concerns a day that the request is about")
    depth: int = Field(
        500, ge=1, description="how deep a fact of the pool may rank for the request and still be scored"
    )
