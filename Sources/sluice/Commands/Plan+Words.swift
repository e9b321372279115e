internal import Core
internal import Report

/// A plan as text for people and as Markdown for a pull request: the same tables, drawn differently.
extension Plan {
  var text: String {
    render(
      title: { $0 + "\n" }, table: { TableText.text($0) }, word: { printable($0) })
  }

  var markdown: String {
    render(
      title: { "### " + $0 + "\n\n" }, table: { MarkdownText.text($0) },
      word: { MarkdownText.escaped($0) })
  }

  /// - Parameter word: what others wrote, as it stands within a sentence of ours.
  private func render(
    title: (String) -> String, table: (ReportTable) -> String, word: (String) -> String
  ) -> String {
    var parts = ([summary] + warnings(word)).map { $0 + "\n" }
    for (name, rows) in tables where !rows.rows.isEmpty {
      parts.append(title(name) + table(rows))
    }
    if changes.words.count > 0 {
      let sample = changes.words.sample.map { word($0.string) }.joined(separator: " ")
      parts.append(
        "For \(counted(changes.words.count, "profile")) the next placement stays, but its reason or "
          + "its store messages change" + (sample.isEmpty ? "." : ": \(sample)") + "\n")
    }
    return parts.joined(separator: "\n")
  }

  /// What makes the plan say less than it seems to.
  private func warnings(_ word: (String) -> String) -> [String] {
    var warnings: [String] = []
    if unitesOtherwise {
      warnings.append(
        "`people` is another: who would be united by the new rules only a run can tell, and this "
          + "compares people as they are united now.")
    }
    if droppedEvents > 0 {
      warnings.append(
        "\(counted(droppedEvents, "stored event")) would be removed for good: `privacy` drops them.\(replay == nil ? "" : " The days before are told with them.")"
      )
    }
    if !failingTests.isEmpty {
      let names = failingTests.map(word).joined(separator: ", ")
      warnings.append(
        "\(counted(failingTests.count, "test")) of the new file \(failingTests.count == 1 ? "fails" : "fail"), "
          + "and it would not be brought into force: \(names). `sluice test FILE` shows why.")
    }
    return warnings
  }

  private var summary: String {
    let people = "\(counted(changes.profiles, "profile")), as of \(asOf.iso8601)"
    if isSame { return "The pipeline is the one in force; \(people)." }
    let now =
      changes.touched == 0
      ? "Nothing changes for anyone: \(people)."
      : "Something changes for \(grouped(changes.touched)) of \(people)."
    guard let replay else { return now }
    return now
      + " In the replay since \(replay.from.iso8601) something was different at some moment for "
      + "\(grouped(replay.touched))."
  }

  private var tables: [(String, ReportTable)] {
    [
      ("The file", fileTable), ("Segments", segmentTable(changes.segments)),
      ("Next placements", moveTable(changes.moves)),
      ("Placements", decisionTable(changes.decisions)), ("Attributes", attributeTable),
      ("At some moment of the replay", segmentTable(replay?.segments ?? [:])),
      ("Next placements at some moment of the replay", moveTable(replay?.moves ?? [:])),
      ("Placements at some moment of the replay", decisionTable(replay?.decisions ?? [:])),
      ("Segments day by day", replayTable),
    ]
  }

  private var fileTable: ReportTable {
    ReportTable(
      columns: [.init("key", .text), .init("old", .text), .init("new", .text)],
      rows: file.list.map { [$0.key, $0.old, $0.new] })
  }

  private func segmentTable(_ segments: [Bytes: OutcomeChanges.Segment]) -> ReportTable {
    withSamples(
      [
        .init("segment", .text), .init("before", .integer), .init("after", .integer),
        .init("enter", .integer), .init("leave", .integer),
      ],
      segments.sorted { $0.key < $1.key }.map { name, segment in
        (
          [
            name.string, String(segment.before), String(segment.after),
            String(segment.entering.count), String(segment.leaving.count),
          ], [("enter", segment.entering), ("leave", segment.leaving)]
        )
      })
  }

  private func moveTable(_ moves: [OutcomeChanges.Move: OutcomeChanges.Group]) -> ReportTable {
    withSamples(
      [.init("from", .text), .init("to", .text), .init("profiles", .integer)],
      moves.sorted { $0.key < $1.key }.map { move, group in
        ([move.from.shown, move.to.shown, String(group.count)], [("", group)])
      })
  }

  private func decisionTable(_ decisions: [Bytes: OutcomeChanges.Group]) -> ReportTable {
    withSamples(
      [.init("placement", .text), .init("see something else", .integer)],
      decisions.sorted { $0.key < $1.key }.map { placement, group in
        ([placement.string, String(group.count)], [("", group)])
      })
  }

  private var attributeTable: ReportTable {
    withSamples(
      [
        .init("attribute", .text), .init("before", .integer), .init("after", .integer),
        .init("gain", .integer), .init("lose", .integer), .init("change", .integer),
      ],
      changes.attributes.sorted { $0.key < $1.key }.map { key, attribute in
        (
          [
            key.string, String(attribute.before), String(attribute.after),
            String(attribute.gaining.count), String(attribute.losing.count),
            String(attribute.changing.count),
          ],
          [
            ("gain", attribute.gaining), ("lose", attribute.losing),
            ("change", attribute.changing),
          ]
        )
      })
  }

  /// The column of ids stands only where some were asked for.
  private func withSamples(
    _ columns: [ReportTable.Column],
    _ rows: [(cells: [String?], groups: [(name: String, group: OutcomeChanges.Group)])]
  ) -> ReportTable {
    let samples = rows.map { row in
      row.groups.filter { !$0.group.sample.isEmpty }.map { name, group in
        (name.isEmpty ? "" : name + " ") + group.sample.map(\.string).joined(separator: " ")
      }.joined(separator: "; ")
    }
    guard samples.contains(where: { !$0.isEmpty }) else {
      return ReportTable(columns: columns, rows: rows.map(\.cells))
    }
    return ReportTable(
      columns: columns + [.init("for instance", .text)],
      rows: zip(rows, samples).map { row, sample in row.cells + [sample] })
  }

  private var replayTable: ReportTable {
    let names = Set(oldSizes.counts.keys).union(newSizes.counts.keys).sorted()
    var rows: [[String?]] = []
    for (index, instant) in newSizes.instants.enumerated() {
      for name in names {
        rows.append([
          instant.iso8601, name.string, oldSizes.counts[name].map { String($0[index]) },
          newSizes.counts[name].map { String($0[index]) },
        ])
      }
    }
    return ReportTable(
      columns: [
        .init("at", .timestamp), .init("segment", .text), .init("before", .integer),
        .init("after", .integer),
      ], rows: rows)
  }
}

extension Bytes? {
  fileprivate var shown: String { self?.string ?? "(nothing)" }
}
