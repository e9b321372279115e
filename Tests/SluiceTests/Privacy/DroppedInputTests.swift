import Core
import Foundation
import Testing

@testable import Ingest
@testable import Store
@testable import sluice

/// What `privacy: drop` keeps out, in every place where it can come.
@Suite("Inputs that are never stored")
struct DroppedInputTests {
  @Test("are found wherever their element stands in params, and nothing else is taken for them")
  func places() {
    let rules = PrivacyRules(elementTypes: ["email_input"], elements: ["surname", "my_mail"])
    func refuses(_ params: String) -> Bool {
      rules.refuses(
        Event(
          identity: Identity(id: "1"), name: "x", occurredAt: Instant(microseconds: 0),
          params: Bytes(params)))
    }
    for params in [
      #"{"element_id":"surname","value":"x"}"#, #"{"element_id":"Surname"}"#,
      #"{"elementId":"surname"}"#, #"{"element-id":"my-mail"}"#, #"{"ELEMENT_ID":"MyMail"}"#,
      #"{"element_type":"EmailInput"}"#, #"{"elementType":"email-input"}"#,
      #"{"params":{"element_id":"surname"}}"#, #"{"params":"{\"element_id\":\"surname\"}"}"#,
      #"{"a":[{"b":{"element_id":"surname"}}]}"#, #"{"a":{"type":"email_input"}}"#,
      #"{"answers":[{"element_id":"x"},{"element_id":"surname","value":"m"}]}"#,
      #"{"answers":[{"id":"surname","value":"m"}]}"#, #"{"answers":{"surname":"m"}}"#,
      #"{"answers":"[{\"key\":\"surname\",\"value\":\"m\"}]"}"#,
      #"{"userInputs":{"page":{"surname":{"value":"m"}}}}"#,
      #"{"event_params":[{"key":"element_id","value":{"string_value":"surname"}}]}"#,
      #"{"event_params":[{"key":"element_type","value":{"string_value":"email_input"}}]}"#,
      #"{"event_params":[["element_id","surname"],["value","m"]]}"#,
      #"{"data":{"surname":"X","goal":"x"}}"#, #"{"answers":[["surname","X"]]}"#,
      #"{"element":{"id":"surname"},"value":"X"}"#, #"{"element_id":["surname"],"value":"X"}"#,
      #"{"element_type":"email"}"#, #"{"inputType":"E-mail"}"#,
      "{\"element_id\":\"sur\u{200B}name\"}", "{\"element\u{00AD}_id\":\"surname\"}",
      "{\"element_id\":\"\u{FEFF}surname\"}",
    ] {
      #expect(refuses(params), "\(params)")
    }
    // The older onboardings tell of an e-mail address by the event's name alone.
    #expect(
      rules.refuses(
        Event(
          identity: Identity(id: "1"), name: "user_email_collected",
          occurredAt: Instant(microseconds: 0), params: #"{"element_id":"x","reply":"m"}"#)))
    for params in [
      "", "{}", #"{"element_id":"name","value":"surname"}"#, #"{"name":"surname"}"#,
      #"{"element_id":"contact","item_ids":["email_input"],"value":"email_input"}"#,
      #"{"element_id":"surname2"}"#,
      #"{"type":"email"}"#, #"{"product":{"id":"surname"}}"#, #"{"surname":"x"}"#,
      "{\"a\":", "[[[[", #"{"a":"{\"element_id\":"}"#,
    ] {
      #expect(!refuses(params), "\(params)")
    }
  }

  @Test(
    "of every source's export no event is left that names the element or type",
    arguments: SourceFixture.all)
  func sources(_ fixture: SourceFixture) throws {
    let input = try SourceInput(
      fixture.text(of: fixture.export), as: SourcesFolder().mapping(fixture.source))
    let names = input.items.map { FlowParams($0.event.params) }
    let types = Set(names.map(\.elementType)).subtracting([.empty])
    for element in Set(names.compactMap(\.element)) {
      let rules = PrivacyRules(elements: [element])
      let kept = input.items.filter { !rules.refuses($0.event) }
      #expect(kept.count < input.items.count)
      #expect(
        !kept.contains { $0.event.params.string.contains("\"\(element.string)\"") }, "\(element)")
    }
    for type in types {
      let rules = PrivacyRules(elementTypes: [type])
      let kept = input.items.filter { !rules.refuses($0.event) }
      #expect(kept.count < input.items.count)
      #expect(!kept.contains { $0.event.params.string.contains("\"\(type.string)\"") }, "\(type)")
    }
  }

  @Test("leave no trace in any table and in no file, accepted or refused, wrapped or cut")
  func nowhere() async throws {
    let folder = try ScratchFolder()
    let database = try ScratchDatabase()
    let pipeline = try folder.write(
      "pipeline: p\nprivacy: { drop: [email_input, phone_input, element: surname] }\n", as: "p.yaml"
    )
    func record(_ id: Int, _ params: String, time: String = "2026-03-01T10:00:00Z") -> String {
      #"{"event_id":"\#(id)","event_name":"flow_user_input","profile_id":"p","occurred_at":"\#(time)","params":\#(params)}"#
    }
    let places = [
      #"{"element_id":"m","element_type":"email_input","value":"MARKER"}"#,
      #"{"element_id":"m","elementType":"phoneInput","value":"MARKER"}"#,
      #"{"element_id":"surname","value":["MARKER"],"item_titles":["MARKER"]}"#,
      #"{"answers":[{"element_id":"surname","value":"MARKER"}],"MARKER":1}"#,
      #"{"answers":{"surname":{"value":"MARKER"}}}"#,
      #"{"name":"flow_user_input","params":"{\"element_id\":\"surname\",\"value\":\"MARKER\"}"}"#,
    ]
    var lines = places.enumerated().map { record($0.offset, $0.element) }
    // Refused, cut, and in base64.
    lines += places.map { record(50, $0, time: "yesterday") }
    lines.append(
      #"{"data":"\#(Data(record(60, places[0], time: "x").utf8).base64EncodedString())"}"#)
    lines.append(String(record(61, places[0]).dropLast(30)))
    lines.append(record(70, #"{"element_id":"kept","value":"KEPT"}"#))
    let file = try folder.write(lines.joined(separator: "\n"), as: "in/a.ndjson")
    let segment = try folder.write(
      places.enumerated().map {
        #"{"type":"track","event":"flow_user_input","userId":"p","messageId":"s\#($0.offset)","timestamp":"2026-03-01T10:00:00Z","properties":\#($0.element)}"#
      }.joined(separator: "\n"), as: "in/segment.ndjson")
    let done = try await CommandRun(
      [
        "run", "--pipeline", pipeline, "--as-of", "2026-11-20", "--max-rejects", "100%",
        "--rejects", folder.path + "/rejects", "--keep-rejects", folder.path + "/kept", file,
        segment,
      ], on: database)
    #expect(done.code == .done, "\(done.words)")
    #expect(done.words.contains("no texts of rejects are kept"))
    #expect(try database.traces(of: "KEPT") != [])
    for text in ["MARKER", "marker", "TUFSS0VS"] {
      #expect(try database.traces(of: text) == [], "\(text)")
      for path in ["/rejects", "/kept/rejects-job-1.ndjson"] {
        let written = try String(contentsOfFile: folder.path + path, encoding: .utf8)
        #expect(!written.contains(text) && written.contains("invalid_time"), "\(path)")
      }
    }
  }
}
