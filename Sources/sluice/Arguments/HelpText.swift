internal import Core
internal import Report

/// The words of `sluice help` and of every `--help`.
enum HelpText {
  static func text(_ command: CommandName?) -> String {
    guard let command else { return overview }
    let page = page(command)
    var text = "sluice \(command.rawValue): \(page.summary)\n\n"
    text += page.usage.map { "  sluice \(command.rawValue)\($0.isEmpty ? "" : " " + $0)\n" }
      .joined()
    if !page.details.isEmpty { text += "\n\(page.details)\n" }
    text += "\nOptions\n" + aligned((command.options + [.help]).map { ($0.usage, $0.summary) })
    if !page.examples.isEmpty {
      text += "\nExamples\n" + page.examples.map { "  \($0)\n" }.joined()
    }
    return text
  }

  /// Everything that a rule may use.
  static var rules: String {
    """
    Rules are the scalar expressions of SQL, as PostgreSQL evaluates them; numbers are double precision.

    Operators, tightest first
      - (sign)   ^   * /   + -   ||   between in like ilike   = <> < <= > >=   is   not   and   or
      is [not] null | true | false | unknown      is [not] distinct from      case … when … then … end
      Text in 'single quotes', odd names in "double quotes", comments after --.
      What is missing is null; a comparison with it is unknown, and unknown makes nobody a member.

    Functions
    \(LanguageReference.functions.map { "  " + $0 }.joined(separator: "\n"))

    Facts, besides the file's own attributes and segments (and answers, in an attribute's value)
    \(aligned(LanguageReference.facts.map { ($0.name, $0.type) }))
    """
  }

  static func examples(_ command: CommandName) -> [String] { page(command).examples }

  private static var overview: String {
    let commands = CommandName.allCases.map { ($0.rawValue, page($0).summary) }
    return """
      sluice: onboarding-flow events in; attributes, segments and the next placement in PostgreSQL.

        sluice COMMAND [OPTIONS] [FILES]

      Commands
      \(aligned(commands))
      `sluice COMMAND --help` shows a command's options and examples, `sluice help rules` what rules may
      use. Data goes to stdout, words go to stderr. Exit codes: 0 done, 64 usage, 65 too many
      rejects, 66 no input, 69 no database, 70 bug, 73 and 74 cannot write (74 without a word where the
      reader of stdout went away), 75 try again, 78 pipeline file wrong, 130 and 143 stopped by a signal.

      Examples
        sluice test pipelines/bmi.yaml
        sluice run --pipeline pipelines/bmi.yaml events/
        sluice report segments

      """
  }

  private struct Page {
    let summary: String
    /// What may follow the command's name, a line each.
    let usage: [String]
    var details = ""
    var examples: [String] = []
  }

