import Core
import Store

@testable import sluice

/// Microseconds after 2026-03-01T10:00:00Z, for readable times in tests.
func at(minute: Int64) -> Instant {
  Instant(microseconds: 1_772_359_200_000_000 + minute * 60_000_000)
}

/// An event of a source that numbers its events.
func storeEvent(
  _ id: String, minute: Int64, name: String = "flow_screen_showed", session: String = "s",
  params: String = ""
) -> Event {
  Event(
    identity: Identity(id: Bytes(id)), name: Bytes(name), sessionID: Bytes(session),
    occurredAt: at(minute: minute), params: Bytes(params),
    context: Context([.platform: "ios", .isTestUser: "true", .installedAt: "1772359200000000"]))
}

/// A small stand-in for the real derivation that fills every table: pure in events and instant.
///
/// One run a session, with a screen and an answer for each event; attribute `n` counts events,
/// `why` is missing; segment `many` begins with the third event; placement `offer` is next then.
func exampleOutcome(_ set: PersonEvents, _ asOf: Instant) -> Outcome {
  let ordered = set.events.sorted { ($0.occurredAt, $0.identity) < ($1.occurredAt, $1.identity) }
  let seen = ordered.filter { $0.occurredAt <= asOf }
  let times = seen.map(\.occurredAt)
  let sessions = Set(seen.compactMap(\.sessionID)).sorted()
  let isMany = seen.count >= 3
  return Outcome(
    profile: ProfileSummary(
      profileID: set.profileID, firstEventAt: times.first, lastEventAt: times.last,
      events: seen.count, eventsAhead: ordered.count - seen.count,
      latest: seen.last?.context ?? .empty,
      nextReviewAt: ordered.first { $0.occurredAt > asOf }?.occurredAt,
      next: NextPlacement(
        placementID: isMany ? "offer" : nil, because: isMany ? "many" : "few",
        storeMessages: isMany ? ["billing_issue"] : [])),
    runs: sessions.map { session in
      exampleRun(set.profileID, session, seen.filter { $0.sessionID == session })
    },
    attributes: seen.isEmpty
      ? []
      : [
        AttributeOutcome(
          key: "n", value: .number(Double(seen.count)), setAt: times[times.count - 1], runID: nil),
        AttributeOutcome(key: "why", value: .absent(.notAsked), setAt: times[0], runID: nil),
      ],
    attributeHistory: seen.indices.dropLast().filter { times[$0] < times[$0 + 1] }.map { index in
      AttributeInterval(
        key: "n", value: .number(Double(index + 1)), from: times[index], to: times[index + 1])
    },
    segments: isMany ? [SegmentMembership(segment: "many", since: times[2])] : [],
    segmentHistory: isMany
      ? [SegmentInterval(segment: "few", from: times[0], to: times[2])] : [],
    decisions: [
      PlacementDecision(
        placementID: "offer", audience: isMany ? "many" : "default", audienceVersionID: nil,
        flowID: "f", variationID: "v", variationSource: .predicted, variationReason: nil,
        tags: [PlacementDecision.Tag(name: "n", value: Bytes(String(seen.count)))])
    ])
}

private func exampleRun(_ profileID: Bytes, _ session: Bytes, _ events: [Event]) -> FlowRun {
  let start = events.first?.occurredAt ?? at(minute: 0)
  return FlowRun(
    runID: Bytes(profileID.string + "-" + session.string), sessionID: session, number: 1,
    flow: "onboarding", placementID: "onboarding", flowID: nil, flowVersionID: nil,
    variationID: nil, platform: "ios", appVersion: nil, country: nil, startedAt: start,
    endedAt: nil, lastEventAt: events.last?.occurredAt ?? start, completedAt: nil,
    lastScreenID: events.last?.identity.bytes,
    answers: events.map { event in
      Answer(
        screen: event.identity.bytes, element: "e", type: "text", value: .text(event.params),
        at: event.occurredAt)
    },
    path: events.map { event in
      PathStep(
        screen: event.identity.bytes, order: nil, isLast: false, firstAt: event.occurredAt,
        views: 1, spentMilliseconds: nil)
    })
}

