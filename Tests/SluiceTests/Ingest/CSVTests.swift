import Core
import Ingest
import Testing

@Suite("Reading CSV")
struct CSVTests {
  private let header = "event_id,event_name,profile_id,occurred_at,counter,locale,params\n"

  private func twin(_ lines: String...) throws -> [Event] {
    try InputReading(lines.joined(separator: "\n")).events
  }

  @Test("gives the events of the same lines of JSON, whatever the size of chunks")
  func same() throws {
    let rows =
      header
      + #"1,x,p1,2026-03-01T10:00:00Z,7,de_DE,"{""value"":""5'11\"""",""n"":[1,2.50]}""# + "\r\n"
      + "2,\"a \"\"b\"\", c\nd\",P2,1772359200,,,\r\n" + "\r\n"
      + "\"3\",x,\"p1\",1772359200,\"\",\"\",\"{}\""
    let events = try twin(
      #"{"event_id":"1","event_name":"x","profile_id":"p1","occurred_at":"2026-03-01T10:00:00Z","counter":7,"locale":"de_DE","params":{"value":"5'11\"","n":[1,2.50]}}"#,
      #"{"event_id":"2","event_name":"a \"b\", c\nd","profile_id":"P2","occurred_at":1772359200}"#,
      #"{"event_id":"3","event_name":"x","profile_id":"p1","occurred_at":1772359200,"params":{}}"#)
    #expect(events.count == 3)
    for text in [rows, "\u{FEFF}" + rows] {
      for (chunkBytes, readBytes) in [(1 << 18, Int.max), (1, 1), (40, 7)] {
        let source = TrickleSource(Array(text.utf8), readBytes: readBytes)
        let reading = try InputReading(source, chunkBytes: chunkBytes)
        #expect(reading.layout == .csv)
        #expect(reading.events == events)
        #expect(reading.profileIDs == ["p1", "P2", "p1"])
        #expect(reading.rejections == [])
        #expect(reading.counts.blank == 1)
        #expect(reading.counts.mended == ReadCounts.Mended())
        #expect(reading.counts.isBalanced)
      }
    }
  }

  @Test("finds columns by name in any order, between commas, tabs or semicolons")
  func columns() throws {
    let expected = try twin(
      #"{"event_id":"1","event_name":"x, y","profile_id":"p","occurred_at":1772359200}"#)
    for delimiter in [",", "\t", ";"] {
      let header = ["", "unknown", "profile_id", "Some column", "event_id", "occurred_at", "name"]
      let row = ["0", "?", "p", "", "1", "1772359200", "\"x, y\""]
      let reading = try InputReading(
        header.joined(separator: delimiter) + "\n" + row.joined(separator: delimiter) + "\n")
      #expect(reading.layout == .csv)
      #expect(reading.events == expected)
    }
  }

  @Test("knows a header whose quoted names hold line ends, between commas, tabs or semicolons")
  func headerOverLines() throws {
    for delimiter in [",", "\t", ";"] {
      let header = ["\"event_id\"", "\"Some\r\ncolumn\"", "name", "profile_id", "occurred_at"]
      let row = ["1", "?", "x", "p", "1772359200"]
      for end in ["\n", "\r\n"] {
        let reading = try InputReading(
          "\u{FEFF}" + header.joined(separator: delimiter) + end + row.joined(separator: delimiter)
            + end + header.joined(separator: delimiter) + end)
        #expect(reading.layout == .csv)
        #expect(reading.ids == ["1"])
        #expect(reading.rejections == [] && reading.counts.read == 1)
      }
    }
  }

  @Test("makes one object of `params` and of columns that begin with `params.`")
  func params() throws {
    let reading = try InputReading(
      """
      event_id,name,profile_id,occurred_at,params,params.element_id,params.value
      1,x,p,1772359200,"{""element_id"":""a"",""n"":1} ",b,
      2,x,p,1772359200,{},b,"1,5"
      3,x,p,1772359200,,b,"say ""hi""
      now"
      4,x,p,1772359200,,,
      5,x,p,1772359200,"[1]",b,
      6,x,p,1772359200,{broken,,
      7,x,p,1772359200,"{""n"":1}",,

      """)
    #expect(reading.rejections == [])
    #expect(
      reading.events.map(\.params) == [
        #"{"element_id":"b","n":1}"#, #"{"element_id":"b","value":"1,5"}"#,
        #"{"element_id":"b","value":"say \"hi\"\nnow"}"#, "", #"{"element_id":"b"}"#, "",
        #"{"n":1}"#,
      ])
    // What is no object costs that member, never the event.
    #expect(reading.counts.mended.unreadableMembers == 1)
    #expect(reading.counts.mended.duplicateKeys == 2)
  }

  @Test("costs a row that has not as many cells as the header, or something behind a quoted one")
  func badRows() throws {
    let text =
      "\nname,profile_id,occurred_at\r\nx,p,1772359200\r\nx,\"p\n\",2,3\nx\n"
      + "x,\"p\"q,\"\n\nx,\"p\n2\",1772359200\nx,p\n"
    for chunkBytes in [1, 30, 1 << 18] {
      let reading = try InputReading(text, chunkBytes: chunkBytes)
      #expect(reading.profileIDs == ["p", "p\n2"])
      #expect(
        reading.rejections == [
          Rejection(.raggedRow, line: 4, byteOffset: 46, length: 10),
          Rejection(.raggedRow, line: 6, byteOffset: 57, length: 1),
          Rejection(.invalidCSV, line: 7, byteOffset: 59, length: 8),
          Rejection(.raggedRow, line: 11, byteOffset: 88, length: 3),
        ])
      #expect(reading.counts.blank == 1)
      #expect(reading.counts.isBalanced)
    }
  }

