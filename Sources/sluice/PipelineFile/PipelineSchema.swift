internal import Core

/// A JSON Schema (draft 2020-12) of pipeline files, for editors.
///
/// Keys come from the tables that the reader itself uses, so that an editor refuses what the reader
/// refuses; what only a reader of rules can see is `sluice check`'s.
enum PipelineSchema {
  static var text: String { document.text }

  static var document: JSONValue {
    guard case .object(let members) = pipeline else { return pipeline }
    return .object(
      [
        ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
        ("title", .text("Sluice pipeline")),
      ] + members)
  }

  // MARK: Sections

  private static var pipeline: JSONValue {
    object(
      .pipeline,
      [
        "pipeline": name, "description": freeText, "include": names, "history_starts": word,
        "time_zone": word, "default_language": word, "runs": runs,
        "people": object(
          .people, ["unite_by": external, "max_events": integer(PeopleRules.maximumEventsRange)]),
        "privacy": object(.privacy, ["drop": drop]), "limits": limits, "flows": named(flow),
        "answers": named(answer), "custom": named(choice(["number", "text"])),
        "attributes": named(attribute), "segments": named(rule),
        "reports": object(.reports, ["exclude": name]), "placements": named(placement),
        "next": optionalList(next), "tests": optionalList(test),
      ])
  }

  private static var limits: JSONValue {
    var forms = ["flow_runs": integer(RunSettings.flowRunsRange)]
    for limit in RecordLimit.allCases {
      let count = integer(limit.range)
      forms[limit.rawValue] =
        limit.isSize
        ? anyOf([
          count,
          .object([("type", .text("string")), ("pattern", .text("^[0-9]+([KMG]iB|[kKMG]?B)?$"))]),
        ]) : count
    }
    return object(.limits, forms)
  }

  private static var flow: JSONValue {
    object(
      .flow,
      [
        "placements": names, "flows": names, "flow_ids": names, "screens": names,
        "completed": names, "same_as": named(name), "resume_within": word, "description": freeText,
      ])
  }

  private static var runs: JSONValue {
    object(
      .runs,
      [
        "gap_without_session": word, "gap_within_session": word, "late_appearance": word,
        "late_input": word,
      ])
  }

  /// One of the words, or a list of them.
  private static var external: JSONValue {
    let word = choice(PeopleRules.External.allCases.map(\.rawValue))
    return anyOf([word, list(word, atLeast: 1)])
  }

  /// Types of inputs, and elements by their ids.
  private static var drop: JSONValue {
    let item = anyOf([
      choice(PrivacyRules.knownTypes), object(.dropped, ["element": name], required: ["element"]),
    ])
    return anyOf([item, list(item, atLeast: 1)])
  }

  private static var answer: JSONValue {
    object(
      .answer,
      [
        "flow": names, "element": names, "screen": names,
        "first_of": list(alternative, atLeast: 1), "type": answerType, "quantity": quantity,
        "unit": word, "unit_by": unitBy, "plausible": bounds, "default": selection,
        "shown_on": names, "description": freeText,
      ])
  }

  private static var alternative: JSONValue {
    object(
      .alternative,
      [
        "element": names, "screen": names, "sum": list(part, atLeast: 2), "type": answerType,
        "quantity": quantity, "unit": word, "unit_by": unitBy,
      ])
  }

  private static var part: JSONValue {
    object(
      .part,
      [
        "element": names, "screen": names, "unit": word, "default": selection, "shown_on": names,
      ], required: ["element"])
  }

  private static var unitBy: JSONValue {
    object(.unitBy, ["answer": name, "units": named(word)], required: ["answer", "units"])
  }

  private static var answerType: JSONValue {
    choice(["number", "text", "boolean", "date", "choice", "choices"])
  }

  private static var quantity: JSONValue { choice(Quantity.Kind.allCases.map(\.rawValue)) }

  /// What is selected without being reported: a value of any type, or several option ids.
  private static var selection: JSONValue { anyOf([freeText, list(name, atLeast: 1)]) }

  private static var attribute: JSONValue {
    object(
      .attribute,
      [
        "type": choice(["number", "text"]), "value": rule,
        "runs": choice(AttributeSource.Runs.allCases.map(\.rawValue)), "plausible": bounds,
        "description": freeText,
      ], required: ["type", "value"])
  }

  private static var placement: JSONValue {
    object(
      .placement,
      [
        "audiences": list(audience, atLeast: 1, atMost: 200), "tags": named(anyOf([rule, tag])),
        "texts": anyOf([freeText, list(freeText)]), "description": freeText,
      ], required: ["audiences"])
  }

