/// What a term can be as far as conditions say: everything it can be, and maybe more.
///
/// Erring is one-sided: a domain that is empty has no value for certain.
struct ValueDomain {
  /// How values of the term compare.
  enum Order: Sendable {
    case plain
    case version
  }

  /// What a single value must be, whatever the conditions say.
  enum Shape: Equatable, Sendable {
    case any
    case whole
    /// Rounded to so many digits after the point.
    case rounded(Int)
    case lower
    case upper
    case trimmed
    case form(TextForm)
  }

  struct Bound {
    var value: Value
    var isClosed: Bool
  }

  /// Nil bounds are open ends.
  struct Interval {
    var low: Bound?
    var high: Bound?
  }

  /// More intervals than this are one: a bound for the work, at the cost of knowing less.
  private static let mostIntervals = 32

  private(set) var mayBeNull = true
  /// The only values possible; nil where ``intervals`` say it.
  private(set) var allowed: Set<Value>?
  /// Disjoint, ascending.
  private(set) var intervals = [Interval()]
  private(set) var excluded: Set<Value> = []
  private static let mostExcluded = 200
  private var patterns: [(pattern: LikePattern, matches: Bool)] = []
  private var order = Order.plain
  private var shape = Shape.any

  init(shape: Shape = .any) { self.shape = shape }

  var isEmpty: Bool { !mayBeNull && hasNoValue }

  private var hasNoValue: Bool {
    if let allowed { return allowed.isEmpty }
    return intervals.allSatisfy { interval in
      guard let low = interval.low, let high = interval.high, low.value == high.value else {
        return false
      }
      return excluded.contains(low.value)
    }
  }

  // MARK: Narrowing

  mutating func excludeNull() { mayBeNull = false }

  mutating func allowNull() { mayBeNull = true }

  mutating func allowOnlyNull() {
    allowed = []
  }

  mutating func allow(_ values: some Sequence<Value>) {
    var kept: Set<Value> = []
    for value in values where admits(value) { kept.insert(value) }
    allowed = kept
  }

  mutating func exclude(_ value: Value) {
    allowed?.remove(value)
    // Each is copied with the domain it belongs to: thousands of them would be a square of memory.
    if excluded.count < Self.mostExcluded { excluded.insert(value) }
  }

  mutating func require(_ pattern: LikePattern, matches: Bool) {
    let isHopeless: Bool =
      switch shape {
      case _ where !matches: pattern.fitsAll
      case .lower: !pattern.foldsCase && pattern.wanted.contains(where: \.isUppercaseASCII)
      case .upper: !pattern.foldsCase && pattern.wanted.contains(where: \.isLowercaseASCII)
      case .trimmed: pattern.wantsSpaceAtEnds
      case .any, .whole, .rounded, .form: false
      }
    guard !isHopeless else { return allowed = [] }
    patterns.append((pattern, matches))
    refilter()
  }

  /// Leaves the texts that begin with a prefix.
  mutating func begin(with prefix: Bytes) {
    let isHopeless: Bool =
      switch shape {
      case .lower: prefix.lowercasedASCII != prefix
      case .upper: prefix.uppercasedASCII != prefix
      case .trimmed: prefix.hasPrefix(" ")
      case .any, .whole, .rounded, .form: false
      }
    guard !isHopeless else { return allowed = [] }
    var part = Interval(low: Bound(value: .text(prefix), isClosed: true))
    var next = prefix.array
    while let last = next.popLast() {
      guard last < .max else { continue }
      part.high = Bound(value: .text(Bytes(next + [last + 1])), isClosed: false)
      break
    }
    narrow(to: part)
  }

  mutating func narrow(to part: Interval, _ order: Order = .plain) {
    narrow(to: [part], order)
  }

  /// Leaves what lies in one of few intervals, disjoint and ascending.
  mutating func narrow(to parts: [Interval], _ order: Order = .plain) {
    self.order = order
    let parts = parts.map(rounded)
    intervals = capped(
      intervals.flatMap { one in parts.compactMap { intersection(one, $0) } })
    refilter()
  }

  private mutating func refilter() {
    if let values = allowed { allow(values) }
  }

  private func admits(_ value: Value) -> Bool {
    if let allowed, !allowed.contains(value) { return false }
    if excluded.contains(value) { return false }
    switch (shape, value) {
    case (.whole, .number(let number)) where number != number.rounded(.down): return false
    case (.rounded(let decimals), .number(let number))
    where (try? DecimalRounding.round(number, decimals: decimals)) != number:
      return false
    case (.lower, .text(let text)) where text.lowercasedASCII != text: return false
    case (.upper, .text(let text)) where text.uppercasedASCII != text: return false
    case (.trimmed, .text(let text)) where text.trimmed != text: return false
    case (.form(let form), .text(let text)) where !form.admits(text): return false
    default: break
    }
    if case .text(let text) = value,
      !patterns.allSatisfy({ $0.pattern.matches(text) == $0.matches })
    {
      return false
    }
    let point = Bound(value: value, isClosed: true)
    return intervals.contains { intersection($0, Interval(low: point, high: point)) != nil }
  }

  // MARK: Both of two

