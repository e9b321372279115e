import Core
import Ingest
import Testing

@testable import sluice

@Suite("Command line")
struct CommandTests {
  struct Right: CustomTestStringConvertible {
    let line: String
    let command: Command
    var testDescription: String { line }
  }

  @Test(
    "becomes a command with every value read",
    arguments: [
      Right(line: "version", command: .version),
      Right(line: "--version", command: .version),
      Right(line: "help", command: .help(nil)),
      Right(line: "--help", command: .help(nil)),
      Right(line: "-h", command: .help(nil)),
      Right(line: "help run", command: .help(.run)),
      Right(line: "run --help", command: .help(.run)),
      Right(line: "run -h --jobs x", command: .help(.run)),
      Right(line: "run a.ndjson", command: .run(RunOptions(inputs: ["a.ndjson"]))),
      Right(line: "run -", command: .run(RunOptions(inputs: ["-"]))),
      Right(line: "run -- --odd -", command: .run(RunOptions(inputs: ["--odd", "-"]))),
      Right(
        line: "run a --pipeline=p=q.yaml b --dry-run --reread --quiet",
        command: .run(
          RunOptions(
            inputs: ["a", "b"], pipeline: "p=q.yaml", isDry: true, readsAgain: true, isQuiet: true))
      ),
      Right(
        line: "--schema fitness run a --database postgres://h/d --sql /s",
        command: .run(
          RunOptions(
            inputs: ["a"],
            database: DatabaseOptions(url: "postgres://h/d", schema: "fitness", sqlFolder: "/s")))),
      Right(
        line: "run a --as-of 2026-06-01 --force --jobs 4 --memory 2GiB",
        command: .run(
          RunOptions(
            inputs: ["a"],
            resolve: ResolveOptions(
              asOf: Day(iso8601: "2026-06-01")?.startInUTC, isForced: true, jobs: 4,
              memoryInBytes: 2 << 30)))),
      Right(
        line: "run a --max-record-bytes 64KiB --max-rejects 0.5%",
        command: .run(
          RunOptions(
            inputs: ["a"], limits: recordLimits("record=64KiB") ?? RecordLimits(),
            maximumRejects: .share(0.005))
        )),
      Right(
        line: "run a --max-rejects 0",
        command: .run(RunOptions(inputs: ["a"], maximumRejects: .count(0)))),
      Right(line: "check p.yaml", command: .check(CheckOptions(pipeline: "p.yaml"))),
      Right(
        line: "check --data p.yaml --schema fit",
        command: .check(
          CheckOptions(pipeline: "p.yaml", database: DatabaseOptions(schema: "fit")))),
      Right(
        line: "check --schema-json",
        command: .check(CheckOptions(pipeline: "", printsSchema: true))),
      Right(
        line: "plan p.yaml --sample 3 --replay 30d --format markdown",
        command: .plan(
          PlanOptions(pipeline: "p.yaml", sample: 3, replayDays: 30, format: .markdown))),
      Right(
        line: "recompute --activate --pipeline p.yaml",
        command: .recompute(RecomputeOptions(pipeline: "p.yaml", isActivating: true))),
      Right(
        line: "test --pipeline p.yaml --quiet",
        command: .test(PipelineOptions(pipeline: "p.yaml", isQuiet: true))),
      Right(
        line: "explain cu:42 --format json",
        command: .explain(ExplainOptions(profile: "cu:42", format: .json))),
      Right(
        line: "report funnel --since 2026-06-01 --until 2026-07-01 --zone Europe/Berlin "
          + "--split-by platform --format csv",
        command: .report(
          ReportOptions(
            name: "funnel", since: Day(iso8601: "2026-06-01"), until: Day(iso8601: "2026-07-01"),
            zone: "Europe/Berlin", splitBy: "platform", format: .csv))),
      Right(
        line: "force p1 --placement a --variation v --until 2026-06-01 --file f --quiet",
        command: .force(
          ForceOptions(
            profile: "p1", placement: "a", variation: "v", until: .day(Day(days: 20_605)),
            file: "f",
            isQuiet: true))),
      Right(line: "recompute", command: .recompute(RecomputeOptions())),
      Right(
        line: "recompute --as-of 1970-01-01T00:00:00Z --rewind",
        command: .recompute(
          RecomputeOptions(
            resolve: ResolveOptions(asOf: Instant(microseconds: 0)), isRewinding: true))),
      Right(
        line: "run a --max-future 36h --rejects r --keep-rejects d",
        command: .run(
          RunOptions(
            inputs: ["a"], maximumFuture: 36 * 3_600_000_000, rejectsFile: "r",
            rejectsFolder: "d"))),
      Right(
        line: "rejects list --reason invalid_time --job 3 --limit 5 --file a --format csv",
        command: .rejects(
          RejectsOptions(
            action: .list, file: "a", reason: .invalidTime, job: 3, limit: 5, format: .csv))),
      Right(
        line: "rejects replay --source s",
        command: .rejects(
          RejectsOptions(action: .replay(RunOptions(source: "s", readsAgain: true))))),
      Right(line: "migrate --quiet", command: .migrate(MigrateOptions(isQuiet: true))),
      Right(line: "db url", command: .database(DatabaseCommand(action: .url))),
      Right(
        line: "db psql -- -c select",
        command: .database(DatabaseCommand(action: .psql(["-c", "select"])))),
      Right(
        line: "export dump --as-of 1970-01-01T00:00:00Z",
        command: .export(ExportOptions(what: .dump, asOf: Instant(microseconds: 0)))),
      Right(
        line: "export p1", command: .export(ExportOptions(what: .person("p1")))),
      Right(
        line: "export profile dump", command: .export(ExportOptions(what: .person("dump")))),
      Right(
        line: "erase a cu:7 --customer-user-id 42 --file - --plan",
        command: .erase(
          EraseOptions(profiles: ["a", "cu:7"], customer: "42", file: "-", isPlan: true))),
      Right(
        line: "expire --older-than 400d --jobs 2",
        command: .expire(ExpireOptions(olderThan: .days(400), jobs: 2))),
      Right(
        line: "expire --older-than 2026-01-01T00:00:00Z --plan",
        command: .expire(
          ExpireOptions(
            olderThan: .moment(.instant(Instant(microseconds: 1_767_225_600_000_000))),
            isPlan: true))),
      Right(
        line: "report funnel --min-group 5",
        command: .report(ReportOptions(name: "funnel", minGroup: 5))),
      Right(line: "migrate --roles", command: .migrate(MigrateOptions(appliesRoles: true))),
      Right(
        line: "export events p1", command: .export(ExportOptions(what: .events(profile: "p1")))),
    ])
  func reads(_ right: Right) throws {
    #expect(try Command(right.line.split(separator: " ").map(String.init)) == right.command)
  }

