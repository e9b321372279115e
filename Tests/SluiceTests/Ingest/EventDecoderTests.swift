import Core
import Ingest
import Testing

@testable import sluice

@Suite("Decoding the canonical envelope")
struct EventDecoderTests {
  @Test("reads every member")
  func everyMember() throws {
    let reading = try InputReading(
      #"""
      {"event_id":"e1","event_name":"flow_user_input","profile_id":"p1","session_id":"s1",\#
      "occurred_at":"2026-03-01T10:00:00Z","sent_at":1772359201,"received_at":1772359202000,\#
      "counter":7,"placement_id":"onboarding","flow_id":"f","flow_version_id":"fv",\#
      "variation_id":"v","audience_name":"All","ab_test_name":"t","placement_revision":3,\#
      "placement_audience_version_id":"pav","platform":"iOS","app_version":"4.2",\#
      "os_version":"26","device":"iPhone","locale":"en_US","time_zone":"Europe/Berlin",\#
      "country":"DE","store_country":"AT","customer_user_id":"42","environment":"sandbox",\#
      "is_test_user":"1","installed_at":"2026-01-01T00:00:00Z","unknown":{"a":[1]},\#
      "params":{"value":"80", "element_id":"weight"}}
      """#)
    let event = try #require(reading.events.first)
    #expect(reading.profileIDs == ["p1"])
    #expect(event.identity == Identity(id: "e1"))
    #expect(event.name == "flow_user_input")
    #expect(event.sessionID == "s1")
    #expect(event.occurredAt == Instant(microseconds: 1_772_359_200_000_000))
    #expect(event.sentAt == Instant(microseconds: 1_772_359_201_000_000))
    #expect(event.receivedAt == Instant(microseconds: 1_772_359_202_000_000))
    #expect(event.counter == 7)
    #expect(event.params == #"{"element_id":"weight","value":"80"}"#)
    #expect(event.context.members.map(\.key) == ContextKey.allCases)
    #expect(
      event.context.members.map(\.value) == [
        "onboarding", "f", "fv", "v", "All", "t", "3", "pav", "iOS", "4.2", "26", "iPhone", "en_US",
        "Europe/Berlin", "DE", "AT", "42", "sandbox", "true", "1767225600000000",
      ])
    #expect(reading.counts.mended == ReadCounts.Mended())
    #expect(reading.counts.isBalanced)
  }

  @Test("takes name, created_at and timestamp where the first names are absent or null")
  func aliases() throws {
    let reading = try InputReading(
      """
      {"name":"a","profile_id":"p","timestamp":1}
      {"name":"b","event_name":"c","profile_id":"p","timestamp":1,"created_at":2}
      {"name":"d","event_name":null,"profile_id":"p","timestamp":1,"created_at":2,"occurred_at":3}
      """)
    #expect(reading.events.map(\.name) == ["a", "c", "d"])
    #expect(reading.events.map(\.occurredAt.microseconds) == [1_000_000, 2_000_000, 3_000_000])
  }

  @Test("keeps ids that are integers exactly, as text")
  func integerIDs() throws {
    let reading = try InputReading(
      #"""
      {"event_id":9007199254740993,"name":"x","profile_id":123456789012345678901234567890,\#
      "session_id":7,"occurred_at":1}
      """#)
    #expect(reading.ids == ["9007199254740993"])
    #expect(reading.profileIDs == ["123456789012345678901234567890"])
    #expect(reading.events.first?.sessionID == "7")
  }

  @Test("lower-cases UUIDs of the envelope and nothing else")
  func uuids() throws {
    let upper = "EF10CE1C-205C-5010-BF9D-CF320DA51407"
    let reading = try InputReading(
      #"""
      {"event_id":"\#(upper)","name":"x","profile_id":"\#(upper)","session_id":"\#(upper)",\#
      "occurred_at":1,"flow_id":"\#(upper)","placement_id":"\#(upper)",\#
      "variation_id":"EF10CE1C-205C-5010-BF9D-CF320DA5140G","params":{"a":"\#(upper)"}}
      """#)
    let lower = Bytes(upper.lowercased())
    let event = try #require(reading.events.first)
    #expect(reading.profileIDs == [lower])
    #expect(event.identity == Identity(id: lower))
    #expect(event.sessionID == lower)
    #expect(event.context[.flowID] == lower)
    #expect(event.context[.placementID] == Bytes(upper))
    #expect(event.context[.variationID] == "EF10CE1C-205C-5010-BF9D-CF320DA5140G")
    #expect(event.params == Bytes(#"{"a":"\#(upper)"}"#))
  }

  static let junk = [
    "", "null", "NULL", "nil", "none", "None", "undefined", "NaN", "(null)", "[object Object]",
    "00000000-0000-0000-0000-000000000000",
  ]

  @Test("refuses a junk profile id", arguments: junk)
  func junkProfile(_ id: String) throws {
    let reading = try InputReading(#"{"name":"x","profile_id":"\#(id)","occurred_at":1}"#)
    #expect(reading.reasons == [.illegalID])
    #expect(reading.rejections.first?.field == "profile_id")
  }

  @Test("takes a junk event, session or customer id for absent and counts it", arguments: junk)
  func junkElsewhere(_ id: String) throws {
    let reading = try InputReading(
      #"{"name":"x","profile_id":"p","occurred_at":1,"event_id":"\#(id)","session_id":"\#(id)"}"#)
    let event = try #require(reading.events.first)
    #expect(event.identity.isFingerprint)
    #expect(event.sessionID == nil)
    #expect(reading.counts.mended.repaired == 2)
  }

  @Test("takes the event id 0 for absent, but no longer one, and no other id")
  func zero() throws {
    let reading = try InputReading(
      """
      {"name":"x","profile_id":0,"occurred_at":1,"event_id":0,"session_id":0}
      {"name":"x","profile_id":"0","occurred_at":1,"event_id":"00"}
      """)
    #expect(reading.events.map(\.identity.isFingerprint) == [true, false])
    #expect(reading.profileIDs == ["0", "0"])
    #expect(reading.events.first?.sessionID == "0")
  }

  @Test("gives an event without id its fingerprint")
  func fingerprint() throws {
    let reading = try InputReading(
      #"{"name":"x","profile_id":"p","occurred_at":1,"params":{"b":1,"a":2}}"#)
    let event = try #require(reading.events.first)
    let expected = Fingerprint.v1(profileID: "p", event: event, primitives: .system)
    #expect(event.identity == Identity(fingerprint: expected))
  }

  struct Refusal: CustomTestStringConvertible {
    let record: String
    let reason: Rejection.Reason
    let field: String
    var testDescription: String { record.count > 90 ? String(record.prefix(90)) : record }
  }

  static let long = String(repeating: "a", count: 501)

  @Test(
    "refuses a record with its reason and member",
    arguments: [
      Refusal(
        record: #"{"profile_id":"p","occurred_at":1}"#, reason: .missingMember, field: "event_name"),
      Refusal(
        record: #"{"name":"","profile_id":"p","occurred_at":1}"#, reason: .missingMember,
        field: "event_name"),
      Refusal(
        record: #"{"name":7,"profile_id":"p","occurred_at":1}"#, reason: .wrongType,
        field: "event_name"),
      Refusal(
        record: #"{"name":"x","occurred_at":1}"#, reason: .missingMember, field: "profile_id"),
      Refusal(
        record: #"{"name":"x","profile_id":null,"occurred_at":1}"#, reason: .missingMember,
        field: "profile_id"),
      Refusal(
        record: #"{"name":"x","profile_id":1.5,"occurred_at":1}"#, reason: .wrongType,
        field: "profile_id"),
      Refusal(
        record: #"{"name":"x","profile_id":["p"],"occurred_at":1}"#, reason: .wrongType,
        field: "profile_id"),
      Refusal(
        record: #"{"name":"x","profile_id":"p"}"#, reason: .missingMember, field: "occurred_at"),
      Refusal(
        record: #"{"name":"x","profile_id":"p","occurred_at":true}"#, reason: .wrongType,
        field: "occurred_at"),
      Refusal(
        record: #"{"name":"x","profile_id":"p","occurred_at":"soon"}"#, reason: .invalidTime,
        field: "occurred_at"),
      Refusal(
        record: #"{"name":"x","profile_id":"p","occurred_at":"2026-02-30T10:00:00Z"}"#,
        reason: .invalidTime, field: "occurred_at"),
      Refusal(
        record: #"{"name":"x","profile_id":"p","occurred_at":"2101-01-01T00:00:00Z"}"#,
        reason: .timeOutOfRange, field: "occurred_at"),
      Refusal(
        record: #"{"name":"x","profile_id":"p","occurred_at":-1}"#, reason: .timeOutOfRange,
        field: "occurred_at"),
      Refusal(
        record: record(#""session_id":"\#(long)""#), reason: .idTooLong, field: "session_id"),
      Refusal(record: record(#""flow_id":"\#(long)""#), reason: .idTooLong, field: "flow_id"),
      Refusal(
        record: record(#""params":{"element_id":"\#(long)"}"#), reason: .idTooLong,
        field: "element_id"),
      Refusal(
        record: record(#""params":{"instanceId":"\#(long)"}"#), reason: .idTooLong,
        field: "instanceId"),
      Refusal(record: #""text""#, reason: .notAnObject, field: ""),
      Refusal(record: "12", reason: .notAnObject, field: ""),
      Refusal(record: "null", reason: .notAnObject, field: ""),
    ])
  func refusals(_ example: Refusal) throws {
    let reading = try InputReading(example.record + "\n")
    #expect(reading.events.isEmpty)
    let rejection = try #require(reading.rejections.first)
    #expect(
      rejection
        == Rejection(
          example.reason, field: example.field, line: 1, byteOffset: 0,
          length: example.record.utf8.count))
    #expect(reading.counts.isBalanced)
  }

  @Test("leaves nothing of a refused record in the one behind it, whatever refused it")
  func refusedBeforeGood() throws {
    let context =
      #""placement_id":"onboarding","platform":"iOS","customer_user_id":"up0","occurred_at":1"#
    let good =
      #"{"event_id":"g","name":"x","profile_id":"p",\#(context),"params":{"value":"80"}}"#
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    let many = (0..<1100).map { "\"m\($0)\":1" }.joined(separator: ",")
    for params in [
      #"{"element_id":"\#(Self.long)"}"#, #"{"instanceId":"\#(Self.long)"}"#,
      #"{"value":"\#(String(repeating: "v", count: 70_000))"}"#, #"{"value":\#(deep)}"#,
      "{\(many)}", #"{"a":"\#(String(repeating: "v", count: 300_000))"}"#,
    ] {
      let bad = #"{"event_id":"b","name":"x","profile_id":"p",\#(context),"params":\#(params)}"#
      for lines in [[bad, good], [good, bad], [bad, good, bad, good]] {
        let reading = try InputReading(lines.joined(separator: "\n") + "\n")
        let expected = try InputReading(good + "\n")
        #expect(reading.events.allSatisfy { $0 == expected.events[0] })
        #expect(reading.events.count == lines.count { $0 == good })
        #expect(reading.rejections.count == lines.count { $0 == bad })
      }
    }
  }

  @Test("lets an id of the greatest length pass")
  func greatestLength() throws {
    let person = String(repeating: "a", count: 200)
    let thing = String(repeating: "b", count: 500)
    let reading = try InputReading(
      #"""
      {"event_id":"\#(person)","name":"x","profile_id":"\#(person)","occurred_at":1,\#
      "flow_id":"\#(thing)","params":{"element_id":"\#(thing)","value":"\#(thing)z"}}
      """#)
    #expect(reading.events.count == 1)
  }

  @Test("loses no more than a member whose type cannot be read, and counts it")
  func unreadableMembers() throws {
    let reading = try InputReading(
      record(
        #"""
        "session_id":{},"sent_at":"never","received_at":[],"counter":1.5,"flow_id":true,\#
        "is_test_user":"maybe","installed_at":"1960-01-01T00:00:00Z","params":"{}"
        """#))
    let event = try #require(reading.events.first)
    #expect(
      event == Event(identity: Identity(id: "e1"), name: "x", occurredAt: Instant(microseconds: 0)))
    #expect(reading.counts.mended.unreadableMembers == 8)
  }

  @Test("takes null and empty text of context for absent without counting them")
  func absent() throws {
    let reading = try InputReading(
      record(#""locale":"","country":null,"params":null,"counter":null"#))
    #expect(reading.events.first?.context == .empty)
    #expect(reading.events.first?.params == .empty)
    #expect(reading.counts.mended == ReadCounts.Mended())
  }

  struct Counter: CustomTestStringConvertible {
    let text: String
    let value: Int64?
    var testDescription: String { text }
  }

  @Test(
    "reads a counter as integer, text or whole double",
    arguments: [
      Counter(text: "5", value: 5), Counter(text: #""5""#, value: 5),
      Counter(text: "5.0", value: 5), Counter(text: "0.5e1", value: 5),
      Counter(text: "-0", value: 0),
      Counter(text: "-3", value: -3), Counter(text: "9223372036854775807", value: .max),
      Counter(text: "-9223372036854775808", value: .min),
      Counter(text: "9223372036854775808", value: nil), Counter(text: "1e300", value: nil),
      Counter(text: "12345678901234567890123", value: nil), Counter(text: "5.5", value: nil),
      Counter(text: #""""#, value: nil), Counter(text: "false", value: nil),
    ])
  func counters(_ example: Counter) throws {
    let reading = try InputReading(record(#""counter":\#(example.text)"#))
    #expect(reading.events.first?.counter == example.value)
    #expect(reading.counts.mended.unreadableMembers == (example.value == nil ? 1 : 0))
  }

  @Test("reads the truth in all its spellings")
  func truths() throws {
    let spellings = ["true", "1", "1.0", #""1""#, #""true""#, #""TRUE""#]
    let opposites = ["false", "0", "0.0", #""0""#, #""false""#]
    for text in spellings + opposites {
      let reading = try InputReading(record(#""is_test_user":\#(text)"#))
      let expected: Bytes = spellings.contains(text) ? "true" : "false"
      #expect(reading.events.first?.context[.isTestUser] == expected, "\(text)")
    }
  }

  @Test("lets the last of a member that repeats win, and counts")
  func duplicates() throws {
    let reading = try InputReading(
      record(#""counter":1,"counter":2,"params":{"value":"70","a":{"x":1,"x":2},"value":"700"}"#))
    let event = try #require(reading.events.first)
    #expect(event.counter == 2)
    #expect(event.params == #"{"a":{"x":2},"value":"700"}"#)
    #expect(reading.counts.mended.duplicateKeys == 3)
  }

  @Test("puts U+FFFD for NUL and lone surrogates, and leaves the text \\u0000 alone")
  func repairs() throws {
    let reading = try InputReading(
      #"""
      {"event_id":"e\ud800","name":"x","profile_id":"p\u0000","occurred_at":1,"params":\#
      {"a":"An\u0000na","b":"\udc00\ud83d\ude00\ud83d","k\u0000":1,"path":"C:\\u0000dir"}}
      """#)
    let event = try #require(reading.events.first)
    #expect(reading.profileIDs == ["p\u{FFFD}"])
    #expect(event.identity.bytes == "e\u{FFFD}")
    #expect(
      event.params
        == Bytes(
          "{\"a\":\"An\u{FFFD}na\",\"b\":\"\u{FFFD}😀\u{FFFD}\",\"k\u{FFFD}\":1,\"path\":\"C:\\\\u0000dir\"}"
        ))
    #expect(reading.counts.mended.repaired == 5)
  }

  @Test("finds members whose names are spelled with escapes")
  func escapedNames() throws {
    let reading = try InputReading(
      #"{"event\u005fname":"\u0078","profile_id":"p","occurred_at":1}"#)
    #expect(reading.events.first?.name == "x")
  }

  @Test("counts times without a zone")
  func zoneless() throws {
    let reading = try InputReading(
      #"{"name":"x","profile_id":"p","occurred_at":"2026-03-01T10:00:00","sent_at":"2026-03-01 10:00:01"}"#
    )
    #expect(reading.counts.mended.assumedUTC == 2)
  }

  @Test("counts nothing as mended in a record that is refused")
  func refusedIsNotMended() throws {
    let reading = try InputReading(
      #"{"profile_id":"p\u0000","event_id":"null","counter":[],"counter":[],"occurred_at":1}"#)
    #expect(reading.reasons == [.missingMember])
    #expect(reading.counts.mended == ReadCounts.Mended())
  }

  @Test("lets neighbours with other ids or context keep them")
  func neighbours() throws {
    let reading = try InputReading(
      [
        record(#""session_id":"s1","locale":"de""#, id: "1"),
        record(#""session_id":"s1","locale":"de""#, id: "2"),
        record(#""session_id":"s2","country":"de""#, id: "3"),
        record(#""session_id":"s2","flow_id":"\#(Self.long)","locale":"fr""#, id: "4"),
        record("", id: "5"),
        record(#""session_id":"s2","country":"de","locale":"de""#, id: "6"),
      ].joined(separator: "\n"))
    #expect(reading.ids == ["1", "2", "3", "5", "6"])
    #expect(reading.events.map(\.sessionID) == ["s1", "s1", "s2", nil, "s2"])
    #expect(
      reading.events.map(\.context) == [
        Context([.locale: "de"]), Context([.locale: "de"]), Context([.country: "de"]), .empty,
        Context([.country: "de", .locale: "de"]),
      ])
  }
}
