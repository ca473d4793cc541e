"""A real HTTP server on loopback that speaks the OpenAI protocol from a script.

    with ScriptedServer(['{"counter": []}', Reply("Done.", usage=(12, 3, 4))]) as server:
        settings = Settings(agent=ChatSettings(model="any", base_url=server.url))
        ...
    assert [request.user for request in server.chats] == [...]

The script is a queue of replies, or a function from request to reply. A reply is a text, a status, an object
(sent as JSON in the text), or a `Reply` for everything else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

MESSAGES = {
    400: "Bad request",
    401: "Incorrect API key provided",
    403: "Forbidden",
    404: "The model does not exist or you do not have access to it",
    408: "Request timed out",
    429: "Rate limit reached",
    500: "Internal server error",
    503: "The server is overloaded",
}


@dataclass(frozen=True)
class Request:
    """What arrived. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def system(self) -> str:
        """The system message."""
        return self._message("system")

    @property
    def user(self) -> str:
        """The user message."""
        return self._message("user")

    @property
    def format(self) -> str:
        """The type of `response_format`, or `none`."""
        return str((self.body.get("response_format") or {}).get("type", "none"))

    def _message(self, role: str) -> str:
        return "\n".join(str(part["content"]) for part in self.body["messages"] if part["role"] == role)


@dataclass(frozen=True)
class Reply:
    """What is sent back.

    Attributes:
        text: content of the reply; for a status from 400 up, the error's message.
        usage: tokens in, out, and in from the cache; None leaves usage out.
        delay_s: waits before it answers.
        drop: closes the connection without an answer.
        cut: sends so many bytes of the body only, then closes the connection.
        raw: sent as the body instead of a completion.
    """

    text: str | None = ""
    status: int = 200
    usage: tuple[int, int, int] | None = (10, 5, 0)
    finish: str = "stop"
    refusal: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: bool = False
    cut: int | None = None
    raw: bytes | None = None


Scripted = Reply | str | int | dict[str, Any] | list[Any]
Script = Iterable[Scripted] | Callable[[Request], Scripted]


class ScriptedServer:
    """The server. Records every request; answers from the script, which may grow while it runs (`add`).

    Attributes:
        url: base URL, for `base_url`.
        requests: everything that arrived, in order.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        refuses: Iterable[str] = (),
        refusal_status: int = 400,
        models: Iterable[str] | None = None,
        key: str | None = None,
        dimension: int = 16,
        embed: Callable[[str], list[float]] | None = None,
    ) -> None:
        """Args:
        script: what chat calls are answered with.
        refuses: types of `response_format` that are refused, without using up the script.
        refusal_status: the status they are refused with.
        models: the models served; None serves any.
        key: the key wanted; None wants none.
        embed: makes a vector of a text; otherwise unit vectors are made from a hash.
        """
        self.requests: list[Request] = []
        self._next = script if callable(script) else None
        self._queue: deque[Scripted] = deque(() if callable(script) else script)
        self._refuses, self._refusal_status = frozenset(refuses), refusal_status
        self._models = None if models is None else tuple(models)
        self._key = key
        self._embed = embed or (lambda text: hashed(text, dimension))
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self.closing = threading.Event()

    def add(self, *replies: Scripted) -> None:
        """Puts replies at the end of the script."""
        with self._lock:
            self._queue.extend(replies)

    @property
    def chats(self) -> list[Request]:
        """The chat calls that arrived."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    @property
    def left(self) -> int:
        """Replies of the script that nobody asked for."""
        return len(self._queue)

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"script": self}))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        with self._lock:
            for connection in self._sockets:
                hang_up(connection)
        # Waits for the threads of all connections.
        self._server.server_close()
        self._thread.join()

    def track(self, connection: socket.socket, *, is_open: bool) -> None:
        """Remembers open connections, to close them at the end."""
        with self._lock:
            (self._sockets.add if is_open else self._sockets.discard)(connection)

    def answer(self, request: Request) -> Reply:
        """The reply to a request."""
        with self._lock:
            self.requests.append(request)
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            return Reply(MESSAGES[401], status=401)
        match request.method, request.path.removeprefix("/v1"):
            case "GET", "/models":
                return _json(
                    {
                        "object": "list",
                        "data": [{"id": name, "object": "model"} for name in self._models or ()],
                    }
                )
            case "POST", "/embeddings":
                return self._embeddings(request)
            case "POST", "/chat/completions":
                return self._chat(request)
        return Reply(f"no such path: {request.path}", status=404)

    def _chat(self, request: Request) -> Reply:
        if self._models is not None and request.body["model"] not in self._models:
            return Reply(f"The model `{request.body['model']}` does not exist", status=404)
        if request.format in self._refuses:
            return Reply(f"response_format of type {request.format} is not supported", status=self._refusal_status)
        if self._next is not None:
            return _reply(self._next(request))
        with self._lock:
            return _reply(self._queue.popleft()) if self._queue else Reply("the script ran out", status=400)

    def _embeddings(self, request: Request) -> Reply:
        texts = request.body["input"]
        texts = [texts] if isinstance(texts, str) else texts
        data = [{"object": "embedding", "index": n, "embedding": self._embed(text)} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return _json({"object": "list", "model": request.body["model"], "data": data, "usage": usage})


def hashed(text: str, dimension: int) -> list[float]:
    """A unit vector made from the hash of a text."""
    numbers = [
        int.from_bytes(hashlib.sha256(f"{place}:{text}".encode()).digest()[:4], "big") / 2**31 - 1
        for place in range(dimension)
    ]
    length = math.sqrt(sum(number * number for number in numbers)) or 1.0
    return [number / length for number in numbers]


def hang_up(connection: socket.socket) -> None:
    """Closes a connection under whoever uses it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _json(value: Any, **others: Any) -> Reply:
    return Reply(raw=json.dumps(value).encode(), **others)


def _reply(scripted: Scripted) -> Reply:
    match scripted:
        case Reply():
            return scripted
        case int():
            return Reply(MESSAGES.get(scripted, "failed"), status=scripted)
        case str():
            return Reply(scripted)
    return Reply(json.dumps(scripted, ensure_ascii=False))


def body_of(reply: Reply, model: str) -> bytes:
    """The body of an answer."""
    if reply.raw is not None:
        return reply.raw
    if reply.status >= 400:
        error = {"message": reply.text, "type": "error", "param": None, "code": None}
        return json.dumps({"error": error}).encode()
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    value: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
    }
    if reply.usage is not None:
        tokens_in, tokens_out, cached = reply.usage
        value["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
    return json.dumps(value).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keeps quiet about clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    script: ScriptedServer

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self.script.track(self.connection, is_open=True)

    def finish(self) -> None:
        self.script.track(self.connection, is_open=False)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it overrides
        """Keeps quiet."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        is_json = "json" in self.headers.get("content-type", "") and "content-encoding" not in self.headers
        body = json.loads(raw) if raw and is_json else {}
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.script.answer(Request(self.command, self.path, headers, body))
        if reply.delay_s:
            self.script.closing.wait(reply.delay_s)
        if reply.drop:
            self._leave()
            return
        self._send(reply, body_of(reply, str(body.get("model", ""))))

    def _send(self, reply: Reply, body: bytes) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if reply.cut is None else body[: reply.cut])
        self.wfile.flush()
        if reply.cut is not None:
            self._leave()

    def _leave(self) -> None:
        self.close_connection = True
        hang_up(self.connection)
