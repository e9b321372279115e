/// Flattens checked expressions to instructions; tables are shared by all code of one program.
struct Compiler {
  private(set) var constants: [Value] = []
  private(set) var patterns: [LikePattern] = []
  private(set) var functions: [Function] = []
  private(set) var slots: Set<Int> = []
  private var code: [Instruction] = []

  /// Instructions that leave the value of the expression on the stack.
  mutating func compile(_ expression: CheckedExpression) -> [Instruction] {
    code = []
    emit(expression)
    return code
  }

  private mutating func emit(_ expression: CheckedExpression) {
    switch expression {
    case .constant(let value): push(value)
    case .slot(let slot):
      slots.insert(slot)
      code.append(.load(slot: slot))
    case .negative(let operand): emit([operand], then: .negate)
    case .not(let operand): emit([operand], then: .not)
    case .test(let operand, let test): emit([operand], then: .test(test))
    case .calculated(let first, let links):
      emit(first)
      for link in links { emit([link.operand], then: .arithmetic(link.sign)) }
    case .dateDifference(let left, let right): emit([left, right], then: .dateDifference)
    case .joined(let parts):
      for (index, part) in parts.enumerated() {
        emit(part)
        if index > 0 { code.append(.join) }
      }
    case .comparison(let comparison, .slot(let slot), .constant(.number(let number))):
      slots.insert(slot)
      code.append(.compareSlot(slot, comparison, number))
    case .comparison(let comparison, let left, let right):
      emit([left, right], then: .compare(comparison))
    case .versionComparison(let comparison, let left, let right):
      emit([left, right], then: .compareVersions(comparison))
    case .distinct(let left, let right): emit([left, right], then: .distinct)
    case .between(let operand, let low, let high): emit([operand, low, high], then: .between)
    case .oneOf(let operand, let items): emit([operand] + items, then: .oneOf(items: items.count))
    case .like(let operand, let pattern):
      patterns.append(pattern)
      emit([operand], then: .like(patterns.count - 1))
    case .all(let parts): emit(parts, joinedBy: .and) { .jumpIfFalse($0) }
    case .any(let parts): emit(parts, joinedBy: .or) { .jumpIfTrue($0) }
    case .choice(let branches, let otherwise): choice(branches, otherwise)
    case .match(let subject, let branches, let otherwise): match(subject, branches, otherwise)
    case .call(let index, let arguments): call(Functions.table[index], arguments)
    }
  }

  private mutating func push(_ value: Value) {
    switch value {
    case .null: code.append(.null)
    case .number(let number): code.append(.number(number))
    case .boolean(let isTrue): code.append(.boolean(isTrue))
    default:
      constants.append(value)
      code.append(.constant(constants.count - 1))
    }
  }

  private mutating func emit(_ operands: [CheckedExpression], then instruction: Instruction) {
    for operand in operands { emit(operand) }
    code.append(instruction)
  }

  /// `and` and `or`: what decides alone skips the rest, which no value can show.
  private mutating func emit(
    _ parts: [CheckedExpression], joinedBy join: Instruction, _ skip: (Int) -> Instruction
  ) {
    var skips: [Int] = []
    for (index, part) in parts.enumerated() {
      emit(part)
      if index > 0 { code.append(join) }
      if index < parts.count - 1 { skips.append(reserve()) }
    }
    for place in skips { code[place] = skip(code.count) }
  }

  private mutating func choice(
    _ branches: [CheckedExpression.Branch], _ otherwise: CheckedExpression?
  ) {
    var ends: [Int] = []
    for branch in branches {
      emit(branch.when)
      let next = reserve()
      emit(branch.then)
      ends.append(reserve())
      code[next] = .jumpUnlessTrue(code.count)
    }
    emit(otherwise ?? .constant(.null))
    for place in ends { code[place] = .jump(code.count) }
  }

  /// The subject is computed once and stays below until the end.
  private mutating func match(
    _ subject: CheckedExpression, _ branches: [CheckedExpression.Branch],
    _ otherwise: CheckedExpression?
  ) {
    emit(subject)
    var ends: [Int] = []
    for branch in branches {
      code.append(.duplicate)
      emit(branch.when)
      code.append(.compare(.equal))
      let next = reserve()
      emit(branch.then)
      ends.append(reserve())
      code[next] = .jumpUnlessTrue(code.count)
    }
    emit(otherwise ?? .constant(.null))
    for place in ends { code[place] = .jump(code.count) }
    code.append(.dropBelow)
  }

  private mutating func call(_ function: Function, _ arguments: [CheckedExpression]) {
    switch function.body {
    case .form(.nullIf): emit(arguments, then: .nullIf)
    case .form(.coalesce):
      var ends: [Int] = []
      for (index, argument) in arguments.enumerated() {
        emit(argument)
        if index < arguments.count - 1 { ends.append(reserve()) }
      }
      for place in ends { code[place] = .jumpIfPresent(code.count) }
    case .none, .one, .two, .three, .all:
      functions.append(function)
      let index = functions.count - 1
      emit(arguments, then: .call(index, arguments: arguments.count))
    }
  }

  /// A place for a jump whose target is not known yet.
  private mutating func reserve() -> Int {
    code.append(.jump(0))
    return code.count - 1
  }
}
