import Core
import Foundation
import Ingest
import Testing

@testable import sluice

/// What a text gives when it is read as a source.
struct SourceInput {
  var items: [ProfileEvent] = []
  var rejections: [Rejection] = []
  var counts = ReadCounts()
  var unknown = UnknownNames()

  init(_ text: String, as mapping: SourceMapping?) throws {
    var reader = ChunkReader(
      MemorySource(Array(text.utf8), name: "test"), limits: ReadLimits())
    while let chunk = try reader.next() {
      let decoded = decode(chunk: chunk, limits: ReadLimits(), primitives: .system, as: mapping)
      items += decoded.events
      rejections += decoded.rejections
      counts += decoded.counts
      unknown += decoded.unknown
    }
  }

  /// A text, and a source file that says how it is read.
  init(_ text: String, yaml: String) throws {
    try self.init(text, as: try Self.mapping(yaml))
  }

  static func mapping(_ yaml: String) throws -> SourceMapping {
    let folder = SourcesFolder()
    return try SourceFile(
      Array(yaml.utf8), path: "test.yaml",
      find: { (name, file) throws(Problem) in try folder.text(of: name, namedIn: file) }
    ).checked()
  }

  /// The union of all events, as lines in the canonical envelope behind what it leaves out, sorted.
  func lines() -> [String] {
    var sets: [Bytes: EventSet] = [:]
    for item in items {
      var counts = EventSet.Counts()
      sets[item.profileID, default: EventSet(profileID: item.profileID)]
        .formUnion([item.event], counting: &counts)
    }
    return sets.values.flatMap { set in
      set.events.map { event in
        let envelope = ProfileEvent(profileID: set.profileID, event: event).envelope
        let text = String(decoding: envelope, as: UTF8.self)
        return "\(event.revision) \(text)"
      }
    }.sorted()
  }

  /// The one event's params as text, or why there is none.
  var params: String {
    items.first.map { $0.event.params.string } ?? rejections.map(\.reason.rawValue).joined()
  }
}

/// The fixtures of sources: an export as the tool writes it, and the same events in the canonical
/// envelope, written down by other means.
struct SourceFixture: CustomTestStringConvertible {
  static let folder = Checkout.folder + "/Tests/SluiceTests/Fixtures/sources/"

  static var all: [SourceFixture] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map(SourceFixture.init)
  }

  let folder: String

  init(_ folder: String) { self.folder = folder }

  var testDescription: String { folder }
  /// `appmetrica` of `appmetrica-csv`.
  var source: String { String(folder.prefix { $0 != "-" }) }
  var twin: String { Self.folder + folder + "/twin.ndjson" }

  var export: String {
    let path = Self.folder + folder + "/export."
    return FileManager.default.fileExists(atPath: path + "json") ? path + "json" : path + "ndjson"
  }

  func text(of path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
