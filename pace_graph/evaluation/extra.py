"""The libraries of the extra `eval`, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pace_graph.errors import ConfigError


def needed(module: str) -> Any:
    """A module of the extra.

    Raises:
        ConfigError: when it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        raise ConfigError(
            f'reports need {library}, which is not installed; run: pip install "pace-graph[eval]"'
        ) from error
