/// A unit of mass, length or duration.
package struct MeasureUnit: Hashable, Sendable {
  /// Units that one measurement is written in together: 5 ft 11 in, but no 5 ft 11 cm.
  enum System: Hashable, Sendable { case metric, imperial, time }

  /// As a pipeline names it, such as `kg`.
  package let name: Bytes
  package let kind: Quantity.Kind
  let system: System
  /// Exact, in nanograms, tenths of a millimetre, or seconds.
  let size: UInt64

  private init(
    _ name: Bytes, _ kind: Quantity.Kind, _ system: System, _ size: UInt64, _ spellings: String
  ) {
    self.name = name
    self.kind = kind
    self.system = system
    self.size = size
    self.spellings = spellings
  }

  /// Other ways in which people write it, in small letters.
  private let spellings: String

  /// The unit that a pipeline names; nil for one that does not measure this kind.
  package static func named(_ name: Bytes, _ kind: Quantity.Kind) -> MeasureUnit? {
    all.first { $0.kind == kind && $0.name == name }
  }

  /// The unit that a person wrote, in folded text; nil for one that does not measure this kind.
  static func spelled(_ text: Bytes, _ kind: Quantity.Kind) -> MeasureUnit? {
    bySpelling[kind]?[text]
  }

  // The international pound is 0.45359237 kg, the international yard 0.9144 m, both exactly
  // (agreement of 1 July 1959; NIST SP 811, appendix B.6). A stone is 14 lb, an ounce 1/16 lb, a foot
  // a third of a yard, an inch a twelfth of a foot: 25.4 mm.
  static let pound = MeasureUnit(
    "lb", .mass, .imperial, 453_592_370_000, "lbs pound pounds фунт фунтов 磅")
  static let stone = MeasureUnit("st", .mass, .imperial, 14 * 453_592_370_000, "stone stones")
  static let inch = MeasureUnit("in", .length, .imperial, 254, "inch inches ins \"")
  static let foot = MeasureUnit("ft", .length, .imperial, 12 * 254, "foot feet '")
  static let centimetre = MeasureUnit(
    "cm", .length, .metric, 100,
    "cms centimeter centimeters centimetre centimetres см سم सेमी 厘米 公分 センチ ㎝")
  static let metre = MeasureUnit(
    "m", .length, .metric, 10_000, "meter meters metre metres mtr м متر मीटर 米 公尺 メートル")
  static let minute = MeasureUnit("min", .duration, .time, 60, "mins minute minutes мин 分钟 分")
  static let hour = MeasureUnit("h", .duration, .time, 3600, "hr hrs hour hours ч 小时 時間")

  private static let all: [MeasureUnit] = [
    MeasureUnit(
      "kg", .mass, .metric, 1_000_000_000_000,
      "kgs kilo kilos kilogram kilograms kilogramme kilogrammes кг كجم كغ किग्रा किलो 公斤 千克 キロ ㎏"),
    MeasureUnit(
      "g", .mass, .metric, 1_000_000_000, "gr gram grams gramme grammes гр г غرام ग्राम 克 グラム"),
    pound, stone,
    MeasureUnit("oz", .mass, .imperial, 28_349_523_125, "ounce ounces"),
    centimetre, metre,
    MeasureUnit(
      "mm", .length, .metric, 10,
      "mms millimeter millimeters millimetre millimetres мм 毫米 ミリ ㎜"),
    foot, inch, minute,
    MeasureUnit("s", .duration, .time, 1, "sec secs second seconds сек с 秒"),
    hour,
    MeasureUnit("d", .duration, .time, 86_400, "day days дн 天 日"),
  ]

  private static let bySpelling: [Quantity.Kind: [Bytes: MeasureUnit]] = {
    var result: [Quantity.Kind: [Bytes: MeasureUnit]] = [:]
    for unit in all {
      result[unit.kind, default: [:]][unit.name] = unit
      for spelling in unit.spellings.split(separator: " ") {
        result[unit.kind, default: [:]][Bytes(String(spelling))] = unit
      }
    }
    return result
  }()
}

extension Quantity.Kind {
  /// The names of the units a pipeline can count in, the most common first.
  ///
  /// Money has currencies instead; a plain number has `%` or none.
  package var units: [String] {
    switch self {
    case .mass: ["kg", "g", "lb", "st"]
    case .length: ["cm", "m", "mm", "ft", "in"]
    case .duration: ["min", "s", "h", "d"]
    case .number, .money: []
    }
  }
}

/// How people write currencies beside their ISO codes.
enum CurrencySign {
  /// In folded text.
  ///
  /// A sign says no more than that it can stand for the declared currency: `$` is taken as the dollars
  /// or pesos that the question was asked in, as a number alone is.
  static func isSign(_ text: Bytes, of currency: Bytes) -> Bool {
    signs[text]?.contains(currency) ?? false
  }

  private static let signs: [Bytes: Set<Bytes>] = {
    var result: [Bytes: Set<Bytes>] = [:]
    for (sign, currencies) in table {
      result[sign] = Set(currencies.split(separator: " ").map { Bytes(String($0)) })
    }
    return result
  }()

  private static let table: [(Bytes, String)] = [
    ("$", "USD CAD AUD NZD SGD HKD TWD MXN CLP COP ARS UYU"), ("us$", "USD"), ("r$", "BRL"),
    ("€", "EUR"), ("£", "GBP EGP"), ("¥", "JPY CNY"), ("元", "CNY"), ("円", "JPY"), ("₹", "INR"),
    ("₽", "RUB"), ("₩", "KRW"), ("₺", "TRY"), ("₴", "UAH"), ("₪", "ILS"), ("₫", "VND"),
    ("₱", "PHP"), ("฿", "THB"), ("₦", "NGN"), ("₸", "KZT"), ("₾", "GEL"), ("₼", "AZN"),
    ("zł", "PLN"), ("kč", "CZK"), ("kr", "SEK NOK DKK ISK"), ("ft", "HUF"), ("lei", "RON"),
    ("fr", "CHF"),
  ]
}
