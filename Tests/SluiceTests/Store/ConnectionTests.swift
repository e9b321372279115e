import Core
import Testing

@testable import Store
@testable import sluice

@Suite("Connections")
struct ConnectionTests {
  @Test("an unknown database is no database, and says where")
  func unknown() throws {
    let address = try ScratchServer.address(of: "no_such_database")
    let problem = try #require(throws: Problem.self) { try address.connect() }
    #expect(problem.exit == .noDatabase)
    #expect(problem.message.contains("no_such_database"))
  }

  @Test("a database that is not UTF-8 is refused")
  func encoding() throws {
    let name = "latin_\(UInt32.random(in: 0...UInt32.max))"
    try ScratchServer.administrate(
      "create database \(name) encoding 'LATIN1' locale 'C' template template0")
    defer { _ = try? ScratchServer.administrate("drop database \(name)") }
    let address = try ScratchServer.address(of: name)
    let problem = try #require(throws: Problem.self) { try address.connect() }
    #expect(problem.exit == .noDatabase)
    #expect(problem.message.contains("LATIN1"))
  }

  @Test("an error of the data holds its SQLSTATE and not the data")
  func secrecy() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let connection = try database.connection()
    let cast = try #require(throws: DatabaseError.self) {
      try connection.execute("select $1::integer", [.text("secret")])
    }
    #expect(cast.sqlState == "22P02")
    #expect(!cast.message.contains("secret"))
    try connection.executeScript(
      "create table t (a text primary key); insert into t values ('secret')")
    let twice = try #require(throws: DatabaseError.self) {
      try connection.execute("insert into t values ($1)", [.text("secret")])
    }
    #expect(twice.sqlState == "23505")
    #expect(twice.constraint == "t_pkey")
    #expect(!twice.problem(at: "t", "cannot write").message.contains("secret"))
  }

  @Test("a copy whose data is refused says so, and the connection goes on")
  func failedCopy() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let connection = try database.connection()
    try connection.executeScript("create table t (a text check (a <> ''))")
    var row: [UInt8] = []
    row.append(bigEndian: Int16(1))
    row.appendField(Bytes.empty)
    let error = try #require(throws: DatabaseError.self) {
      try connection.copyIn("copy t from stdin (format binary)") { try row.withUnsafeBytes($0) }
    }
    #expect(error.sqlState == "23514")
    #expect(try connection.execute("select 1").integer(0, 0) == 1)
  }

  @Test("the database is named by argument, SLUICE_DATABASE, PG variables, else it is private")
  func target() {
    func resolve(_ argument: String?, _ environment: [String: String]) -> DatabaseTarget {
      .resolve(argument: argument, environment: environment, workingFolder: "/w", isRoot: false)
    }
    let all = ["SLUICE_DATABASE": "b", "PGHOST": "c"]
    guard case .argument("a") = resolve("a", all) else { return #expect(Bool(false)) }
    guard case .environment("b") = resolve(nil, all) else { return #expect(Bool(false)) }
    guard case .libpqEnvironment("PGHOST") = resolve(nil, ["PGHOST": "c"]) else {
      return #expect(Bool(false))
    }
    guard case .embedded(let server) = resolve(nil, ["PGHOST": "", "PGUSER": "x"]) else {
      return #expect(Bool(false))
    }
    #expect(server.home == "/w/.sluice")
  }

  @Test("the words for a database never hold its password")
  func password() throws {
    for url in ["postgresql://u:secret@h:1/d", "host=h port=1 dbname=d user=u password=secret"] {
      let words = try DatabaseTarget.argument(url).prepare().words
      #expect(words == "database d on h:1 (--database)")
    }
  }
}
