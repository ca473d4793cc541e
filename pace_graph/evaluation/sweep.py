"""Sweeps: one run folder a point, sharing the cache of replies, so that only what a point changes is asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pydantic import ValidationError

from pace_graph.config import PaceConfig
from pace_graph.errors import ConfigError
from pace_graph.evaluation.folder import file_name

ALIASES = {"H": ("hops",), "M": ("width",), "K": ("k",), "N": ("n_filter", "n_final")}
"""The paper's letters. N sweeps both filters together (A11); n_seed, n_filter and n_final can be swept alone."""

ELSEWHERE = ("embedding", "prompts")
"""What may be swept and is no field of PaceConfig: embedding models, and folders of prompts."""


@dataclass(frozen=True)
class Point:
    """One point of a sweep.

    Attributes:
        settings: fields of PaceConfig.
        embedding: the embedding model, when that is swept.
        prompts: the folder of prompts, when that is swept.
    """

    name: str
    settings: Mapping[str, str]
    embedding: str | None = None
    prompts: str | None = None


def points(over: Sequence[tuple[str, str]], *, grid: bool = False) -> list[Point]:
    """The points of a sweep, the default first.

    Args:
        over: (name, values separated by commas): a field of PaceConfig, H, M, K or N, `embedding`, or `prompts`.
        grid: every combination; otherwise one value is changed at a time, the rest at their defaults, as in the paper.

    Raises:
        ConfigError: when a name or a value cannot be swept.
    """
    axes = [(name, [value.strip() for value in values.split(",") if value.strip()]) for name, values in over]
    for name, values in axes:
        _check(name, values)
    if grid:
        chosen = [dict(zip([name for name, _ in axes], found, strict=True)) for found in product(*(v for _, v in axes))]
    else:
        chosen = [{name: value} for name, values in axes for value in values]
    named = {_name(choice): choice for choice in ({}, *chosen)}
    return [_point(name, choice) for name, choice in named.items()]


def _check(name: str, values: Sequence[str]) -> None:
    if not values:
        raise ConfigError(f"--over {name}: give values, separated by commas, as {name}=1,3,5")
    if name in ELSEWHERE:
        return
    fields = ALIASES.get(name, (name,))
    known = PaceConfig.model_fields
    for field in fields:
        if field not in known:
            raise ConfigError(
                f"--over {name}: there is no such setting; there are: {', '.join((*ALIASES, *ELSEWHERE, *known))}"
            )
    for value in values:
        try:
            PaceConfig.model_validate(dict.fromkeys(fields, value))
        except ValidationError as error:
            raise ConfigError(f"--over {name}={value}: {error.errors()[0]['msg']}") from error


def _name(choice: Mapping[str, str]) -> str:
    return file_name("_".join(f"{name}-{value}" for name, value in choice.items())) if choice else "default"


def _point(name: str, choice: Mapping[str, str]) -> Point:
    settings = {
        field: value for key, value in choice.items() if key not in ELSEWHERE for field in ALIASES.get(key, (key,))
    }
    return Point(name, settings, choice.get("embedding"), choice.get("prompts"))
