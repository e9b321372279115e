import Core
import Testing

@testable import Ingest
@testable import sluice

@Suite("Limits of a record")
struct LimitTests {
  private func reasons(_ params: String, _ change: (inout ReadLimits) -> Void) throws -> [String] {
    var limits = ReadLimits()
    change(&limits)
    let reading = try InputReading(record(#""params":\#(params)"#) + "\n", limits: limits)
    #expect(reading.counts.isBalanced && reading.counts.read == 1)
    return reading.rejections.map { "\($0.reason.rawValue) \($0.field)" }
  }

  @Test("an answer is as long as its texts together, the limit itself is let through")
  func answers() throws {
    #expect(try reasons(#"{"value":"12345678"}"#) { $0.answerBytes = 8 } == [])
    #expect(
      try reasons(#"{"value":"123456789"}"#) { $0.answerBytes = 8 } == ["answer_too_long value"])
    #expect(
      try reasons(#"{"value":[{"id":"1234"},{"id":"5678"}]}"#) { $0.answerBytes = 8 } == [])
    #expect(
      try reasons(#"{"value":[{"id":"1234"},{"id":"56789"}]}"#) { $0.answerBytes = 8 }
        == ["answer_too_long value"])
    // Of a key that repeats, the longest counts: what was sent is what it costs.
    #expect(
      try reasons(#"{"value":"123456789","value":"1"}"#) { $0.answerBytes = 8 }
        == ["answer_too_long value"])
    #expect(try reasons(#"{"note":"123456789"}"#) { $0.answerBytes = 8 } == [])
  }

  @Test("params have a size as they are stored, a depth and a width")
  func params() throws {
    #expect(try reasons(#"{ "a" : 12345 }"#) { $0.paramsBytes = 11 } == [])
    #expect(try reasons(#"{"a":123456}"#) { $0.paramsBytes = 11 } == ["params_too_large params"])
    #expect(try reasons(#"{"a":[{}]}"#) { $0.paramsDepth = 3 } == [])
    #expect(try reasons(#"{"a":[{"b":[]}]}"#) { $0.paramsDepth = 3 } == ["too_deep params"])
    #expect(try reasons(#"{"a":[1,2,3],"b":1,"c":2}"#) { $0.members = 3 } == [])
    #expect(try reasons(#"{"a":[1,2,3,4]}"#) { $0.members = 3 } == ["too_many_members params"])
    #expect(
      try reasons(#"{"x":{"a":1,"b":1,"c":1,"d":1}}"#) { $0.members = 3 }
        == ["too_many_members params"])
  }

  @Test("the defaults are those that the help tells")
  func defaults() throws {
    let limits = ReadLimits()
    #expect(limits.recordBytes == 1 << 20 && limits.depth == 64)
    #expect(ReadLimits(RecordLimits()) == limits)
    let told = try #require(recordLimits("answer=64KiB,params=256KiB,depth=32,members=1000"))
    #expect(ReadLimits(told) == limits)
    #expect(OptionName.limits.summary.contains("answer=64KiB,params=256KiB,depth=32,members=1000"))
  }

  @Test(
    "a list of limits that cannot be read is refused",
    arguments: [
      "", "answer", "answer=", "answer=0", "depth=0", "depth=513", "members=-1", "params=1XB",
      "answer=1,answer=2", "record=1", "members=1000001", "flow_runs=5", "size=1", "answer=1,",
      "depth=1=2",
    ])
  func refused(_ text: String) {
    #expect(recordLimits(text) == nil)
  }

  @Test("what is said to a job counts before what the file says, and both before what is usual")
  func precedence() throws {
    var file = RecordLimits()
    #expect(file.set(.answer, to: 10) && file.set(.members, to: 20) && !file.set(.depth, to: 513))
    let said = try #require(recordLimits("members=30"))
    let limits = ReadLimits(file.overridden(by: said))
    #expect(limits.answerBytes == 10 && limits.members == 30 && limits.paramsDepth == 32)
    // A deeper record must be let through for its params.
    #expect(ReadLimits(try #require(recordLimits("depth=512"))).depth == 512)
  }

  @Test("no order of records decides which are refused")
  func order() throws {
    let lines = (1...40).map {
      record(#""params":{"value":"\#(String(repeating: "x", count: $0))"}"#, id: "e\($0)") + "\n"
    }
    var limits = ReadLimits()
    limits.answerBytes = 20
    let forwards = try InputReading(lines.joined(), limits: limits)
    let backwards = try InputReading(lines.reversed().joined(), limits: limits, chunkBytes: 100)
    #expect(forwards.ids.sorted() == backwards.ids.sorted() && forwards.ids.count == 20)
    #expect(forwards.counts.rejected == [.answerTooLong: 20])
    #expect(backwards.counts == forwards.counts)
  }
}