  struct Wrong: CustomTestStringConvertible {
    let line: String
    let message: String
    var testDescription: String { line }

    init(_ line: String, _ message: String) {
      self.line = line
      self.message = message
    }
  }

  @Test(
    "says what is wrong and what would be right",
    arguments: [
      Wrong("", "no command; `sluice help` lists the commands"),
      Wrong("rnu a", "unknown command `rnu`; did you mean `run`?"),
      Wrong("frobnicate", "unknown command `frobnicate`; `sluice help` lists the commands"),
      Wrong("doctor p.yaml", "`doctor` is not supported yet"),
      Wrong("help rnu", "sluice help: unknown command `rnu`; did you mean `run`?"),
      Wrong("run", "sluice run: needs events; name files, directories or globs, or - for stdin"),
      Wrong(
        "run a --pipelin x", "sluice run: unknown option `--pipelin`; did you mean `--pipeline`?"),
      Wrong("run a --dry_run", "sluice run: unknown option `--dry_run`; did you mean `--dry-run`?"),
      Wrong("run a -x", "sluice run: unknown option `-x`; `sluice run --help` lists the options"),
      Wrong(
        "run a --since 2026-01-01",
        "sluice run: has no option `--since`; `sluice run --help` lists the options"),
      Wrong("run a --pipeline", "sluice run: `--pipeline` needs a value; write --pipeline FILE"),
      Wrong("run a --pipeline=", "sluice run: `--pipeline` needs a value; write --pipeline FILE"),
      Wrong(
        "force p1 --variation v --until 2026-06-01",
        "sluice force: needs --placement; write --placement ID"),
      Wrong(
        "force p1 --placement a --variation v",
        "sluice force: needs --until: nobody is shown a forced variation for ever; "
          + "write --until 2026-06-01"),
      Wrong("run a --as-of --force", "sluice run: `--as-of` needs a value; write --as-of TIME"),
      Wrong("run a --force=yes", "sluice run: `--force` takes no value"),
      Wrong("run a --jobs 1 --jobs=2", "sluice run: `--jobs` is here twice; keep one of them"),
      Wrong("run a --quiet --quiet", "sluice run: `--quiet` is here twice; keep one of them"),
      Wrong(
        "run a --jobs 0", "sluice run: cannot read `--jobs 0`: it is a whole number from 1 to 256"),
      Wrong(
        "run a --memory 512",
        "sluice run: cannot read `--memory 512`: it is a size such as 512MiB, at least 64MiB"),
      Wrong(
        "run a --memory 99999999999999GiB",
        "sluice run: cannot read `--memory 99999999999999GiB`: it is a size such as 512MiB, at least 64MiB"
      ),
      Wrong(
        "run a --max-rejects 101%",
        "sluice run: cannot read `--max-rejects 101%`: it is a number such as 100 or a share such as 0.5%"
      ),
      Wrong(
        "run a --as-of 2026-06-01T12:00",
        "sluice run: cannot read `--as-of 2026-06-01T12:00`: it is a day, or a time with its zone such as "
          + "2026-06-01T12:00:00Z, from 1970 to 2100"),
      Wrong(
        "run a --schema Fit",
        "sluice run: cannot read `--schema Fit`: it is a name of a-z, 0-9 and _, at most 51, that does not "
          + "begin with a digit or pg_"),
      Wrong(
        "check", "sluice check: needs a pipeline file; `sluice check --help` shows how it is used"),
      Wrong(
        "check a --schema x",
        "sluice check: `--schema` belongs to `--data`: without it no database is asked; add --data"),
      Wrong(
        "plan a --replay 30",
        "sluice plan: cannot read `--replay 30`: it is a number of days from 1d to 366d"),
      Wrong(
        "plan a --format html",
        "sluice plan: cannot read `--format html`: it is text or json or markdown"),
      Wrong(
        "check a b",
        "sluice check: does not know what to do with `b`; `sluice check --help` shows how it is used"
      ),
      Wrong(
        "explain p --format xml",
        "sluice explain: cannot read `--format xml`: it is table or csv or json"),
      Wrong(
        "report",
        "sluice report: needs the name of a report: segments or funnel or "
          + "purchase_funnel or error_counts or product_loading_failures or restore_counts or "
          + "subscription_states or store_message_counts or quarantine; "
          + "`sluice report --help` shows how it is used"),
      Wrong(
        "report segment", "sluice report: there is no report `segment`; did you mean `segments`?"),
      Wrong(
        "report funnel --since 2026-02-01 --until 2026-02-01",
        "sluice report: --until must be later than --since: it is the first day left out"),
      Wrong("rejects", "sluice rejects: needs an action; say list or replay"),
      Wrong("rejects lst", "sluice rejects: does not know `lst`; did you mean `list`?"),
      Wrong(
        "rejects list --source a",
        "sluice rejects: `--source` belongs to `sluice rejects replay`"),
      Wrong(
        "recompute --rewind",
        "sluice recompute: `--rewind` needs `--as-of`; write --as-of 2026-06-01T12:00:00Z"),
      Wrong(
        "run a --max-future 3",
        "sluice run: cannot read `--max-future 3`: it is a time such as 2d or 36h, at least 1h"),
      Wrong("db", "sluice db: needs an action; say url, psql, start, stop, status"),
      Wrong("db restart", "sluice db: does not know `restart`; did you mean `start`?"),
      Wrong(
        "export", "sluice export: needs to know what; say dump, events PROFILE, or a profile id"),
      Wrong(
        "export events", "sluice export: needs a profile id; write sluice export events PROFILE"),
      Wrong(
        "version x",
        "sluice version: does not know what to do with `x`; `sluice version --help` shows how it is used"
      ),
    ])
  func refuses(_ wrong: Wrong) {
    do {
      let command = try Command(wrong.line.split(separator: " ").map(String.init))
      Issue.record("read as \(command)")
    } catch {
      #expect(error.message == wrong.message)
      #expect(error.exit == .usage)
    }
  }

  @Test("no message repeats a database URL, which can hold a password")
  func secrets() {
    for line in [
      "run --database postgres://u:secret@h/d", "report x --database=postgres://u:secret@h/d",
    ] {
      #expect {
        try Command(line.split(separator: " ").map(String.init))
      } throws: { error in
        (error as? Problem)?.message.contains("secret") == false
      }
    }
  }
}
