/// What the vendor has said of a person as far as events have been replayed: the newest word on each
/// thing.
///
/// Words are ordered by their version, the profile's own timestamp. What carries none, such as a
/// record of the webhook or a document's sample, counts as said when its event happened. Of equal
/// versions the later event wins. An older word never replaces a newer one, whenever it arrives.
struct VendorProfile: Sendable {
  /// A level's terms with where they come from.
  struct Statement: Hashable, Sendable {
    let terms: AccessTerms
    /// Milliseconds since 1970.
    let version: Int64
    /// Time of the event that told it.
    let toldAt: Instant
  }

  /// The newest word on something.
  private struct Word<Content: Sendable>: Sendable {
    var content: Content
    var version: Int64
    /// Time of the event that told it.
    var toldAt: Instant

    /// Whether one of this version is at least as new as what is there.
    static func isNewer(_ version: Int64, than word: Word?) -> Bool {
      word.map { version >= $0.version } ?? true
    }
  }

  /// Of snapshots: all levels a person has.
  private var levels: Word<[Bytes: Statement]>?
  /// True where the word on levels, or on subscriptions, is in part or in whole none that can be read:
  /// of what it does not name nothing is known.
  private var hasUnreadLevels = false
  private var hasUnreadSubscriptions = false
  /// Of records newer than those levels.
  private var records: [Bytes: Statement] = [:]
  private var subscriptions: Word<[VendorSubscription]>?
  private var nonSubscriptions: Word<[NonSubscription]>?
  /// By product: the newest record of a subscription.
  private var feed: [Bytes: Word<VendorSubscription>] = [:]
  private var custom: Word<[Bytes: Value]>?
  private var customerUserID: Word<Bytes>?
  private var isTestUser: Word<Bool>?
  /// The newest record of a purchase; true where some level may give access by it.
  private var purchase: Word<Bool>?
  /// Of the newest record by which no level gives access.
  private var deniedVersion: Int64?
  private(set) var lastToldAt: Instant?
  /// True while no event of the vendor told anything, as of most people.
  private var isSilent = true

  // MARK: Events

  /// Takes in what an event tells.
  ///
  /// - Parameter at: the event's effective time.
  /// - Returns: whether anything may have changed.
  mutating func apply(_ event: Event, kind: EventKind, at: Instant) -> Bool {
    switch kind {
    case .profileUpdated, .purchaseFinished, .restoreFinished:
      guard let snapshot = ProfileSnapshot.read(event.params, kind: kind) else { return false }
      apply(snapshot, at)
    case .vendorRecord:
      apply(AccessRecord(name: event.name, params: event.params, at: at), at)
    default: return false
    }
    isSilent = false
    return true
  }

  private mutating func apply(_ snapshot: ProfileSnapshot, _ at: Instant) {
    let version = snapshot.timestamp ?? milliseconds(at)
    if let said = snapshot.levels, Word.isNewer(version, than: levels) {
      levels = Word(
        content: said.mapValues { Statement(terms: $0, version: version, toldAt: at) },
        version: version, toldAt: at)
      records = records.filter { $0.value.version > version }
      hasUnreadLevels = snapshot.hasUnreadableLevels
      lastToldAt = at
    } else if snapshot.hasUnreadableLevels, levels == nil {
      hasUnreadLevels = true
      lastToldAt = at
    }
    if let said = snapshot.subscriptions, Word.isNewer(version, than: subscriptions) {
      subscriptions = Word(content: said, version: version, toldAt: at)
      hasUnreadSubscriptions = snapshot.hasUnreadableSubscriptions
      lastToldAt = at
    } else if snapshot.hasUnreadableSubscriptions, subscriptions == nil {
      hasUnreadSubscriptions = true
      lastToldAt = at
    }
    if let said = snapshot.nonSubscriptions, Word.isNewer(version, than: nonSubscriptions) {
      nonSubscriptions = Word(content: said, version: version, toldAt: at)
    }
    if let said = snapshot.custom, Word.isNewer(version, than: custom) {
      custom = Word(content: said, version: version, toldAt: at)
    }
    if let said = snapshot.customerUserID, Word.isNewer(version, than: customerUserID) {
      customerUserID = Word(content: said, version: version, toldAt: at)
    }
    if let said = snapshot.isTestUser, Word.isNewer(version, than: isTestUser) {
      isTestUser = Word(content: said, version: version, toldAt: at)
    }
  }

