import CSimdjson
import Glibc
import Testing

@Suite("Reading at the edge of memory")
struct GuardPageTests {
  /// Parses documents so placed that their padding ends where memory that must not be read begins.
  private static func parse(
    _ documents: [String], padding: Int
  ) throws -> [sluice_json_status] {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let size = 4 * page
    let memory = try #require(
      mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(memory, size + page) }
    #expect(mprotect(memory + size, page, PROT_NONE) == 0)
    let parser = try #require(sluice_json_create())
    defer { sluice_json_destroy(parser) }
    return documents.map { document in
      let bytes = Array(document.utf8)
      let start = memory + size - padding - bytes.count
      start.copyMemory(from: bytes, byteCount: bytes.count)
      let typed = start.assumingMemoryBound(to: UInt8.self)
      return sluice_json_parse(parser, typed, bytes.count, 64)
    }
  }

  @Test("looks no further than the padding")
  func staysInside() throws {
    var documents = [
      #"{"a":"b\n","c":[1,2,{"d":null}]}"#, #"{"a":"\ud800"}"#, #"{"a":1"#, #"{"a":"#, #"{"a""#,
      #"{"a"#,
      "{", "[", "1", "tru", "\"", "\"a\"", #"{"a":"\"#, #"{"a":"\u00"#, #"{"a":{"b":1}"#, "[1,2",
      "[[[[",
    ]
    for length in 0..<200 {
      documents.append(#"{"k":""# + String(repeating: "x", count: length) + #"\u0000"}"#)
    }
    let statuses = try Self.parse(documents, padding: Int(SLUICE_JSON_PADDING))
    #expect(statuses[0] == SLUICE_JSON_OK && statuses[1] == SLUICE_JSON_OK)
    #expect(statuses[17...].allSatisfy { $0 == SLUICE_JSON_OK })
  }

  @Test("would be caught if it looked further")
  func isCaught() async {
    // The address sanitizer takes the signal, and ends the process as it is told to.
    let isSanitized = getenv("ASAN_OPTIONS") != nil
    await #expect(processExitsWith: isSanitized ? .exitCode(86) : .signal(SIGSEGV)) {
      _ = try Self.parse([#"{"a":"\n"}"#], padding: 0)
    }
  }
}
