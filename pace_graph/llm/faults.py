"""Turns what openai and LangChain raise into errors of ours, in one sentence and without secrets."""

from __future__ import annotations

from typing import Any

from pace_graph.errors import ConfigError, ModelError, PaceGraphError, ReplyError
from pace_graph.llm.endpoint import Endpoint

_SHOWN = 200


def status_of(error: BaseException) -> int | None:
    """The HTTP status of a failed call, where there was one."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def said(error: BaseException) -> str:
    """What the endpoint said, whole."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        return str(message or body)
    return str(body or error)


def fault(error: Exception, at: Endpoint, prompt: str) -> PaceGraphError:
    """The error to raise for a failed call. A cause that could carry the key is left out of it."""
    ours = _fault(error, at, prompt)
    if not at.secret or at.secret not in f"{error} {said(error)}":
        ours.__cause__ = error
    return ours


def _fault(error: Exception, at: Endpoint, prompt: str) -> PaceGraphError:
    import openai

    status = status_of(error)
    if status in {401, 403}:
        return ConfigError(f"{at.shown} refused the key for {at.model} ({status}): set {at.key_variable}")
    if status == 404:
        return ConfigError(
            f"{at.shown} does not serve the model {at.model} (404{_detail(error, at)}): "
            f"check PACE_GRAPH_{at.role.upper()}__MODEL and PACE_GRAPH_{at.role.upper()}__BASE_URL"
        )
    if isinstance(error, openai.OpenAIError):
        return ModelError(f"{at.model} at {at.shown} {_failure(error, status, at)}")
    return ReplyError(prompt, "", f"{at.model} at {at.shown} sent no chat completion{_detail(error, at)}")


def _failure(error: Exception, status: int | None, at: Endpoint) -> str:
    import openai

    tries = f"tries: {at.settings.max_retries + 1}"
    if isinstance(error, openai.APITimeoutError):
        return f"did not answer within {at.settings.timeout_s:g} s ({tries})"
    if isinstance(error, openai.APIConnectionError):
        return f"could not be reached, or dropped the connection ({tries})"
    if status == 429:
        return f"is limiting calls (429, {tries}{_detail(error, at)})"
    if status is not None and status >= 500:
        return f"failed ({status}, {tries}{_detail(error, at)})"
    return f"refused the call ({status or 'no status'}{_detail(error, at)})"


def _detail(error: Exception, at: Endpoint) -> str:
    text: Any = " ".join(said(error).split())
    if at.secret:
        text = text.replace(at.secret, "***")
    if len(text) > _SHOWN:
        text = text[:_SHOWN] + "…"
    return f": {text}" if text else ""