  private mutating func apply(_ record: AccessRecord, _ at: Instant) {
    let version = milliseconds(at)
    lastToldAt = at
    if record.deniesAccess { deniedVersion = max(deniedVersion ?? version, version) }
    if let said = record.custom, Word.isNewer(version, than: custom) {
      custom = Word(content: said, version: version, toldAt: at)
    }
    if var said = record.subscription {
      let product = said.terms.productID ?? .empty
      // A failed charge and the grace period it brings are two records: neither takes the other back.
      if let known = feed[product]?.content.terms, known.isInGracePeriod == true,
        said.terms.billingIssueDetectedAt != nil
      {
        said.terms.isInGracePeriod = true
        let ends = [known.expiresAt, said.terms.expiresAt].compactMap { $0 }
        if let end = ends.max() { said.terms.expiry = .at(end) }
      }
      if Word.isNewer(version, than: feed[product]) {
        feed[product] = Word(content: said, version: version, toldAt: at)
      }
    }
    switch record.content {
    case .level(let id, let terms):
      guard Word.isNewer(version, than: levels), version >= records[id]?.version ?? version else {
        return
      }
      records[id] = Statement(terms: terms, version: version, toldAt: at)
    case .purchase(let mayHaveAccess):
      if Word.isNewer(version, than: purchase) {
        purchase = Word(content: mayHaveAccess, version: version, toldAt: at)
      }
    }
  }

  private func milliseconds(_ instant: Instant) -> Int64 { instant.microseconds / 1000 }

  // MARK: Levels

  /// Ids of the levels of the newest snapshot and of newer records, by bytes.
  var levelIDs: [Bytes] {
    Set((levels?.content ?? [:]).keys).union(records.keys).sorted()
  }

  func statement(of level: Bytes) -> Statement? { records[level] ?? levels?.content[level] }

  /// True once the vendor said anything about access.
  var hasSpoken: Bool {
    levels != nil || !records.isEmpty || purchase != nil || subscriptions != nil
      || hasUnreadLevels || hasUnreadSubscriptions
  }

  /// Whether a level gives access at an instant, and when time alone changes that.
  ///
  /// A level that the newest word does not name gives none, unless something was bought since then
  /// and no level known is active: then nobody knows which one it unlocked.
  func activity(of level: Bytes, at now: Instant) -> (isActive: Bool?, changesAt: Instant?) {
    let own: (isActive: Bool?, changesAt: Instant?) =
      statement(of: level).map { ownActivity($0, at: now) } ?? (hasUnreadLevels ? nil : false, nil)
    guard own.isActive == false, hasUnnamedPurchase else { return own }
    let isExplained = allStatements.contains { ownActivity($0, at: now).isActive != false }
    return (isExplained ? false : nil, nextChange(after: now))
  }

  private func ownActivity(
    _ statement: Statement, at now: Instant
  ) -> (isActive: Bool?, changesAt: Instant?) {
    if let deniedVersion, statement.version < deniedVersion { return (false, nil) }
    return statement.terms.activity(at: now)
  }

  private var allStatements: [Statement] { levelIDs.compactMap { statement(of: $0) } }

  /// Whether the newest word is a purchase that may have unlocked a level, and no word on levels.
  private var hasUnnamedPurchase: Bool {
    guard let purchase, purchase.content else { return false }
    let named = max(levels?.version ?? .min, records.values.map(\.version).max() ?? .min)
    return purchase.version > named
  }

  // MARK: Subscriptions

  /// The state of all subscriptions, nil for unknown, and when time alone changes it.
  func subscriptionState(at now: Instant) -> (state: SubscriptionState?, changesAt: Instant?) {
    let terms = subscriptionTerms
    var state = SubscriptionState.of(terms, at: now)
    // What cannot be read may be a subscription.
    if state == .neverSubscribed, hasUnreadLevels || hasUnreadSubscriptions { state = nil }
    let change = terms.reduce(nil) { earlier($0, $1.activity(at: now).changesAt) }
    return (state, change)
  }

