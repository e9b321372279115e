import Testing

@testable import Report

@Suite("Reports as text")
struct ReportTextTests {
  private let table = ReportTable(
    columns: [
      .init("segment", .text), .init("members", .integer), .init("share", .share),
      .init("mean", .number), .init("since", .timestamp),
    ],
    rows: [
      ["obese", "1200", "0.1234", "31.5", "2026-06-01 00:00:00+00"],
      ["=cmd|' /C calc'!A0", "-5", "1", "NaN", nil],
      ["体重, \"e\u{301}\"", "0", "-0.0004", "1e-05", ""],
      ["a\u{1B}[2J\nb", nil, "0.5", "Infinity", "'quoted"],
    ])

  @Test("a table is aligned by what a terminal shows, numbers at the right, shares in percent")
  func aligned() {
    let text = [
      "segment             members   share      mean  since",
      "------------------  -------  ------  --------  ----------------------",
      "obese                  1200   12.3%      31.5  2026-06-01 00:00:00+00",
      "=cmd|' /C calc'!A0       -5  100.0%       NaN",
      "体重, \"e\u{301}\"                 0    0.0%     1e-05",
      "a\\u{1b}[2J\\u{a}b              50.0%  Infinity  'quoted",
    ]
    #expect(TableText.text(table) == text.joined(separator: "\n") + "\n")
  }

  @Test("a very long cell does not widen the lines of the others")
  func veryLong() {
    let long = String(repeating: "x", count: 201)
    let table = ReportTable(
      columns: [.init("rule", .text), .init("since", .text)],
      rows: [[long, "then"], ["short", "now"]])
    #expect(
      TableText.text(table) == "rule   since\n-----  -----\n\(long)  then\nshort  now\n")
  }

  @Test(
    "Markdown keeps what marks and controls do from a cell, a combining mark behind them or not")
  func markdown() {
    #expect(MarkdownText.escaped("a|b<i>[x](y)") == #"a\|b\<i\>\[x\](y)"#)
    let combined = MarkdownText.escaped("|\u{301}\u{1B}")
    #expect(Array(combined.utf8) == Array("\\|\u{301}\\\\u{1b}".utf8))
  }

  @Test("CSV keeps numbers, quotes what needs it and lets no text become a formula")
  func csv() {
    #expect(
      CSVText.text(table)
        == "segment,members,share,mean,since\r\n"
        + "obese,1200,0.1234,31.5,2026-06-01 00:00:00+00\r\n"
        + "'=cmd|' /C calc'!A0,-5,1,NaN,\r\n"
        + "\"体重, \"\"e\u{301}\"\"\",0,-0.0004,1e-05,\"\"\r\n"
        + "\"a\u{1B}[2J\nb\",,0.5,Infinity,''quoted\r\n")
  }

  @Test("a leading ' of a CSV text can be taken away without loss")
  func lossless() {
    for text in ["=1", "+1", "-1", "@x", "\tx", "\rx", "'x", "''", "x'", "1", "-"] {
      let table = ReportTable(columns: [.init("a", .text)], rows: [[text]])
      var cell = String(CSVText.text(table).dropFirst(2).dropLast())
      if cell.hasPrefix("\"") { cell = String(cell.dropFirst().dropLast()) }
      let isGuarded = "=+-@\t\r'".contains(text.prefix(1))
      #expect(cell == (isGuarded ? "'" + text : text))
    }
  }

  @Test("JSON has numbers as numbers, never NaN or an infinity, an object a line")
  func json() {
    #expect(
      JSONLinesText.text(table) == """
        [
        {"segment": "obese", "members": 1200, "share": 0.1234, "mean": 31.5, \
        "since": "2026-06-01 00:00:00+00"},
        {"segment": "=cmd|' /C calc'!A0", "members": -5, "share": 1, "mean": null, "since": null},
        {"segment": "体重, \\"e\u{301}\\"", "members": 0, "share": -0.0004, "mean": 1e-05, "since": ""},
        {"segment": "a\\u001b[2J\\nb", "members": null, "share": 0.5, "mean": null, "since": "'quoted"}
        ]

        """)
  }

  @Test("a table without rows is a header, or an empty array")
  func empty() {
    let table = ReportTable(columns: [.init("a", .text), .init("b", .number)], rows: [])
    #expect(TableText.text(table) == "a  b\n-  -\n")
    #expect(CSVText.text(table) == "a,b\r\n")
    #expect(JSONLinesText.text(table) == "[]\n")
    #expect(TableText.text(ReportTable(columns: [], rows: [])) == "\n\n")
  }

  @Test("a row that is too short ends in nulls")
  func short() {
    let table = ReportTable(columns: [.init("a", .text), .init("b", .number)], rows: [["x"]])
    #expect(CSVText.text(table) == "a,b\r\nx,\r\n")
  }

  @Test("a number is what JSON takes for one")
  func numbers() {
    for text in ["0", "-0", "10", "1.50", "1e5", "1E+300", "-1e-05", "0.1"] {
      #expect(isPlainNumber(text), "\(text)")
    }
    for text in [
      "", "-", "+1", "01", "1.", ".5", "1.e5", "0x1p3", "NaN", "-Infinity", "1e999", "1 ", "１",
    ] {
      #expect(!isPlainNumber(text), "\(text)")
    }
  }

  @Test("every report asks for its columns, with four arguments")
  func catalogue() throws {
    #expect(
      ReportCatalogue.reports.map(\.name) == [
        "segments", "funnel", "purchase_funnel", "error_counts", "product_loading_failures",
        "restore_counts", "subscription_states", "store_message_counts", "quarantine",
      ])
    let segments = try #require(ReportCatalogue.report("segments"))
    #expect(
      segments.sql
        == "select segment, rule, split, members, share, entered, exited "
        + "from sluice.segment_sizes($1::date, $2::date, $3::text, $4::text, $5::integer)")
    #expect(
      segments.table(names: ["members", "new_one"], rows: [["1", "x"]]).columns
        == [.init("members", .integer), .init("new_one", .text)])
    #expect(ReportCatalogue.report("nothing") == nil)
  }
}
