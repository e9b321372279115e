"""What all rows share: sizes, the program, its pipeline file, the server."""
from dataclasses import dataclass
from pathlib import Path

import inputs
from measure import Command, measure
from server import Server

PIPELINE = "pipelines/bmi.yaml"


@dataclass
class Setting:
    sessions: int
    runs: int
    sluice: str
    server: Server
    is_loaded: bool = False

    def dry(self, name: str, *paths: Path) -> Command:
        return Command(name, [self.sluice, "run", "--dry-run", "--quiet", "--pipeline", PIPELINE, *map(str, paths)])

    def run(self, name: str, database: str, *paths: Path) -> Command:
        self.server.start()
        line = [self.sluice, "run", "--quiet", "--pipeline", PIPELINE, "--database", self.server.url(database), *map(str, paths)]
        return Command(name, line)

    def load(self, name: str, *paths: Path) -> Command:
        """Into a schema without a row, migrated already."""
        command = self.run(name, "work", *paths)
        command.before = lambda: self.server.create("work", "empty")
        return command

    def loaded(self) -> str:
        """The name of a database that holds the events; it is left as it is."""
        if not self.is_loaded:
            self.server.start()
            self.server.create("loaded", "empty")
            measure(self.run("", "loaded", inputs.events(self.sessions)).line)
            self.is_loaded = True
        return "loaded"
