import Core
import Testing

@testable import Store
@testable import sluice

@Suite("Views and functions")
struct ViewTests {
  private struct Step {
    let screen: Bytes
    let seconds: Int64?

    init(_ screen: Bytes, _ seconds: Int64? = nil) {
      self.screen = screen
      self.seconds = seconds
    }
  }

  private func run(
    _ id: Bytes, minute: Int64 = 0, flow: Bytes = "onboarding", _ steps: [Step],
    isCompleted: Bool = false, answers: [Answer] = []
  ) -> FlowRun {
    FlowRun(
      runID: id, sessionID: nil, number: 1, flow: flow, placementID: nil, flowID: nil,
      flowVersionID: nil, variationID: nil, platform: nil, appVersion: nil, country: nil,
      startedAt: at(minute: minute), endedAt: nil, lastEventAt: at(minute: minute + 5),
      completedAt: isCompleted ? at(minute: minute + 5) : nil, lastScreenID: steps.last?.screen,
      answers: answers,
      path: steps.enumerated().map { index, step in
        PathStep(
          screen: step.screen, order: index == 0 ? nil : Int32(index),
          isLast: isCompleted && index == steps.count - 1,
          firstAt: at(minute: minute).adding(microseconds: Int64(index) * 1_500_000),
          views: index + 1, spentMilliseconds: step.seconds.map { $0 * 1000 })
      })
  }

  /// Stores outcomes as they are given, for profiles of one event each.
  private func store(
    _ outcomes: [Bytes: (inout Outcome) -> Void], in database: ScratchDatabase
  ) throws -> Store {
    let store = try database.store()
    let events = outcomes.mapValues { _ in [storeEvent("1", minute: 0)] }
    try store.load(events, store.exampleJob()) { set, asOf in
      var outcome = exampleOutcome(set, asOf)
      outcome.runs = []
      outcomes[set.profileID]?(&outcome)
      return outcome
    }
    return store
  }

