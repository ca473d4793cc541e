"""`pace-graph`: wiring only. Commands are imported when they are run, so that `--help` is quick."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from pace_graph import __version__
from pace_graph.cli.pipe import leave_quietly
from pace_graph.errors import PaceGraphError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo:demo", "Load the bundled worlds, measure every system, show an evidence path."),
    "ask": ("ask:ask", "Ask a world what speaks against a request, or clears it."),
    "search": ("search:search", "Search the facts of a world by meaning, by words, or both."),
    "explain": ("explain:explain", "Show how evidence was found: views, seeds, hops, what was kept."),
    "load": ("load:load", "Load worlds from files; the formats are its sub-commands."),
    "worlds": ("world:worlds", "List the worlds."),
    "world": ("world:world", "Show, verify, re-embed, delete or export a world."),
    "run": ("run:run", "Ask every request of worlds of systems, into a run folder."),
    "sweep": ("sweep:sweep", "Run one system at every point of a sweep."),
    "estimate": ("run:estimate_run", "Tell what a run would ask of the models, before it does."),
    "judge": ("judge:judge", "Judge the answers of a run: Pass, Wrong or Fail."),
    "report": ("report:report", "Report on runs: tables with intervals and tests, and the paper's own figures."),
    "cost": (
        "cost:cost",
        "Show what finding evidence cost: indexing, seconds a request, model calls, and all from a cold start.",
    ),
    "export": ("export:export", "Write a run for other tools: as TREC files, or its worlds in BEIR's layout."),
    "db": ("db:db", "Start, stop and look at the local Neo4j that keeps the worlds."),
}
"""Name to (module:attribute below pace_graph.cli, short help); a test holds the help to the command's own."""

INTERRUPTED = 130


class Commands(click.Group):
    """A group that imports a command when it is called, and turns our errors into a sentence and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(f"pace_graph.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without importing one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; when the reader of its output has gone, ends as if all were read."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Of standard output: connections raise errors of ours. Looked at here, since click would end with 1.
            leave_quietly()

    def main(self, args: Sequence[str] | None = None, *rest: Any, **more: Any) -> NoReturn:
        """Runs a command. Exit status: 0, 2 for bad input, 1 for a failed server or endpoint, 130 when interrupted."""
        more["standalone_mode"] = False
        try:
            status = super().main(args, *rest, **more)
        except click.ClickException as error:
            _tell(error)
            sys.exit(error.exit_code)
        except PaceGraphError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(error.exit_code)
        except (KeyboardInterrupt, click.Abort):
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        sys.exit(status if isinstance(status, int) else 0)


def _tell(error: click.ClickException) -> None:
    """One line: what was wrong, and where to read how it is right. A group without a command shows its help."""
    if not isinstance(error, click.UsageError) or isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    where = f" (see: {error.ctx.command_path} --help)" if error.ctx else ""
    click.echo(f"Error: {' '.join(error.format_message().split())}{where}", err=True)


@click.group("pace-graph", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pace-graph")
def main() -> None:
    """Find, in what is known about a person, the facts that speak against a request, or clear it.

    Worlds are kept in Neo4j: in a local one that is started when needed, or in the one that PACE_GRAPH_NEO4J__URI
    names. Begin
    with: pace-graph demo
    """
