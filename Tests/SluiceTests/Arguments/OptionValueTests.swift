import Core
import Testing

@testable import sluice

@Suite("Option values")
struct OptionValueTests {
  @Test("sizes are bytes, binary or decimal multiples")
  func sizes() {
    let sizes = ["0": 0, "4096": 4096, "1KiB": 1024, "512MiB": 536_870_912, "2GB": 2_000_000_000]
    for (text, bytes) in sizes { #expect(byteCount(text) == bytes, "\(text)") }
    for text in ["", "MiB", "-1", "1.5GiB", "1 GiB", "1mib", "9999999999999GiB", "٣"] {
      #expect(byteCount(text) == nil, "\(text)")
    }
  }

  @Test("an instant needs a zone, a day is its first instant in UTC")
  func instants() {
    let noon: Int64 = 1_780_315_200_000_000
    let right: [String: Int64] = [
      "2026-06-01": noon - 43_200_000_000, "2026-06-01T12:00:00Z": noon, "2026-06-01 12:00z": noon,
      "2026-06-01T14:00:00+02:00": noon, "2026-06-01T06:30:00-05:30": noon,
      "2026-06-01T12:00:00.5Z": noon + 500_000, "2026-06-01T12:00:00.000001Z": noon + 1,
    ]
    for (text, microseconds) in right {
      #expect(Instant(iso8601: text)?.microseconds == microseconds, "\(text)")
    }
    for text in [
      "", "2026", "2026-6-1", "2026-02-30", "2026-06-01T", "2026-06-01T12", "2026-06-01T12:00",
      "2026-06-01T24:00:00Z", "2026-06-01T12:60:00Z", "2026-06-01T12:00:60Z",
      "2026-06-01T12:00:00.Z",
      "2026-06-01T12:00:00.1234567Z", "2026-06-01T12:00:00+2", "2026-06-01T12:00:00+0200",
      "2026-06-01T12:00:00Zulu", "2026-06-01Z", "2026-06-01T::Z", "2026-06-01T12:00:00+99:00",
    ] {
      #expect(Instant(iso8601: text) == nil, "\(text)")
    }
  }

  @Test("a time zone has the form of a name")
  func zones() {
    for text in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+1", "GB-Eire"] {
      #expect(isTimeZoneName(text), "\(text)")
    }
    for text in ["", "+02:00", "Europe/", "/x", "Europe/Ber lin", "a'b", "../x", "UTC;"] {
      #expect(!isTimeZoneName(text), "\(text)")
    }
  }

  @Test("a schema's name needs no quotes and is not PostgreSQL's own")
  func schemas() {
    for text in ["sluice", "_a1", String(repeating: "a", count: 51)] {
      #expect(isSchemaName(text), "\(text)")
    }
    for text in [
      "", "1a", "A", "a-b", "pg_x", "a\"b", "ä", "information_schema",
      String(repeating: "a", count: 52),
    ] {
      #expect(!isSchemaName(text), "\(text)")
    }
  }

  @Test("the nearest word is at most a change for every three letters away")
  func near() {
    let words = ["pipeline", "plausible", "run", "runs", "db"]
    #expect(nearest(to: "plausable", among: words) == "plausible")
    #expect(nearest(to: "PipeLine", among: words) == "pipeline")
    #expect(nearest(to: "rnu", among: words) == "run")
    #expect(nearest(to: "pipline", among: words) == "pipeline")
    #expect(nearest(to: "wat", among: words) == nil)
    #expect(nearest(to: "x", among: words) == nil)
    #expect(nearest(to: "", among: words) == nil)
    #expect(nearest(to: String(repeating: "a", count: 10_000), among: words) == nil)
  }
}