  private static func page(_ command: CommandName) -> Page {
    switch command {
    case .run:
      Page(
        summary: "read events and bring the database up to date",
        usage: ["[OPTIONS] FILE|DIRECTORY|GLOB|- ..."],
        details: """
          Events in any order, read before or not, in one file or many: the result is the same. Without
          --pipeline, the pipeline that the database holds is used.
          JSON records in lines, one after the other, in an array or under `data`, or CSV with a header;
          plain, gzip, zstd or zip: told by content, not by name.
          Ctrl-C and SIGTERM end it behind its transaction: run it again for the rest. A profile that
          the database refuses, or that has more events than the pipeline file allows (20000), is
          quarantined with all its events: `sluice report quarantine` lists it.
          """,
        examples: [
          "sluice run --pipeline pipelines/bmi.yaml events/",
          "sluice run export.zip events.csv.gz -",
          "sluice run --dry-run --pipeline pipelines/bmi.yaml 'events/*.ndjson'",
        ])
    case .check:
      Page(
        summary: "find what is wrong with a pipeline file",
        usage: [
          "FILE", "--data [OPTIONS] FILE", "--schema-json",
          "[--source NAME|FILE] [--sample EVENTS]",
        ],
        details: """
          Only --data asks a database. --source checks a source file instead; --sample shows how the
          first records of a file would be read, answers masked, as --format table, csv or json.
          """,
        examples: [
          "sluice check pipelines/bmi.yaml", "sluice check --data pipelines/bmi.yaml",
          "sluice check --schema-json",
          "sluice check --source amplitude --sample export.json",
        ])
    case .test:
      Page(
        summary: "run the tests in a pipeline file, without a database",
        usage: ["FILE"], examples: ["sluice test pipelines/bmi.yaml"])
    case .plan:
      Page(
        summary: "tell what a changed pipeline file would change, writing nothing",
        usage: ["[OPTIONS] FILE"],
        details: """
          Compares with the pipeline that the database holds, on the profiles that it holds. Formats:
          text, json, markdown (for a pull request).
          """,
        examples: [
          "sluice plan pipelines/bmi.yaml",
          "sluice plan --sample 5 --replay 30d --format markdown pipelines/bmi.yaml",
        ])
    case .explain:
      Page(
        summary: "show one profile: answers, attributes, segments, next placement, and why",
        usage: ["[OPTIONS] PROFILE"], details: "Formats: table, csv, json.",
        examples: [
          "sluice explain 1f5c3b1e-0000-4a00-8000-000000000001",
          "sluice explain --as-of 2026-06-01 --format json 1f5c3b1e-0000-4a00-8000-000000000001",
        ])
    case .force:
      Page(
        summary: "show one profile a variation until an instant, for testing",
        usage: ["--placement ID --variation ID --until TIME [OPTIONS] PROFILE"],
        details: """
          Stores an event that wins over what was drawn or seen while --until lies ahead, and prints it:
          keep the line with the app's events, and a database built anew knows it too. The latest one
          of a placement counts; --until in the past lifts it.
          """,
        examples: [
          "sluice force p42 --placement bmi_paywall --variation v1 --until 2026-06-01 --file qa.ndjson"
        ])
    case .release:
      Page(
        summary: "have a quarantined profile count again",
        usage: ["[OPTIONS] PROFILE"],
        details: """
          What is still stored of it is derived anew. Events that came while it was quarantined were
          counted and not stored, and of one with too many events none is left: `sluice run --reread`
          with their files brings them. What is wrong again is quarantined again.
          """,
        examples: ["sluice report quarantine", "sluice release p42"])
    case .report:
      Page(
        summary: "print a report",
        usage: ["[OPTIONS] NAME"],
        details: "Formats: table, csv, json.\n\nReports\n"
          + aligned(ReportCatalogue.reports.map { ($0.name, $0.summary) }).dropLast(),
        examples: [
          "sluice report segments",
          "sluice report funnel --since 2026-06-01 --until 2026-07-01 --format csv",
        ])
    case .recompute:
      Page(
        summary: "derive everything again from the stored events, without reading any file",
        usage: ["[OPTIONS]"],
        examples: [
          "sluice recompute", "sluice recompute --pipeline pipelines/bmi.yaml",
          "sluice recompute --as-of 2026-06-01T12:00:00Z --rewind",
        ])
    case .export:
      Page(
        summary: "print stored rows",
        usage: ["[OPTIONS] PROFILE", "[OPTIONS] events PROFILE", "[OPTIONS] dump"],
        details: """
          PROFILE alone prints everything that is stored about one person, by any of their ids, as one JSON
          document; events prints what they sent, a line an event, to be read again; dump prints all
          derived rows, sorted, the same on any machine that holds the same events. For a profile that
          is called like one of these words: sluice export profile dump.
          """,
        examples: [
          "sluice export dump",
          "sluice export events 1f5c3b1e-0000-4a00-8000-000000000001",
          "sluice export 1f5c3b1e-0000-4a00-8000-000000000001",
        ])
    case .rejects:
      Page(
        summary: "list the records that did not become events, or read their files again",
        usage: ["list [OPTIONS]", "replay [OPTIONS]"],
        details: """
          A reject is told by its place, never by its text. After a source's mapping was mended, replay
          reads the files that hold them again and says how many are events now; what was read before
          stays as it is. Formats of the list: table, csv, json.
          """,
        examples: [
          "sluice rejects list --reason invalid_time --file events/a.ndjson",
          "sluice rejects list --format json",
          "sluice rejects replay --source pipelines/sources/segment.yaml",
        ])
    case .erase:
      Page(
        summary: "remove people from every table, and keep them out for good",
        usage: [
          "[OPTIONS] PROFILE ...", "[OPTIONS] --customer-user-id ID", "[OPTIONS] --file FILE",
          "--lift PROFILE ...", "--list-hashes", "--apply FILE",
        ],
        details: """
          Of any id of a person, the whole person goes: events, rows, aliases, and events of others that
          link to them. What stays is a keyed hash of each id, so that their events are counted as erased
          and not stored when files come again. What is gone is gone, and no question is asked: --plan
          shows what would go. In --file, and as PROFILE, cu:ID is a customer's id. Prints rows by table.
          Files of --keep-rejects are rid of records that hold an id, where this machine has them.
          A backup knows nothing of later erasures: keep what --list-hashes prints, and give it to --apply
          once the backup is restored. --lift lets those ids in again that are named, the owner alone may.
          """,
        examples: [
          "sluice erase --plan 1f5c3b1e-0000-4a00-8000-000000000001",
          "sluice erase 1f5c3b1e-0000-4a00-8000-000000000001",
          "sluice erase --customer-user-id 42", "sluice erase --file requests.txt",
          "sluice erase --list-hashes", "sluice erase --apply erased.txt",
        ])
    case .expire:
      Page(
        summary: "remove old events, and keep them out for good",
        usage: ["--older-than Nd|DAY|TIME [OPTIONS]"],
        details: """
          Events of before that instant go, by the clocks of their devices, and what rested on them is
          derived anew. Older events that come again count as expired. An earlier instant than that of
          an expiry before changes nothing. Stopped half-way, the next expire or run does the rest.
          """,
        examples: [
          "sluice expire --older-than 400d --plan", "sluice expire --older-than 2026-01-01",
        ]
      )
    case .migrate:
      Page(
        summary: "create or update the tables, views and functions",
        usage: ["[OPTIONS]"],
        details: """
          --roles makes SCHEMA_writer, _analyst, _reports and _app, for `grant`; it needs the right to
          create roles. Say it again after each update.
          """,
        examples: [
          "sluice migrate --database postgres://db.example/app --schema fitness",
          "sluice migrate --roles",
        ])
    case .db:
      Page(
        summary: "the database: its address, a prompt, the private server",
        usage: ["url", "psql [-- ARGUMENTS]", "start", "stop", "status"],
        examples: ["sluice db psql -- -c 'select * from sluice.next_placements limit 5'"])
    case .version: Page(summary: "print the version", usage: [""])
    case .help:
      Page(
        summary: "list the commands, show one, or show what rules may use",
        usage: ["[COMMAND]", "rules"], examples: ["sluice help rules"])
    }
  }

  private static func aligned(_ rows: [(name: String, summary: String)]) -> String {
    let width = rows.reduce(0) { max($0, $1.name.count) }
    return rows.map { name, summary in
      "  " + name + String(repeating: " ", count: width - name.count) + "  " + summary + "\n"
    }.joined()
  }
}

extension OptionName {
  fileprivate var usage: String { word + (placeholder.map { " " + $0 } ?? "") }
}
