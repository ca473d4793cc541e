"""The cache of replies: only what was read enters it, whoever shares it, and nothing is served for another call."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pace_graph.config import ChatSettings, Settings
from pace_graph.errors import ConfigError, ModelError, ReplyError
from pace_graph.ledger import Ledger
from pace_graph.llm import Chat, FilterReply, Replies, ViewsReply
from pace_graph.llm.replies import Kept, key_of
from pace_graph.stages.stage import stage
from tests.openai_server import Reply, Script, ScriptedServer

FILTER = {"query": "q", "n_docs": "2", "docs": "1 f1 a\n2 f2 b", "top_n": "1", "ref_date_line": ""}
ANSWER = {"persona": "Mara", "ref_date": "2026-03-01", "facts": "Mara sleeps early.", "query": "Book a late show."}
GOOD = '{"selected_doc_ids": ["f1"]}'

Make = Callable[..., Chat]


@pytest.fixture
def replies(tmp_path: Path) -> Iterator[Replies]:
    with closing(Replies(tmp_path / "cache" / "replies.sqlite")) as opened:
        yield opened


@pytest.fixture
def make(replies: Replies) -> Iterator[Make]:
    made: list[Chat] = []

    def chat(server: ScriptedServer, *, prompts: Path | None = None, **others: Any) -> Chat:
        agent = ChatSettings(**{"model": "a", "base_url": server.url, "max_retries": 0} | others)
        made.append(Chat(Settings(agent=agent, prompts_dir=prompts), replies))
        return made[-1]

    yield chat
    for one in made:
        one.close()


def ask(chat: Chat, **others: Any) -> list[str]:
    return chat.read("agent", "pace/filter", FilterReply, **{**FILTER, **others}).selected_doc_ids


def kept(replies: Replies) -> list[str]:
    with closing(sqlite3.connect(replies.path)) as base:
        return [reply for (reply,) in base.execute("SELECT reply FROM replies ORDER BY reply")]


# --- what enters


def test_a_reply_that_was_read_is_not_asked_for_again(make: Make, replies: Replies) -> None:
    with ScriptedServer([f"Sure:\n```json\n{GOOD}\n```", "<think>hm</think>Done."]) as server:
        for _ in range(3):
            chat = make(server)
            assert ask(chat) == ["f1"]
            assert chat.text("answer", "pace/answer", **ANSWER) == "Done."
        assert len(server.chats) == 2
    # As it came where it is read again, without its thoughts where it is prose.
    assert kept(replies) == ["Done.", f"Sure:\n```json\n{GOOD}\n```"]


BAD: list[Any] = [
    "I would rather not say.",
    "",
    None,
    '{"selected_doc_ids": ["f1"',
    '{"selected_doc_ids": "',
    "<think>f1?</think>",
    Reply(GOOD, finish="length"),
    Reply(GOOD, finish="content_filter"),
    Reply("", refusal="I cannot help with that."),
    Reply(raw=b'{"choices": []}'),
    Reply(raw=b"<html>busy</html>"),
    429,
    500,
    400,
    Reply(drop=True),
    Reply(GOOD, cut=30),
]


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_what_could_not_be_read_never_enters(make: Make, replies: Replies, bad: Any) -> None:
    with ScriptedServer([bad, bad, GOOD]) as server:
        chat = make(server)
        with pytest.raises(ModelError):
            chat.read("agent", "pace/filter", FilterReply, 1 if isinstance(bad, str) else 0, **FILTER)
        assert kept(replies) == []
        with server._lock:
            server._queue.clear()
        server.add(GOOD)
        assert ask(make(server)) == ["f1"]
    assert kept(replies) == [GOOD]


@pytest.mark.parametrize("bad", ["", "  \n", "<think>only thoughts</think>", Reply("Half", finish="length")], ids=repr)
def test_no_empty_or_cut_prose_enters(make: Make, replies: Replies, bad: Any) -> None:
    with ScriptedServer([bad]) as server, pytest.raises(ReplyError):
        make(server).text("answer", "pace/answer", **ANSWER)
    assert kept(replies) == []


def test_said_none_is_an_answer_and_is_kept(make: Make) -> None:
    with ScriptedServer(['{"selected_doc_ids": []}']) as server:
        assert [ask(make(server)) for _ in range(2)] == [[], []]


def test_a_reply_read_only_the_second_time_is_not_asked_for_a_third_time(make: Make, replies: Replies) -> None:
    with ScriptedServer(["no", GOOD]) as server:
        assert [ask(make(server)) for _ in range(3)] == [["f1"]] * 3
        assert len(server.chats) == 2
    assert kept(replies) == [GOOD]


def test_a_kept_reply_that_cannot_be_read_any_more_is_asked_for_again(make: Make, replies: Replies) -> None:
    with ScriptedServer([GOOD, '{"selected_doc_ids": ["f2"]}']) as server:
        chat = make(server)
        assert ask(chat) == ["f1"]
        with closing(sqlite3.connect(replies.path)) as base, base:
            base.execute("UPDATE replies SET reply = 'in a form of long ago'")
        assert [ask(chat), ask(chat)] == [["f2"], ["f2"]]


def test_the_ledger_counts_what_came_from_the_cache_apart(make: Make) -> None:
    with ScriptedServer([Reply(GOOD, usage=(70, 9, 20))]) as server:
        chat = make(server)
        costs = []
        for _ in range(2):
            ledger = Ledger()
            stage("pre-hop", lambda _: ask(chat)).invoke("", {"callbacks": [ledger]})
            [cost] = ledger.costs()
            costs.append(
                (cost.calls, cost.tokens_in, cost.tokens_cached, cost.tokens_out, cost.from_cache, cost.tokens_saved)
            )
    assert costs == [(1, 70, 20, 9, 0, 0), (0, 0, 0, 0, 1, 79)]


# --- what a reply is kept for


def asked_twice(make: Make, first: Callable[[Chat], object], then: Callable[[Chat], object], **others: Any) -> int:
    """How many calls arrive when one thing is asked, and then another."""
    script: Script = lambda _: '{"selected_doc_ids": ["f1"], "counter": ["a"]}'  # noqa: E731
    with ScriptedServer(script) as server:
        first(make(server))
        then(make(server, **others))
        return len(server.chats)


@pytest.mark.parametrize(
    "change", [{"model": "b"}, {"temperature": 0.5}, {"temperature": 0.0}, {"max_tokens": 50}], ids=repr
)
def test_another_model_or_parameter_is_another_call(make: Make, change: dict[str, Any]) -> None:
    assert asked_twice(make, ask, ask, **change) == 2


@pytest.mark.parametrize("change", [{"timeout_s": 7.0}, {"max_retries": 2}, {"usd_in": 1.0}], ids=repr)
def test_what_changes_no_reply_changes_no_call(make: Make, change: dict[str, Any]) -> None:
    assert asked_twice(make, ask, ask, **change) == 1


def test_another_endpoint_is_another_call(make: Make) -> None:
    with ScriptedServer([GOOD]) as here, ScriptedServer([GOOD]) as there:
        ask(make(here))
        ask(make(there))
        assert (len(here.chats), len(there.chats)) == (1, 1)


@pytest.mark.parametrize("slot", ["query", "docs", "top_n", "ref_date_line"])
def test_another_prompt_is_another_call(make: Make, slot: str) -> None:
    assert asked_twice(make, ask, lambda chat: ask(chat, **{slot: "9"})) == 2


def test_another_contract_is_another_call(make: Make) -> None:
    views = lambda chat: chat.read("agent", "pace/filter", ViewsReply, schema="same", **FILTER)  # noqa: E731
    assert asked_twice(make, lambda chat: ask(chat, schema="same"), views) == 2


def test_prose_and_a_contract_are_two_calls(make: Make) -> None:
    prose = lambda chat: chat.text("agent", "pace/filter", schema="same", **FILTER)  # noqa: E731
    assert asked_twice(make, lambda chat: ask(chat, schema="same"), prose) == 2


def test_prompts_of_ones_own_are_other_calls(make: Make, tmp_path: Path) -> None:
    own = tmp_path / "prompts" / "pace" / "filter.md"
    own.parent.mkdir(parents=True)
    slots = "query, n_docs, docs, top_n, schema, ref_date_line"
    used = " ".join(f"{{{{{slot.strip()}}}}}" for slot in slots.split(","))
    own.write_text(f"slots: {slots}\n\n# system\nMine.\n\n# user\n{used}\n", encoding="utf-8")
    assert asked_twice(make, ask, ask, prompts=own.parents[1]) == 2


def test_another_sample_is_another_call_and_each_is_kept(make: Make) -> None:
    with ScriptedServer([f'{{"selected_doc_ids": ["{i}"]}}' for i in range(3)]) as server:
        chat = make(server)
        found = [ask(chat.sampled(i)) for i in (0, 1, 2, 1, 0)]
        assert found == [["0"], ["1"], ["2"], ["1"], ["0"]]
        assert ask(chat) == ["0"]


def test_every_part_of_a_key_counts_and_their_order_does_not() -> None:
    assert key_of(a=1, b="x") == key_of(b="x", a=1)
    assert len({key_of(a=1), key_of(a="1"), key_of(a=None), key_of(b=1), key_of(a=1, b=None), key_of(a="é")}) == 6


# --- who shares it


def test_threads_share_it(replies: Replies) -> None:
    def both(n: int) -> bool:
        replies.put(f"k{n % 50}", "m", "p", Kept(f"r{n % 50}", n % 50))
        found = replies.get(f"k{(n * 7) % 50}")
        return found is None or found == Kept(f"r{(n * 7) % 50}", (n * 7) % 50)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(both, range(2000)))
    assert len(kept(replies)) == 50


def _fill(path: Path, who: int, count: int) -> None:
    with closing(Replies(path)) as opened:
        for n in range(count):
            opened.put(f"{who}-{n}", "m", "p", Kept("r" * 500, n))
            opened.put("of all", "m", "p", Kept("the same", 1))
            if opened.get(f"{who}-{n}") is None:
                sys.exit(3)


def test_processes_share_it_from_its_first_moment(tmp_path: Path) -> None:
    path = tmp_path / "shared.sqlite"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(path, who, 200)) for who in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    with closing(Replies(path)) as opened:
        assert len(kept(opened)) == 401
        assert opened.get("1-199") == Kept("r" * 500, 199)


# --- the file


def test_the_file_and_what_lies_beside_it_are_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with closing(Replies(tmp_path / "deep" / "replies.sqlite")) as opened:
            opened.put("k", "m", "p", Kept("r", 1))
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in opened.path.parent.iterdir()}
    finally:
        os.umask(before)
    assert set(modes) >= {"replies.sqlite", "replies.sqlite-wal"}
    assert set(modes.values()) == {0o600}


def one_sentence(error: ConfigError, path: Path) -> None:
    assert str(error).startswith(f"the reply cache {path} cannot be used: ")
    assert str(error).endswith("; name another one, or remove it")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "content", [b"no database at all, but text" * 100, b"\0" * 5000, b"SQLite format 3\0" + b"x" * 900]
)
def test_a_file_that_is_no_cache_is_told_in_one_sentence_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        Replies(path)
    one_sentence(caught.value, path)
    assert path.read_bytes() == content


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        Replies(tmp_path)
    one_sentence(caught.value, tmp_path)


def test_another_database_is_told_when_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE replies (something TEXT)")
    with closing(Replies(path)) as opened:
        for use in (lambda: opened.get("k"), lambda: opened.put("k", "m", "p", Kept("r", 1))):
            with pytest.raises(ConfigError) as caught:
                use()
            one_sentence(caught.value, path)


def test_a_file_that_breaks_under_way_is_told(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with closing(Replies(path)) as opened:
        for n in range(500):
            opened.put(f"k{n}", "m", "p", Kept("r" * 400, n))
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with closing(Replies(path)) as opened, pytest.raises(ConfigError) as caught:
        list(map(opened.get, (f"k{n}" for n in range(500))))
    one_sentence(caught.value, path)


def test_one_that_is_dropped_is_closed(tmp_path: Path) -> None:
    opened = Replies(tmp_path / "replies.sqlite")
    opened.put("k", "m", "p", Kept("r", 1))
    base = opened._base
    del opened
    with pytest.raises(sqlite3.ProgrammingError):
        base.execute("SELECT 1")
