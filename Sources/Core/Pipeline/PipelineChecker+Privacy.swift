extension PipelineChecker {
  /// An answer that is never kept has no value: that is hardly what its author means.
  mutating func warnOfDroppedAnswers() {
    for answer in source.answers {
      for element in answer.inputs.flatMap(\.elements)
      where source.privacy.elements.contains(element.value) {
        warn(
          element.position,
          "the answer `\(answer.name.value.string)` never has a value from the element "
            + "`\(element.value.string)`: `privacy` drops it")
      }
    }
  }
}
