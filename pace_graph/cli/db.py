"""`pace-graph db`: the managed local Neo4j."""

from __future__ import annotations

import json
import time
import webbrowser
from pathlib import Path
from typing import Any

import click

from pace_graph import server
from pace_graph.config import Settings
from pace_graph.errors import PaceGraphError
from pace_graph.server.address import Address
from pace_graph.server.checks import examine
from pace_graph.server.lifecycle import refuse_external
from pace_graph.server.places import Places
from pace_graph.server.probe import look

as_json = click.option("--json", "machine", is_flag=True, help="Print JSON, and nothing else, on stdout.")


def say(line: str) -> None:
    """Tells the user what goes on, beside the output."""
    click.echo(line, err=True)


@click.group()
def db() -> None:
    """Start, stop and look at the local Neo4j that keeps the worlds.

    Commands that need a graph start it by themselves; with PACE_GRAPH_NEO4J__URI set they use that server.
    """


@db.command()
def start() -> None:
    """Start the local Neo4j, unless it runs; the first time it is fetched."""
    settings = Settings.read()
    refuse_external(settings, "starts")
    before = server.status(settings)
    address = server.ensure(settings, say)
    how = "already runs" if before else "runs"
    click.echo(f"Neo4j {server.NEO4J_VERSION} {how} at {address.uri} (process {address.pid}).")
    click.echo("It stays up until `pace-graph db stop`; `pace-graph db browser` tells how to look inside.")


@db.command()
@click.option("--timeout", default=60.0, show_default=True, help="Seconds to wait for a clean end before killing it.")
def stop(timeout: float) -> None:
    """Stop the local Neo4j cleanly; the data stays."""
    stopped = server.stop(Settings.read(), timeout)
    click.echo("Stopped." if stopped else "It was not running.")


@db.command()
@as_json
@click.option("--show-password", is_flag=True, help="Print the password too.")
def status(*, machine: bool, show_password: bool) -> None:
    """Show whether it runs, where, which release, and how much it keeps."""
    found = _described(Settings.read(), show_password=show_password)
    if machine:
        click.echo(json.dumps(found))
        return
    for name, value in found.items():
        if value is not None:
            click.echo(f"{name.replace('_', ' '):<12}{_shown(value)}")


@db.command()
@click.option("--open", "open_it", is_flag=True, help="Open it in the web browser as well.")
def browser(*, open_it: bool) -> None:
    """Print the address of Neo4j Browser and how to sign in."""
    settings = Settings.read()
    refuse_external(settings, "knows Neo4j Browser of")
    address = server.ensure(settings, say)
    click.echo(address.browser_url)
    click.echo(f"User: {address.user}")
    click.echo("Password: shown by `pace-graph db status --show-password`")
    if open_it and address.browser_url:
        webbrowser.open(address.browser_url)


@db.command()
@as_json
@click.pass_context
def doctor(context: click.Context, *, machine: bool) -> None:
    """Look at everything the local Neo4j needs; exit 1 when something is wrong, with what mends it."""
    findings = list(examine(Settings.read(), time.time()))
    if machine:
        click.echo(json.dumps([vars(finding) for finding in findings]))
    else:
        for finding in findings:
            click.echo(f"{'ok ' if finding.ok else 'BAD'} {finding.name:<9}{finding.detail}")
            if finding.mend:
                click.echo(f"    mend:    {finding.mend}")
    context.exit(0 if all(finding.ok for finding in findings) else 1)


def _described(settings: Settings, *, show_password: bool) -> dict[str, Any]:
    address = server.status(settings)
    release, problem = _release(settings, address)
    found: dict[str, Any] = {
        "running": address is not None and problem is None,
        "managed": settings.managed,
        "uri": address.uri if address else None,
        "browser": address.browser_url if address else None,
        "user": address.user if address else None,
        "release": release,
        "pid": address.pid if address else None,
        "problem": problem,
    }
    if settings.managed:
        home = Places.of(settings).home
        found |= {"data_folder": str(home), "size_bytes": _size(home)}
    if show_password and address is not None:
        found["password"] = address.password.get_secret_value()
    return found


def _release(settings: Settings, address: Address | None) -> tuple[str | None, str | None]:
    if address is None:
        return (server.NEO4J_VERSION, None) if settings.managed else (None, None)
    try:
        return look(address, settings.neo4j.timeout_s).release, None
    except PaceGraphError as error:
        return None, str(error)


def _size(folder: Path) -> int:
    """Bytes below a folder; files that go while we look count nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
