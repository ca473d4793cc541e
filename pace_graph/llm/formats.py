"""How a structured reply is asked for, and what each endpoint turned out to take."""

from __future__ import annotations

import json
import re
import threading
from functools import cache
from typing import Any

from pydantic import BaseModel

# From the strictest to none at all; an endpoint that refuses one is asked with the next.
LEVELS = ("json_schema", "json_object", "none")

_REFUSING = frozenset({400, 404, 415, 422, 500, 501})
_ABOUT_FORMAT = re.compile(
    r"response_?format|schema|json_object|json mode|structured output|grammar|guided", re.IGNORECASE
)
_NOT_FOR_STRICT = ("default", "title", "minLength")


def refused(status: int | None, message: str) -> bool:
    """Whether a failed call failed over the way the reply was asked for."""
    return status in _REFUSING and _ABOUT_FORMAT.search(message) is not None


@cache
def strict_schema(contract: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a contract as strict modes want it: every field required, no other fields."""

    def strict(node: Any) -> Any:
        if isinstance(node, list):
            return [strict(part) for part in node]
        if not isinstance(node, dict):
            return node
        # Below `properties` the keys are field names, of which any may be called like a keyword.
        kept = {
            key: {name: strict(part) for name, part in value.items()}
            if key in {"properties", "$defs"}
            else strict(value)
            for key, value in node.items()
            if key not in _NOT_FOR_STRICT
        }
        if "properties" in kept:
            kept |= {"required": list(kept["properties"]), "additionalProperties": False}
        return kept

    schema = strict(contract.model_json_schema())
    assert isinstance(schema, dict)  # noqa: S101 - for the type checker: a dict goes in, a dict comes out
    return schema


@cache
def schema_text(contract: type[BaseModel]) -> str:
    """The schema of a contract for the `schema` slot of a prompt."""
    return json.dumps(strict_schema(contract), ensure_ascii=False)


def response_format(level: str, contract: type[BaseModel]) -> dict[str, Any] | None:
    """The `response_format` of a level; None for `none`."""
    if level == "json_schema":
        schema = {"name": contract.__name__, "strict": True, "schema": strict_schema(contract)}
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if level == "json_object" else None


class Formats:
    """The first level each (endpoint, model) may still take. Safe to share between threads."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def levels(self, url: str, model: str) -> tuple[str, ...]:
        """The levels to try, in order."""
        with self._lock:
            return LEVELS[self._first.get((url, model), 0) :]

    def took(self, url: str, model: str, level: str) -> None:
        """Remembers a level that was answered.

        Only success is remembered: a refusal may have had another cause, which shows again at the next level.
        """
        with self._lock:
            self._first[url, model] = LEVELS.index(level)