  @Test("tells a cut last row, and a quote that is never closed, with its length")
  func cut() throws {
    let start = "name,profile_id,occurred_at\nx,p,1772359200\n"
    for tail in ["x,", "x,p", "x,\"p,1", "\"x\"y"] {
      for chunkBytes in [1, 1 << 18] {
        let reading = try InputReading(start + tail, chunkBytes: chunkBytes)
        #expect(reading.events.count == 1)
        #expect(reading.rejections.map(\.reason) == [.truncatedRecord], "\(tail)")
        #expect(reading.rejections.first?.byteOffset == start.utf8.count)
        #expect(reading.rejections.first?.length == tail.utf8.count)
      }
    }
    #expect(try InputReading(start + "x,p,1772359200").events.count == 2)
  }

  @Test("a stray quote costs its own line, wherever the next quote stands, near or far or nowhere")
  func strayQuote() throws {
    let header = "name,profile_id,occurred_at\n"
    let good = (0..<40).map { "x,p\($0),1772359200\n" }
    let stray = "x,\"oops,1772359200\n"
    for closing in ["", "x,\"p\",1772359200\n", "x,p\"\"q,1772359200\n", "x,\"p\n\",1772359200\n"] {
      let text = header + good[..<5].joined() + stray + good[5...].joined() + closing
      for (chunkBytes, limit) in [(1, 1 << 20), (100, 1 << 20), (1 << 18, 1 << 20), (1 << 18, 200)]
      {
        let reading = try InputReading(
          text, limits: ReadLimits(recordBytes: limit), chunkBytes: chunkBytes)
        #expect(
          reading.events.count == (closing.isEmpty ? 40 : 41), "\(closing) \(chunkBytes) \(limit)")
        #expect(reading.rejections.map(\.line) == [7], "\(closing) \(chunkBytes) \(limit)")
        #expect(reading.rejections.first?.length == stray.utf8.count - 1)
        #expect(reading.counts.isBalanced)
      }
    }
  }

  @Test("names a column that occurs twice")
  func duplicate() throws {
    let problem = #expect(throws: Problem.self) {
      try InputReading("name,profile_id,name\nx,p,1\n")
    }
    #expect(problem?.exit == .noInput)
    #expect(problem?.why == "`name`")
  }

  @Test("passes over a huge row in little memory, neighbours unharmed")
  func huge() throws {
    let huge = "x,\"" + String(repeating: "y\n", count: 1 << 20) + "\",1"
    let text = "name,profile_id,occurred_at\nx,p,1772359200\n" + huge + "\r\nx,q,1772359200\n"
    let source = TrickleSource(Array(text.utf8), readBytes: 50_000)
    let reading = try InputReading(
      source, limits: ReadLimits(recordBytes: 50_000), chunkBytes: 10_000)
    #expect(reading.profileIDs == ["p", "q"])
    #expect(
      reading.rejections == [
        Rejection(.recordTooLarge, line: 3, byteOffset: 43, length: huge.utf8.count)
      ])
    #expect(source.largestBuffer < 500_000)
    for (length, isTooLarge) in [(99, false), (100, true)] {
      for end in ["\n", "\r\n", ""] {
        let row = "x,p" + String(repeating: "q", count: length - 14) + ",1772359200"
        let reading = try InputReading(
          "name,profile_id,occurred_at\n" + row + end, limits: ReadLimits(recordBytes: 99),
          chunkBytes: 1)
        #expect(reading.reasons == (isTooLarge ? [.recordTooLarge] : []))
        #expect(reading.rejections.allSatisfy { $0.length == row.utf8.count })
      }
    }
  }

  @Test("passes over the header of a file that was appended")
  func joined() throws {
    let file = "name,profile_id,occurred_at\r\nx,p,1772359200\r\n"
    let reading = try InputReading(file + file + "\u{FEFF}" + file)
    #expect(reading.events.count == 3)
    #expect(reading.rejections.isEmpty)
    #expect(reading.counts.read == 3)
    #expect(try InputReading("name,profile_id,occurred_at").counts == ReadCounts())
  }

  @Test("mends and refuses what a line of JSON would")
  func strings() throws {
    let bytes =
      Array("name,profile_id,occurred_at,locale\nx,p,1772359200,a\u{0}\u{1}b\nx,p,1772359200,".utf8)
      + [0x61, 0xA1]
      + Array("\nx,p,never,\nx,,1772359200,\n".utf8)
    let reading = try InputReading(bytes: bytes)
    #expect(reading.events.count == 1)
    #expect(reading.events.first?.context[.locale] == "a\u{FFFD}\u{1}b")
    #expect(reading.counts.mended.repaired == 1)
    #expect(reading.reasons == [.invalidUTF8, .invalidTime, .missingMember])
    #expect(reading.rejections.map(\.line) == [3, 4, 5])
  }

  @Test("is not guessed from a broken line above lines of JSON, or from prose")
  func notCSV() throws {
    let reading = try InputReading("broken,line\n" + record() + "\n")
    #expect(reading.layout == .lines)
    #expect(reading.ids == ["e1"])
    for text in ["Hello, world\nmore\n", "one\ntwo\n", "1,2\n3,4\n", "\"a\",\"b", "a,b{\n"] {
      #expect(try InputReading(text).layout == .lines, "\(text)")
    }
  }
}