  /// The subscriptions that a snapshot lists, and the levels that rest on none of them.
  ///
  /// A lifetime and a level that somebody granted by hand are no subscriptions. Denied terms count
  /// as what is over.
  private var subscriptionTerms: [AccessTerms] {
    var result: [AccessTerms] = []
    var listed: Set<Bytes> = []
    var told = Set(records.values.compactMap { $0.terms.productID })
    // A record of a feed counts until a profile is seen that is newer: that one lists all there is.
    let seen = max(levels?.version ?? .min, subscriptions?.version ?? .min)
    for (product, word) in feed.sorted(by: { $0.key < $1.key })
    where word.version > seen && !told.contains(product) {
      told.insert(product)
      listed.insert(product)
      result.append(current(word.content.terms, word.version))
    }
    if let subscriptions {
      for terms in subscriptions.content.map(\.terms) {
        // A newer record of the same product says more.
        if let id = terms.productID {
          if told.contains(id) { continue }
          listed.insert(id)
        }
        if terms.isLifetime != true { result.append(current(terms, subscriptions.version)) }
      }
    }
    for statement in allStatements {
      let terms = statement.terms
      if let id = terms.productID, listed.contains(id) { continue }
      if terms.isLifetime == true || terms.expiry == .never && terms.isActive != false
        || terms.store == Self.granted
      {
        continue
      }
      result.append(current(terms, statement.version))
    }
    return result
  }

  private static let granted: Bytes = "adapty"

  /// Terms as they are after the newest record by which nothing gives access any more.
  private func current(_ terms: AccessTerms, _ version: Int64) -> AccessTerms {
    guard let deniedVersion, version < deniedVersion else { return terms }
    var terms = terms
    terms.isActive = false
    return terms
  }

  /// The subscriptions of the newest snapshot that lists any, and of newer records.
  private var listedSubscriptions: [Word<VendorSubscription>] {
    let seen = subscriptions?.version ?? .min
    let newer = feed.filter { $0.value.version > seen }
    var result: [Word<VendorSubscription>] = []
    var older: [Bytes: VendorSubscription] = [:]
    for subscription in subscriptions?.content ?? [] {
      let product = subscription.terms.productID ?? .empty
      older[product] = subscription
      guard newer[product] == nil, let subscriptions else { continue }
      result.append(
        Word(content: subscription, version: subscriptions.version, toldAt: subscriptions.toldAt))
    }
    for (product, word) in newer {
      var word = word
      if let known = older[product] { word.content.fill(from: known) }
      result.append(word)
    }
    return result
  }

  /// The first instant after now at which time alone changes what any level or subscription is.
  func nextChange(after now: Instant) -> Instant? {
    guard !isSilent else { return nil }
    var change: Instant?
    for statement in allStatements {
      change = earlier(change, ownActivity(statement, at: now).changesAt)
    }
    for terms in subscriptionTerms { change = earlier(change, terms.activity(at: now).changesAt) }
    for word in listedSubscriptions {
      let terms = current(word.content.terms, word.version)
      change = earlier(change, terms.activity(at: now).changesAt)
    }
    return change
  }

  // MARK: Facts

  /// What a rule reads, and when time alone changes it.
  func value(
    of fact: AccessFact, of level: Bytes, at now: Instant
  ) -> (Value, changesAt: Instant?) {
    if fact == .isActive {
      let (isActive, changesAt) = activity(of: level, at: now)
      return (isActive.map { .boolean($0) } ?? .null, changesAt)
    }
    guard let terms = statement(of: level)?.terms else { return (.null, nil) }
    func boolean(_ value: Bool?) -> Value { value.map { .boolean($0) } ?? .null }
    func time(_ value: Instant?) -> Value { value.map { .timestamp($0) } ?? .null }
    func text(_ value: Bytes?) -> Value { value.map { .text($0) } ?? .null }
    let value: Value =
      switch fact {
      case .isActive: .null
      case .isLifetime: boolean(terms.isLifetime)
      case .isRefund: boolean(terms.isRefund)
      case .isInGracePeriod: boolean(terms.isInGracePeriod)
      case .hasBillingIssue: .boolean(terms.billingIssueDetectedAt != nil)
      case .willRenew: boolean(terms.willRenew)
      case .activatedAt: time(terms.activatedAt)
      case .renewedAt: time(terms.renewedAt)
      case .startsAt: time(terms.startsAt)
      case .expiresAt: time(terms.expiresAt)
      case .unsubscribedAt: time(terms.unsubscribedAt)
      case .billingIssueDetectedAt: time(terms.billingIssueDetectedAt)
      case .productID: text(terms.productID)
      case .store: text(terms.store)
      case .introductoryOfferType: text(terms.introductoryOfferType)
      case .promotionalOfferType: text(terms.promotionalOfferType)
      case .cancellationReason: text(terms.cancellationReason)
      }
    return (value, nil)
  }

