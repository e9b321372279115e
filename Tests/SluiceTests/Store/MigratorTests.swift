import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("Migrations")
struct MigratorTests {
  @Test("an empty database gets the whole schema, and a second time nothing")
  func fromEmpty() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let store = try database.store()
    let applied = try store.migrate()
    #expect(applied.first == "migrations/0001_create_operation.sql")
    #expect(applied.contains("views/answers.sql"))
    #expect(try store.migrate().isEmpty)
    #expect(try store.query("select count(*) from sluice.shard_state").rows == [["64"]])
  }

  @Test("two programs that migrate at once both succeed")
  func together() async throws {
    let database = try ScratchDatabase(isMigrated: false)
    let address = database.address
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try Store(
            address, schema: SchemaName("sluice", .system), sqlFolder: SQLFolder(),
            primitives: .system
          ).migrate().count
        }
      }
      var counts: [Int] = []
      for try await count in group { counts.append(count) }
      #expect(counts.contains(0))
      #expect(counts.contains { $0 > 2 })
    }
  }

  @Test("the schema can have another name, even a reserved word")
  func otherSchema() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let store = try database.store(schema: "select")
    try store.migrate()
    #expect(try store.query("select sluice.shard('a')").rows == [["12"]])
    #expect(try store.query("select to_regnamespace('sluice')").rows == [[nil]])
  }

  @Test("a name that is no schema's is refused", arguments: ["", "Abc", "1a", "a-b", "pg_a", "ä"])
  func badSchema(_ name: String) {
    #expect(throws: Problem.self) { try SchemaName(name, .system) }
  }

  @Test("only the token sluice. is replaced")
  func token() throws {
    let schema = try SchemaName("other", .system)
    #expect(
      schema.applied(to: "sluice.a, my_sluice.b, \"sluice.c\", x.sluice.d (sluice.e)")
        == "\"other\".a, my_sluice.b, \"sluice.c\", x.sluice.d (\"other\".e)")
  }

  @Test("an applied migration that was edited is refused")
  func edited() throws {
    let database = try ScratchDatabase()
    let copy = try CopiedSQLFolder()
    try copy.append("-- edited\n", to: "migrations/0002_create_profiles.sql")
    let problem = try #require(throws: Problem.self) {
      try database.store(sqlFolder: copy.folder).migrate()
    }
    #expect(problem.exit == .pipelineWrong)
    #expect(problem.place == "migrations/0002_create_profiles.sql")
  }

  @Test("a view whose text changed is made again, and nothing else")
  func changedView() throws {
    let database = try ScratchDatabase()
    let copy = try CopiedSQLFolder()
    try copy.append("-- edited\n", to: "views/answers.sql")
    #expect(
      try database.store(sqlFolder: copy.folder).migrate() == ["views/answers.sql"])
  }

  @Test("a schema newer than the program is refused, to be tried again by a newer one")
  func newer() throws {
    let database = try ScratchDatabase()
    let copy = try CopiedSQLFolder()
    try copy.append("select 1;", to: "migrations/0999_later.sql")
    try database.store(sqlFolder: copy.folder).migrate()
    let problem = try #require(throws: Problem.self) { try database.store().migrate() }
    #expect(problem.exit == .tryAgain)
    let job = try #require(throws: Problem.self) {
      try database.store().startJob(command: "run", asOf: nil, generation: .example)
    }
    #expect(job.exit == .tryAgain)
  }

  @Test("a migration that fails leaves nothing behind")
  func failing() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let copy = try CopiedSQLFolder()
    try copy.append("select no_such_function();", to: "migrations/0999_broken.sql")
    let problem = try #require(throws: Problem.self) {
      try database.store(sqlFolder: copy.folder).migrate()
    }
    #expect(problem.place == "migrations/0999_broken.sql")
    #expect(
      try database.store().query("select to_regnamespace('sluice')").rows == [[nil]])
  }

  @Test("a database that only the environment named gets no schema unasked")
  func environment() throws {
    let database = try ScratchDatabase(isMigrated: false)
    let problem = try #require(throws: Problem.self) {
      try database.store(isOnlyFromEnvironment: true).migrate()
    }
    #expect(problem.exit == .noDatabase)
    try database.store(isOnlyFromEnvironment: true).migrate(isAsked: true)
    try database.store(isOnlyFromEnvironment: true).migrate()
  }

  @Test("every table, view, column and function has a comment")
  func comments() throws {
    let database = try ScratchDatabase()
    let store = try database.store()
    try store.startGeneration(
      .example, attributes: [DeclaredAttribute(key: "bmi", isNumber: true)], segments: [])
    let bare = try store.query(
      """
      select class.relname || coalesce('.' || attribute.attname, '')
      from pg_class as class
      left join pg_attribute as attribute
        on attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
      where class.relnamespace = 'sluice'::regnamespace
        and class.relkind in ('r', 'v', 'm')
        and (
          obj_description(class.oid, 'pg_class') is null
          or col_description(class.oid, attribute.attnum) is null
        )
      union all
      select proname from pg_proc
      where pronamespace = 'sluice'::regnamespace and obj_description(oid, 'pg_proc') is null
      """)
    #expect(bare.rows.isEmpty)
    let grainless = try store.query(
      """
      select relname from pg_class
      where relnamespace = 'sluice'::regnamespace and relkind in ('r', 'v', 'm')
        and obj_description(oid, 'pg_class') not like '%Grain: %'
      """)
    #expect(grainless.rows.isEmpty)
  }
}

/// A copy of the SQL folder that a test may spoil.
private final class CopiedSQLFolder {
  private let path: String

  init() throws {
    path = "/tmp/sluice-sql-" + UUID().uuidString
    try FileManager.default.copyItem(atPath: SQLFolder().path, toPath: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var folder: SQLFolder {
    get throws { try SQLFolder(named: path) }
  }

  func append(_ text: String, to file: String) throws {
    let url = URL(fileURLWithPath: path + "/" + file)
    let present = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    try (present + text).write(to: url, atomically: true, encoding: .utf8)
  }
}
