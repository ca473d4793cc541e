"""What the models are asked to send back: the JSON contracts of the prompts in `prompts/pace/`."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_TEXT_KEYS = ("doc_id", "fact_id", "id", "query", "view", "text")


def whole(text: str) -> str:
    """The text without lone surrogates, which neither a request nor a database can carry."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _words(value: Any) -> Any:
    return whole(value).strip() if isinstance(value, str) else value


def _item(value: Any) -> Any:
    # Numbers given as ids, and objects around each entry, are what models often send for a list of texts.
    if isinstance(value, dict):
        value = next((value[key] for key in _TEXT_KEYS if key in value), value)
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    return _words(value)


def _direction(value: Any) -> Any:
    return {"dimension": value} if isinstance(value, str) else value


def _several(value: Any) -> Any:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def _verdict(value: Any) -> Any:
    return value.strip(" .!\"'*").casefold() if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_words)]
Item = Annotated[str, BeforeValidator(_item)]


class Contract(BaseModel):
    """A reply. What it does not know is left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def model_json_schema(cls, *how: Any, **more: Any) -> dict[str, Any]:
        """The JSON schema; the plain one is made once, for every prompt of a run asks for it."""
        return super().model_json_schema(*how, **more) if how or more else _plain_schema(cls)


@cache
def _plain_schema(contract: type[Contract]) -> dict[str, Any]:
    return super(Contract, contract).model_json_schema()


class Dimension(Contract):
    """One direction to look for evidence in."""

    dimension: Words = Field(description="short name of the direction")
    description: Words = Field("", description="why evidence in this direction would help")
    key_anchors: Annotated[list[Item], BeforeValidator(_several)] = Field(
        default_factory=list, description="terms copied exactly from the request"
    )


class PlanReply(Contract):
    """What the planner sends."""

    conflict_dimensions: list[Annotated[Dimension, BeforeValidator(_direction)]] = Field(
        description="1 to 3 directions"
    )
    risk_summary: Words = Field("", description="one sentence over all directions")


class ViewsReply(Contract):
    """What the view generator sends."""

    counter: list[Item] = Field(description="search texts")


class FilterReply(Contract):
    """What the filter sends. Ids are trimmed, no more: unknown ones are the stage's matter."""

    selected_doc_ids: list[Item] = Field(description="ids from the list, most useful first")


class Decision(Contract):
    """An answer with its verdict beside it."""

    verdict: Annotated[Literal["proceed", "decline"], BeforeValidator(_verdict)] = Field(
        description="whether the request should be carried out"
    )
    answer: Words = Field(min_length=1, description="2 to 4 sentences to the person")