extension Generation {
  static let example = Generation(
    hash: "g1", pipeline: "example", text: "pipeline: example", resolverVersion: 1, codec: 1)
  static let second = Generation(
    hash: "g2", pipeline: "example", text: "pipeline: example # 2", resolverVersion: 1, codec: 1)
}

extension Store {
  /// Starts the example's generation and a job at a fixed instant.
  func exampleJob(
    asOf: Instant = at(minute: 1000), _ generation: Generation = .example
  ) throws -> Job {
    try startGeneration(
      generation, attributes: [DeclaredAttribute(key: "n", isNumber: true)],
      segments: [
        DeclaredSegment(name: "few", rule: "screens < 3"),
        DeclaredSegment(name: "many", rule: "screens >= 3"),
      ])
    return try startJob(command: "run", asOf: asOf, isForced: true, generation: generation)
  }

  /// Stores events of any shards, one unit a shard, ascending; gives the sums.
  @discardableResult
  func load(
    _ events: [Bytes: [Event]], _ job: Job, from firstUnit: Int64 = 0,
    people: PeopleRules = PeopleRules(), inTwoSteps: Bool = false,
    resolve: (PersonEvents, Instant) -> Outcome = exampleOutcome
  ) throws -> UnitCounts {
    var sums = UnitCounts()
    let shards = Dictionary(grouping: events.keys) { Shard(of: $0, .system) }
    for (index, shard) in shards.keys.sorted().enumerated() {
      let ids = shards[shard] ?? []
      var incoming = Dictionary(uniqueKeysWithValues: ids.map { ($0, events[$0] ?? []) })
      if inTwoSteps {
        let result = try runUnit(
          job, number: -1 - firstUnit - Int64(index), shard: shard, incoming: incoming,
          staysInShard: true, people: people, resolve: resolve)
        sums += result.counts
        incoming = incoming.filter { result.left.contains($0.key) }
      }
      sums += try runUnit(
        job, number: firstUnit + Int64(index), shard: shard, incoming: incoming, people: people,
        resolve: resolve
      ).counts
    }
    return sums
  }

  /// Does all pending work of a job, as a command does after its input.
  @discardableResult
  func settle(
    _ job: Job, from firstUnit: Int64 = 10_000, limit: Int = 2000,
    people: PeopleRules = PeopleRules(),
    resolve: (PersonEvents, Instant) -> Outcome = exampleOutcome
  ) throws -> UnitCounts {
    var sums = UnitCounts()
    var number = firstUnit
    while case let pending = try pendingWork(for: job), !pending.isEmpty {
      for work in pending {
        let result = try runUnit(
          job, number: number, shard: work.shard, incoming: [:], refold: work.refold,
          refoldLimit: limit, people: people, resolve: resolve)
        sums += result.counts
        number += 1
      }
    }
    return sums
  }

  func dumpLines(asOf: Instant) throws -> [String] {
    var lines: [String] = []
    try dump(asOf: asOf) { lines.append(String(decoding: $0, as: UTF8.self)) }
    return lines
  }

  /// Where each row of the tables under the law was written last: equal snapshots mean that no row
  /// was written in between.
  func rowVersions(where condition: String = "true") throws -> [[String?]] {
    let tables = [
      "profile_events", "profiles", "flow_runs", "custom_attributes", "attribute_history",
      "segment_members", "segment_history", "placement_decisions", "purchases",
      "store_transactions", "product_selections", "restores", "flow_errors", "exposures",
      "access_levels", "profile_subscriptions", "store_messages", "profile_links",
      "profile_aliases", "ununited_profiles",
    ]
    let parts = tables.map {
      "select '\($0)', profile_id, xmin::text, ctid::text from sluice.\($0) where \(condition)"
    }
    let shards =
      "select 'shard_state', shard::text, xmin::text, ctid::text from sluice.shard_state where \(condition == "true")"
    return try query((parts + [shards]).joined(separator: " union all ") + " order by 1, 2, 3, 4")
      .rows
  }
}
