/// Ages in whole years on a calendar day.
extension Day {
  /// Whole years from this day to another; negative for a day to come.
  ///
  /// A year is over on the anniversary; born on 29 February, that is 1 March in a common year
  /// (SEMANTICS 7.5; PostgreSQL's `age` agrees).
  func years(until today: Day) -> Int {
    let years = today.civil.year - civil.year
    return anniversary(inYear: today.civil.year).map { today < $0 } ?? false ? years - 1 : years
  }

  /// The first anniversary after a day; nil beyond the calendar (year 9999).
  func anniversary(after today: Day) -> Day? {
    let year = today.civil.year
    if let thisYear = anniversary(inYear: year), thisYear > today { return thisYear }
    return anniversary(inYear: year + 1)
  }

  private func anniversary(inYear year: Int) -> Day? {
    let (_, month, day) = civil
    return Day(year: year, month: month, day: day) ?? Day(year: year, month: 3, day: 1)
  }
}
