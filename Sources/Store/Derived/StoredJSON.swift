internal import Core

/// The text of `flow_runs.answers`: `[{"screen":…,"element":…,"type":…,"value":…|"items":[…],"at":…}]`.
///
/// Members in this order and without white space, so that equal answers have equal bytes. A cleared
/// answer has `"value":null`; an item whose title is unknown has `"title":null`.
func answersJSON(_ answers: [Answer]) -> [UInt8] {
  var json: [UInt8] = []
  json.append(UInt8(ascii: "["))
  for (index, answer) in answers.enumerated() {
    json.append(literal: index == 0 ? #"{"screen":"# : #",{"screen":"#)
    json.append(quoted: answer.screen)
    json.append(literal: #","element":"#)
    json.append(quoted: answer.element)
    json.append(literal: #","type":"#)
    json.append(quoted: answer.type)
    switch answer.value {
    case .text(let text):
      json.append(literal: #","value":"#)
      json.append(quoted: text)
    case .number(let number):
      json.append(literal: #","value":"#)
      json.append(contentsOf: number.slice)
    case .boolean(let isTrue):
      json.append(literal: isTrue ? #","value":true"# : #","value":false"#)
    case .cleared:
      json.append(literal: #","value":null"#)
    case .items(let items):
      json.append(items: items)
    }
    json.append(literal: #","at":""#)
    json.append(iso8601: answer.at)
    json.append(literal: #""}"#)
  }
  json.append(UInt8(ascii: "]"))
  return json
}

/// The text of `placement_decisions.tags`: an object, tags in the order of the pipeline file.
func tagsJSON(_ tags: [PlacementDecision.Tag]) -> [UInt8] {
  var json: [UInt8] = []
  json.append(UInt8(ascii: "{"))
  for (index, tag) in tags.enumerated() {
    if index > 0 { json.append(UInt8(ascii: ",")) }
    json.append(quoted: tag.name)
    json.append(UInt8(ascii: ":"))
    json.append(quoted: tag.value)
  }
  json.append(UInt8(ascii: "}"))
  return json
}

extension Array where Element == UInt8 {
  mutating func append(literal text: String) { append(contentsOf: text.utf8) }

  fileprivate mutating func append(items: [Answer.Item]) {
    append(literal: #","items":["#)
    for (index, item) in items.enumerated() {
      append(literal: index == 0 ? #"{"id":"# : #",{"id":"#)
      append(quoted: item.id)
      append(literal: #","title":"#)
      if let title = item.title { append(quoted: title) } else { append(literal: "null") }
      append(UInt8(ascii: "}"))
    }
    append(UInt8(ascii: "]"))
  }
}
