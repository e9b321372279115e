import Glibc

/// The inputs that are fuzzed, by the word that `Tests/fuzz/run.sh` names them with.
///
/// One program for all: the environment variable `SLUICE_FUZZ_TARGET` chooses.
enum FuzzTarget: String {
  case ndjson, csv, yaml, rule, number, codec

  func take(_ bytes: [UInt8]) {
    switch self {
    case .ndjson: EventsInput.read(bytes)
    case .csv: EventsInput.readCSV(bytes)
    case .yaml: PipelineInput.read(bytes)
    case .rule: RuleInput.read(bytes)
    case .number: NumberInput.read(bytes)
    case .codec: CodecInput.read(bytes)
    }
  }

  static let chosen: FuzzTarget = {
    let word = getenv("SLUICE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: word) else {
      fatalError("SLUICE_FUZZ_TARGET is `\(word)`, which is no target")
    }
    return target
  }()
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FuzzTarget.chosen.take(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Ends the program, so that libFuzzer keeps the input, where a property does not hold.
func demand(_ holds: Bool, _ property: @autoclosure () -> String) {
  guard holds else { fatalError("does not hold: \(property())") }
}
