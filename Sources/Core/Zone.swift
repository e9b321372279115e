/// A time zone as the list of its changes of offset; the program reads it from the system's zone files.
package struct Zone: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    package let at: Instant
    /// Seconds east of UTC from this instant on.
    package let offset: Int32

    package init(at: Instant, offset: Int32) {
      self.at = at
      self.offset = offset
    }
  }

  package static let utc = Zone(name: "UTC", firstOffset: 0, changes: [])

  package let name: Bytes
  private let firstOffset: Int32
  private let changes: [Change]

  /// Creates a zone.
  ///
  /// - Parameters:
  ///   - firstOffset: seconds east of UTC before the first change.
  ///   - changes: in ascending order of time.
  package init(name: Bytes, firstOffset: Int32, changes: [Change]) {
    self.name = name
    self.firstOffset = firstOffset
    self.changes = changes
  }

  /// Seconds east of UTC at an instant.
  package func offset(at instant: Instant) -> Int32 {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? firstOffset : changes[low - 1].offset
  }

  /// The calendar day an instant lies in, in this zone.
  package func day(of instant: Instant) -> Day {
    instant.adding(microseconds: Int64(offset(at: instant)) * 1_000_000).day
  }

  /// The first instant of a calendar day in this zone; where a change skips midnight, the change.
  package func start(of day: Day) -> Instant {
    // Offsets lie within ±26 h of UTC, so the day begins within this window.
    var low = day.startInUTC.microseconds / 1_000_000 - 26 * 3600
    var high = low + 52 * 3600
    while low < high {
      let middle = low + (high - low) / 2
      if self.day(of: Instant(microseconds: middle * 1_000_000)) < day {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return Instant(microseconds: low * 1_000_000)
  }
}
