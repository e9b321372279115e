internal import Core

extension Sluice {
  /// Says whether a pipeline file is right, or everything that is wrong with it.
  func check(_ options: PipelineOptions) throws -> ExitCode {
    let pipeline = try load(options.pipeline).pipeline
    guard !options.isQuiet else { return .done }
    let parts = [
      (pipeline.flows.count, "flow"), (pipeline.answers.count, "answer"),
      (pipeline.attributes.count, "attribute"), (pipeline.segments.count, "segment"),
      (pipeline.placements.count, "placement"), (pipeline.next.count, "next rule"),
    ]
    let list = parts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }.joined(separator: ", ")
    console.say("\(options.pipeline): right: \(list)")
    return .done
  }
}

/// `1 profile`, `2 profiles`, `1,234 profiles`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// A whole number with its thousands apart.
func grouped(_ number: Int) -> String {
  numberText(Double(number), fractionDigits: 0, in: .english)
}
