internal import Core

/// One entry of a pipeline file's `tests:`: a person, and what the pipeline must make of them.
struct PipelineTest: Sendable {
  /// What someone gave as an answer.
  enum Given: Hashable, Sendable {
    case text(Bytes)
    /// Ids of options.
    case items([Bytes])
    /// By element id, for an answer that is asked in several inputs.
    case elements([Part])
    case cleared
  }

  struct Part: Hashable, Sendable {
    let element: Located<Bytes>
    /// nil: cleared.
    let text: Bytes?
  }

  struct Answer: Sendable {
    /// A name in `answers:`.
    let name: Located<Bytes>
    let given: Given
  }

  /// A member of the canonical envelope that describes the person, such as `locale`.
  struct Member: Sendable {
    let name: Located<Bytes>
    let text: Bytes
  }

  var name: Located<Bytes>
  var answers: [Answer] = []
  /// Canonical envelopes as JSON text, in the file's order; used instead of `answers`.
  var events: [Located<Bytes>] = []
  /// Names in `flows:`: the flows that were completed; answers are given in them where they ask them.
  var completed: [Located<Bytes>] = []
  /// When the answers were given.
  var answeredAt: Located<Moment>?
  /// The instant to look from; nil: that of the last event.
  var asOf: Located<Moment>?
  var profile: [Member] = []
  var expected = Expectation()

  init(name: Located<Bytes>) { self.name = name }

  /// What must come out.
  ///
  /// What is nil or not named is not looked at.
  struct Expectation: Sendable {
    enum Value: Hashable, Sendable {
      /// As written: numbers are compared at the decimals that are written (SEMANTICS 7.9).
      case number(Bytes)
      case text(Bytes)
    }

    struct Attribute: Sendable {
      let key: Located<Bytes>
      let value: Value
    }

    struct Absence: Sendable {
      let key: Located<Bytes>
      let reason: AbsenceReason
    }

    struct Tag: Sendable {
      let name: Located<Bytes>
      let text: Bytes
    }

    /// A name, or that there is none.
    enum Name: Sendable {
      case nothing
      case name(Located<Bytes>)
    }

    struct Decision: Sendable {
      let placement: Located<Bytes>
      var audience: Name?
      var flow: Name?
      var variation: Name?
    }

    enum Next: Sendable {
      case nothing(SourcePosition)
      case placement(Located<Bytes>)
    }

    var attributes: [Attribute] = []
    var absent: [Absence] = []
    /// All segments the person is in, no other.
    var segments: Located<[Located<Bytes>]>?
    var next: Next?
    /// Of the next placement's decision, as are the variation and the tags.
    var flow: Name?
    var variation: Name?
    var tags: [Tag] = []
    /// Of the next placement's decision: all its texts as they are shown.
    var texts: Located<[Bytes]>?
    var because: Located<Bytes>?
    var storeMessages: Located<[Located<Bytes>]>?
    /// Of any declared placement, the next one or not.
    var placements: [Decision] = []
  }
}
