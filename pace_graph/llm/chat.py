"""Chat models by role: prose replies, and replies read into a contract."""

from __future__ import annotations

import threading
import weakref
from contextlib import ExitStack, suppress
from copy import copy
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, get_args

from pydantic import BaseModel

from pace_graph.config import Settings
from pace_graph.errors import ModelError, ReplyError
from pace_graph.llm.contracts import whole
from pace_graph.llm.endpoint import Endpoint, client, endpoint, extras
from pace_graph.llm.faults import fault, said, status_of
from pace_graph.llm.formats import Formats, refused, response_format, schema_text
from pace_graph.llm.limits import Limits
from pace_graph.llm.private import untraced
from pace_graph.llm.reading import UnreadableError, read, unthought
from pace_graph.llm.replies import Kept, Replies, key_of
from pace_graph.texts import Prompt
from pace_graph.texts import prompt as prompt_file

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from langchain_openai import ChatOpenAI

Role = Literal["agent", "answer", "judge"]
M = TypeVar("M", bound=BaseModel)

FROM_CACHE = "reply from cache"
"""The event that a ledger books as tokens saved."""

_AGAIN = (
    "\n\nThe reply sent before could not be read. Send the JSON object again, complete, "
    "with nothing before or after it."
)


class _FormatRefusedError(Exception):
    """An endpoint refused the way the reply was asked for."""


class Chat:
    """The chat models of a process. Nothing is opened before the first call; threads may share it."""

    def __init__(self, settings: Settings, replies: Replies | None = None, limits: Limits | None = None) -> None:
        """Reads from `replies`, and adds to it, when it is given; keeps within `limits`."""
        self._settings = settings
        self._replies = replies
        self._limits = limits or Limits()
        self._sample = 0
        self._clients: dict[Role, tuple[Endpoint, ChatOpenAI]] = {}
        self._formats = Formats()
        self._lock = threading.Lock()
        self._open = ExitStack()
        # One that is dropped without being closed leaves no socket behind.
        self._finalizer = weakref.finalize(self, self._open.close)

    def __repr__(self) -> str:
        return f"Chat({self.models()})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections; the next call opens new ones."""
        with self._lock:
            self._clients.clear()
            self._open.close()

    def stop(self) -> None:
        """Begins no further call until `go_on`: those under way end, and their replies are kept."""
        self._limits.stop()

    def go_on(self) -> None:
        """Begins calls again."""
        self._limits.go_on()

    def sampled(self, sample: int) -> Self:
        """The same models, asked for another sample: its replies never come from the cache of an earlier one."""
        other = copy(self)
        other._sample = sample  # noqa: SLF001 - its own copy
        return other

    @property
    def configured(self) -> bool:
        """Whether an agent model is set."""
        return bool(self._settings.agent.model)

    def models(self) -> dict[str, str]:
        """The model of each role that has one."""
        chosen = {role: self._settings.chat(role).model for role in get_args(Role)}
        return {role: model for role, model in chosen.items() if model}

    def text(self, role: Role, prompt: str, **slots: str) -> str:
        """A prose reply, without the model's thoughts.

        Raises:
            ConfigError: when the role has no model, or its endpoint does not know key or model.
            ModelError: when the endpoint failed.
            ReplyError: when the reply is empty, refused or cut short.
        """
        system, user = _filled(prompt_file(prompt, self._settings.prompts_dir), slots)
        key = self._key(role, system, user, None)
        if self._replies and (kept := self._replies.get(key)) is not None:
            saved(kept.tokens)
            return kept.reply
        reply = self._ask(role, prompt, system, user, None)
        text = whole(unthought(_checked(reply, prompt)))
        if not text:
            raise ReplyError(prompt, reply.text, "it is empty")
        self._keep(key, role, prompt, text, reply)
        return text

    def read(self, role: Role, prompt: str, contract: type[M], retries: int = 1, **slots: str) -> M:
        """A reply read into a contract; asked for again up to `retries` times when it cannot be read.

        The slot `schema`, where the prompt has one, is filled from the contract.

        Raises:
            ConfigError: when the role has no model, or its endpoint does not know key or model.
            ModelError: when the endpoint failed.
            ReplyError: when no reply could be read.
        """
        file = prompt_file(prompt, self._settings.prompts_dir)
        if "schema" in file.slots:
            slots.setdefault("schema", schema_text(contract))
        system, user = _filled(file, slots)
        tries = [user, *[user + _AGAIN] * retries]
        # A reply that could be read only when asked for again is not asked for a third time.
        for asked in dict.fromkeys(tries):
            if (known := self._known(role, contract, system, asked)) is not None:
                return known
        for asked in tries[:-1]:
            with suppress(ReplyError):
                return self._read_once(role, prompt, contract, system, asked)
        return self._read_once(role, prompt, contract, system, tries[-1])

    def _known(self, role: Role, contract: type[M], system: str, user: str) -> M | None:
        kept = self._replies.get(self._key(role, system, user, contract)) if self._replies else None
        if kept is None:
            return None
        try:
            found = read(kept.reply, contract)
        except UnreadableError:
            # What an older release could read and this one cannot is as good as not there.
            return None
        saved(kept.tokens)
        return found

    def _read_once(self, role: Role, prompt: str, contract: type[M], system: str, user: str) -> M:
        key = self._key(role, system, user, contract)
        reply = self._ask(role, prompt, system, user, contract)
        text = _checked(reply, prompt)
        try:
            found = read(text, contract)
        except UnreadableError as error:
            raise ReplyError(prompt, text, str(error)) from error
        self._keep(key, role, prompt, text, reply)
        return found

    def _key(self, role: Role, system: str, user: str, contract: type[BaseModel] | None) -> str:
        if self._replies is None:
            return ""
        chosen = self._settings.chat(role)
        form = schema_text(contract) if contract else None
        sent = {
            "model": chosen.model,
            "url": chosen.base_url,
            "temperature": chosen.temperature,
            "most": chosen.max_tokens,
        }
        return key_of(**sent, system=system, user=user, form=form, sample=self._sample)

    def _keep(self, key: str, role: Role, prompt: str, text: str, reply: AIMessage) -> None:
        if self._replies is not None:
            usage = reply.usage_metadata
            kept = Kept(text, usage["input_tokens"] + usage["output_tokens"] if usage else 0)
            self._replies.put(key, self._settings.chat(role).model or "", prompt, kept)

    def _ask(self, role: Role, prompt: str, system: str, user: str, contract: type[BaseModel] | None) -> AIMessage:
        at, model = self._client(role)
        self._limits.wait(len(system) + len(user))
        if contract is None:
            return _call(at, model, prompt, (system, user), None)
        for level in self._formats.levels(at.url, at.model):
            try:
                reply = _call(at, model, prompt, (system, user), response_format(level, contract))
            except _FormatRefusedError:
                continue
            self._formats.took(at.url, at.model, level)
            return reply
        raise ModelError(f"{at.model} at {at.shown} took no format of reply")

    def _client(self, role: Role) -> tuple[Endpoint, ChatOpenAI]:
        with self._lock:
            if role not in self._clients:
                at = endpoint(self._settings, role, self._settings.chat(role))
                model, close = client(at)
                self._open.callback(close)
                self._clients[role] = at, model
            return self._clients[role]


