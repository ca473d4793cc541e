"""`pace-graph judge`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from pace_graph.cli import judged, options
from pace_graph.cli.terminal import as_json, give, say, screen
from pace_graph.config import Settings
from pace_graph.errors import ModelError
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.judge import Given
from pace_graph.evaluation.judging import (
    Book,
    Docket,
    Judging,
    docket,
    judge_all,
    judge_settings,
    judged_by,
    left,
    note,
    same_judge,
)
from pace_graph.evaluation.prices import priced
from pace_graph.evaluation.rows import Judgment
from pace_graph.evaluation.rows import as_json as row_of
from pace_graph.evaluation.wrong_answers import control_file, control_judgments, control_row, wrong_answers
from pace_graph.llm import Chat, Limits


@dataclass(frozen=True)
class _Sitting:
    """A judge at a run."""

    folder: RunFolder
    settings: Settings
    how: Judging
    chat: Chat


@click.command()
@click.argument("run", type=click.Path(path_type=Path, file_okay=False))
@click.option("--model", help="The judge; otherwise PACE_GRAPH_JUDGE__MODEL, or the agent's. It names the judgments.")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(min=1), help="Opinions on every answer.")
@click.option(
    "--retries",
    default=1,
    show_default=True,
    type=click.IntRange(0, 5),
    help="Asks again after a reply that is no label.",
)
@click.option(
    "--unreadable",
    default="error",
    show_default=True,
    type=click.Choice(["error", "fail"]),
    help="What a reply that is no label in the end counts as: an error, never scored; or FAIL, as in the PACE release.",
)
@click.option("--control", is_flag=True, help="Judge deliberately wrong answers instead, to see how many pass.")
@click.option(
    "--control-sample", "sample", type=click.IntRange(min=1), help="The same for so many requests only, drawn."
)
@click.option("--seed", default=0, show_default=True, help="Draws the sample and the wrong reasons of --control.")
@options.concurrency
@options.rpm
@options.tpm
@as_json
def judge(run: Path, model: str | None, machine: bool, **given: Any) -> None:
    """Judge the answers of a run: Pass, Wrong or Fail.

    The same command goes on where an earlier one stopped. Another --model is another judge, shown beside the first.
    """
    folder = RunFolder.there(run)
    settings, name = judge_settings(Settings.read(), model)
    limits = Limits(given.pop("rpm"), given.pop("tpm"))
    control, sample, seed = given.pop("control"), given.pop("sample"), given.pop("seed")
    # No reply cache: a repeat is asked for anew, and what was judged is in the folder.
    with folder.writing(), Chat(settings, limits=limits) as chat:
        same_judge(folder, judged_by(settings, name))
        sitting = _Sitting(folder, settings, Judging(name, **given), chat)
        if control or sample is not None:
            _control(sitting, wrong_answers(folder.queries(), sample, seed), machine)
        else:
            _answers(sitting, machine)


def _answers(sitting: _Sitting, machine: bool) -> None:
    folder, how = sitting.folder, sitting.how
    listed = docket(folder)
    todo = left(listed.given, folder.judgments(how.model), how)
    _tell(how, todo, len(listed.given), _left_out(listed))
    _judge(sitting, todo, folder.judge_file(how.model), lambda _, row: row_of(row))
    if machine:
        give(judged.report(folder, how.model))
        return
    for part in judged.tables(folder, how.model):
        screen().print(part)


def _control(sitting: _Sitting, wrong: Sequence[Given], machine: bool) -> None:
    folder, how = sitting.folder, sitting.how
    todo = left(wrong, control_judgments(folder, how.model, wrong), how)
    _tell(how, todo, len(wrong))
    _judge(sitting, todo, control_file(folder, how.model), control_row)
    found = control_judgments(folder, how.model, wrong)
    if machine:
        give(judged.control_report(folder, how.model, wrong, found))
        return
    for part in judged.control_tables(how.model, wrong, found):
        screen().print(part)


def _left_out(listed: Docket) -> str:
    errors = f"; {listed.errors} answers are errors and are not judged" if listed.errors else ""
    unknown = (
        f"; {listed.without_gold} are to requests without a gold label and judgment" if listed.without_gold else ""
    )
    return errors + unknown


def _tell(how: Judging, todo: Sequence[Given], answers: int, left_out: str = "") -> None:
    done = answers * how.repeats - len(todo)
    again = f", up to {len(todo) * (how.retries + 1)} where replies are no label" if how.retries and todo else ""
    say(f"{how.model} judges {answers} answers: {len(todo)} calls{again}; {done} judgments are there{left_out}.")


def _judge(
    sitting: _Sitting, todo: Sequence[Given], path: Path, line: Callable[[Given, Judgment], dict[str, Any]]
) -> None:
    """Judges into a file; raises ModelError when nothing but errors came of it."""
    folder, settings, how = sitting.folder, sitting.settings, sitting.how
    book = Book(path, lambda: note(folder, judged_by(settings, how.model)))
    with book, _counting(len(todo)) as counted:

        def keep(given: Given, row: Judgment) -> None:
            book.append(line(given, row))
            counted()

        made = judge_all(sitting.chat, todo, how, keep, lambda stage, _: priced(settings, stage))
    failed = [row for row in made if row.status == "error"]
    if failed and len(failed) == len(made):
        raise ModelError(f"none of {len(made)} answers could be judged; the last: {failed[-1].error}")
    if failed:
        say(f"{len(failed)} of {len(made)} could not be judged; run the same again to try them once more.")


@contextmanager
def _counting(total: int) -> Iterator[Callable[[], object]]:
    from rich.console import Console
    from rich.progress import Progress

    if not sys.stderr.isatty():
        yield lambda: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("judged", total=total)
        yield lambda: bar.advance(task)
