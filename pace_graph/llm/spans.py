"""Finds the JSON-like parts of a reply: complete ones only, so that none cut short is taken for whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_CLOSES = {"}": "{", "]": "["}
_START = re.compile(r"""\{\s*(?:["'“‘}]|\w+\s*:)|\[\s*(?:["'“‘{\[\]]|-?\d)""")


@dataclass(frozen=True, slots=True)
class Span:
    """A complete bracketed part of a text.

    Attributes:
        alone: nothing but a lead-in ending in a colon shares its lines.
    """

    text: str
    alone: bool


def spans(text: str) -> list[Span]:
    """The outermost bracketed parts, in order. What follows an opening that is never closed is left out."""
    found: list[Span] = []
    at = 0
    while start := _START.search(text, at):
        end = _end(text, start.start())
        if end is None:
            break
        found.append(Span(text[start.start() : end], _alone(text, start.start(), end)))
        at = end
    return found


def _alone(text: str, start: int, end: int) -> bool:
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    after = text[end:].split("\n", 1)[0].strip()
    return (not before or before.endswith((":", "："))) and after in {"", "."}


def _end(text: str, start: int) -> int | None:
    """The place after the bracket that closes the one at `start`; None when there is none."""
    open_brackets: list[str] = []
    at, before = start, ""
    while at < len(text):
        char = text[at]
        if char in _QUOTES and before in "{[,:":
            closed = _string_end(text, at)
            if closed is None:
                return None
            at, before = closed, char
            continue
        if char in "{[":
            open_brackets.append(char)
        elif char in _CLOSES and _CLOSES[char] in open_brackets:
            # Whatever was left open inside is closed with it: `{"a": [1, 2}` is complete, only badly written.
            while open_brackets.pop() != _CLOSES[char]:
                pass
            if not open_brackets:
                return at + 1
        if not char.isspace():
            before = char
        at += 1
    return None


def _string_end(text: str, start: int) -> int | None:
    """The place after the quote that closes the one at `start`.

    Only a quote followed by a comma, a colon or a closing bracket closes: an apostrophe inside does not.
    """
    close = _QUOTES[text[start]]
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == close and _AFTER.match(text, at + 1):
            return at + 1
        at += 1
    return None


_AFTER = re.compile(r"\s*[,:\]}]")