  /// What is in one or the other.
  mutating func formUnion(_ other: ValueDomain) {
    mayBeNull = mayBeNull || other.mayBeNull
    patterns = []
    if shape != other.shape { shape = .any }
    if other.order == .version { order = .version }
    if allowed != nil, let others = other.allowed {
      allowed?.formUnion(others)
      excluded.formIntersection(other.excluded)
      intervals = [Interval()]
      return
    }
    let (mine, theirs) = (spread, other.spread)
    let bothExclude = excluded.filter {
      other.excluded.contains($0) && !(allowed?.contains($0) ?? false)
        && !(other.allowed?.contains($0) ?? false)
    }
    allowed = nil
    excluded = bothExclude
    intervals = merged(mine + theirs)
  }

  /// As intervals alone.
  private var spread: [Interval] {
    guard let allowed else { return intervals }
    guard allowed.count <= Self.mostIntervals else { return [Interval()] }
    return allowed.map {
      Interval(low: Bound(value: $0, isClosed: true), high: Bound(value: $0, isClosed: true))
    }
  }

  private func merged(_ parts: [Interval]) -> [Interval] {
    var result: [Interval] = []
    for part in parts.sorted(by: beginsBefore) {
      if let last = result.last, touches(last, part) {
        result[result.count - 1].high = later(last.high, part.high)
      } else {
        result.append(part)
      }
    }
    return capped(result)
  }

  private func capped(_ parts: [Interval]) -> [Interval] {
    guard parts.count > Self.mostIntervals else { return parts }
    return [Interval(low: parts[0].low, high: parts[parts.count - 1].high)]
  }

  // MARK: Against another term

  /// Whether some value here and some value there can compare so.
  func canHold(_ comparison: Comparison, _ other: ValueDomain) -> Bool {
    switch comparison {
    case .notEqual: true
    case .less: isBelow(other, orEqual: false)
    case .lessOrEqual: isBelow(other, orEqual: true)
    case .greater: other.isBelow(self, orEqual: false)
    case .greaterOrEqual: other.isBelow(self, orEqual: true)
    case .equal:
      isBelow(other, orEqual: true) && other.isBelow(self, orEqual: true)
        && !(allowed.map { mine in other.allowed.map { mine.isDisjoint(with: $0) } ?? false }
          ?? false)
    }
  }

  private func isBelow(_ other: ValueDomain, orEqual: Bool) -> Bool {
    guard let low = intervals.first?.low, let high = other.intervals.last?.high else { return true }
    if precedes(low.value, high.value) { return true }
    return orEqual && low.isClosed && high.isClosed && !precedes(high.value, low.value)
  }

  // MARK: Order

  private func precedes(_ left: Value, _ right: Value) -> Bool {
    switch order {
    case .plain: Comparison.less.truth(left, right) == .boolean(true)
    case .version: SemanticVersion.truth(.less, left, right) == .boolean(true)
    }
  }

  private func intersection(_ left: Interval, _ right: Interval) -> Interval? {
    var result = left
    if let low = right.low {
      if let mine = left.low {
        if precedes(mine.value, low.value) || mine.value == low.value && !low.isClosed {
          result.low = low
        }
      } else {
        result.low = low
      }
    }
    if let high = right.high {
      if let mine = left.high {
        if precedes(high.value, mine.value) || mine.value == high.value && !high.isClosed {
          result.high = high
        }
      } else {
        result.high = high
      }
    }
    guard let low = result.low, let high = result.high else { return result }
    if precedes(low.value, high.value) { return result }
    return low.value == high.value && low.isClosed && high.isClosed ? result : nil
  }

  private func beginsBefore(_ left: Interval, _ right: Interval) -> Bool {
    guard let first = left.low else { return right.low != nil }
    guard let second = right.low else { return false }
    if first.value == second.value { return first.isClosed && !second.isClosed }
    return precedes(first.value, second.value)
  }

  /// Whether an interval that does not begin before another begins inside of it.
  private func touches(_ first: Interval, _ second: Interval) -> Bool {
    guard let high = first.high, let low = second.low else { return true }
    return !precedes(high.value, low.value)
  }

  private func later(_ left: Bound?, _ right: Bound?) -> Bound? {
    guard let left, let right else { return nil }
    if left.value == right.value { return left.isClosed ? left : right }
    return precedes(left.value, right.value) ? right : left
  }

  /// Open bounds of what comes in whole steps as closed ones.
  private func rounded(_ interval: Interval) -> Interval {
    var result = interval
    if let low = interval.low {
      switch low.value {
      case .number(let number) where shape == .whole && number.magnitude < 1e15:
        let least =
          low.isClosed ? number.rounded(.up) : number.rounded(.down) + 1
        result.low = Bound(value: .number(least), isClosed: true)
      case .date(let day) where !low.isClosed && day.days < .max:
        result.low = Bound(value: .date(Day(days: day.days + 1)), isClosed: true)
      case .timestamp(let instant) where !low.isClosed && instant.microseconds < .max:
        result.low = Bound(
          value: .timestamp(Instant(microseconds: instant.microseconds + 1)), isClosed: true)
      default: break
      }
    }
    if let high = interval.high {
      switch high.value {
      case .number(let number) where shape == .whole && number.magnitude < 1e15:
        let greatest =
          high.isClosed ? number.rounded(.down) : number.rounded(.up) - 1
        result.high = Bound(value: .number(greatest), isClosed: true)
      case .date(let day) where !high.isClosed && day.days > .min:
        result.high = Bound(value: .date(Day(days: day.days - 1)), isClosed: true)
      case .timestamp(let instant) where !high.isClosed && instant.microseconds > .min:
        result.high = Bound(
          value: .timestamp(Instant(microseconds: instant.microseconds - 1)), isClosed: true)
      default: break
      }
    }
    return result
  }
}
