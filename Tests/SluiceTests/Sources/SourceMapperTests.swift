import Core
import Ingest
import Testing

@testable import sluice

@Suite("Reading by a mapping")
struct SourceMapperTests {
  private static let small = """
    source: small
    envelope:
      event_id: id
      event_name: event
      profile_id:
        - props.vendor
        - { path: device, prefix: "small:" }
      session_id: { path: session, not: [-1] }
      occurred_at: at
      placement_id: props.placement
      is_test_user: test
    names: { Shown: flow_screen_showed }
    params: { from: props, rename: { screen: instanceId }, drop: [secret, "$*"] }

    """

  private func read(_ text: String, _ more: String = "") throws -> SourceInput {
    try SourceInput(text, yaml: Self.small + more)
  }

  @Test("the first id that is none of junk counts; all of them junk is a rejection of the profile")
  func junk() throws {
    let junk = [
      "null", "undefined", "", "[object Object]", "nil", "00000000-0000-0000-0000-000000000000",
    ]
    for id in junk {
      let prefixed = try read(
        #"{"event":"x","at":0,"device":"d1","props":{"vendor":"\#(id)"}}"#)
      #expect(prefixed.items.map(\.profileID) == ["small:d1"], "\(id)")
      let none = try read(#"{"event":"x","at":0,"device":"\#(id)","props":{"vendor":null}}"#)
      #expect(none.rejections.map(\.reason) == [.illegalID], "\(id)")
      #expect(none.rejections.map(\.field) == ["profile_id"])
    }
    let missing = try read(#"{"event":"x","at":0,"props":{}}"#)
    #expect(missing.rejections.map(\.reason) == [.missingMember])
  }

  @Test("a junk event id is as good as none, and a session that stands for none is none")
  func junkEventID() throws {
    let found = try read(#"{"id":"null","event":"x","at":0,"device":"d","session":-1}"#)
    let event = try #require(found.items.first?.event)
    #expect(event.identity.isFingerprint)
    #expect(event.sessionID == nil)
    #expect(found.counts.mended.repaired == 1)
  }

  @Test("UUIDs of the vendor are lower-cased, ids behind a prefix are exact")
  func uuids() throws {
    let upper = "AE40A677-8AB9-525F-991B-F98AAE8CD047"
    let found = try read(
      #"{"event":"x","at":0,"props":{"vendor":"\#(upper)"}}{"event":"x","at":0,"device":"\#(upper)"}"#
    )
    #expect(
      found.items.map(\.profileID) == [
        "ae40a677-8ab9-525f-991b-f98aae8cd047", "small:AE40A677-8AB9-525F-991B-F98AAE8CD047",
      ])
  }

  @Test(
    "names are translated, params renamed, dropped and not repeated where the envelope has them")
  func params() throws {
    let found = try read(
      #"{"event":"Shown","at":0,"device":"d","props":{"screen":"a","secret":1,"$os":"x","vendor":null,"placement":"p","z":[1,{"b":"\u0041\n"}]}}"#
    )
    let event = try #require(found.items.first?.event)
    #expect(event.kind == .flowScreenShowed)
    #expect(event.context[.placementID] == "p")
    #expect(event.params == #"{"instanceId":"a","z":[1,{"b":"A\n"}]}"#)
  }

  @Test("who writes both names of a param means the canonical one, in any order")
  func bothNames() throws {
    for props in [#""screen":"a","instanceId":"b""#, #""instanceId":"b","screen":"a""#] {
      let found = try read(#"{"event":"x","at":0,"device":"d","props":{\#(props)}}"#)
      #expect(found.params == #"{"instanceId":"b"}"#)
    }
  }

  @Test("of a member that repeats the last value counts, also on the way to it")
  func duplicates() throws {
    let found = try read(
      #"{"event":"x","at":0,"device":"c","props":{"placement":"p"},"device":"d","props":{"placement":"q","z":1,"z":2}}"#
    )
    #expect(found.items.map(\.profileID) == ["small:d"])
    #expect(found.items.first?.event.context[.placementID] == "q")
    #expect(found.params == #"{"z":2}"#)
  }

  @Test("params that are no object cost the params alone")
  func unreadableParams() throws {
    for props in ["3", #""text""#, "[1]", #"[{"key":1}]"#, "true"] {
      let found = try read(#"{"event":"x","at":0,"device":"d","props":\#(props)}"#)
      #expect(found.items.map(\.event.params) == [.empty], "\(props)")
      #expect(found.counts.mended.unreadableMembers == 1, "\(props)")
    }
  }

  @Test("a member of the wrong type is told by the decoder, as in a canonical record")
  func wrongTypes() throws {
    let time = try read(#"{"event":"x","at":{"t":0},"device":"d"}"#)
    #expect(time.rejections.map { "\($0.reason) \($0.field)" } == ["wrongType occurred_at"])
    let name = try read(#"{"event":[],"at":0,"device":"d"}"#)
    #expect(name.rejections.map { "\($0.reason) \($0.field)" } == ["wrongType event_name"])
    let test = try read(#"{"event":"x","at":0,"device":"d","test":"perhaps"}"#)
    #expect(test.items.count == 1 && test.counts.mended.unreadableMembers == 1)
    let noObject = try read(#"{"event":"x","at":0,"device":"d"}"# + "\n17\n")
    #expect(noObject.items.count == 1 && noObject.rejections.map(\.reason) == [.notAnObject])
  }

  @Test("NUL and lone surrogates are repaired and counted as in canonical records")
  func repaired() throws {
    let found = try read(
      #"{"event":"x","at":0,"device":"d\u0000","props":{"k\ud800":"v\u0000"}}"#)
    #expect(found.items.map(\.profileID) == ["small:d\u{FFFD}"])
    #expect(found.params == "{\"k\u{FFFD}\":\"v\u{FFFD}\"}")
    #expect(found.counts.mended.repaired == 3)
  }

  struct Time: CustomTestStringConvertible {
    let reading: String
    let value: String
    let expected: String
    var testDescription: String { reading + " " + value }
  }

  @Test(
    "times are read in the unit and the zone that the source has",
    arguments: [
      Time(reading: "{ path: at, unit: us }", value: "5000000", expected: "1970-01-01T00:00:05Z"),
      Time(
        reading: "{ path: at, unit: ms }", value: #""1500""#, expected: "1970-01-01T00:00:01.500Z"),
      Time(reading: "{ path: at, unit: s }", value: "1.25", expected: "1970-01-01T00:00:01.250Z"),
      Time(
        reading: "{ path: at, zone: Europe/Berlin }", value: #""2026-06-01 12:00:00""#,
        expected: "2026-06-01T10:00:00Z"),
      Time(
        reading: "{ path: at, zone: Europe/Berlin }", value: #""2026-06-01T12:00:00Z""#,
        expected: "2026-06-01T12:00:00Z"),
      Time(
        reading: "{ path: at, zone: Europe/Berlin }", value: "1780308000",
        expected: "2026-06-01T10:00:00Z"),
      Time(
        reading: "{ path: at, zone: Europe/Berlin, local: true }", value: "1780315200",
        expected: "2026-06-01T10:00:00Z"),
      // The hour that clocks skip, and the one that they show twice.
      Time(
        reading: "{ path: at, zone: Europe/Berlin }", value: #""2026-03-29 02:30:00""#,
        expected: "2026-03-29T01:30:00Z"),
      Time(
        reading: "{ path: at, zone: Europe/Berlin }", value: #""2026-10-25 02:30:00""#,
        expected: "2026-10-25T01:30:00Z"),
    ])
  func times(_ time: Time) throws {
    let found = try SourceInput(
      #"{"e":"x","p":"p","at":\#(time.value)}"#,
      yaml: "source: t\nenvelope: { event_name: e, profile_id: p, occurred_at: \(time.reading) }")
    #expect(found.items.map(\.event.occurredAt.iso8601) == [time.expected])
    #expect(found.counts.mended.assumedUTC == 0)
  }

  @Test("a time without a zone, where the source has none, is UTC and counted")
  func assumedUTC() throws {
    let found = try read(#"{"event":"x","at":"2026-06-01 12:00:00","device":"d"}"#)
    #expect(found.items.map(\.event.occurredAt.iso8601) == ["2026-06-01T12:00:00Z"])
    #expect(found.counts.mended.assumedUTC == 1)
  }

  @Test("an impossible time is a rejection, whatever unit it is said to have")
  func wrongTimes() throws {
    for value in ["-5", #""2026-02-30T10:00:00Z""#, "1e30", #""soon""#] {
      let found = try SourceInput(
        #"{"e":"x","p":"p","at":\#(value)}"#,
        yaml:
          "source: t\nenvelope: { event_name: e, profile_id: p, occurred_at: { path: at, unit: ms, zone: UTC } }"
      )
      #expect(found.items.isEmpty && found.rejections.map(\.field) == ["occurred_at"], "\(value)")
    }
  }

  @Test("a tuple tells where a member ends and which are there; an empty one is not")
  func tuples() throws {
    let yaml =
      "source: t\nenvelope: { event_id: { tuple: [a, b] }, event_name: e, profile_id: p, occurred_at: at }"
    let rows = [
      #""a":"x","b":"yz""#, #""a":"xy","b":"z""#, #""a":"x""#, #""b":"x""#,
    ]
    let ids = try rows.map {
      try SourceInput(#"{"e":"x","p":"p","at":0,\#($0)}"#, yaml: yaml).items[0].event.identity
    }
    #expect(Set(ids).count == rows.count)
    #expect(ids.allSatisfy { !$0.isFingerprint && $0.bytes.count == 32 })
    let empty = try SourceInput(#"{"e":"x","p":"p","at":0,"a":"x","b":""}"#, yaml: yaml)
    #expect(empty.items[0].event.identity == ids[2])
    let number = try SourceInput(#"{"e":"x","p":"p","at":0,"a":1,"b":"x"}"#, yaml: yaml)
    let text = try SourceInput(#"{"e":"x","p":"p","at":0,"b":"x","a":"1"}"#, yaml: yaml)
    #expect(number.items[0].event.identity == text.items[0].event.identity)
    let none = try SourceInput(#"{"e":"x","p":"p","at":0}"#, yaml: yaml)
    #expect(none.items[0].event.identity.isFingerprint)
  }

  @Test("only the highest revision of a row counts, whatever the order")
  func revisions() throws {
    let yaml =
      "source: t\nrevision: day\nenvelope: { event_id: id, event_name: e, profile_id: p, occurred_at: at }\nparams: v"
    func row(_ day: String, _ value: Int) -> String {
      #"{"id":"1","e":"x","p":"p","at":0,"day":\#(day),"v":{"n":\#(value)}}"#
    }
    let rows = [row(#""2026-06-02""#, 3), row(#""20260604""#, 9), row("20260603", 1)]
    for text in [rows.joined(), rows.reversed().joined()] {
      let found = try SourceInput(text, yaml: yaml)
      #expect(found.lines().count == 1)
      #expect(found.lines()[0].hasPrefix("20260604 ") && found.lines()[0].hasSuffix(#"{"n":9}}"#))
    }
    let constant = try SourceInput(
      rows[0], yaml: yaml.replacing("revision: day", with: "revision: 7"))
    #expect(constant.items.map(\.event.revision) == [7])
  }

  @Test("records in a list, in a member, in base64 and as several lines of one text are found")
  func records() throws {
    let yaml =
      "source: t\nrecords: { list: a.b, inside: data, base64: true }\ncanonical_members: true\nenvelope: { received_at: ^.at }"
    func body(_ items: String) -> String { #"{"at":7,"a":{"b":[\#(items)]}}"# }
    let line = #"{"event_name":"x","profile_id":"p","occurred_at":0}"#
    let two = Self.base64(line + "\n" + line.replacing("\"x\"", with: "\"y\"") + "\n")
    let found = try SourceInput(
      body(#"{"data":"\#(two)"},{"data":"\#(Self.base64("[1"))"},{"data":"*"}"#), yaml: yaml)
    #expect(found.items.map(\.event.name) == ["x", "y"])
    #expect(found.items.map(\.event.receivedAt?.microseconds) == [7_000_000, 7_000_000])
    #expect(found.rejections.map(\.reason) == [.invalidJSON, .invalidJSON])
    #expect(found.rejections.map(\.field) == ["data", "data"])
    #expect(found.counts.isBalanced && found.counts.read == 4)
    let empty = try SourceInput(body(""), yaml: yaml)
    #expect(empty.counts.read == 1 && empty.counts.blank == 1 && empty.counts.isBalanced)
    let single = try SourceInput(line, yaml: yaml)
    #expect(single.items.map(\.event.name) == ["x"])
  }

  private static func base64(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = Array(text.utf8)
    var result = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for index in 0..<4 {
        result.append(index > part.count ? "=" : digits[bits >> (18 - 6 * index) & 63])
      }
    }
    return result
  }

  @Test("a path goes through text that holds JSON, and through lists of keys and values")
  func texts() throws {
    let yaml = """
      source: t
      envelope: { event_name: e, profile_id: "box.list.id", occurred_at: "box.list.at" }
      params: { from: [box.list, other], set: { deep: "box.deep[a.b].1" } }
      """
    let box =
      #"{\"list\":[{\"key\":\"id\",\"value\":{\"string_value\":\"p1\"}},{\"key\":\"at\",\"value\":{\"int_value\":\"1780308000\"}},{\"key\":\"n\",\"value\":{\"string_value\":null,\"double_value\":1.5}},{\"key\":\"m\",\"value\":{\"int_value\":\"007\"}}],\"deep\":{\"a.b\":[1,\"two\"]}}"#
    let found = try SourceInput(
      #"{"e":"x","box":"\#(box)","other":"{\"n\":2,\"o\":\"3\"}"}"#, yaml: yaml)
    #expect(found.items.map(\.profileID) == ["p1"])
    #expect(found.params == #"{"deep":"two","m":"007","n":1.5,"o":"3"}"#)
  }

  @Test("canonical members are read beside those of the mapping, which come first")
  func canonicalMembers() throws {
    let yaml =
      "source: t\ncanonical_members: true\nnames: { y: flow_appeared }\nenvelope: { occurred_at: device_time }"
    let found = try SourceInput(
      #"{"event_name":"y","profile_id":"p","timestamp":99,"device_time":1,"locale":"de","params":{"a":1},"zz":3}{"name":"z","profile_id":"p","timestamp":99}"#,
      yaml: yaml)
    #expect(found.items.map(\.event.name) == ["flow_appeared", "z"])
    #expect(found.items.map(\.event.occurredAt.microseconds) == [1_000_000, 99_000_000])
    #expect(found.items.first?.event.context[.locale] == "de")
    #expect(found.params == #"{"a":1}"#)
  }

  @Test("an older onboarding that tells no total ends with the screen called final")
  func onboardingWithoutTotal() throws {
    func lastScreen(_ screen: String, _ more: String = "") throws -> Bool {
      let found = try SourceInput(
        #"{"type":"analytics","name":"screen_presented","profile_id":"p","occurred_at":0,"meta":{"onboarding_id":"o","screen_cid":"\#(screen)","screen_index":2\#(more)}}"#,
        as: SourcesFolder().mapping("onboarding_v3"))
      return FlowParams(try #require(found.items.first).event.params).isLastScreen
    }
    #expect(try lastScreen("final"))
    #expect(try !lastScreen("other"))
    #expect(try lastScreen("other", #","total_screens":3"#))
    #expect(try !lastScreen("final", #","total_screens":4"#))
  }

  @Test("no record makes it fail, however strange")
  func fuzz() throws {
    let folder = SourcesFolder()
    var random = SeededGenerator(seed: 3)
    let pieces = [
      "{", "}", "[", "]", ":", ",", "\"data\"", "\"records\"", "\"properties\"", "\"event_params\"",
      "\"key\"", "\"value\"", "null", "-1", "\"{\\\"a\\\":[\"", "\"\"", "\"event\"",
      "\"event_type\"", "true",
    ]
    let exports = try SourceFixture.all.map { try $0.text(of: $0.export) }
    for name in folder.names {
      let mapping = try folder.mapping(name)
      for run in 1...60 {
        var bytes = Array(try #require(exports.randomElement(using: &random)).utf8.prefix(4000))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let piece = Array(try #require(pieces.randomElement(using: &random)).utf8)
          let start = Int.random(in: 0..<bytes.count, using: &random)
          let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
          bytes.replaceSubrange(start..<end, with: piece)
        }
        let found = try SourceInput(String(decoding: bytes, as: UTF8.self), as: mapping)
        #expect(found.counts.isBalanced, "\(name), seed 3, run \(run)")
        #expect(found.items.count == found.counts.events)
      }
    }
  }
}

@Suite("Paths of sources")
struct SourcePathTests {
  @Test("names with dots between them, brackets around names that hold one")
  func parsing() {
    #expect(SourcePath("a")?.steps == ["a"])
    #expect(SourcePath("a.b.c")?.steps == ["a", "b", "c"])
    #expect(SourcePath("a[b.c].d")?.steps == ["a", "b.c", "d"])
    #expect(SourcePath("[a.b]")?.steps == ["a.b"])
    #expect(SourcePath(".")?.steps == [])
    #expect(SourcePath("^.a")?.steps == ["a"])
    #expect(SourcePath("^.a")?.beginsOutside == true)
    #expect(SourcePath("properties.$insert_id")?.steps == ["properties", "$insert_id"])
  }

  @Test("an empty name or an open bracket is no path")
  func wrong() {
    for text: Bytes in ["", "a.", ".a", "a..b", "a[", "a[]", "a[b", "a[b]c", "^a", "..", "^."] {
      #expect(SourcePath(text) == nil, "\(text.string)")
    }
  }
}
