"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pace_graph.errors import ConfigError


class Setting(click.ParamType[tuple[str, str]]):
    """A field of PaceConfig with its value, written name=value."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The pair; what it may be is told by PaceConfig."""
        if isinstance(value, tuple):
            return value
        name, found, setting = str(value).partition("=")
        if not found:
            self.fail(f"{value!r} is no setting; write it as hops=3", param, ctx)
        return name, setting


settings = click.option(
    "--set", "settings", type=Setting(), multiple=True, help="A setting of the system, such as hops=3; repeatable."
)
cache = click.option(
    "--cache",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of model replies; one for all runs by default.",
)
no_cache = click.option("--no-cache", is_flag=True, help="Ask the model anew, whatever it said before.")
concurrency = click.option(
    "--concurrency", type=click.IntRange(1, 512), default=4, show_default=True, help="Requests under way at a time."
)
rpm = click.option("--rpm", type=click.IntRange(min=1), help="Most model calls a minute.")
tpm = click.option("--tpm", type=click.IntRange(min=1), help="Most tokens a minute (about).")


def replies(cache: Path | None, no_cache: bool, cache_dir: Path) -> Any:
    """The reply cache that the options name, or None."""
    from pace_graph.llm import Replies

    if cache is not None and no_cache:
        raise ConfigError("--cache and --no-cache say different things; leave one out")
    return None if no_cache else Replies(cache or cache_dir / "replies.sqlite")
