/// A pipeline as its author wrote it: names and rule texts with their places, nothing checked yet.
///
/// The pipeline file's reader fills it, and tests write it in code; ``Pipeline/init(checking:)`` turns
/// it into a ``Pipeline`` or into the list of everything that is wrong.
package struct PipelineSource: Sendable {
  package var name: Located<Bytes>
  /// People installed before this day have a past that no event tells.
  package var historyStarts: Located<Day>?
  package var timeZone: Located<Bytes>?
  /// Used where a tag has no text in a person's language.
  package var defaultLanguage: Located<Bytes>?
  package var runSettings = RunSettings()
  package var people = PeopleRules()
  package var privacy = PrivacyRules()
  package var limits = RecordLimits()
  package var flows: [FlowSource] = []
  /// Attributes that the app itself sets, with their types: numbers and texts.
  package var custom: [CustomSource] = []
  package var answers: [AnswerSource] = []
  package var attributes: [AttributeSource] = []
  package var segments: [SegmentSource] = []
  package var placements: [PlacementSource] = []
  package var next: [NextSource] = []
  /// Name of the segment that reports leave out.
  package var excludedFromReports: Located<Bytes>?
  /// Rules of things of which something else could not be read.
  package var looseRules: [LooseRule] = []
  package var unread = UnreadNames()

  package init(name: Located<Bytes>) { self.name = name }

  /// Every rule in it.
  var rules: [RuleText] {
    attributes.map(\.value) + segments.map(\.rule) + next.compactMap(\.when)
      + placements.flatMap { $0.tags.map(\.value) } + looseRules.map(\.rule)
  }
}

/// A rule that is checked although nothing will run it.
package struct LooseRule: Sendable {
  package let rule: RuleText
  package let use: RuleUse

  package init(_ rule: RuleText, use: RuleUse) {
    self.rule = rule
    self.use = use
  }
}

/// An attribute that the app itself sets, and that rules read as `custom.<key>`.
package struct CustomSource: Sendable {
  package var key: Located<Bytes>
  package var type: ValueType

  package init(key: Located<Bytes>, type: ValueType) {
    self.key = key
    self.type = type
  }
}

/// How a flow is recognised: by placement id, flow id, or screen ids.
package struct FlowSource: Sendable {
  package var name: Located<Bytes>
  package var placements: [Located<Bytes>] = []
  package var flowIDs: [Located<Bytes>] = []
  package var screens: [Located<Bytes>] = []
  /// Screens that complete a run, besides those that the vendor marks as last.
  package var completingScreens: [Located<Bytes>] = []
  package var renamedScreens: [RenamedScreenSource] = []
  /// Microseconds; nil: an unfinished run never goes on.
  package var resumeWithin: Int64?

  package init(name: Located<Bytes>) { self.name = name }
}

/// A screen that has another id than it had.
package struct RenamedScreenSource: Sendable {
  package var former: Located<Bytes>
  package var current: Located<Bytes>

  package init(former: Located<Bytes>, current: Located<Bytes>) {
    self.former = former
    self.current = current
  }
}

package struct AnswerSource: Sendable {
  package var name: Located<Bytes>
  /// Names in `flows:`; empty means any flow.
  package var flows: [Located<Bytes>] = []
  package var elements: [Located<Bytes>] = []
  package var screens: [Located<Bytes>] = []
  package var reading: AnswerReading = .text
  /// Another answer that says which unit the number is in.
  package var unitBy: UnitBySource?
  /// Inclusive bounds in the declared unit.
  package var plausible: Located<ClosedRange<Double>>?
  /// Instead of `elements`: the first that was given counts.
  package var alternatives: [AlternativeSource] = []
  package var fallback: FallbackSource?

  package init(name: Located<Bytes>) { self.name = name }

  /// Each input that may give it, itself included.
  package var inputs: [AnswerSource] {
    let others = alternatives.flatMap { alternative in
      switch alternative {
      case .input(let input): [input]
      case .sum(let parts): parts
      }
    }
    return [self] + others
  }
}

/// One way to have been asked: an input, or several that are added up.
package enum AlternativeSource: Sendable {
  case input(AnswerSource)
  case sum([AnswerSource])
}

/// What counts where a screen was shown and an input reported nothing.
package struct FallbackSource: Sendable {
  /// Of the answer's type.
  package var value: Located<Value>
  package var screens: [Located<Bytes>]

  package init(value: Located<Value>, screens: [Located<Bytes>]) {
    self.value = value
    self.screens = screens
  }
}

