"""One chat endpoint of one role: what it is called, what is sent to it, and the client that sends it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from pace_graph.config import ChatSettings, Settings
from pace_graph.errors import ConfigError

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

OPENAI = "https://api.openai.com/v1"
_OPENAI_HOSTS = ("openai.com", "openai.azure.com")
_ORGANISATION = ("OpenAI-Organization", "OpenAI-Project")


@dataclass(frozen=True)
class Endpoint:
    """Where a role's calls go.

    Attributes:
        secret: the key, "" when none is sent.
        key_variable: the settings that may hold the key, for messages.
    """

    role: str
    model: str
    url: str = field(repr=False)
    secret: str = field(repr=False)
    key_variable: str
    settings: ChatSettings = field(repr=False)

    @property
    def shown(self) -> str:
        """The URL for messages."""
        return shown(self.url)

    @property
    def of_openai(self) -> bool:
        """Whether OpenAI (or its service on Azure) is behind it."""
        return (urlsplit(self.url).hostname or "").endswith(_OPENAI_HOSTS)


def endpoint(settings: Settings, role: str, chosen: ChatSettings) -> Endpoint:
    """The endpoint of a role.

    Raises:
        ConfigError: when no model is set, or the URL is none.
    """
    own = getattr(settings, role)
    if not chosen.model:
        raise ConfigError(f"no model is set for {role}: set PACE_GRAPH_AGENT__MODEL (and __BASE_URL)")
    url = (chosen.base_url or OPENAI).rstrip("/")
    if not _usable(url):
        raise ConfigError(
            f"PACE_GRAPH_{role.upper()}__BASE_URL: {shown(url)} is no plain http(s) address such as {OPENAI}"
        )
    key = chosen.api_key
    has_own_key = role == "agent" or "api_key" in own.model_fields_set
    if not has_own_key and _origin(url) != _origin(settings.agent.base_url or OPENAI):
        # A key goes only to the server it was set for.
        key = None
    secret = key.get_secret_value().strip() if key else ""
    variable = f"PACE_GRAPH_{role.upper()}__API_KEY"
    shared = "" if has_own_key else " (or PACE_GRAPH_AGENT__API_KEY, where both share a server)"
    return Endpoint(role, chosen.model, url, secret, variable + shared, chosen)


def shown(url: str) -> str:
    """A URL without user name, password and query, which may be secrets."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _usable(url: str) -> bool:
    parts = urlsplit(url)
    # openai writes the path of a call behind the whole address, query included.
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query and not parts.fragment


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def client(at: Endpoint) -> tuple[ChatOpenAI, Callable[[], None]]:
    """The LangChain model of an endpoint, and what closes its connections. Nothing is sent yet."""
    from langchain_openai import ChatOpenAI
    from openai import DefaultHttpxClient
    from pydantic import SecretStr

    # langchain-openai prints this when an endpoint refuses a schema, where the next format is simply tried.
    warnings.filterwarnings("ignore", message=".*structured output feature", category=UserWarning)
    http = DefaultHttpxClient(event_hooks={"request": [_bare(at)]}, timeout=at.settings.timeout_s)
    model = ChatOpenAI(
        model=at.model,
        # Both are given even where unset: OPENAI_API_KEY, OPENAI_BASE_URL and a LangSmith gateway in the
        # environment were set for something else.
        base_url=at.url,
        api_key=SecretStr(at.secret or "none"),
        # None given, not left out: for some model names a left-out temperature is filled in.
        temperature=None,
        timeout=at.settings.timeout_s,
        max_retries=at.settings.max_retries,
        http_client=http,
        # One protocol everywhere: for some model names the Responses API is chosen otherwise.
        use_responses_api=False,
        disable_streaming=True,
        cache=False,
    )
    return model, http.close


def _bare(at: Endpoint) -> Callable[[Any], None]:
    """Takes off the headers an endpoint has no business with: a key that is none, OpenAI's organisation."""
    unwanted = (() if at.secret else ("Authorization",)) + (() if at.of_openai else _ORGANISATION)

    def strip(request: Any) -> None:
        for name in unwanted:
            request.headers.pop(name, None)

    return strip


def extras(at: Endpoint, response_format: dict[str, Any] | None) -> dict[str, Any]:
    """What a call adds to model and messages: only what the user set, and the format of the reply."""
    body: dict[str, Any] = {}
    if at.settings.max_tokens is not None:
        # OpenAI renamed it; other servers may know only the old name, which LangChain no longer sends.
        body["max_completion_tokens" if at.of_openai else "max_tokens"] = at.settings.max_tokens
    if at.settings.temperature is not None:
        # Here, not at the client, which silently drops it for some model names.
        body["temperature"] = at.settings.temperature
    if response_format is not None:
        # Here, so that the reply comes back as it is: LangChain's own way parses it and throws on a bad one.
        body["response_format"] = response_format
    return {"extra_body": body} if body else {}
