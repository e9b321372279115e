/// One step of a compiled rule on a stack of values.
///
/// Everything bigger than a number is an index into a table of the program, so that copying an
/// instruction never counts references.
enum Instruction: Sendable {
  // Push one value.
  case null
  case number(Double)
  case boolean(Bool)
  case constant(Int)
  case load(slot: Int)
  case duplicate

  // Replace one, two or three values by one.
  case negate
  case not
  case test(TruthTest)
  case like(Int)
  case arithmetic(Arithmetic)
  case dateDifference
  case join
  case and
  case or
  case compare(Comparison)
  case compareVersions(Comparison)
  case distinct
  case nullIf
  case between
  /// A subject below so many items.
  case oneOf(items: Int)
  case call(Int, arguments: Int)
  /// Takes away the value below the top.
  case dropBelow

  // The commonest condition, in one step: a slot that holds a number against a constant.
  case compareSlot(Int, Comparison, Double)

  // Go on elsewhere; targets are indices of instructions.
  case jump(Int)
  /// Leaves the condition.
  case jumpIfFalse(Int)
  /// Leaves the condition.
  case jumpIfTrue(Int)
  /// Takes the condition away.
  case jumpUnlessTrue(Int)
  /// Leaves the value, and takes it away where it is null.
  case jumpIfPresent(Int)
}
