import Ingest
import Testing

@testable import Core
@testable import sluice

@Suite("Links between ids")
struct PeopleRulesTests {
  private func links(
    _ events: [Event], _ unitesBy: Set<PeopleRules.External> = [], of id: Bytes = "p",
    asOf: Int64 = 1000
  ) -> [String] {
    PeopleRules(unitesBy: unitesBy).links(
      of: EventSet(profileID: id, events: events), asOf: at(minute: asOf)
    ).sorted().map { "\($0.fromID.string) \($0.intoID.string) \($0.origin.rawValue)" }
  }

  private func merge(_ params: String) -> Event {
    storeEvent(params, minute: 1, name: "profile_merged", params: params)
  }

  @Test("a merge names two ids, as text or whole numbers, UUIDs in lower case")
  func merges() {
    #expect(links([mergeEvent("a", "b")]) == ["a b profile_merged"])
    #expect(links([merge(#"{"from":7,"into":"b"}"#)]) == ["7 b profile_merged"])
    #expect(
      links([
        merge(
          #"{"from":"0B8F35D2-3B0A-4F5E-8A55-2F3F7C5D1E9A","into":"B"}"#)
      ]) == ["0b8f35d2-3b0a-4f5e-8a55-2f3f7c5d1e9a B profile_merged"])
    #expect(
      links([mergeEvent("a", "b", id: "1"), mergeEvent("a", "b", id: "2")])
        == ["a b profile_merged"])
  }

  @Test(
    "a merge with an end that is missing, junk, too long or the other end makes no link",
    arguments: [
      #"{"from":"a"}"#, #"{"into":"a"}"#, "{}", "", #"{"from":"a","into":"a"}"#,
      #"{"from":null,"into":"b"}"#, #"{"from":"NULL","into":"b"}"#, #"{"from":"","into":"b"}"#,
      #"{"from":"a","into":"[object Object]"}"#, #"{"from":true,"into":"b"}"#,
      #"{"from":1.5,"into":"b"}"#, #"{"from":["a"],"into":"b"}"#,
      #"{"from":"00000000-0000-0000-0000-000000000000","into":"b"}"#,
      #"{"from":"\#(String(repeating: "x", count: 201))","into":"b"}"#, #"{"from":7,"into":"7"}"#,
    ])
  func refused(_ params: String) {
    #expect(links([merge(params)]) == [])
  }

  @Test("what is junk in the envelope is junk in a merge")
  func sameJunk() throws {
    for junk in ProfileID.junk {
      let line =
        #"{"event_name":"x","profile_id":"\#(junk.string)","occurred_at":"2026-03-01T10:00:00Z"}"#
      let read = try InputReading(line + "\n")
      #expect(read.events.isEmpty, "\(junk.string)")
    }
  }

  @Test("a merge counts from its own instant on")
  func asOf() {
    #expect(links([mergeEvent("a", "b", minute: 20)], asOf: 19) == [])
    #expect(links([mergeEvent("a", "b", minute: 20)], asOf: 20) == ["a b profile_merged"])
  }

  @Test("the owner's id of a person is a link only where the pipeline says so")
  func customers() {
    let events = [
      customerEvent("1", customer: "42", minute: 1), customerEvent("2", customer: "42", minute: 2),
      customerEvent("3", customer: "none", minute: 3),
    ]
    #expect(links(events) == [])
    #expect(links(events, [.integrationIDs]) == [])
    #expect(links(events, [.customerUserID]) == ["p cu:42 customer_user_id"])
    #expect(links(events, [.customerUserID], of: "cu:42") == [])
  }

  @Test("the vendor's records name the ids of other tools, as a mapping or as its text")
  func integrations() {
    let mapping =
      #"{"adjust_device_id":"x","amplitude_device_id":"d1","firebase_app_instance_id":"f1"}"#
    let expected = ["p amplitude:d1 integration_ids", "p ga4:f1 integration_ids"]
    let asMapping = storeEvent(
      "1", minute: 1, name: "subscription_started", params: #"{"integration_ids":\#(mapping)}"#)
    let text = String(decoding: jsonString(Bytes(mapping)), as: UTF8.self)
    let asText = storeEvent(
      "1", minute: 1, name: "subscription_renewed", params: #"{"integration_ids":\#(text)}"#)
    #expect(links([asMapping], [.integrationIDs]) == expected)
    #expect(links([asText], [.integrationIDs]) == expected)
    #expect(links([asMapping]) == [])
    let others =
      #"{"amplitude_device_id":"","mixpanel_user_id":12,"posthog_distinct_user_id":null,"appmetrica_device_id":"a"}"#
    #expect(
      links(
        [
          storeEvent(
            "1", minute: 1, name: "trial_started", params: #"{"integration_ids":\#(others)}"#)
        ], [.integrationIDs])
        == ["p appmetrica:a integration_ids", "p mixpanel:12 integration_ids"])
    var other = asMapping
    other.name = "cta_tapped"
    #expect(links([other], [.integrationIDs]) == [])
  }

  @Test("ids of other tools begin with a word and a colon")
  func external() {
    for id: Bytes in ["cu:42", "amplitude:d", "ga4:1.2", "one_signal:x"] {
      #expect(ProfileID.isExternal(id), "\(id.string)")
    }
    for id: Bytes in ["", "a", ":a", "cu:", "4u:1", "Cu:1", "a b:c", "é:1", "_a:1"] {
      #expect(!ProfileID.isExternal(id), "\(id.string)")
    }
  }

  @Test("the smallest vendor id that was given up for no other stands for the person")
  func canonical() {
    func canonical(_ members: [Bytes], _ givenUp: Set<Bytes> = []) -> Bytes {
      Components.canonical(of: members, givenUp: givenUp)
    }
    #expect(canonical(["a", "b", "c"], ["a"]) == "b")
    #expect(canonical(["amplitude:1", "b", "cu:1"]) == "b")
    #expect(canonical(["amplitude:1", "b", "cu:1"], ["b"]) == "b")
    #expect(canonical(["a", "b"], ["a", "b"]) == "a")
    #expect(canonical(["amplitude:1", "cu:1"]) == "amplitude:1")
    #expect(canonical(["A", "a"]) == "A")
  }

  @Test("one identity under two ids is two events; a run keeps the id its first event came under")
  func sideBySide() throws {
    var first = EventScript()
    first.session = "one"
    first.onboarding(0, weight: "80", height: "180")
    var second = EventScript()
    second.session = "two"
    second.onboarding(1000, weight: "90", height: "180")
    let pipeline = try PipelineFile.checked("pipeline: x\n")
    let sets = [
      EventSet(profileID: "b", events: first.events),
      EventSet(profileID: "a", events: second.events),
    ]
    let alone = sets.map { resolve($0, pipeline, asOf: EventScript.at(1e6), .system) }
    let person = PersonEvents(profileID: "b", aliases: ["a"], sets: sets)
    let together = resolve(person, pipeline, asOf: EventScript.at(1e6), .system)
    #expect(together.profile.profileID == "b")
    #expect(together.profile.events == first.events.count + second.events.count)
    #expect(together.runs.map(\.runID) == alone.flatMap(\.runs).map(\.runID).sorted())
    #expect(together.runs.map(\.number).sorted() == [1, 2])
    #expect(person.inOrder.map(\.profileID.string) == "bbbbbbaaaaaa".map { String($0) })
    #expect(
      PersonEvents(profileID: "b", aliases: ["a"], sets: sets.reversed()) == person,
      "the order of the sets shows")
  }

  @Test("a session that goes on under another id is one session")
  func oneSession() throws {
    var script = EventScript()
    script.appeared(0)
    script.screen(1, "scr_body")
    script.input(2, "weight", "80")
    script.screen(3, "scr_done", last: true)
    let pipeline = try PipelineFile.checked("pipeline: x\n")
    let sets = [
      EventSet(profileID: "anonymous", events: Array(script.events.prefix(2))),
      EventSet(profileID: "known", events: Array(script.events.dropFirst(2))),
    ]
    let outcome = resolve(
      PersonEvents(profileID: "known", aliases: ["anonymous"], sets: sets), pipeline,
      asOf: EventScript.at(1e6), .system)
    #expect(outcome.runs.count == 1)
    #expect(outcome.runs.first?.completedAt != nil)
    #expect(outcome.runs.first?.answers.count == 1)
  }
}