def saved(tokens: int) -> None:
    """Tells the ledger of the running stage, if there is one, that a reply came from the cache."""
    from langchain_core.callbacks import dispatch_custom_event

    # Outside a chain there is no ledger to tell.
    with suppress(RuntimeError):
        dispatch_custom_event(FROM_CACHE, tokens)


def _filled(file: Prompt, slots: dict[str, str]) -> tuple[str, str]:
    # Data stands between <<< and >>> in every prompt; data that holds such marks could end itself early.
    safe = {name: whole(text).replace("<<<", "< < <").replace(">>>", "> > >") for name, text in slots.items()}
    return file.fill(**safe)


def _call(
    at: Endpoint, model: ChatOpenAI, prompt: str, messages: tuple[str, str], form: dict[str, Any] | None
) -> AIMessage:
    """One call.

    Raises:
        _FormatRefusedError: when a format was asked for and the endpoint refused it.
        PaceGraphError: for any other failure.
    """
    from langchain_core.messages import HumanMessage, SystemMessage
    from openai import OpenAIError

    try:
        with untraced():
            return model.invoke([SystemMessage(messages[0]), HumanMessage(messages[1])], **extras(at, form))
    except UserWarning as warning:
        # Where warnings are errors, langchain-openai's remark on a refused schema arrives as one.
        if form is None or "structured output" not in str(warning):
            raise
        failed: Exception = warning
        format_refused = True
    except (OpenAIError, ValueError, TypeError, LookupError, AttributeError) as error:
        failed = error
        format_refused = form is not None and refused(status_of(error), said(error))
    # Raised out here, so that what openai raised, which may quote the key, does not ride along as context.
    if format_refused:
        raise _FormatRefusedError
    raise fault(failed, at, prompt)


def _checked(reply: AIMessage, prompt: str) -> str:
    """The text of a reply that was given whole.

    Raises:
        ReplyError: when the model refused, or the reply was cut off.
    """
    text = str(reply.text)
    refusal = reply.additional_kwargs.get("refusal")
    if refusal:
        raise ReplyError(prompt, str(refusal), "the model refused")
    reason = reply.response_metadata.get("finish_reason")
    if reason == "length":
        raise ReplyError(prompt, text, "it was cut off at the token limit")
    if reason == "content_filter":
        raise ReplyError(prompt, text, "the endpoint's content filter stopped it")
    return text
