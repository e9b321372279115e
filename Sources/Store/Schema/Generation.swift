package import Core

/// An attribute that the pipeline declares, as far as a column needs to know it.
package struct DeclaredAttribute: Hashable, Sendable {
  package let key: Bytes
  package let isNumber: Bool

  package init(key: Bytes, isNumber: Bool) {
    self.key = key
    self.isNumber = isNumber
  }
}

/// A segment as the pipeline declares it.
package struct DeclaredSegment: Hashable, Sendable {
  package let name: Bytes
  /// The rule's text, as the file has it.
  package let rule: Bytes

  package init(name: Bytes, rule: Bytes) {
    self.name = name
    self.rule = rule
  }
}

/// One state of the pipeline file: what everything in the schema is derived by (SEMANTICS 4.3).
package struct Generation: Hashable, Sendable {
  /// Of the canonical rendering of the pipeline and the resolver's version.
  package let hash: String
  /// The pipeline's name; one pipeline owns one schema.
  package let pipeline: String
  /// The pipeline file as it was given.
  package let text: String
  package let resolverVersion: Int32
  package let codec: Int32

  package init(hash: String, pipeline: String, text: String, resolverVersion: Int32, codec: Int32) {
    self.hash = hash
    self.pipeline = pipeline
    self.text = text
    self.resolverVersion = resolverVersion
    self.codec = codec
  }
}
