internal import Core
internal import Synchronization

/// The zones that events name, each read once from the system's zone files.
final class ZoneCache: Sendable {
  /// Names come from events: more than there are zones are not kept.
  private static let capacity = 1000

  private let known = Mutex<[Bytes: Zone?]>([:])

  func zone(named name: Bytes) -> Zone? {
    if let zone = known.withLock({ $0[name] }) { return zone }
    let zone = name.count <= 100 ? ZoneFile.zone(named: name) : nil
    known.withLock { known in
      if known.count < Self.capacity { known[name] = .some(zone) }
    }
    return zone
  }
}
