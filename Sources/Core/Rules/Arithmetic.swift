/// Why an operator has no result for its operands; its value is null then, never an error.
enum OperatorFailure: Error, Sendable {
  /// A division by zero, and zero raised to a negative power, which is one.
  case divisionByZero
  /// Too big for a double, or so small that only zero would be left of it.
  case overflow
  /// No real number at all: the root of a negative number, a negative number to a fraction.
  case undefined

  /// What `missing_attributes` says.
  ///
  /// What is undefined for the numbers a person gave has no name of its own in SEMANTICS 7.6: the
  /// rule gave no value.
  var reason: AbsenceReason {
    switch self {
    case .divisionByZero: .divisionByZero
    case .overflow: .overflow
    case .undefined: .noValue
    }
  }
}

/// The operators on numbers: finite doubles in, a finite double that is not negative zero out.
enum Arithmetic: String, CaseIterable, Sendable {
  case plus = "+"
  case minus = "-"
  case times = "*"
  case over = "/"
  case power = "^"

  /// The result, as PostgreSQL computes it on `double precision`.
  ///
  /// Throws where PostgreSQL raises an error. `power` is `pow` of libm, for exponents that are not
  /// small integers.
  func result(
    _ left: Double, _ right: Double, power: (Double, Double) -> Double
  ) throws(OperatorFailure) -> Double {
    switch self {
    case .plus: try Self.finite(left + right)
    case .minus: try Self.finite(left - right)
    case .times: try Self.nonzero(left * right, isZero: left == 0 || right == 0)
    case .over: try Self.quotient(left, right)
    case .power: try Self.power(left, right, power: power)
    }
  }

  private static func quotient(_ left: Double, _ right: Double) throws(OperatorFailure) -> Double {
    guard right != 0 else { throw .divisionByZero }
    return try nonzero(left / right, isZero: left == 0)
  }

  /// The greatest exponent that is computed by multiplying.
  ///
  /// libm's `pow(x, 2)` differs from `x * x` for some x, and by processor (SEMANTICS 7.2).
  static let greatestSmallExponent = 64.0

  /// `base ^ exponent`.
  ///
  /// For whole exponents up to 64: square-and-multiply from the lowest bit of |exponent| up, then
  /// one division if it is negative. The order is fixed, so every machine gives the same bits.
  static func power(
    _ base: Double, _ exponent: Double, power: (Double, Double) -> Double
  ) throws(OperatorFailure) -> Double {
    if base == 0, exponent < 0 { throw .divisionByZero }
    let isWhole = exponent == exponent.rounded(.towardZero)
    if base < 0, !isWhole { throw .undefined }
    guard isWhole, exponent.magnitude <= greatestSmallExponent else {
      return try nonzero(power(base, exponent), isZero: base == 0)
    }
    var bits = Int(exponent.magnitude)
    var factor = base
    var result = 1.0
    while true {
      if bits & 1 == 1 { result *= factor }
      bits >>= 1
      if bits == 0 { break }
      factor *= factor
    }
    return try nonzero(exponent < 0 ? 1 / result : result, isZero: base == 0)
  }

  static func squareRoot(_ number: Double) throws(OperatorFailure) -> Double {
    guard number >= 0 else { throw .undefined }
    return number.squareRoot() + 0
  }

  /// Adding zero turns −0 into 0 and leaves every other number alone.
  private static func finite(_ number: Double) throws(OperatorFailure) -> Double {
    guard number.isFinite else { throw .overflow }
    return number + 0
  }

  /// Refuses a zero that only rounding made; `isZero` says whether the exact result is zero.
  private static func nonzero(_ number: Double, isZero: Bool) throws(OperatorFailure) -> Double {
    guard number != 0 || isZero else { throw .overflow }
    return try finite(number)
  }
}
