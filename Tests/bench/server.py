"""The private PostgreSQL of `sluice db`, in a folder that goes away with the benchmark."""
import os, shlex, shutil, subprocess, sys, tempfile
from pathlib import Path


class Server:
    """Started when it is first asked for something, stopped and removed by `stop`."""

    def __init__(self, sluice: str):
        self.sluice = sluice
        self.home: Path | None = None
        self.address = ""
        self.postmaster = 0

    def start(self) -> None:
        if self.home:
            return
        # Started by root it runs as another user, who has to get through to its folder.
        folder = Path(tempfile.mkdtemp(prefix="sluice-bench-", dir="/var/tmp"))
        folder.chmod(0o755)
        self.home = folder
        # Nothing may be measured against, or written to, a database that the environment names.
        for name in list(os.environ):
            if name == "SLUICE_DATABASE" or name.startswith("PG"):
                del os.environ[name]
        os.environ["SLUICE_HOME"] = str(folder / "home")
        self._sluice("db", "start")
        self.address = self._sluice("db", "url")
        directory = self.query("sluice", "select current_setting('data_directory')")
        self.postmaster = int((Path(directory) / "postmaster.pid").read_text().split()[0])
        self.create("empty")
        self._sluice("migrate", "--database", self.url("empty"))

    def stop(self) -> None:
        if self.home:
            subprocess.run([self.sluice, "db", "stop"], capture_output=True)
            shutil.rmtree(self.home, ignore_errors=True)
            self.home = None

    def url(self, database: str) -> str:
        return self.address.replace("///sluice?", f"///{database}?")

    def query(self, database: str, sql: str) -> str:
        command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c", sql]
        return _output(command)

    def create(self, database: str, template: str = "template0") -> None:
        """A copy of the template; what was written for it is on disk before anything is measured."""
        self.drop(database)
        self.query("sluice", f"create database {database} template {template}")
        self.query("sluice", "checkpoint")

    def drop(self, database: str) -> None:
        self.query("sluice", f"drop database if exists {database} with (force)")

    def tables(self, database: str, having_column: str = "") -> list[str]:
        """The tables of the schema, or those with such a column."""
        condition = f"and exists (select from pg_attribute where attrelid = c.oid and attname = '{having_column}')" if having_column else ""
        return self.query(database, f"""select c.relname from pg_class as c
            where c.relnamespace = 'sluice'::regnamespace and c.relkind = 'r' {condition} order by c.relname""").splitlines()

    def rows(self, database: str, tables: list[str]) -> dict[str, int]:
        counts = " union all ".join(f"select '{table}', count(*) from sluice.{table}" for table in tables)
        pairs = (line.split("|") for line in self.query(database, counts).splitlines())
        return {table: int(count) for table, count in pairs}

    def written(self, database: str) -> dict[str, int]:
        """Rows that were inserted, updated or deleted so far, by table. A session tells its own when it ends."""
        lines = self.query(database, """select relname, n_tup_ins + n_tup_upd + n_tup_del from pg_stat_user_tables
            where schemaname = 'sluice'""").splitlines()
        return {table: int(count) for table, count in (line.split("|") for line in lines)}

    def cpu(self) -> float:
        """Seconds of CPU that the server has used: its living processes, and those it has waited for."""
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                identifier, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            own, children, parent = int(rest[11]) + int(rest[12]), int(rest[13]) + int(rest[14]), int(rest[1])
            if identifier == self.postmaster:
                total += own + children
            elif parent == self.postmaster:
                total += own
        return total / os.sysconf("SC_CLK_TCK")

    def _sluice(self, *arguments: str) -> str:
        return _output([self.sluice, *arguments])


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}bench: `{shlex.join(command)}` ended with {done.returncode}")
    return done.stdout.strip()
