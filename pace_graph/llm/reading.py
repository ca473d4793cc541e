"""Reads a model's reply into a contract, tolerant of everything around and inside the JSON.

"Could not read" raises `UnreadableError`; "said none" is a contract whose list is empty. The two are never
mixed up: only an empty list that stands in the reply counts, not one that a repair left over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from pace_graph.llm.spans import spans

M = TypeVar("M", bound=BaseModel)

_TAG = r"(?:think|thinking|thought|reasoning)"
_CLOSED = re.compile(rf"<({_TAG})\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_ORPHAN_END = re.compile(rf"^.*</{_TAG}\s*>", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(rf"<{_TAG}\b[^>]*>.*$", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)
_EMPTY_LIST = re.compile(r"\[\s*\]")
_ZEROS = re.compile(r"[\[,]\s*0\d+\s*(?=[,\]])")
# A list under such a name holds what the model did not choose.
_OPPOSITE = re.compile(r"not_|exclu|reject|drop|remov|irrelev|discard|unselect|required", re.IGNORECASE)

# How well a value fits; a higher number is further from what was asked for.
_AS_ASKED, _WRAPPED, _RENAMED, _BARE = range(4)


class UnreadableError(Exception):
    """A reply holds nothing that fits the contract; the text says why."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    value: Any
    bare_allowed: bool


def unthought(text: str) -> str:
    """The reply without its think blocks: closed, never closed, or with the opening left to the endpoint."""
    text = _CLOSED.sub("", text)
    text = _ORPHAN_END.sub("", text)
    return _UNCLOSED.sub("", text).strip()


def read(text: str, contract: type[M]) -> M:
    """The reply as the contract.

    Raises:
        UnreadableError: when no complete part of it fits.
    """
    if not text.strip():
        raise UnreadableError("it is empty")
    # First as it is: a text inside the JSON may hold a think tag of its own.
    fit = _fit(_Candidate(_strict(text), bare_allowed=False), contract)
    if fit is not None and fit[0] == _AS_ASKED:
        return fit[1]
    said = unthought(text)
    best = _best(said, contract) or (_best_inside_thought(text, contract) if not said else None)
    if best is not None:
        return best
    if not said:
        raise UnreadableError("it holds nothing but thoughts")
    kind = "nothing in it fits the contract" if spans(said) else "it holds no complete JSON"
    raise UnreadableError(kind)


def _best(text: str, contract: type[M]) -> M | None:
    # At equal fit the later one wins: models talk first; after prose come fences, then the reply as a whole.
    fits = [fit for candidate in _candidates(text) if (fit := _fit(candidate, contract)) is not None]
    return min(reversed(fits), key=lambda fit: fit[0])[1] if fits else None


def _best_inside_thought(text: str, contract: type[M]) -> M | None:
    # The model never closed its thoughts: only a last object exactly as asked for can be meant as the reply.
    last = spans(text)[-1:]
    fit = _fit(_Candidate(_parsed(last[0].text), bare_allowed=False), contract) if last else None
    return fit[1] if fit is not None and fit[0] == _AS_ASKED else None


def _candidates(text: str) -> Iterator[_Candidate]:
    for span in spans(text):
        yield _Candidate(_parsed(span.text), bare_allowed=span.alone and '"' in span.text)
    for fence in _FENCE.findall(text):
        for span in spans(fence):
            yield _Candidate(_parsed(span.text), bare_allowed=span.text == fence.strip())
    value = _strict(text)
    if isinstance(value, str):
        value = _strict(value)
    yield _Candidate(value, bare_allowed=True)


def _strict(text: str) -> Any:
    """The value of a JSON text, numbers as they are written; None when it is none."""
    try:
        # Numbers stay text: an id given as 1e3 is that id. Pydantic makes numbers where they are wanted.
        return json.loads(text, strict=False, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _parsed(text: str) -> Any:
    value = _strict(text)
    if value is not None:
        return value
    if _ZEROS.search(text):
        # The repair would turn 007 into 7, which may be another id.
        return None
    from json_repair import repair_json

    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    return None if _has_empty_list(value) and not _EMPTY_LIST.search(text) else value


def _has_empty_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_empty_list(part) for part in value.values())
    if isinstance(value, list):
        return not value or any(_has_empty_list(part) for part in value)
    return False


def _fit(candidate: _Candidate, contract: type[M]) -> tuple[int, M] | None:
    for kind, value in _readings(candidate, contract):
        try:
            return kind, contract.model_validate(value)
        except ValidationError:
            continue
    return None


def _readings(candidate: _Candidate, contract: type[BaseModel]) -> Iterator[tuple[int, Any]]:
    """What a value may have been meant as, the likeliest first."""
    value = candidate.value
    field, item = _list_field(contract)
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict):
            yield _WRAPPED, value[0]
        if field and candidate.bare_allowed:
            yield _BARE, {field: value}
    if not isinstance(value, dict) or {"type", "properties"} <= set(value):
        # An object with these two is the schema, sent back.
        return
    yield _AS_ASKED, value
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        yield _WRAPPED, inner
    if field and item and set(item.model_fields) & set(value):
        yield _WRAPPED, {field: [value]}
    elif field and (name := _only_list(value, field)):
        yield _RENAMED, {**value, field: value[name]}


def _only_list(value: dict[str, Any], field: str) -> str | None:
    lists = [name for name, part in value.items() if isinstance(part, list)]
    return lists[0] if field not in value and len(lists) == 1 and not _OPPOSITE.search(str(lists[0])) else None


def _list_field(contract: type[BaseModel]) -> tuple[str | None, type[BaseModel] | None]:
    """The contract's list field, when it has exactly one, and the model of its items, when they have one."""
    lists = {
        name: info.annotation for name, info in contract.model_fields.items() if get_origin(info.annotation) is list
    }
    if len(lists) != 1:
        return None, None
    name, annotation = next(iter(lists.items()))
    inner = (get_args(annotation) or (None,))[0]
    # Annotated[Model, …] keeps the model first.
    inner = get_args(inner)[0] if get_args(inner) else inner
    return name, inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None