  @Test("answers are unfolded, and numbers are read only where there is one reading")
  func answers() throws {
    let values: [(Answer.Value, String?, String?)] = [
      (.text("82"), "82", "82"),
      (.text("-70.5"), "-70.5", "-70.5"),
      (.text("1.234"), "1.234", nil),
      (.text("70,5"), "70,5", nil),
      (.text("1e5"), "1e5", nil),
      (.text("a \"q\"\n\\ é\u{1}"), "a \"q\"\n\\ é\u{1}", nil),
      (.text(Bytes(String(repeating: "9", count: 400))), String(repeating: "9", count: 400), nil),
      (.number("6.45408E11"), "6.45408E11", "645408000000"),
      (.number("1e400"), "1e400", nil),
      (.number("-1e-99"), "-1e-99", "-1e-99"),
      (.boolean(true), "true", nil),
      (.cleared, nil, nil),
      (.items([]), nil, nil),
    ]
    let answers = values.enumerated().map { index, value in
      Answer(
        screen: "s", element: Bytes("e" + String(100 + index)), type: "text", value: value.0,
        at: at(minute: 1))
    }
    let database = try ScratchDatabase()
    let store = try store(
      ["a": { $0.runs = [run("r", [Step("s")], answers: answers)] }], in: database)
    let rows = try store.query(
      "select value_text, value_number from sluice.answers order by element_id"
    ).rows
    #expect(rows == values.map { [$0.1, $0.2] })
    #expect(
      try store.query(
        "select distinct profile_id, run_id, flow, screen_id, element_type, answered_at from sluice.answers"
      ).rows == [["a", "r", "onboarding", "s", "text", "2026-03-01 10:01:00+00"]])
  }

  @Test("choices are unfolded in the builder's order")
  func choices() throws {
    let items: [Answer.Item] = [
      Answer.Item(id: "z", title: "Zebra, \"{}\""), Answer.Item(id: "a", title: nil),
    ]
    let answer = Answer(
      screen: "s", element: "goal", type: "multi_choice", value: .items(items), at: at(minute: 1))
    let database = try ScratchDatabase()
    let store = try store(
      ["a": { $0.runs = [run("r", [Step("s")], answers: [answer])] }], in: database)
    #expect(
      try store.query(
        "select option_ids::text, option_titles[1], option_titles[2], value_text from sluice.answers"
      ).rows == [["{z,a}", "Zebra, \"{}\"", nil, nil]])
    #expect(
      try store.query(
        "select position, option_id, option_title from sluice.answer_choices order by position"
      ).rows == [["1", "z", "Zebra, \"{}\""], ["2", "a", nil]])
  }

  @Test("paths are unfolded with their times")
  func screens() throws {
    let database = try ScratchDatabase()
    let store = try store(
      ["a": { $0.runs = [run("r", [Step("x", 3), Step("y")], isCompleted: true)] }],
      in: database)
    #expect(
      try store.query(
        """
        select position, screen_id, screen_order, is_last, first_viewed_at, seconds_spent, views
        from sluice.screen_views order by position
        """
      ).rows == [
        ["1", "x", nil, "f", "2026-03-01 10:00:00+00", "3", "1"],
        ["2", "y", "1", "t", "2026-03-01 10:00:01.5+00", nil, "2"],
      ])
  }

  @Test("missing attributes, intervals and tags are unfolded")
  func unfolded() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(
      ["a": (1...3).map { storeEvent("\($0)", minute: Int64($0)) }], store.exampleJob())
    #expect(
      try store.query(
        "select profile_id, key, reason, since, run_id from sluice.missing_attributes"
      )
      .rows == [["a", "why", "not_asked", "2026-03-01 10:01:00+00", nil]])
    #expect(
      try store.query(
        "select value_number, from_at::time, to_at::time from sluice.attribute_intervals order by from_at"
      ).rows == [
        ["1", "10:01:00", "10:02:00"], ["2", "10:02:00", "10:03:00"], ["3", "10:03:00", nil],
      ])
    #expect(
      try store.query(
        "select segment, from_at::time, to_at::time from sluice.segment_intervals order by from_at"
      ).rows == [["few", "10:01:00", "10:03:00"], ["many", "10:03:00", nil]])
    #expect(
      try store.query("select placement_id, name, value from sluice.decision_tags").rows
        == [["offer", "n", "3"]])
    #expect(
      try store.query(
        "select placement_id, audience, flow_id, store_messages::text from sluice.next_placements"
      )
      .rows == [["offer", "many", "f", "{billing_issue}"]])
  }

  @Test("next_placement answers for one profile, and with null for a stranger")
  func nextPlacement() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(
      [
        "a": (1...3).map { storeEvent("\($0)", minute: Int64($0)) },
        "b": [storeEvent("1", minute: 1), storeEvent("2", minute: 2000)],
      ], store.exampleJob())
    #expect(
      try store.query("select sluice.next_placement($1)", ["a"]).rows == [
        [
          #"{"placement" : "offer", "audience" : "many", "flow" : "f", "variation" : "v", "#
            + #""variation_source" : "predicted", "tags" : {"n":"3"}, "#
            + #""store_messages" : ["billing_issue"], "because" : "many", "#
            + #""as_of" : "2026-03-02T02:40:00+00:00", "review_at" : null, "stale" : false}"#
        ]
      ])
    #expect(
      try store.query(
        """
        select next ->> 'placement', next ->> 'audience', next ->> 'review_at', next ->> 'stale'
        from sluice.next_placement($1) as next
        """, ["b"]
      ).rows == [[nil, nil, "2026-03-02T19:20:00+00:00", "true"]])
    #expect(try store.query("select sluice.next_placement('z')").rows == [[nil]])
    try store.startGeneration(.second, attributes: [], segments: [])
    #expect(
      try store.query("select sluice.next_placement('a') ->> 'stale'").rows == [["true"]])
  }

  @Test("segment_sizes counts members, their share, and who came and went in the period")
  func segmentSizes() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.load(
      [
        "a": (1...3).map { storeEvent("\($0)", minute: Int64($0)) },
        "b": [storeEvent("1", minute: 1)],
      ], store.exampleJob())
    #expect(
      try store.query("select * from sluice.segment_sizes()").rows
        == [
          ["few", "screens < 3", nil, "0", "0", "1", "1"],
          ["many", "screens >= 3", nil, "1", "0.5", "1", "0"],
        ])
    try store.startGeneration(.second, attributes: [], segments: [])
    #expect(
      try store.query("select segment, rule, members from sluice.segment_sizes()").rows
        == [["few", nil, "0"], ["many", nil, "1"]])
    let day = "select entered, exited from sluice.segment_sizes($1::date, $2::date, $3)"
    #expect(
      try store.query(day, ["2026-03-01", "2026-03-02", "UTC"]).rows == [["1", "1"], ["1", "0"]])
    // 10:03 UTC is past midnight of 2 March in the zone that is 14 hours ahead.
    #expect(
      try store.query(day, ["2026-03-01", "2026-03-02", "Pacific/Kiritimati"]).rows
        == [["0", "0"], ["0", "0"]])
    #expect(
      try store.query(day, ["2026-03-02", nil, "Pacific/Kiritimati"]).rows
        == [["1", "1"], ["1", "0"]])
  }

  @Test("funnel follows one path per person: their run with most screens")
  func funnel() throws {
    let database = try ScratchDatabase()
    let store = try store(
      [
        // Two runs: the longer one speaks, although the shorter one is later.
        "a": {
          $0.runs = [
            run("a1", [Step("w", 1), Step("x", 2), Step("y")], isCompleted: true),
            run("a2", minute: 60, [Step("w", 100)]),
          ]
        },
        // Drops at the second step, on the branch.
        "b": { $0.runs = [run("b1", [Step("w", 3), Step("z")])] },
        "c": { $0.runs = [run("c1", [Step("w", 5), Step("x", 4)])] },
        // Saw no screen: did not enter.
        "d": { $0.runs = [run("d1", [])] },
        "e": { $0.runs = [run("e1", flow: "other", [Step("o")])] },
      ], in: database)
    let sql = """
      select flow, step, screen_id, entered, reached, round(reached_share::numeric, 3),
        round(conversion_from_previous::numeric, 3), dropped, drop_rate, median_seconds, completed
      from sluice.funnel
      """
    #expect(
      try store.query(sql + "()").rows == [
        ["onboarding", "1", "w", "3", "3", "1.000", nil, "0", "0", "3", "1"],
        ["onboarding", "2", "x", "3", "3", "1.000", "1.000", "2", "0.6666666666666666", "3", "1"],
        ["onboarding", "3", "y", "3", "1", "0.333", "0.333", "0", "0", nil, "1"],
        ["other", "1", "o", "1", "1", "1.000", nil, "1", "1", nil, "0"],
      ])
    #expect(try store.query(sql + "('2026-03-02')").rows.isEmpty)
    #expect(try store.query(sql + "('2026-03-01', '2026-03-02')").rows.count == 4)
  }

  @Test(
    "a split is refused until there is one",
    arguments: [
      "funnel", "segment_sizes", "purchase_funnel", "error_counts", "product_loading_failures",
      "restore_counts",
    ])
  func split(_ function: String) throws {
    let database = try ScratchDatabase()
    let problem = try #require(throws: Problem.self) {
      try database.store().query("select * from sluice.\(function)(null, null, 'UTC', 'platform')")
    }
    #expect(problem.message.contains("cannot be split yet"))
  }

  @Test("everything answers on an empty database")
  func empty() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    let views = try store.query(
      "select relname from pg_class where relnamespace = 'sluice'::regnamespace and relkind = 'v'"
    ).rows.compactMap { $0[0] }
    #expect(views.count == 13)
    for view in views {
      #expect(try store.query("select * from sluice.\(view)").rows.isEmpty)
    }
    #expect(try store.query("select * from sluice.funnel()").rows.isEmpty)
    #expect(try store.query("select * from sluice.segment_sizes()").rows.isEmpty)
    for function in [
      "purchase_funnel", "error_counts", "product_loading_failures", "restore_counts",
    ] {
      #expect(try store.query("select * from sluice.\(function)()").rows.isEmpty)
    }
    #expect(try store.query("select sluice.next_placement('a')").rows == [[nil]])
    _ = try store.exampleJob()
    #expect(
      try store.query("select segment, members, share from sluice.segment_sizes()").rows
        == [["few", "0", nil], ["many", "0", nil]])
    #expect(try store.dumpLines(asOf: at(minute: 1000)).isEmpty)
  }
}
