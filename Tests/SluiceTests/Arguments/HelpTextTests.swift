import Testing

@testable import Core
@testable import sluice

@Suite("Help")
struct HelpTextTests {
  @Test("lists the commands")
  func overview() {
    #expect(
      HelpText.text(nil) == """
        sluice: onboarding-flow events in; attributes, segments and the next placement in PostgreSQL.

          sluice COMMAND [OPTIONS] [FILES]

        Commands
          run        read events and bring the database up to date
          check      find what is wrong with a pipeline file
          test       run the tests in a pipeline file, without a database
          plan       tell what a changed pipeline file would change, writing nothing
          explain    show one profile: answers, attributes, segments, next placement, and why
          force      show one profile a variation until an instant, for testing
          release    have a quarantined profile count again
          report     print a report
          recompute  derive everything again from the stored events, without reading any file
          export     print stored rows
          rejects    list the records that did not become events, or read their files again
          erase      remove people from every table, and keep them out for good
          expire     remove old events, and keep them out for good
          migrate    create or update the tables, views and functions
          db         the database: its address, a prompt, the private server
          version    print the version
          help       list the commands, show one, or show what rules may use

        `sluice COMMAND --help` shows a command's options and examples, `sluice help rules` what rules may
        use. Data goes to stdout, words go to stderr. Exit codes: 0 done, 64 usage, 65 too many
        rejects, 66 no input, 69 no database, 70 bug, 73 and 74 cannot write (74 without a word where the
        reader of stdout went away), 75 try again, 78 pipeline file wrong, 130 and 143 stopped by a signal.

        Examples
          sluice test pipelines/bmi.yaml
          sluice run --pipeline pipelines/bmi.yaml events/
          sluice report segments

        """)
  }

  @Test("shows each function and fact that rules may use")
  func rules() async throws {
    let text = try await CommandRun(["help", "rules"]).output
    for line in [
      "  round(number, 0–15) → number", "  coalesce(value, …) → the same type",
      "  bucket('text') → number", "  has(choice, text) → boolean", "  now() → timestamp",
      "  <flow>.completed", "  profile.app_version_on_install",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    for function in Functions.table { #expect(text.contains(function.name.string + "(")) }
  }

  @Test("shows how a command is used, its options and examples")
  func report() {
    #expect(
      HelpText.text(.report) == """
        sluice report: print a report

          sluice report [OPTIONS] NAME

        Formats: table, csv, json.

        Reports
          segments                  members of each segment, and who entered and left it
          funnel                    each flow screen by screen: who reached it, and who dropped off
          purchase_funnel           from paywall to purchase, and what it brought
          error_counts              errors of flows and paywalls, by name and app version
          product_loading_failures  products that paywalls could not load, and whether the app tried again
          restore_counts            restores of earlier purchases, and what came of them
          subscription_states       people by where they stand with their subscriptions
          store_message_counts      the store's messages: shown, failed, waiting
          quarantine                profiles whose events count for nothing, and why

        Options
          --database URL   a PostgreSQL URL; default: SLUICE_DATABASE or PG…, else a private server
          --schema NAME    its schema; default: sluice
          --sql DIR        the folder of migrations and views; default: next to the program
          --since DAY      the first day, e.g. 2026-06-01; default: from the beginning
          --until DAY      until when: a day, which no longer counts, or for force a time
          --zone ZONE      whose days, e.g. Europe/Berlin; default: the pipeline's
          --split-by NAME  split each line by this
          --min-group N    leave out groups of fewer than N people, and other counts so small
          --format NAME    how to print; default: for people
          --help           this text

        Examples
          sluice report segments
          sluice report funnel --since 2026-06-01 --until 2026-07-01 --format csv

        """)
  }

  @Test("every command has a page of at most 100 columns that names its options")
  func pages() {
    for command in CommandName.allCases {
      let text = HelpText.text(command)
      #expect(text.hasPrefix("sluice \(command.rawValue): ") && text.hasSuffix("\n"))
      for option in command.options { #expect(text.contains("\n  \(option.word) ")) }
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
    }
    #expect(HelpText.text(nil).split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("every example is a command line that is read")
  func examples() throws {
    for command in CommandName.allCases {
      for example in HelpText.examples(command) {
        let words = example.split(separator: " ").map(String.init)
        let start = try #require(words.firstIndex(of: "sluice"))
        #expect(throws: Never.self, "\(example)") { try Command(Array(words[(start + 1)...])) }
      }
    }
  }
}
