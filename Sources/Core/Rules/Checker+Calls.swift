/// Names and functions.
extension Checker {
  mutating func name(_ name: Bytes, isQuoted: Bool, _ expression: Expression) -> Typed? {
    if let entry = scope.entries[name] {
      let slot = CheckedExpression.slot(entry.slot)
      guard entry.isDaysSince else {
        return Typed(expression: slot, type: .value(entry.type), form: entry.form)
      }
      guard let days = Functions.byName["days_since"]?.first else { return nil }
      return daysSince(name.string, .call(days, [slot]), expression)
    }
    if scope.unread.mayMean(name, withAnswers: scope.readsAnswers) { return nil }
    if let why = refusal(name) {
      report(expression, "“\(name.string)” \(why)")
      return nil
    }
    var message = "there is no “\(name.string)”"
    let near = scope.known.names(near: name)
    if !near.isEmpty {
      message += ": did you mean \(near.map(\.string).joined(separator: ", "))?"
    } else if !isQuoted, Functions.byName[name.lowercasedASCII] != nil {
      message += ": the function is called with parentheses, \(name.lowercasedASCII.string)(…)"
    } else if isQuoted || !name.slice.contains(UInt8(ascii: ".")) {
      message += ": text stands in single quotes, names in double ones"
    }
    report(expression, message)
    return nil
  }

  /// Why a name is not allowed, by its full name or by a prefix that ends in a dot.
  private func refusal(_ name: Bytes) -> String? {
    if let why = scope.refused[name] { return why }
    guard name.count <= 500 else { return nil }
    for offset in (0..<name.count).reversed() where name[offset] == UInt8(ascii: ".") {
      if let why = scope.refused[name[0..<offset + 1]] { return why }
    }
    return nil
  }

  private mutating func daysSince(
    _ words: String, _ call: CheckedExpression, _ expression: Expression
  ) -> Typed? {
    guard use.allowsDaysSince else {
      report(
        expression,
        "“\(words)” has no place in \(use == .tag ? "a tag" : "an attribute"): "
          + "it would be a new value a day for everyone; compare it in a segment")
      return nil
    }
    return Typed(expression: call, type: .number, clock: .daysSince)
  }

  mutating func call(_ name: Bytes, _ arguments: [Expression], _ expression: Expression) -> Typed? {
    guard let rows = Functions.byName[name] else {
      // What is wrong inside is told too.
      for argument in arguments { _ = check(argument) }
      let near = Nearest.names(to: name, among: Array(Functions.byName.keys))
      report(
        expression,
        "there is no function \(name.string)"
          + (near.isEmpty
            ? ": `sluice help rules` lists them"
            : ": did you mean \(near.map(\.string).joined(separator: ", "))?"))
      return nil
    }
    guard let index = rows.first(where: { Functions.table[$0].takes(arguments.count) }) else {
      for argument in arguments { _ = check(argument) }
      report(expression, countAdvice(name, rows, arguments.count))
      return nil
    }
    let function = Functions.table[index]
    guard let (checked, same, first) = self.arguments(arguments, of: function) else { return nil }
    if refusesOddVersions, name == "version", case .text(let text) = arguments.first?.node,
      SemanticVersion.canonical(text) == nil
    {
      report(
        arguments[0],
        "this is no semantic version, so no comparison with it is ever true: write '4.2.0'")
      return nil
    }
    if case .form(.nullIf) = function.body, !isComparable(same, arguments[0]) { return nil }
    if function.needsOrder, !(same != .version && same.hasOrder || same == .null) {
      report(arguments[0], "\(name.string) has no meaning for \(same.words): it has no order")
      return nil
    }
    let type =
      switch function.result {
      case .type(let type): type
      case .same: same
      }
    // Of one option, the question is whether it is that one.
    if name == "has", first == .text, checked.count == 2 {
      return Typed(expression: .comparison(.equal, checked[0], checked[1]), type: type)
    }
    let call = CheckedExpression.call(index, checked)
    switch function.clock {
    case .none: return Typed(expression: call, type: type)
    case .now: return Typed(expression: call, type: type, clock: .now)
    case .daysSince: return daysSince(name.string, call, expression)
    case .age:
      add(ClockTerm(kind: .age, subject: checked.first, tests: []))
      return Typed(expression: call, type: type)
    }
  }

  private func countAdvice(_ name: Bytes, _ rows: [Int], _ given: Int) -> String {
    let counts = rows.map { row in
      let function = Functions.table[row]
      let count = String(function.parameters.count)
      return function.repeats ? "\(count) or more" : count
    }
    let isOne = counts == ["1"]
    return
      "\(name.string) takes \(counts.joined(separator: " or ")) argument\(isOne ? "" : "s"), not \(given)"
  }

  /// The checked arguments, the type of those that share one, and that of the first.
  private mutating func arguments(
    _ arguments: [Expression], of function: Function
  ) -> ([CheckedExpression], RuleType, first: RuleType?)? {
    var checked: [Typed?] = []
    var shared: [Int] = []
    for (index, argument) in arguments.enumerated() {
      let parameter = function.parameter(at: index)
      if parameter == .same { shared.append(index) }
      checked.append(self.argument(argument, parameter, of: function))
    }
    var same = RuleType.null
    if !shared.isEmpty {
      var together = shared.map { checked[$0] }
      guard let type = unify(shared.map { arguments[$0] }, &together) else { return nil }
      same = type
      for (index, typed) in zip(shared, together) { checked[index] = typed }
    }
    let sound = checked.compactMap(\.?.expression)
    return sound.count == arguments.count ? (sound, same, checked.first??.type) : nil
  }

  private mutating func argument(
    _ argument: Expression, _ parameter: Function.Parameter, of function: Function
  ) -> Typed? {
    let name = function.name.string
    switch parameter {
    case .same: return plain(argument)
    case .type(let type): return need(type, argument, "\(name) takes")
    case .choiceOrText:
      guard let typed = plain(argument) else { return nil }
      if typed.type == .choice || typed.type == .text || typed.type == .null { return typed }
      report(argument, "\(name) asks a choice, this is \(typed.type.words)")
    case .textLiteral:
      if case .text = argument.node { return check(argument) }
      report(argument, "\(name) takes text in quotes here")
    case .decimalsLiteral:
      if case .number(let decimals) = argument.node, decimals == decimals.rounded(),
        DecimalRounding.decimals.contains(Int(min(decimals, 1000)))
      {
        return check(argument)
      }
      report(
        argument,
        "\(name) takes the number of decimals as a whole number from 0 to "
          + "\(DecimalRounding.decimals.upperBound)")
    }
    return nil
  }
}
