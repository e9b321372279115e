import Testing

@testable import Core

@Suite("When time alone changes a rule")
struct RuleFlipTests {
  private func flip(
    _ rule: Bytes, _ values: [Bytes: Value], after: String
  ) throws -> String? {
    var evaluator = Evaluator()
    let now = try #require(TimeLiteral.instant(Bytes(after)))
    return try Rules.compile(rule).get()
      .nextFlip(Rules.slots(values), in: Rules.context(now), using: &evaluator)?.iso8601
  }

  @Test("the next flip is the exact instant")
  func exact() throws {
    let start = Value.timestamp(try #require(TimeLiteral.instant("2026-03-01T10:00:00Z")))
    let values: [Bytes: Value] = [
      "onboarding.started_at": start, "onboarding.days_since_completed": start,
      "birthday": .date(try #require(Day(year: 2000, month: 2, day: 29))),
    ]
    let cases: [(Bytes, String, String?)] = [
      ("days_since(onboarding.started_at) >= 30", "2026-03-01T10:00:00Z", "2026-03-31T10:00:00Z"),
      ("days_since(onboarding.started_at) >= 30", "2026-03-31T10:00:00Z", nil),
      ("days_since(onboarding.started_at) > 30", "2026-03-31T10:00:00Z", "2026-04-01T10:00:00Z"),
      ("days_since(onboarding.started_at) >= 1.5", "2026-03-01T10:00:00Z", "2026-03-03T10:00:00Z"),
      ("onboarding.days_since_completed = 3", "2026-03-01T10:00:00Z", "2026-03-04T10:00:00Z"),
      ("onboarding.days_since_completed = 3", "2026-03-04T10:00:00Z", "2026-03-05T10:00:00Z"),
      (
        "onboarding.days_since_completed between 2 and 4", "2026-03-04T10:00:00Z",
        "2026-03-06T10:00:00Z"
      ),
      ("onboarding.days_since_completed in (1, 7)", "2026-03-03T10:00:00Z", "2026-03-08T10:00:00Z"),
      ("7 < onboarding.days_since_completed", "2026-03-03T10:00:00Z", "2026-03-09T10:00:00Z"),
      ("now() < onboarding.started_at", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z"),
      ("now() <= onboarding.started_at", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000001Z"),
      ("now() >= '2026-05-01'", "2026-03-01T10:00:00Z", "2026-05-01T00:00:00Z"),
      ("age(birthday) >= 18", "2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"),
      ("age(birthday) >= 18", "2026-03-01T00:00:00Z", "2027-03-01T00:00:00Z"),
      ("age(birthday) >= 18", "2027-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
      ("bmi > 3", "2026-03-01T10:00:00Z", nil),
      ("onboarding.started_at is null", "2026-03-01T10:00:00Z", nil),
    ]
    for (rule, after, expected) in cases {
      #expect(try flip(rule, values, after: after) == expected, "\(rule.string) after \(after)")
    }
    #expect(try flip("days_since(onboarding.started_at) > 3", [:], after: "2026-03-01") == nil)
  }

  @Test("a birthday begins at midnight of the pipeline's zone")
  func zone() throws {
    let born = Value.date(try #require(Day(year: 2000, month: 3, day: 2)))
    let context = RuleContext(
      now: Rules.now, profileID: "p", primitives: Rules.context().primitives,
      today: Day(year: 2026, month: 3, day: 1)
    ) { $0.startInUTC.adding(microseconds: -3_600_000_000) }
    var evaluator = Evaluator()
    let flip = try Rules.compile("age(birthday)").get()
      .nextFlip(Rules.slots(["birthday": born]), in: context, using: &evaluator)
    #expect(flip?.iso8601 == "2026-03-01T23:00:00Z")
  }

  @Test("a rule is constant up to its next flip, for 1,500 random rules")
  func constant() throws {
    var generator = SampleGenerator(seed: 9)
    var evaluator = Evaluator()
    var withClock = 0
    var flips = 0
    while withClock < 1500 {
      let sample = generator.sample()
      let text = sample.written(as: .rule)
      var checker = Checker(scope: SampleColumns.scope, use: .segment, refusesOddVersions: false)
      let tree = try Parser.expression(of: Bytes(text))
      let checked = checker.root(tree, expecting: sample.type)
      let root = try #require(checked, "\(text)")
      let program = Program(root.expression, type: sample.type, terms: checker.terms)
      guard program.readsClock else { continue }
      withClock += 1
      let row = generator.row()
      var context = Rules.context(SampleGenerator.instant(&generator.random))
      for _ in 0..<4 {
        let value = program.evaluate(row, in: context, using: &evaluator)
        let next = program.nextFlip(row, in: context, using: &evaluator)
        if let next { #expect(next > context.now) }
        let end = next ?? context.now.adding(days: 40_000)
        let span = end.microseconds - context.now.microseconds
        var probes = [end.adding(microseconds: -1)]
        for _ in 0..<4 {
          let far = context.now.adding(
            microseconds: Int64.random(in: 0..<span, using: &generator.random))
          let day = context.now.adding(days: Int64.random(in: 0...60, using: &generator.random))
          probes += [far, day, day.adding(microseconds: -1), far.day.startInUTC]
        }
        for probe in probes where probe >= context.now && probe < end {
          let later = program.evaluate(row, in: Rules.context(probe), using: &evaluator)
          // Not `#expect` for each of the many probes: it is slow where nothing is wrong.
          if later != value {
            Issue.record("seed 9: \(text) at \(context.now.iso8601) and \(probe.iso8601)")
          }
        }
        guard let next else { break }
        flips += 1
        context = Rules.context(next)
      }
    }
    #expect(flips > 1500)
  }
}
