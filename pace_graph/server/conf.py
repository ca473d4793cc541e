"""The configuration of the managed server: loopback, private, modest."""

from __future__ import annotations

from pace_graph.server.places import Places
from pace_graph.server.ports import LOOPBACK

MB = 1024 * 1024
# Neo4j reaches into these; opened, so that the JVM says nothing about it.
OPENED = (
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.nio",
    "java.base/java.util.concurrent",
    "java.base/sun.nio.ch",
)
# Browser asks the server for this one, yet only the packaged server declares it.
BROWSER_OUTGOING = "browser.allow_outgoing_connections"


def heap_mb(total_bytes: int) -> int:
    """Most heap, in MiB: an eighth of the machine, between 512 and 2048."""
    return min(max(total_bytes // MB // 8, 512), 2048)


def page_cache_mb(total_bytes: int) -> int:
    """Page cache, in MiB: a sixteenth of the machine, between 128 and 1024."""
    return min(max(total_bytes // MB // 16, 128), 1024)


def jvm_options(places: Places, total_bytes: int) -> list[str]:
    """The command line of the JVM."""
    return [
        "-Xms128m",
        f"-Xmx{heap_mb(total_bytes)}m",
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        "-Djava.awt.headless=true",
        # Native parts are unpacked here, not in the user's own folders.
        f"-Djna.tmpdir={places.scratch}",
        f"-Dio.netty.native.workdir={places.scratch}",
        "-Dfile.encoding=UTF-8",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED),
    ]


def server(places: Places, bolt_port: int, http_port: int, total_bytes: int) -> dict[str, str]:
    """Neo4j's settings by name; strict validation refuses a misspelt one."""
    bolt, http = f"{LOOPBACK}:{bolt_port}", f"{LOOPBACK}:{http_port}"
    return {
        "server.default_listen_address": LOOPBACK,
        "server.default_advertised_address": LOOPBACK,
        "server.bolt.listen_address": bolt,
        "server.bolt.advertised_address": bolt,
        "server.http.listen_address": http,
        "server.http.advertised_address": http,
        "server.https.enabled": "false",
        "server.http.x_forward.enabled": "false",
        "dbms.security.auth_enabled": "true",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "server.directories.import": str(places.home / "import"),
        "server.memory.pagecache.size": f"{page_cache_mb(total_bytes)}m",
        **QUIET,
        **DURABLE,
    }


# Nothing leaves the machine: no usage reports, no product analytics, no broadcasts in the local network.
QUIET = {
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "dbms.fleet_manager.enabled": "false",
    "server.fleet_discovery.enabled": "false",
    # Neo4j Browser asks for fonts, analytics and a feedback widget; its own policy lets it. This one does not.
    "dbms.security.http_static_content_security_policy_header": (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
        f"connect-src 'self' ws://{LOOPBACK}:* http://{LOOPBACK}:*; "
        "base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
    ),
}

# A store that was never checkpointed rebuilds every index after a crash: checkpoint often. Logs are small,
# since two databases would preallocate 512 MB. At a stop Bolt would sit through two quiet periods of 5 s.
DURABLE = {
    "db.checkpoint.interval.time": "30s",
    "db.checkpoint.interval.tx": "10000",
    "db.tx_log.rotation.size": "64m",
    "db.tx_log.rotation.retention_policy": "1 hours 256M",
    "db.tx_log.preallocate": "false",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
}
