import Core
import Foundation
import Testing

@testable import Store
@testable import sluice

@Suite("Roles, with real logins", .enabled(if: ScratchServer.isPrivate))
struct RoleTests {
  /// A schema of its own on a database of its own: roles belong to the whole server.
  private let database: ScratchDatabase
  private let schema: String
  private let folder: ScratchFolder

  init() throws {
    database = try ScratchDatabase(isMigrated: false)
    schema = "r" + UUID().uuidString.lowercased().prefix(8)
    folder = try ScratchFolder()
  }

  private static let names = ["writer", "analyst", "reports", "app"]

  private func command(_ arguments: [String], as role: String? = nil) async throws -> CommandRun {
    var url = try ScratchServer.url(of: database.name)
    if let role { url = try login(role) }
    return try await CommandRun(arguments + ["--schema", schema, "--database", url])
  }

  private func login(_ role: String) throws -> String {
    var components = try #require(URLComponents(string: ScratchServer.url(of: database.name)))
    var items = components.queryItems ?? []
    items.removeAll { $0.name == "user" }
    components.user = nil
    components.queryItems = items + [URLQueryItem(name: "user", value: "\(schema)_\(role)_login")]
    return try #require(components.string)
  }

  /// Migrates, creates the roles and a login for each, and stores two people.
  private func prepare() async throws {
    let migrated = try await command(["migrate", "--roles"])
    #expect(migrated.code == .done, "\(migrated.words)")
    #expect(migrated.words.contains("roles \(schema)_writer, \(schema)_analyst"))
    for role in Self.names {
      try ScratchServer.administrate(
        "create role \(schema)_\(role)_login login in role \(schema)_\(role)")
    }
    var script = EventScript()
    script.onboarding(0, weight: "70", height: "180")
    let events = try folder.write(
      (script.lines(of: "a") + script.lines(of: "b")).joined(), as: "all.ndjson")
    let run = try await command(
      ["run", "--pipeline", Checkout.pipeline, "--as-of", "2026-11-20", events])
    #expect(run.code == .done, "\(run.words)")
  }

  private func cleanUp() {
    _ = try? database.connection().executeScript(
      (Self.names.map { "\(schema)_\($0)" }).map {
        "drop owned by \($0); drop role \($0)_login; drop role \($0);"
      }.joined())
  }

  /// What a login may do with each relation and function: tried, not read from the catalogue.
  private func rights(_ role: String) throws -> Set<String> {
    let owner = try database.connection()
    let relations = try owner.execute(
      """
      select relname::text,
        array_to_string(array(
          select quote_ident(attname) from pg_attribute
          where attrelid = class.oid and attnum > 0 and not attisdropped order by attnum
        ), ',')
      from pg_class as class
      where relnamespace = $1::regnamespace and relkind in ('r', 'v', 'p', 'm') order by 1
      """, [.text(schema)])
    let functions = try owner.execute(
      """
      select proname::text,
        array_to_string(array(select 'null::' || type::regtype from unnest(proargtypes) as type), ',')
      from pg_proc where pronamespace = $1::regnamespace order by 1
      """, [.text(schema)])
    let login = try DatabaseAddress(
      login(role), words: role, isOnlyFromEnvironment: false
    ).connect()
    func may(_ sql: String) throws -> Bool {
      try login.executeScript("begin")
      defer { login.rollback() }
      do {
        try login.executeScript(sql)
        return true
      } catch let error as DatabaseError where error.sqlState == "42501" {
        return false
      } catch let error as DatabaseError where error.sqlState.hasPrefix("2") {
        // It was allowed, and the values were none.
        return true
      }
    }
    var rights: Set<String> = []
    for row in 0..<relations.count {
      let name = relations.text(row, 0) ?? ""
      let table = "\"\(schema)\".\"\(name)\""
      let columns = (relations.text(row, 1) ?? "").split(separator: ",")
      let readable = try columns.filter { try may("select \($0) from \(table) limit 1") }
      if readable.count == columns.count {
        rights.insert("select \(name)")
      } else {
        for column in readable { rights.insert("select \(name).\(column)") }
      }
      guard
        try owner.execute(
          "select 1 from pg_class where oid = $1::regclass and relkind = 'r'", [.text(table)]
        ).count == 1
      else { continue }
      if try may("delete from \(table) where false") { rights.insert("delete \(name)") }
      if try may("insert into \(table) default values") { rights.insert("insert \(name)") }
      if try may("update \(table) set \(columns[0]) = default where false") {
        rights.insert("update \(name)")
      }
    }
    for row in 0..<functions.count {
      let name = functions.text(row, 0) ?? ""
      if try may("select \"\(schema)\".\(name)(\(functions.text(row, 1) ?? ""))") {
        rights.insert("execute \(name)")
      }
    }
    if try may("create table \"\(schema)\".own (n integer)") { rights.insert("create") }
    if try may("create schema own") { rights.insert("create schema") }
    return rights
  }

