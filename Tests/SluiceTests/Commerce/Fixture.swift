import Foundation
import Testing

@testable import Core
@testable import Ingest
@testable import sluice

/// Params of events as the vendor's documents print them (`flow-events`) and as the cross-platform
/// bridge sends them (`bridge`).
enum Fixture {
  static let folder = Checkout.folder + "/Tests/SluiceTests/Fixtures/"

  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: folder + path + ".json", encoding: .utf8)
  }

  /// Params as the reader stores them: canonical JSON.
  static func params(_ path: String) throws -> Bytes {
    let line =
      #"{"event_id":"e","event_name":"x","profile_id":"p","occurred_at":0,"params":"#
      + (try text(path)) + "}"
    let reading = try InputReading(line)
    return try #require(reading.events.first, "\(path): \(reading.reasons)").params
  }
}

extension EventScript {
  mutating func add(_ name: Bytes, _ seconds: Double, fixture: String) throws {
    add(name, seconds, try Fixture.params(fixture))
  }

  /// A record of the vendor's feed: without session and without the phone's context.
  mutating func record(_ name: Bytes, _ seconds: Double, _ params: Bytes, id: Bytes? = nil) {
    let (known, scene) = (session, context)
    (session, context) = (nil, [:])
    add(name, seconds, params, id: id)
    (session, context) = (known, scene)
  }
}

extension Pipeline {
  static func commerce(_ rules: String = "") throws -> Pipeline {
    try Pipeline.checked(
      yaml: """
        pipeline: commerce
        flows:
          onboarding: { placements: [onboarding] }
          paywall: { placements: [paywall] }
        placements:
          paywall:
            audiences:
              - default: true
                audience_version: 5f0e0a52-0000-4a00-8000-0000000000aa
                show: { flow: offer }
          other: { audiences: [{ default: true, show: { flow: offer } }] }

        """ + rules)
  }
}
