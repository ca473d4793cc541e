"""Where the managed server keeps what; every folder is made for its owner only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pace_graph.config import Settings
from pace_graph.errors import ConfigError


@dataclass(frozen=True)
class Places:
    """The files of one managed server."""

    home: Path
    repository: Path

    @classmethod
    def of(cls, settings: Settings) -> Places:
        """The places that these settings mean; nothing is made."""
        return cls(settings.data_dir.absolute() / "neo4j", settings.cache_dir.absolute() / "maven")

    @property
    def state(self) -> Path:
        """What runs where; written by the daemon."""
        return self.home / "server.json"

    @property
    def password(self) -> Path:
        """The generated password, mode 0600."""
        return self.home / "password"

    @property
    def start_lock(self) -> Path:
        """Held by the command that starts the server."""
        return self.home / "start.lock"

    @property
    def server_lock(self) -> Path:
        """Held by the daemon as long as it lives."""
        return self.home / "server.lock"

    @property
    def requests(self) -> Path:
        """Where commands leave requests for the daemon."""
        return self.home / "requests"

    @property
    def scratch(self) -> Path:
        """Where the JVM unpacks native libraries; emptied at every start."""
        return self.home / "scratch"

    @property
    def log(self) -> Path:
        """What the daemon and Neo4j print."""
        return self.home / "logs" / "daemon.log"

    def make(self) -> None:
        """Makes the folders, mode 0700.

        Raises:
            ConfigError: when a folder cannot be made.
        """
        try:
            for folder in (self.home, self.log.parent, self.requests):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.chmod(0o700)
            self.repository.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{error.filename}: cannot be used ({error.strerror}); set PACE_GRAPH_DATA_DIR and PACE_GRAPH_CACHE_DIR"
            ) from error