  private static let reports = [
    "segment_sizes", "funnel", "purchase_funnel", "error_counts", "product_loading_failures",
    "restore_counts", "subscription_states", "store_message_counts",
  ].map { "execute \($0)" }

  private static let readByAnalyst =
    [
      "access_levels", "corrected_clocks", "event_sources", "exposures", "flow_errors",
      "generations",
      "job_runs", "missing_attributes", "non_subscriptions", "product_selections",
      "profile_subscriptions", "purchases", "quarantined_profiles", "quarantined_sessions",
      "reported_profiles", "restores",
      "screen_views", "segment_history", "segment_intervals", "segment_members", "store_messages",
      "store_transactions", "subscriptions", "unknown_names",
    ].map { "select \($0)" }

  /// Columns that hold what a person answered, what was computed from it, or another id of theirs.
  private static let hidden: [String: Set<String>] = [
    "profiles": ["customer_user_id"], "flow_runs": ["answers"], "placement_decisions": ["tags"],
    "next_placements": ["tags"],
  ]

  @Test("each can do exactly what it should, tried on every table, view and function there is")
  func rights() async throws {
    try await prepare()
    defer { cleanUp() }
    // Nobody needs a right for a pure function of texts and days.
    let everybody: Set = [
      "execute shard", "execute period_start", "execute period_end", "execute refuse_split",
    ]
    #expect(try rights("app") == everybody.union(["execute next_placement"]))
    #expect(try rights("reports") == everybody.union(Self.reports))

    let owner = try database.connection()
    func columns(_ table: String) throws -> [String] {
      let rows = try owner.execute(
        "select attname::text from pg_attribute where attrelid = $1::regclass and attnum > 0",
        [.text("\(schema).\(table)")])
      return (0..<rows.count).compactMap { rows.text($0, 0) }
    }
    var analyst = everybody.union(Self.reports).union(Self.readByAnalyst)
    analyst.insert("execute quarantine")
    for (table, hidden) in Self.hidden {
      for column in try columns(table) where !hidden.contains(column) {
        analyst.insert("select \(table).\(column)")
      }
    }
    #expect(try rights("analyst") == analyst)

    let writer = try rights("writer")
    let tables = try owner.execute(
      "select relname::text from pg_class where relnamespace = $1::regnamespace and relkind = 'r'",
      [.text(schema)])
    let fixed: Set = ["schema_migrations", "generations", "erasure_key"]
    for row in 0..<tables.count {
      let name = tables.text(row, 0) ?? ""
      #expect(writer.contains("select \(name)"), "\(name)")
      #expect(writer.contains("insert \(name)") == !fixed.contains(name), "\(name)")
      for action in ["update", "delete"] {
        let isFixed = fixed.union(["erasures", "retention_floors"]).contains(name)
        #expect(writer.contains("\(action) \(name)") == !isFixed, "\(action) \(name)")
      }
    }
    #expect(!writer.contains("create") && !writer.contains("create schema"))
  }

