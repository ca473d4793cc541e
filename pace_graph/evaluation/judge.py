"""Given → label: what a judge makes of one answer, under a contract of three labels.

Source:
    PACE, section on evaluation (judge) and its judge prompt; A25: FAIL is what the prompt says.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

from langchain_core.runnables import Runnable

from pace_graph.errors import ReplyError
from pace_graph.evaluation.rows import Judged, Key
from pace_graph.llm import Chat
from pace_graph.llm.reading import unthought
from pace_graph.stages.stage import stage

PROMPT = "judge/judge"
LABELS: tuple[Judged, ...] = get_args(Judged)
"""From the best to the worst."""

_BY_NAME = {label.casefold(): label for label in LABELS}
_FENCED = re.compile(r"```(?:[\w-]*[ \t]*\n)?(.*?)```", re.DOTALL)
# No question mark, and no sign that can mean "not": "PASS?" and "!PASS" are no labels.
_AROUND = " \t\r\n\f\v\ufeff*_`#>-\"'“”‘’«»「」『』()[]{}<（）【】《》"
_AFTER = _AROUND + ".,;:!。，、；：！…"


@dataclass(frozen=True, slots=True)
class Given:
    """All that a judge is given of an answer: neither request nor evidence nor date.

    Attributes:
        key: what the answer is to; not shown.
        repeat: which opinion of the same judge this is; not shown.
    """

    key: Key
    gold_label: str
    gold_judgment: str
    answer: str
    repeat: int = 0


def judge(chat: Chat, retries: int = 1) -> Runnable[Given, Judged]:
    """The judge: one call; the same again, up to `retries` times, when the reply is no label.

    Raises ReplyError when none was. The chat should have no reply cache: it would keep replies that are no labels.
    """

    def step(given: Given) -> Judged:
        first = given.repeat * (retries + 1)
        for sample in range(first, first + retries):
            with suppress(ReplyError):
                return _once(chat, given, sample)
        return _once(chat, given, first + retries)

    return stage("judge", step)


def _once(chat: Chat, given: Given, sample: int) -> Judged:
    shown = {"gold_label": given.gold_label, "gold_judgment": given.gold_judgment, "answer": given.answer}
    reply = chat.sampled(sample).text("judge", PROMPT, **shown)
    label = label_of(reply)
    if label is None:
        raise ReplyError(PROMPT, reply, f"it is not exactly one of {', '.join(LABELS)}")
    return label


def label_of(reply: str) -> Judged | None:
    """The label that a reply is, as a whole; None when it is anything else.

    Think blocks, a code fence, quotes, marks around it and letter case do not count; a JSON object or string whose only
    value is a label is that label. A label among other words is none.
    """
    text = unthought(reply)
    fenced = _FENCED.fullmatch(text)
    if fenced and fenced[1].strip():
        text = fenced[1]
    said = _only_value(text)
    return _BY_NAME.get((text if said is None else said).lstrip(_AROUND + ":：").rstrip(_AFTER).casefold())


def _only_value(text: str) -> str | None:
    """The text of a JSON string, or of the one member of a JSON object."""
    try:
        # Pairs, so that an object that names two labels under one name is not read as the last.
        value: Any = json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0][1]
    return value if isinstance(value, str) else None