  private static var audience: JSONValue {
    object(
      .audience,
      [
        "segment": name, "default": always, "audience_version": name,
        "from": word, "until": word,
        "show": anyOf([variation, list(variation, atLeast: 1, atMost: 20)]),
        "description": freeText,
      ])
  }

  private static var variation: JSONValue {
    object(
      .variation, ["flow": name, "nothing": always, "variation": name, "weight": integer(0...100)])
  }

  private static var tag: JSONValue {
    object(
      .tag,
      [
        "value": rule, "fraction_digits": integer(0...15), "initial": freeText,
        "texts": named(named(freeText)), "description": freeText,
      ], required: ["value"])
  }

  private static var next: JSONValue {
    object(
      .next,
      [
        "when": rule, "from": word, "until": word, "placement": name, "nothing": always,
        "because": freeText, "store_messages": names, "description": freeText,
      ])
  }

  private static var test: JSONValue {
    object(
      .test,
      [
        "name": word, "description": freeText, "answers": named(given),
        "answered_at": word, "events": list(type("object")), "completed": names,
        "profile": named(freeText), "as_of": word, "expect": expectation,
      ], required: ["name", "expect"])
  }

  private static var given: JSONValue {
    anyOf([
      types(["string", "number", "boolean", "null"]), list(name),
      named(types(["string", "number", "boolean", "null"])),
    ])
  }

  private static var nameOrNothing: JSONValue { anyOf([name, type("null")]) }

  private static var expectedDecision: JSONValue {
    object(
      .expectedDecision,
      ["audience": nameOrNothing, "flow": nameOrNothing, "variation": nameOrNothing])
  }

  private static var expectation: JSONValue {
    object(
      .expectation,
      [
        "attributes": named(anyOf([type("number"), type("string")])),
        "absent": named(choice(AbsenceReason.allCases.map(\.rawValue))), "segments": list(name),
        "next": nameOrNothing, "flow": nameOrNothing, "variation": nameOrNothing,
        "tags": named(freeText), "texts": list(freeText), "because": word,
        "store_messages": list(name), "placements": named(expectedDecision),
      ])
  }

  // MARK: Forms

  private static var word: JSONValue { types(["string", "number"]) }
  private static var name: JSONValue { word }
  private static var freeText: JSONValue { types(["string", "number", "boolean"]) }
  private static var rule: JSONValue { types(["string", "number", "boolean"]) }
  private static var names: JSONValue { anyOf([name, list(name, atLeast: 1)]) }
  private static var always: JSONValue { .object([("const", .boolean(true))]) }
  private static var bounds: JSONValue { list(type("number"), atLeast: 2, atMost: 2) }

  private static func type(_ name: String) -> JSONValue { .object([("type", .text(name))]) }

  private static func types(_ names: [String]) -> JSONValue {
    .object([("type", .list(names.map { .text($0) }))])
  }

  private static func choice(_ words: [String]) -> JSONValue {
    .object([("enum", .list(words.map { .text($0) }))])
  }

  private static func anyOf(_ schemas: [JSONValue]) -> JSONValue {
    .object([("anyOf", .list(schemas))])
  }

  private static func integer(_ range: ClosedRange<Int>) -> JSONValue {
    .object([
      ("type", .text("integer")), ("minimum", .integer(range.lowerBound)),
      ("maximum", .integer(range.upperBound)),
    ])
  }

  private static func list(
    _ item: JSONValue, atLeast least: Int = 0, atMost most: Int? = nil
  ) -> JSONValue {
    var members: [(String, JSONValue)] = [("type", .text("array")), ("items", item)]
    if least > 0 { members.append(("minItems", .integer(least))) }
    if let most { members.append(("maxItems", .integer(most))) }
    return .object(members)
  }

  /// A list that may be left empty, as a section whose key stands alone.
  private static func optionalList(_ item: JSONValue) -> JSONValue {
    anyOf([list(item), type("null")])
  }

  /// A mapping from names that the file's author chooses.
  private static func named(_ value: JSONValue) -> JSONValue {
    .object([
      ("type", .list([.text("object"), .text("null")])), ("additionalProperties", value),
    ])
  }

  /// A mapping with the keys of a table; a key without a form of its own takes anything.
  private static func object(
    _ keys: PipelineKeys, _ forms: [String: JSONValue], required: [String] = []
  ) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("type", .text("object")),
      ("properties", .object(keys.known.map { ($0, forms[$0] ?? .boolean(true)) })),
      ("additionalProperties", .boolean(false)),
    ]
    if !required.isEmpty { members.append(("required", .list(required.map { .text($0) }))) }
    return .object(members)
  }
}