/// Which answer chooses the unit of a number, and what its options mean.
///
/// The declared unit stays the one that values are counted in, and that of a number whose run has no
/// such answer.
package struct UnitBySource: Sendable {
  package struct Option: Sendable {
    package var id: Located<Bytes>
    package var unit: Located<Bytes>

    package init(id: Located<Bytes>, unit: Located<Bytes>) {
      self.id = id
      self.unit = unit
    }
  }

  /// A name in `answers:`.
  package var answer: Located<Bytes>
  package var options: [Option]

  package init(answer: Located<Bytes>, options: [Option]) {
    self.answer = answer
    self.options = options
  }
}

/// What an answer is read as.
package enum AnswerReading: Hashable, Sendable {
  /// A number in the declared unit (SEMANTICS 7.9).
  case number(Quantity)
  case text
  case boolean
  /// A date picker's local midnight.
  case date
  /// Exactly one option id, as text.
  case choice
  /// A set of option ids.
  case choices
}

/// A measured quantity and the unit that the pipeline counts it in.
package struct Quantity: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case number, mass, length, money, duration
  }

  package let kind: Kind
  /// As written, such as `kg`; empty or `%` for plain numbers.
  package let unit: Bytes

  package init(_ kind: Kind, unit: Bytes) {
    self.kind = kind
    self.unit = unit
  }
}

package struct AttributeSource: Sendable {
  package enum Runs: String, CaseIterable, Sendable {
    case oneCompleted = "one_completed"
    case latestEach = "latest_each"
    case firstCompleted = "first_completed"
    case latestAny = "latest_any"
  }

  package var name: Located<Bytes>
  /// `number` or `text`; the vendor has nothing else.
  package var type: Located<ValueType>
  package var value: RuleText
  package var runs: Runs = .oneCompleted
  package var plausible: Located<ClosedRange<Double>>?

  package init(name: Located<Bytes>, type: Located<ValueType>, value: RuleText) {
    self.name = name
    self.type = type
    self.value = value
  }
}

package struct SegmentSource: Sendable {
  package var name: Located<Bytes>
  package var rule: RuleText

  package init(name: Located<Bytes>, rule: RuleText) {
    self.name = name
    self.rule = rule
  }
}

package struct PlacementSource: Sendable {
  package var id: Located<Bytes>
  /// By priority, the default last.
  package var audiences: [AudienceSource] = []
  package var tags: [TagSource] = []
  /// False where it may have tags that could not be read.
  package var areTagsKnown = true
  /// False where a part of its audiences could not be read.
  package var areAudiencesKnown = true
  /// Texts with `{tag}` in them, to see what people will read.
  package var texts: [Located<Bytes>] = []

  package init(id: Located<Bytes>) { self.id = id }
}

package struct AudienceSource: Sendable {
  package var position: SourcePosition
  /// nil for the default audience.
  package var segment: Located<Bytes>?
  package var audienceVersionID: Located<Bytes>?
  package var window = WindowSource()
  package var variations: [VariationSource] = []

  package init(position: SourcePosition) { self.position = position }
}

/// When an audience or a next rule counts.
package struct WindowSource: Sendable {
  package var from: Located<Moment>?
  package var until: Located<Moment>?
  /// True where one of them is written and cannot be read: nothing is known of when it counts.
  package var isUnread = false

  package init() {}

  /// True where neither is written.
  package var isAlways: Bool { from == nil && until == nil && !isUnread }

  func active(in zone: Zone) -> ActiveWindow {
    ActiveWindow(from: from?.value.instant(in: zone), until: until?.value.instant(in: zone))
  }
}

package struct VariationSource: Sendable {
  package var position: SourcePosition
  /// The vendor's flow id; nil: nothing is shown.
  package var flow: Located<Bytes>?
  package var variation: Located<Bytes>?
  /// 0–100, all of an audience sum to 100; nil only where there is no choice.
  package var weight: Located<Int>?
  /// True where it is written and cannot be read.
  package var isWeightUnread = false

  package init(position: SourcePosition, flow: Located<Bytes>?) {
    self.position = position
    self.flow = flow
  }
}

package struct TagSource: Sendable {
  package var name: Located<Bytes>
  package var value: RuleText
  package var fractionDigits: Located<Int>?
  package var initial: Bytes?
  /// Language → value → text.
  package var texts: Located<[Bytes: [Bytes: Bytes]]>?

  package init(name: Located<Bytes>, value: RuleText) {
    self.name = name
    self.value = value
  }
}

package struct NextSource: Sendable {
  package var position: SourcePosition
  /// nil always holds.
  package var when: RuleText?
  package var window = WindowSource()
  /// nil: nothing to show.
  package var placement: Located<Bytes>?
  package var storeMessages: [Located<Bytes>] = []
  package var because: Bytes?

  package init(position: SourcePosition) { self.position = position }
}
