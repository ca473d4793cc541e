"""A chat model that works its replies out of the prompt: the same prompt has the same reply, in every process.

In a process of its own, so that it takes no time from what is measured: `python -m tests.model_by_rule --delay 0.5`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.openai_server import Reply, Request, ScriptedServer

_SIGN = re.compile(r"[\u4e00-\u9fff]|\w+|[^\w\s]")


def stage_of(request: Request) -> str:
    """Which agent a prompt is for. Both filters are one agent."""
    for mark, stage in (
        ("not a verdict", "plan"),
        ("texts to search", "views"),
        ("You choose facts", "filter"),
        ("personal assistant of", "answer"),
    ):
        if mark in request.system:
            return stage
    raise AssertionError(f"no prompt of ours: {request.system[:200]}")


def prompt_of(request: Request) -> str:
    """A prompt, whole: what no endpoint should see twice."""
    return f"{request.system}\n\n{request.user}"


def listed(request: Request) -> list[str]:
    """The ids of the facts shown in a prompt, in order."""
    return [json.loads(line)["doc_id"] for line in request.user.splitlines() if line.startswith('{"doc_id"')]


def tokens(text: str) -> int:
    """Tokens as this model counts them: words in pieces of up to six letters, signs one by one."""
    return sum((len(piece) + 5) // 6 for piece in _SIGN.findall(text))


def reply_to(request: Request) -> Reply:
    """The reply to a prompt, with its tokens; a part of the prompt counts as cached."""
    said = _said(request)
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    sent = tokens(prompt_of(request))
    return Reply(text, usage=(sent, tokens(text), sent // 4))


def _said(request: Request) -> Any:
    dice = random.Random(prompt_of(request))
    words = [word for word in _SIGN.findall(request.user.partition("Request:")[2]) if word.isalnum()]
    match stage_of(request):
        case "plan":
            picked = dice.sample(words, 3)
            return {
                "conflict_dimensions": [
                    {
                        "dimension": f"what is known about {word}",
                        "description": f"Notes that speak of {word} may show whether the request can be carried out.",
                        "key_anchors": [word],
                    }
                    for word in picked
                ],
                "risk_summary": f"It hangs on {picked[0]}, and on what was agreed about {picked[1]}.",
            }
        case "views":
            return {"counter": [" ".join(dice.sample(words, min(12, len(words)))) + f" {i}" for i in range(3)]}
        case "filter":
            ids = listed(request)
            return {"selected_doc_ids": dice.sample(ids, min(10, len(ids)))}
    return said_of(listed(request))


def said_of(evidence: Sequence[str]) -> str:
    """The answer that rests on this evidence."""
    return (
        f"I would rather not do that, because of {', '.join(evidence[:3]) or 'nothing'}. It would fall on a "
        "time at which something else has been promised, and there is no way to be in both places. Shall I ask "
        "whether another day suits everyone who has to be there?"
    )


class RuleServer(ScriptedServer):
    """An endpoint that serves this model.

    Attributes:
        seen: how often each prompt arrived; bodies are not kept, so that thousands may come.
        most_at_once: how many calls were open at a time, at most.
        tokens_in, tokens_out: what was sent and replied, as this model counts.
    """

    def __init__(self, delay_s: float = 0.0, **others: Any) -> None:
        super().__init__(**others)
        self.delay_s = delay_s
        self.seen: Counter[str] = Counter()
        self.tokens_in = self.tokens_out = 0
        self._seen_lock = threading.Lock()

    def answer(self, request: Request) -> Reply:
        if not request.path.endswith("/chat/completions"):
            return super().answer(request)
        reply = reply_to(request)
        with self._seen_lock:
            self.seen[prompt_of(request)] += 1
            self.tokens_in += reply.usage[0] if reply.usage else 0
            self.tokens_out += reply.usage[1] if reply.usage else 0
        return Reply(reply.text, usage=reply.usage, delay_s=self.delay_s)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until standard input ends."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--delay", type=float, default=0.0)
    given = options.parse_args(arguments)
    with RuleServer(given.delay) as server:
        print(server.url, flush=True)  # noqa: T201
        while input():
            print(server.seen.total(), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
