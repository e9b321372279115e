internal import Core

/// The view `profiles_wide`: a row per profile, a column for each declared attribute.
///
/// Generated, since its columns are the pipeline's; made anew where they changed (SEMANTICS 4.4).
struct ProfilesWide {
  let schema: SchemaName
  let attributes: [DeclaredAttribute]

  /// Under which it is recorded in `schema_migrations`.
  static let recordName = "generated/profiles_wide"

  private static let standardColumns = [
    "first_event_at", "last_event_at", "events", "platform", "app_version", "os_version", "device",
    "locale", "time_zone", "country", "store_country", "customer_user_id", "environment",
    "is_test_user", "installed_at", "next_placement_id",
  ]

  /// The statements that make it, given that it is not there.
  ///
  /// A declared attribute takes the place of a standard column of the same name.
  var text: String {
    let declared = Set(attributes.map(\.key.string))
    let standard = Self.standardColumns.filter { !declared.contains($0) }
    let columns =
      ["profile.profile_id"] + standard.map { "profile.\($0)" }
      + attributes.map { "attribute.\(quotedName($0.key.string))" }
    let values = attributes.map { attribute in
      let column = attribute.isNumber ? "value_number" : "value_text"
      return """
        max(value.\(column)) filter (where value.key = \(quotedText(attribute.key.string)))
              as \(quotedName(attribute.key.string))
        """
    }
    let lateral =
      values.isEmpty
      ? ""
      : """

      left join lateral (
        select
          \(values.joined(separator: ",\n    "))
        from \(schema.quoted).custom_attributes as value
        where value.profile_id = profile.profile_id
      ) as attribute on true
      """
    var text = """
      create view \(schema.quoted).profiles_wide as
      select
        \(columns.joined(separator: ",\n  "))
      from \(schema.quoted).profiles as profile\(lateral);

      comment on view \(schema.quoted).profiles_wide is
        'One row per profile, with a column for each attribute that the pipeline file declares. Grain: profile_id.';
      comment on column \(schema.quoted).profiles_wide.profile_id is
        'The profile''s id.';

      """
    for column in standard {
      text += "comment on column \(schema.quoted).profiles_wide.\(column) is 'As in profiles.';\n"
    }
    for attribute in attributes {
      text += """
        comment on column \(schema.quoted).profiles_wide.\(quotedName(attribute.key.string)) is
          'Declared attribute, \(attribute.isNumber ? "a number in the unit of its rule" : "a text"); null when missing.';

        """
    }
    return text
  }

  /// Makes the view, in the transaction that is open, unless it is as it should be.
  ///
  /// - Throws: a ``Problem`` that names what depends on the view: dropping that too would lose work.
  func make(with migrator: Migrator) throws {
    if attributes.contains(where: { $0.key == "profile_id" }) {
      throw Problem(
        .pipelineWrong, at: "attributes", "profile_id is no name for an attribute",
        because: "the view profiles_wide has that column already", next: "rename the attribute")
    }
    guard try !migrator.isRecorded(Self.recordName, text) else { return }
    let connection = migrator.connection
    let dependents = try connection.execute(
      """
      select distinct view.oid::regclass::text
      from pg_catalog.pg_class as wide
      join pg_catalog.pg_namespace as space on space.oid = wide.relnamespace
      join pg_catalog.pg_depend as link on link.refobjid = wide.oid and link.deptype = 'n'
      join pg_catalog.pg_rewrite as rule on rule.oid = link.objid
      join pg_catalog.pg_class as view on view.oid = rule.ev_class
      where space.nspname = $1 and wide.relname = 'profiles_wide' and view.oid <> wide.oid
      order by 1
      """, [.text(schema.name)])
    guard dependents.count == 0 else {
      let names = (0..<dependents.count).compactMap { dependents.text($0, 0) }
      throw Problem(
        .pipelineWrong, at: "view \(schema.name).profiles_wide", "cannot change its columns",
        because: "\(names.joined(separator: ", ")) depend on it",
        next: "drop them, run again, and create them anew")
    }
    do {
      try connection.executeScript("drop view if exists \(schema.quoted).profiles_wide")
    } catch let error as DatabaseError where error.sqlState == "2BP01" {
      throw Problem(
        .pipelineWrong, at: "view \(schema.name).profiles_wide", "cannot change its columns",
        because: error.message, next: "drop what depends on it, run again, and create it anew")
    }
    try connection.executeScript(text)
    try migrator.record(Self.recordName, text)
  }

  private func quotedName(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  private func quotedText(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