  /// An attribute that the app set; one of another type counts as not set, as in the vendor's segments.
  func customValue(_ key: Bytes, _ type: ValueType) -> Value {
    switch (custom?.content[key], type) {
    case (.number(let number)?, .number): .number(number)
    case (.text(let text)?, .text): .text(text)
    default: .null
    }
  }

  /// What the profile says of a person that envelopes may leave out.
  func latest(_ key: ContextKey) -> Bytes? {
    switch key {
    case .customerUserID: customerUserID?.content
    case .isTestUser: isTestUser.map { $0.content ? Self.yes : Self.no }
    default: nil
    }
  }

  private static let yes: Bytes = "true"
  private static let no: Bytes = "false"

  // MARK: Outcome

  /// One row a level, by id.
  func levelOutcomes(at now: Instant) -> [AccessLevelOutcome] {
    guard !isSilent else { return [] }
    return levelIDs.compactMap { id in
      statement(of: id).map { statement in
        AccessLevelOutcome(
          level: id, isActive: activity(of: id, at: now).isActive, terms: statement.terms,
          version: Instant(microseconds: statement.version &* 1000), toldAt: statement.toldAt)
      }
    }
  }

  /// One row a subscription, by product and number.
  func subscriptionListings(at now: Instant) -> [SubscriptionListing] {
    guard !isSilent else { return [] }
    var numbers: [Bytes: Int32] = [:]
    return listedSubscriptions.map { word in
      let product = word.content.terms.productID ?? .empty
      numbers[product, default: 0] += 1
      return SubscriptionListing(
        word.content, productID: product, number: numbers[product] ?? 1,
        isActive: current(word.content.terms, word.version).activity(at: now).isActive,
        version: Instant(microseconds: word.version &* 1000), toldAt: word.toldAt)
    }
    .sorted { ($0.productID, $0.number) < ($1.productID, $1.number) }
  }

  /// One row a purchase that the newest snapshot lists, by id.
  var nonSubscriptionListings: [NonSubscriptionListing] {
    nonSubscriptions.map {
      NonSubscriptionListing.all(
        $0.content, version: Instant(microseconds: $0.version &* 1000), toldAt: $0.toldAt)
    } ?? []
  }

  /// Nil where the vendor never said anything of access.
  func subscriptionOutcome(at now: Instant) -> SubscriptionOutcome? {
    guard hasSpoken, let lastToldAt else { return nil }
    return SubscriptionOutcome(state: subscriptionState(at: now).state, toldAt: lastToldAt)
  }
}

/// One row of `access_levels`.
package struct AccessLevelOutcome: Hashable, Sendable {
  package var level: Bytes
  /// At the outcome's instant; nil for unknown.
  package var isActive: Bool?
  package var terms: AccessTerms
  /// The profile's own timestamp, or the time of the event where it has none.
  package var version: Instant
  /// Time of the event that told it.
  package var toldAt: Instant

  package init(
    level: Bytes, isActive: Bool?, terms: AccessTerms, version: Instant, toldAt: Instant
  ) {
    self.level = level
    self.isActive = isActive
    self.terms = terms
    self.version = version
    self.toldAt = toldAt
  }
}

/// One row of `profile_subscriptions`.
package struct SubscriptionOutcome: Hashable, Sendable {
  /// At the outcome's instant; nil for unknown.
  package var state: SubscriptionState?
  /// Time of the event that said something of it last.
  package var toldAt: Instant

  package init(state: SubscriptionState?, toldAt: Instant) {
    self.state = state
    self.toldAt = toldAt
  }
}