  @Test("the app is told what is next, reports count, and nobody reads an answer through them")
  func uses() async throws {
    try await prepare()
    defer { cleanUp() }
    func connect(_ role: String) throws -> Connection {
      try DatabaseAddress(login(role), words: role, isOnlyFromEnvironment: false).connect()
    }
    let next = try connect("app").execute(
      "select \"\(schema)\".next_placement('a') ->> 'placement'")
    #expect(next.text(0, 0) == "bmi_paywall")
    let sizes = try connect("reports").execute(
      "select members from \"\(schema)\".segment_sizes() where segment = 'normal'")
    #expect(sizes.integer(0, 0) == 2)
    for (role, sql) in [
      ("app", "select profile_id from \"\(schema)\".profiles"),
      ("reports", "select segment from \"\(schema)\".segment_members"),
      ("analyst", "select answers from \"\(schema)\".flow_runs"),
      ("analyst", "select key from \"\(schema)\".erasure_key"),
    ] {
      let error = #expect(throws: DatabaseError.self) { try connect(role).execute(sql) }
      #expect(error?.sqlState == "42501", "\(role): \(sql)")
    }
  }

  @Test("the writer runs jobs, erases and expires under the pipeline in force")
  func writer() async throws {
    try await prepare()
    defer { cleanUp() }
    var script = EventScript()
    script.onboarding(0, weight: "90", height: "180")
    let more = try folder.write(script.lines(of: "c").joined(), as: "more.ndjson")
    for arguments in [
      ["run", "--as-of", "2026-11-20", more], ["recompute", "--as-of", "2026-11-20"],
      ["erase", "a"], ["expire", "--older-than", "2026-01-01"], ["report", "segments"],
    ] {
      let done = try await command(arguments, as: "writer")
      #expect(done.code == .done || arguments[0] == "report", "\(arguments[0]): \(done.words)")
    }
    #expect(
      try database.store(schema: schema).query("select count(*) from sluice.profiles").rows
        == [["2"]])
    let other = try folder.write("pipeline: bmi\n", as: "other.yaml")
    let refused = try await command(["run", "--pipeline", other, more], as: "writer")
    #expect(refused.code != .done)
    let roles = try await command(["migrate", "--roles"], as: "analyst")
    #expect(roles.code != .done)
  }

  @Test("`sluice report` works for whoever may call the reports, and asks for nothing more")
  func report() async throws {
    try await prepare()
    defer { cleanUp() }
    for role in ["reports", "analyst"] {
      for name in ["segments", "funnel", "store_message_counts"] {
        let done = try await command(["report", name, "--format", "csv"], as: role)
        #expect(done.code == .done, "\(role), \(name): \(done.words)")
        #expect(try await done.output == command(["report", name, "--format", "csv"]).output)
      }
    }
    let zoned = try folder.write(
      "pipeline: bmi\nsegments: { time_zone: now() > '2020-01-01' }\ntime_zone: Asia/Tokyo\n",
      as: "zoned.yaml")
    #expect(
      try await command(["recompute", "--pipeline", zoned, "--as-of", "2026-11-20"]).code == .done)
    #expect(
      try database.store(schema: schema).query("select sluice.report_zone()").rows
        == [["Asia/Tokyo"]])
    let lifted = try await command(["erase", "--lift", "a"], as: "writer")
    #expect(lifted.code == .noDatabase && lifted.words.contains("the user that owns the schema"))
    #expect(try await command(["erase", "--list-hashes"], as: "writer").code == .done)
    #expect(try await command(["erase", "--list-hashes"], as: "analyst").code != .done)
  }

  @Test("can be applied again, which takes back what was given by hand")
  func again() async throws {
    try await prepare()
    defer { cleanUp() }
    try database.connection().executeScript(
      "grant select on \"\(schema)\".flow_runs to \(schema)_analyst")
    #expect(try rights("analyst").contains("select flow_runs"))
    #expect(try await command(["migrate", "--roles", "--quiet"]).code == .done)
    #expect(try !rights("analyst").contains("select flow_runs"))
  }
}
