"""`pace-graph report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pace_graph.cli.terminal import say
from pace_graph.errors import ConfigError

FORMATS = ("markdown", "latex", "csv", "json", "html")


class Depths(click.ParamType[tuple[int, ...]]):
    """Depths, separated by commas."""

    name = "K,K"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The depths, least first."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(part.isdecimal() and int(part) for part in parts):
            self.fail(f"{value!r} are no depths; write them as 5,10", param, ctx)
        return tuple(sorted({int(part) for part in parts}))


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="markdown", show_default=True, help="How it reads."
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The file; otherwise standard output.")
@click.option("--k", "ks", type=Depths(), default="5,10", show_default=True, help="Depths of Recall, Hit and Gold.")
@click.option(
    "--averaging",
    type=click.Choice(["micro", "macro"]),
    default="micro",
    show_default=True,
    help="Of retrieval: over requests, or over the means of worlds.",
)
@click.option("--judge", help="Whose labels to use; the first by name when there are several.")
@click.option("--clustered", is_flag=True, help="Draw whole worlds for the intervals, not single requests.")
@click.option("--resamples", type=click.IntRange(100), default=2000, show_default=True, help="Draws for each interval.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of intervals and tests.")
def report(runs: tuple[Path, ...], form: str, out: Path | None, judge: str | None, **choices: Any) -> None:
    """Report on runs: tables with intervals and tests, and the paper's own figures.

    Several runs stand side by side; those that differ in settings make a sweep. A report on runs with errors, or with
    requests left, says on top that it is not final.
    """
    from pace_graph.evaluation.folder import RunFolder
    from pace_graph.evaluation.render import FORMATS as WRITERS
    from pace_graph.evaluation.report import document

    if out is not None and not out.parent.is_dir():
        raise ConfigError(f"there is no folder {out.parent} to write {out.name} into; make it, or name another --out")
    found = document([RunFolder.there(run) for run in runs], judge=judge, drawn=form == "html", **choices)
    text = WRITERS[form](found)
    if out is None:
        click.echo(text, nl=False)
        return
    _write(out, text)
    say(f"{'Not final: ' if found.not_final else ''}{out}")


def _write(out: Path, text: str) -> None:
    part = out.with_name(f"{out.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(out)
    except OSError as error:
        raise ConfigError(f"{out} cannot be written: {error.strerror}; name another --out") from error
