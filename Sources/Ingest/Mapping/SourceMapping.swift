package import Core

/// How the records of one source are read: where each member of the canonical envelope stands in them.
///
/// Pure data, made from a file of `pipelines/sources`; ``SourceMapper`` does what it says.
package struct SourceMapping: Hashable, Sendable {
  package var name: Bytes
  /// Shapes by which a record is known to be of this source; any one of them will do.
  package var shapes: [SourceShape] = []
  /// Nil where each record is one event.
  package var records: SourceRecords?
  /// Read members that nothing else gives by their canonical names, too.
  package var readsCanonicalMembers = false
  /// By canonical name, without `params`; of the readings of a member the first that finds something
  /// counts.
  package var members: [Member] = []
  /// The source's names of events, and what they are called here; all others stay as they are.
  package var names: [Bytes: Bytes] = [:]
  package var params: SourceParams?
  /// Records without a value in one of these places are left out and counted: they are no fault.
  package var needed: [SourcePath] = []
  /// Whether records without any member are left out and counted, as what a service sends to try an
  /// address.
  package var leavesOutEmpty = false
  /// The source's names of events that its maker documents and that mean nothing here: they are kept, and
  /// not counted among the unknown.
  package var knownNames: Set<Bytes> = []
  /// The columns that the source's maker documents; nil where any may be there.
  ///
  /// Others are counted, though they may end in the params.
  package var columns: Set<Bytes>?
  package var revision: SourceRevision?
  /// The text of the file that says all this, for the reader revision (SEMANTICS 3.10).
  package var text: Bytes = .empty

  /// Of the source whose records need no mapping.
  package static let canonicalName: Bytes = "canonical"

  package init(name: Bytes) { self.name = name }

  package struct Member: Hashable, Sendable {
    package let name: Bytes
    package let readings: [SourceReading]

    package init(_ name: Bytes, _ readings: [SourceReading]) {
      self.name = name
      self.readings = readings
    }
  }

  /// The members of the envelope that a mapping can name.
  package static let memberNames: [String] = {
    let before = [
      "event_id", "event_name", "profile_id", "session_id", "occurred_at", "sent_at",
      "received_at", "counter",
    ]
    return before + ContextKey.allCases.map(\.name.string)
  }()
}

/// The number of which only the highest counts among copies of an event (SEMANTICS 1.2).
package enum SourceRevision: Hashable, Sendable {
  case constant(Int64)
  /// The digits of what is found, such as 20260601 of `2026-06-01`.
  case found([SourceReading])
}

/// Where a record holds a list of records.
package struct SourceRecords: Hashable, Sendable {
  /// Of the list; nil where the record is the only one.
  ///
  /// A record without a list there is read itself.
  package var list: SourcePath?
  /// The member of each item that holds the record, often as text.
  package var inside: SourcePath?
  package var isBase64 = false

  package init(list: SourcePath? = nil, inside: SourcePath? = nil, isBase64: Bool = false) {
    self.list = list
    self.inside = inside
    self.isBase64 = isBase64
  }
}

/// What a record of a source has and has not.
package struct SourceShape: Hashable, Sendable {
  package var has: [SourcePath] = []
  package var lacks: [SourcePath] = []
  package var conditions: [SourceCondition] = []

  package init() {}

  /// The more it asks for, the less likely another source has it too.
  package var strength: Int { has.count + lacks.count + conditions.count }
}

/// A place whose text, number or truth is one of some; without any, something must be there.
package struct SourceCondition: Hashable, Sendable {
  package let path: SourcePath
  package let values: [Bytes]

  package init(_ path: SourcePath, _ values: [Bytes]) {
    self.path = path
    self.values = values
  }
}

/// One way to find a member's value in a record.
package struct SourceReading: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    case path(SourcePath)
    case constant(Bytes)
    /// The values of several places, hashed into an id.
    case tuple([SourcePath])
  }

  /// What the number of a time counts.
  package enum Unit: String, CaseIterable, Hashable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    var powerToMicroseconds: Int {
      switch self {
      case .seconds: 6
      case .milliseconds: 3
      case .microseconds: 0
      case .nanoseconds: -3
      }
    }
  }

  package var place: Place
  /// Only where all of them hold.
  package var conditions: [SourceCondition] = []
  /// Values that stand for none.
  package var ignored: [Bytes] = []
  package var prefix: Bytes = .empty
  /// Values that are called otherwise here; all others stay as they are.
  package var values: [Bytes: Bytes] = [:]
  package var unit: Unit?
  /// Of times that say no zone.
  package var zone: Zone?
  /// A time given as a number counts from 1970 on the clock of `zone`, not from 1970 in UTC.
  package var isLocal = false
  /// Of a list of objects, or of one: the texts of this member, as a list.
  package var each: SourcePath?
  /// Whether the number found, counted from 0, is the last of as many as stand here.
  package var total: SourcePath?
  /// An object of `year`, `month` and `day`, as the day.
  package var isDate = false
  /// Text that holds JSON is written as the JSON.
  package var isJSON = false

  package init(_ place: Place) { self.place = place }
}

/// Where the params of a source's events come from.
package struct SourceParams: Hashable, Sendable {
  /// Objects, lists of `{key, value}`, or either as JSON in a text; of a name that stands in two of
  /// them the first counts.
  package var from: [SourcePath] = []
  /// Params that are read one by one; they come before `from`.
  package var computed: [SourceMapping.Member] = []
  package var renamed: [Bytes: Bytes] = [:]
  /// Names that are left out; those that end in `*` by what they begin with.
  package var dropped: [Bytes] = []
  /// Leave out empty texts, which is how CSV writes that there is nothing.
  package var dropsEmpty = false
  /// Keep what a member of the envelope was read from in the params, too.
  package var repeatsRead = false

  package init() {}
}
