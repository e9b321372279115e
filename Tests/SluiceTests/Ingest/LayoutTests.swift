import Core
import Foundation
import Ingest
import Testing

@Suite("Layouts of input")
struct LayoutTests {
  @Test("a cell that holds a line with a bracket does not make CSV anything else")
  func bracketInCell() throws {
    let text =
      "event_id,event_name,profile_id,occurred_at,params.note\n"
      + "e1,app_opened,p1,2026-01-05T10:00:00Z,\"my list:\n[x] milk\n{y}\"\n"
      + "e2,app_opened,p1,2026-01-05T10:00:01Z,x\n"
    let reading = try InputReading(text)
    #expect(reading.layout == .csv)
    #expect(reading.ids == ["e1", "e2"])
  }

  private static let records = (1...12).map {
    record(#""params":{"v":"a, \"b\" ]} é","n":[\#($0),{}]}"#, id: "e\($0)")
  }
  private static let all = records.joined(separator: ",")

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let layout: Layout
  }

  static let cases = [
    Case(testDescription: "an array on a line", text: "[\(all)]", layout: .array),
    Case(testDescription: "an array on a line, line ended", text: " [\(all)]\n\n", layout: .array),
    Case(
      testDescription: "an array, a record a line",
      text: "[\n" + records.joined(separator: ",\n") + "\n]\n", layout: .array),
    Case(
      testDescription: "an array, commas in front",
      text: "[\n  " + records.joined(separator: "\n, ") + "\n]", layout: .array),
    Case(
      testDescription: "an array, pretty",
      text: "[\n"
        + records.map { $0.replacingOccurrences(of: #"","#, with: "\",\n    ") }
        .joined(separator: ",\n  ") + "\n]\n", layout: .array),
    Case(
      testDescription: "two arrays", text: "[\n\(all[..<all.startIndex])\n]\n[\(all)]",
      layout: .array),
    Case(
      testDescription: "lines of arrays",
      text: "[" + records[..<5].joined(separator: ",") + "]\n["
        + records[5...].joined(separator: " , ") + "]\n", layout: .lines),
    Case(testDescription: "data", text: #"{"data":[\#(all)]}"#, layout: .data),
    Case(
      testDescription: "data between other members, over lines",
      text: #"{"meta" : {"a":["}",{"data":[1]}],"b":"\"]"}, "n":-1.5e3,"ok":true,"#
        + "\n \"data\" :\n [\n" + records.joined(separator: ",\n")
        + "\n],\n \"next\":null, \"list\":[[1],\"x\"], \"data2\":[{}]}\n", layout: .data),
    Case(
      testDescription: "data, empty first",
      text: #"{"data":[]}"# + "\n" + #"{"data":[\#(all)]}"# + "\n", layout: .data),
    Case(
      testDescription: "what an interface is sent in batches, one a line",
      text: #"{"api_key":"k","batch":["# + records[..<4].joined(separator: ",") + "]}\n"
        + #"{"api_key":"k","events":["# + records[4...].joined(separator: ",") + "]}\n",
      layout: .data),
    Case(
      testDescription: "what the vendor's SDK sends",
      text: #"{"data":{"type":"sdk_background_event","attributes":{"events":[\#(all)]}}}"#,
      layout: .data),
    Case(
      testDescription: "Firehose",
      text: #"{"requestId":"r","timestamp":1578090901599,"records":["#
        + records.map { #"{"data":"\#(Data(($0 + "\n").utf8).base64EncodedString())"}"# }
        .joined(separator: ",") + "]}", layout: .data),
    Case(
      testDescription: "Firehose, several records in an element",
      text: #"{"records":[{"data":""#
        + Data(records[..<5].joined(separator: "\n").utf8).base64EncodedString() + #""},{"data":""#
        + Data(records[5...].joined().utf8).base64EncodedString() + #""}]}"#, layout: .data),
    Case(
      testDescription: "an envelope, then records",
      text: #"{"data":["# + records[0] + "]}\n" + records[1...].joined(separator: "\n"),
      layout: .data),
  ]

  @Test("hold the same events as lines, whatever the size of chunks", arguments: cases)
  func same(_ layout: Case) throws {
    let plain = try InputReading(Self.records.joined(separator: "\n"))
    for (chunkBytes, readBytes) in [(1 << 18, Int.max), (1, 1), (50, 7), (700, 64)] {
      let source = TrickleSource(Array(layout.text.utf8), readBytes: readBytes)
      let reading = try InputReading(source, chunkBytes: chunkBytes)
      #expect(reading.layout == layout.layout)
      #expect(reading.events == plain.events)
      #expect(reading.rejections == [])
      #expect(reading.counts.isBalanced)
    }
  }

  @Test("cut anywhere keep the records before the cut, and tell the cut", arguments: cases)
  func cut(_ layout: Case) throws {
    let bytes = Array(layout.text.utf8)
    let plain = try InputReading(Self.records.joined(separator: "\n"))
    let end = try #require(bytes.lastIndex { !isBlank($0) })
    for count in stride(from: 300, through: end, by: 3) {
      let reading = try InputReading(bytes: Array(bytes[..<count]))
      #expect(reading.counts.isBalanced)
      #expect(
        reading.events.elementsEqual(plain.events.prefix(reading.events.count)), "\(count) bytes")
      let isBetweenRecords =
        layout.layout == .lines || layout.testDescription.contains("a line")
        || layout.testDescription.contains("then records")
        || layout.testDescription.contains("two arrays")
        || layout.testDescription.contains("empty first")
      #expect(isBetweenRecords || reading.rejections.count == 1, "\(count) bytes")
      #expect(reading.rejections.count <= 1, "\(count) bytes")
    }
  }

  private func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }

  @Test("tell where a record stands that is refused")
  func places() throws {
    let text =
      "{\n \"x\": [\"\\n\"],\n \"data\": [\n" + record(id: "1") + ",\n   17, {\"a\":1},\n"
      + record(id: "2") + "]}"
    let reading = try InputReading(text)
    #expect(reading.ids == ["1", "2"])
    let offset = try #require(text.utf8.firstRange(of: "17".utf8)).lowerBound
      .utf16Offset(in: text)
    #expect(
      reading.rejections == [
        Rejection(.notAnObject, line: 5, byteOffset: offset, length: 2),
        Rejection(.missingMember, field: "profile_id", line: 5, byteOffset: offset + 4, length: 7),
      ])
  }

  @Test("go on at the next object or array in column 1 after an error")
  func resume() throws {
    let broken = #"{"event_id":"2","x":"#
    let array =
      "[\n" + record(id: "1") + ",\n" + broken + ",\n" + record(id: "3") + ",\n"
      + record(id: "4") + "\n]\n"
    for chunkBytes in [1, 100, 1 << 18] {
      let reading = try InputReading(array, chunkBytes: chunkBytes)
      #expect(reading.layout == .array)
      #expect(reading.ids == ["1", "3", "4"])
      #expect(
        reading.rejections == [
          Rejection(
            .invalidJSON, line: 3, byteOffset: 2 + record(id: "1").utf8.count + 2,
            length: broken.utf8.count + 1)
        ])

      let data = try InputReading(
        #"{"data":["# + record(id: "1") + ",\n" + record(id: "2") + ",oops,\n" + record(id: "3")
          + "]}\n" + #"{"data":["# + record(id: "4") + ",{]}\n" + #"{"data":["#
          + record(id: "5") + "]}", chunkBytes: chunkBytes)
      #expect(data.ids == ["1", "2", "3", "4", "5"])
      #expect(data.reasons == [.invalidJSON, .invalidJSON, .invalidJSON])
    }
  }

  @Test("count a rest that cannot be read with its length")
  func tail() throws {
    for start in ["[", #"{"data":["#] {
      let reading = try InputReading(
        start + record(id: "1") + ",\n  oops, " + record(id: "2") + "]")
      #expect(reading.ids == ["1"])
      #expect(reading.reasons == [.unreadableTail])
      #expect(
        reading.rejections.first?.length == "oops, ".utf8.count + record(id: "2").utf8.count + 1)
    }
    // A lost brace in another member must not swallow the records without a word.
    let lost = #"{"meta":{"a":1,"more":{},"data":["# + record(id: "1") + "]}"
    let reading = try InputReading(#"{"data":[]}"# + "\n" + lost)
    #expect(reading.ids.isEmpty)
    #expect(reading.counts.rejectedInAll == 1)
  }

  @Test("are passed in little memory, however large what is no record is")
  func memory() throws {
    let large = String(repeating: "[\"x\", {}],", count: 200_000)
    let blank = String(repeating: " ", count: 2 << 20)
    let text =
      #"{"data":["# + record(id: "1") + "],\"m\":[" + large + "0],\"s\":\"" + blank
      + "\",\"events\":[" + record(id: "2") + blank + "]}"
    let source = TrickleSource(Array(text.utf8), readBytes: 50_000)
    let reading = try InputReading(
      source, limits: ReadLimits(recordBytes: 50_000), chunkBytes: 10_000)
    #expect(reading.ids == ["1", "2"])
    #expect(reading.rejections.isEmpty)
    #expect(source.largestBuffer < 500_000)
    #expect(reading.largestChunk < 500_000)
  }

  @Test(
    "are not guessed from a record that has a list of its own",
    arguments: [
      record(#""data":[{"a":1}]"#, id: "1"), #"{"data":[{"a":1}],"# + record(id: "1").dropFirst(),
      record(#""events":[]"#, id: "1"), record(#""data":{"events":[{}]}"#, id: "1"),
    ])
  func ownList(_ text: String) throws {
    let reading = try InputReading(text + "\n" + record(id: "2"))
    #expect(reading.layout == .lines)
    #expect(reading.ids == ["1", "2"])
  }

  @Test("cost a wrapped record that is broken, at a place inside its element")
  func wrapped() throws {
    let inner = record(id: "1") + "\nbad\n"
    let encoded = Data(inner.utf8).base64EncodedString()
    let text = #"{"records":[{"data":"\#(encoded)"},{"data":"not base64!"},{"data":""}]}"#
    let reading = try InputReading(text)
    #expect(reading.ids == ["1"])
    #expect(reading.reasons == [.invalidJSON, .missingMember])
    #expect(reading.rejections[0].byteOffset == 12 + record(id: "1").utf8.count + 1)
    #expect(reading.counts.blank == 1)
    #expect(reading.counts.isBalanced)
  }
}
