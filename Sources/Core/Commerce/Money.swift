/// Sums of amounts, exact to the millionth of a unit: `0.1 + 0.2` is `0.3`, in any order.
struct Money {
  private var millionths: Int128 = 0

  /// Amounts of this size and more are nobody's price.
  static let bound = 1e12

  static func += (sum: inout Money, amount: Double) {
    sum.millionths += Int128((amount * 1e6).rounded())
  }

  var amount: Double { Double(millionths) / 1e6 }
}
