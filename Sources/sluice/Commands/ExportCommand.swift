internal import Core
internal import Store

extension Sluice {
  func export(_ options: ExportOptions) throws -> ExitCode {
    let store = try connector(options.database).connect()
    try store.requireSchema()
    switch options.what {
    case .dump:
      guard let asOf = try options.asOf ?? store.asOfInForce() else {
        throw Problem(
          .usage, at: "export dump", "there is nothing to dump",
          because: "no job has derived anything yet", next: "run `sluice run` first")
      }
      try store.dump(asOf: asOf) { try console.write($0) }
    case .events(let profile):
      let person = try person(of: profile, on: store)
      for event in person.inOrder { try console.write(event.envelope + [UInt8(ascii: "\n")]) }
    case .person(let profile):
      guard let held = try store.everything(about: Bytes(profile).withLowercaseUUID) else {
        throw unknownProfile(profile)
      }
      try console.write(PersonDocument.text(held))
    }
    return .done
  }

  func unknownProfile(_ id: String) -> Problem {
    Problem(
      .noInput, at: "profile \(id)", "is unknown", because: "no event of it is stored",
      next: "ids are compared byte by byte: check upper and lower case")
  }
}
