// How many rules one core evaluates a second: 50 segments over a million profiles in memory.
//
// usage: SLUICE_BENCH=1 swift run -c release bench-rules [PROFILES]
// prints: one line of processor time for all, and one for each shape of rule
// exits: 1 under 5 million evaluations a second
internal import Core
internal import Glibc

@main
enum BenchRules {
  private static let names: [(name: String, type: ValueType)] = [
    ("bmi", .number), ("age", .number), ("weight", .number), ("goal", .text),
    ("profile.country", .text), ("profile.app_version", .text), ("premium", .boolean),
    ("onboarding.completed", .boolean), ("onboarding.runs", .number),
  ]

  static func main() throws {
    let profiles = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    let shapes = try shapes()
    let rows = rows(profiles)
    let context = RuleContext(
      now: Instant(microseconds: 1_772_359_200_000_000), profileID: "p",
      primitives: Primitives(md5: { _ in [] }, sha256: { _ in [] }, power: { base, _ in base }))
    let programs = shapes.flatMap(\.programs)
    let rate = rate(programs, rows, context)
    print("\(programs.count) segments over \(profiles) profiles on one core: \(words(rate))")
    for shape in shapes {
      print("  \(shape.text): \(words(self.rate(shape.programs, rows, context)))")
    }
    if rate < 5 { exit(1) }
  }

  /// Millions of evaluations a second of processor time: other programs do not count.
  private static func rate(_ programs: [Program], _ rows: [[Value]], _ context: RuleContext)
    -> Double
  {
    var evaluator = Evaluator()
    var members = 0
    let start = processorSeconds
    for row in rows {
      for program in programs
      where program.evaluate(row, in: context, using: &evaluator) == .boolean(true) {
        members += 1
      }
    }
    precondition(members > 0, "no rule holds for anyone")
    return Double(rows.count * programs.count) / (processorSeconds - start) / 1e6
  }

  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func words(_ rate: Double) -> String {
    "\((rate * 10).rounded() / 10) million rules a second"
  }

  /// Rules as people write them, ten of each shape.
  private static func shapes() throws -> [(text: String, programs: [Program])] {
    var scope = RuleScope()
    for (slot, entry) in names.enumerated() {
      scope.add(Bytes(entry.name), RuleScope.Entry(type: entry.type, slot: slot))
    }
    let shapes: [(Int) -> String] = [
      { "bmi >= \(15 + $0 * 2) and bmi < \(17 + $0 * 2)" },
      { "bmi >= \(15 + $0 * 2) and onboarding.completed and not premium" },
      { "goal = 'goal \($0 % 4)' and age between \(20 + $0) and \(40 + $0)" },
      { "profile.country in ('DE', 'FR', 'C\($0)') or weight > \(60 + $0 * 5)" },
      { "coalesce(bmi, 0) * 1.5 > \(25 + $0 * 2) and onboarding.runs >= 1" },
    ]
    return try shapes.map { shape in
      let programs = try (0..<10).map { index in
        try compileRule(
          RuleText(Bytes(shape(index))), scope: scope, expecting: .boolean, use: .segment)
      }
      return (shape(1), programs)
    }
  }

  private static func rows(_ count: Int) -> [[Value]] {
    // A cheap, repeatable mixer; the figures do not depend on how random it is.
    var state: UInt64 = 1
    func random(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    let goals: [Value] = (0..<4).map { .text(Bytes("goal \($0)")) }
    let countries: [Value] = ["DE", "FR", "US", "BR", "JP"].map { .text(Bytes($0)) }
    return (0..<count).map { _ in
      [
        random(20) == 0 ? .null : .number(16 + Double(random(300)) / 10),
        .number(Double(16 + random(60))), .number(Double(45 + random(80))),
        goals[Int(random(4))], countries[Int(random(5))], .text("4.2.0"),
        .boolean(random(10) == 0), .boolean(random(3) > 0), .number(Double(random(4))),
      ]
    }
  }
}
