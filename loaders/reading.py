"""Files as text and as JSON, byte for byte, with errors that say where and why."""

from __future__ import annotations

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from pace_graph.errors import DataError


def read_text(path: Path) -> str:
    """The text of a UTF-8 file without its byte order mark; line ends stay as they are.

    Raises:
        DataError: when it cannot be opened, is no UTF-8 (with the byte offset), or is empty.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror or error}") from error
    mark = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    try:
        text = raw[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(path, _not_utf8(raw, mark + error.start)) from error
    if not text or text.isspace():
        raise DataError(path, "the file is empty")
    return text


def _not_utf8(raw: bytes, offset: int) -> str:
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "not UTF-8 at byte offset 0: it looks like UTF-16; save it as UTF-8"
    line = raw.count(b"\n", 0, offset) + 1
    return f"not UTF-8 at byte offset {offset} (line {line}, byte 0x{raw[offset]:02x}); save it as UTF-8"


def read_json(path: Path) -> object:
    """The value of a JSON file.

    Raises:
        DataError: when it cannot be read as one.
    """
    text = read_text(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise DataError(path, str(error)) from error


def parse_json(text: str, first_line: int = 1) -> object:
    """The value that a JSON text holds.

    Args:
        text: the JSON text.
        first_line: the number of its first line in its file.

    Raises:
        ValueError: with line, column and reason.
    """
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        ends = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
        cut = "; it may be cut short" if ends else ""
        where = f"line {error.lineno + first_line - 1}, column {error.colno}"
        raise ValueError(f"not JSON at {where}: {error.msg}{cut}") from error
    except RecursionError as error:
        raise ValueError("cannot be read as JSON: it is nested too deeply") from error
    except ValueError as error:  # a key given twice, NaN, or a number of more than 4,300 digits
        raise ValueError(f"cannot be read as JSON: {error}") from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        # JSON leaves open which of the two counts; taking one would lose the other without a word.
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        inside = ", ".join(f"{key!r:.40}: {value!r:.40}" for key, value in pairs[:2])
        raise ValueError(f"the key {twice!r:.60} is given twice in the object {{{inside}, …}}; keep one")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value; write null")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
