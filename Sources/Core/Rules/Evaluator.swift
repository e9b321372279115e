/// Why the value of a rule is null.
package enum NullCause: Hashable, Sendable {
  /// The first operator that has no result for its operands.
  case operation(AbsenceReason)
  /// The first input that is null, depth first, from left to right.
  case missing(slot: Int)
  /// Neither: the rule itself says null (`nullif`, `case` without `else`).
  case none
}

/// Scratch space for running programs; one a thread, used again and again.
package struct Evaluator: Sendable {
  private var stack: [Value] = []
  private var failure: OperatorFailure?
  private var missing: Int?

  package init() { stack.reserveCapacity(32) }

  /// Why the latest evaluation gave null, if it did; only branches that were taken count.
  package var cause: NullCause {
    if let failure { return .operation(failure.reason) }
    return missing.map { .missing(slot: $0) } ?? .none
  }

  mutating func run(
    _ code: [Instruction], of program: Program, _ slots: [Value], _ context: RuleContext
  ) -> Value {
    stack.removeAll(keepingCapacity: true)
    failure = nil
    missing = nil
    var next = 0
    while next < code.count {
      let instruction = code[next]
      next += 1
      switch instruction {
      case .jump(let target): next = target
      // Patterns, not `==`: it would go through the witness table of `Equatable`.
      case .jumpIfFalse(let target): if case .boolean(false) = top { next = target }
      case .jumpIfTrue(let target): if case .boolean(true) = top { next = target }
      case .jumpUnlessTrue(let target):
        if case .boolean(true) = pop() { break }
        next = target
      case .jumpIfPresent(let target):
        if top.isNull { _ = pop() } else { next = target }
      case .compareSlot(let slot, let comparison, let constant):
        if case .number(let number) = slots[slot] {
          stack.append(.boolean(comparison.holds(number, constant)))
        } else {
          load(slots, slot)
          stack[stack.count - 1] = .null
        }
      case .load(let slot): load(slots, slot)
      default: step(instruction, program, context)
      }
    }
    let result = pop()
    // An input may be negative zero; no result is.
    if case .number(let number) = result { return .number(number + 0) }
    return result
  }

  private mutating func step(
    _ instruction: Instruction, _ program: Program, _ context: RuleContext
  ) {
    switch instruction {
    case .null: stack.append(.null)
    case .number(let number): stack.append(.number(number))
    case .boolean(let isTrue): stack.append(.boolean(isTrue))
    case .constant(let index): stack.append(program.constants[index])
    case .duplicate: stack.append(top)
    case .negate: negate()
    case .not: replaceTop { Logic.not($0) }
    case .test(let test): replaceTop { .boolean(Logic.is($0, test)) }
    case .like(let index): like(program.patterns[index])
    case .arithmetic(let sign): arithmetic(sign, context)
    case .dateDifference: dateDifference()
    case .join: join()
    case .and: replaceTwo { Logic.and($0, $1) }
    case .or: replaceTwo { Logic.or($0, $1) }
    case .compare(let comparison): replaceTwo { comparison.truth($0, $1) }
    case .compareVersions(let comparison):
      replaceTwo { SemanticVersion.truth(comparison, $0, $1) }
    case .distinct: replaceTwo { .boolean(Logic.areDistinct($0, $1)) }
    case .nullIf:
      replaceTwo { Comparison.equal.truth($0, $1) == .boolean(true) ? .null : $0 }
    case .between: between()
    case .oneOf(let items): oneOf(items)
    case .call(let index, let arguments):
      call(program.functions[index], arguments: arguments, context)
    case .dropBelow:
      let value = pop()
      stack[stack.count - 1] = value
    case .load, .compareSlot, .jump, .jumpIfFalse, .jumpIfTrue, .jumpUnlessTrue, .jumpIfPresent:
      break  // in the loop
    }
  }

  // MARK: The stack

  private var top: Value { stack[stack.count - 1] }

  private mutating func pop() -> Value { stack.removeLast() }

  private mutating func load(_ slots: [Value], _ slot: Int) {
    let value = slots[slot]
    if value.isNull, missing == nil { missing = slot }
    stack.append(value)
  }

  private mutating func replaceTop(_ compute: (Value) -> Value) {
    stack[stack.count - 1] = compute(top)
  }

  private mutating func replaceTwo(_ compute: (Value, Value) -> Value) {
    let right = pop()
    stack[stack.count - 1] = compute(top, right)
  }

  private mutating func fail(_ why: OperatorFailure) -> Value {
    if failure == nil { failure = why }
    return .null
  }

  // MARK: Operators

  private mutating func negate() {
    guard case .number(let number) = top else { return stack[stack.count - 1] = .null }
    stack[stack.count - 1] = .number(0 - number)
  }

  private mutating func arithmetic(_ sign: Arithmetic, _ context: RuleContext) {
    let right = pop()
    var result = Value.null
    if case .number(let a) = top, case .number(let b) = right {
      do {
        result = .number(try sign.result(a, b, power: context.primitives.power))
      } catch {
        result = fail(error)
      }
    }
    stack[stack.count - 1] = result
  }

  private mutating func dateDifference() {
    replaceTwo { left, right in
      guard case .date(let left) = left, case .date(let right) = right else { return .null }
      return .number(Double(left.days) - Double(right.days))
    }
  }

  private mutating func join() {
    replaceTwo { left, right in
      guard case .text(let left) = left, case .text(let right) = right else { return .null }
      return .text(Bytes.joined(left, right))
    }
  }

  private mutating func like(_ pattern: LikePattern) {
    replaceTop { value in
      guard case .text(let text) = value else { return .null }
      return .boolean(pattern.matches(text))
    }
  }

  /// `x >= low and x <= high`.
  private mutating func between() {
    let high = pop()
    let low = pop()
    replaceTop { value in
      Logic.and(
        Comparison.greaterOrEqual.truth(value, low), Comparison.lessOrEqual.truth(value, high))
    }
  }

  /// True if one item equals, else null if the subject or an item is null, else false.
  private mutating func oneOf(_ items: Int) {
    let first = stack.count - items
    let subject = stack[first - 1]
    var result = Value.boolean(false)
    for index in first..<stack.count {
      result = Logic.or(result, Comparison.equal.truth(subject, stack[index]))
    }
    stack.removeLast(items)
    stack[stack.count - 1] = result
  }

  private mutating func call(_ function: Function, arguments count: Int, _ context: RuleContext) {
    let first = stack.count - count
    var result = Value.null
    do {
      switch function.body {
      case .none(let compute): result = compute(context)
      case .all(let compute): result = compute(stack[first...])
      case .one(let compute):
        if !stack[first].isNull { result = try compute(stack[first], context) }
      case .two(let compute):
        if !stack[first].isNull, !stack[first + 1].isNull {
          result = try compute(stack[first], stack[first + 1], context)
        }
      case .three(let compute):
        if !stack[first].isNull, !stack[first + 1].isNull, !stack[first + 2].isNull {
          result = try compute(stack[first], stack[first + 1], stack[first + 2], context)
        }
      case .form: break  // compiled to instructions
      }
    } catch {
      result = fail(error)
    }
    stack.removeLast(count)
    stack.append(result)
  }
}
