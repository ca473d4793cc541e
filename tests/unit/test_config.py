"""Settings from the environment, and the numbers of PaceMaker within their bounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from pace_graph.config import ChatSettings, EmbeddingSettings, PaceConfig, RuleConfig, Settings
from pace_graph.errors import ConfigError
from pace_graph.retrievers import SYSTEMS, find_system

# --- PaceConfig


def test_defaults_are_those_of_the_paper() -> None:
    # Spec 4.1, in its order.
    c = PaceConfig()
    assert (c.k_graph, c.directions, c.counter_views, c.k, c.k_rrf, c.w_counter, c.w_original) == (
        10, 3, 3, 10, 60, 1.2, 1.0,
    )  # fmt: skip
    assert (c.n_seed, c.n_filter, c.hops, c.width, c.n_final) == (20, 10, 5, 3, 10)


def test_open_questions_default_to_the_recommended_reading() -> None:
    # Spec 4.12, A7 to A33, those that touch retrieval or its measuring.
    c = PaceConfig()
    readings = {
        "A7": c.cut, "A8": c.expand, "A9": c.edges, "A12": c.filter_sees_date, "A13": c.small_pool, "A14": c.short_list,
        "A15": c.original_view, "A16": c.n_answer, "A20": c.query_prefix, "A21": c.n_baseline, "A23": c.averaging,
        "A24": c.mrr_depth, "A32": c.walk, "A33 few": c.few_counters, "A33 none": c.no_counters,
    }  # fmt: skip
    assert readings == {
        "A7": "before_visited", "A8": "frontier", "A9": "directed", "A12": False, "A13": "skip", "A14": "accept",
        "A15": "verbatim", "A16": 10, "A20": "", "A21": 10, "A23": "micro", "A24": None, "A32": "bfs",
        "A33 few": "accept", "A33 none": "original_only",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["A7", "A8", "A9", "A12", "A13", "A14", "A15", "A16", "A20", "A23", "A24", "A32"])
def test_the_field_of_an_open_question_says_which(name: str) -> None:
    said = [field.description or "" for field in PaceConfig.model_fields.values()]
    assert sum(bool(re.search(rf"\b{name}\b", text)) for text in said) == 1


@pytest.mark.parametrize(
    ("field", "last_bad", "first_good"),
    [
        ("k_graph", 0, 1), ("directions", 0, 1), ("directions", 11, 10), ("counter_views", -1, 0),
        ("counter_views", 11, 10), ("k", 0, 1), ("k_rrf", 0, 0.001), ("w_original", -0.001, 0), ("w_counter", -1, 0),
        ("n_seed", 0, 1), ("n_filter", 0, 1), ("hops", -1, 0), ("hops", 21, 20), ("width", 0, 1), ("n_final", 0, 1),
        ("n_answer", 0, 1), ("n_baseline", 0, 1), ("mrr_depth", 0, 1), ("reply_retries", -1, 0),
        ("reply_retries", 6, 5),
    ],
)  # fmt: skip
def test_numbers_have_bounds(field: str, last_bad: float, first_good: float) -> None:
    with pytest.raises(ValidationError, match=field):
        PaceConfig.model_validate({field: last_bad})
    assert getattr(PaceConfig.model_validate({field: first_good}), field) == first_good


@pytest.mark.parametrize("field", ["k_rrf", "w_original", "w_counter"])
@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
    ],
)
def test_no_number_of_the_fusion_is_without_end(field: str, value: float) -> None:
    with pytest.raises(ValidationError, match=field):
        PaceConfig.model_validate({field: value})


@pytest.mark.parametrize(
    "field",
    ["cut", "expand", "edges", "small_pool", "short_list", "original_view", "few_counters", "no_counters", "walk",
     "averaging", "answer_form"],
)  # fmt: skip
def test_a_reading_that_is_not_there_is_refused(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        PaceConfig.model_validate({field: "as you like"})


@pytest.mark.parametrize("config", [PaceConfig, RuleConfig])
def test_a_config_knows_no_other_fields_and_cannot_be_changed(config: type[PaceConfig | RuleConfig]) -> None:
    with pytest.raises(ValidationError, match="n_seeds"):
        config.model_validate({"n_seeds": 3})
    made = config()
    with pytest.raises(ValidationError, match="frozen"):
        setattr(made, next(iter(config.model_fields)), 3)


def test_a_config_comes_back_from_what_is_written_into_results() -> None:
    c = PaceConfig(hops=2, edges="mutual", mrr_depth=10, w_counter=0.7)
    assert PaceConfig.model_validate_json(c.model_dump_json()) == c
    assert set(c.model_dump()) == set(PaceConfig.model_fields)


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_given_goes_before_a_systems_own_defaults(name: str) -> None:
    system = SYSTEMS[name]
    assert system.config() == PaceConfig.model_validate(dict(system.defaults))
    assert system.config(k=3, n_seed=4).k == 3
    assert system.config(n_seed=4).n_seed == 4
    with pytest.raises(ConfigError, match="no setting named unknown"):
        system.config(unknown=1)
    with pytest.raises(ConfigError, match="the setting hops cannot be -1"):
        system.config(hops=-1)


def test_a_system_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(ConfigError) as refused:
        find_system("pacemakr")
    assert all(name in str(refused.value) for name in ("pacemakr", *SYSTEMS))


# --- Settings


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {
        "NEO4J__URI": "neo4j+s://example.org",
        "NEO4J__PASSWORD": "secret-1",
        "NEO4J__TIMEOUT_S": "2.5",
        "AGENT__MODEL": "a-model",
        "AGENT__API_KEY": "secret-2",
        "AGENT__TEMPERATURE": "0.25",
        "EMBEDDING__DIMENSIONS": "256",
        "CACHE_DIR": str(tmp_path),
        "NOT_A_SETTING": "1",
    }.items():
        monkeypatch.setenv(f"PACE_GRAPH_{name}", value)
    found = Settings.read()
    assert (found.neo4j.uri, found.neo4j.user, found.neo4j.timeout_s) == ("neo4j+s://example.org", "neo4j", 2.5)
    assert found.neo4j.password is not None
    assert found.neo4j.password.get_secret_value() == "secret-1"
    assert (found.agent.model, found.agent.temperature, found.agent.max_tokens) == ("a-model", 0.25, None)
    assert (found.embedding.dimensions, found.cache_dir, found.managed) == (256, tmp_path, False)
    assert not re.search("secret-[12]", repr(found) + str(found) + found.model_dump_json())


def test_nothing_set_means_the_managed_server_and_no_chat_model() -> None:
    found = Settings.read()
    assert found.managed
    assert found.agent == found.answer == found.judge == ChatSettings()
    assert found.embedding == EmbeddingSettings()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("PACE_GRAPH_NEO4J__TIMEOUT_S", "0", "greater than 0"),
        ("PACE_GRAPH_NEO4J__TIMEOUT_S", "soon", "number"),
        ("PACE_GRAPH_AGENT__TEMPERATURE", "warm", "number"),
        ("PACE_GRAPH_ANSWER__MAX_RETRIES", "-1", "greater than or equal to 0"),
        ("PACE_GRAPH_JUDGE__TIMEOUT_S", "-3", "greater than 0"),
        ("PACE_GRAPH_EMBEDDING__DIMENSIONS", "0", "greater than or equal to 1"),
        ("PACE_GRAPH_EMBEDDING__BATCH", "many", "integer"),
        # A whole group given in one variable has to be JSON; pydantic-settings then raises an error of its own.
        ("PACE_GRAPH_NEO4J", "bolt://localhost:7687", "PACE_GRAPH_NEO4J__NAME"),
        ("PACE_GRAPH_AGENT", "a-model", "PACE_GRAPH_AGENT__NAME"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as refused:
        Settings.read()
    assert str(refused.value).startswith(f"{name}: ")
    assert why in str(refused.value)


def test_a_secret_that_cannot_be_used_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_AGENT", '{"api_key": ["sk-secret"]}')
    with pytest.raises(ConfigError, match="PACE_GRAPH_AGENT__API_KEY") as refused:
        Settings.read()
    assert "sk-secret" not in str(refused.value)


def test_a_role_falls_back_to_the_agent_field_by_field() -> None:
    found = Settings(
        agent=ChatSettings(model="a", base_url="http://one", api_key=SecretStr("k"), temperature=0.5),
        answer=ChatSettings(model="b"),
        judge=ChatSettings(temperature=None, max_tokens=9),
    )
    assert found.chat("agent") is not None
    assert (found.chat("answer").model, found.chat("answer").base_url) == ("b", "http://one")
    assert found.chat("answer").temperature == 0.5
    # None that is set is a choice: this role sends no temperature.
    assert (found.chat("judge").model, found.chat("judge").temperature, found.chat("judge").max_tokens) == (
        "a",
        None,
        9,
    )
