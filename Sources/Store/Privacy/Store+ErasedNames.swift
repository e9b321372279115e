package import Core

/// Names that meant nothing are no answers, but a program can name an event as it names a person.
extension Store {
  /// Those of names, or of words of a text, that are erased ids: they are not to be listed.
  package func erasedNames(among names: Set<Bytes>) throws -> Set<Bytes> {
    guard !names.isEmpty else { return [] }
    return try retrying(at: "schema \(schema.name)", "cannot read") { _ in
      let any = try connection.execute("select 1 from \(schema.quoted).erasures limit 1")
      guard any.count > 0 else { return [] }
      // A customer is named without the prefix that the id has among those of people.
      func forms(_ name: Bytes) -> [Bytes] {
        [name] + PeopleRules.prefixes.map { Bytes($0.array + name.array) }
      }
      let erased = try Tombstones(connection, schema, primitives)
        .found(among: Set(names.flatMap(forms)))
      return names.filter { forms($0).contains { erased.contains(ProfileID.folded($0)) } }
    }
  }

  /// Takes away names that are one of the ids, or that hold one of some length; what they counted stays,
  /// without a name.
  ///
  /// - Returns: how many rows of names went.
  func forgetNames(of ids: [Bytes]) throws -> Int {
    let name = schema.quoted
    let ids = Set(ids + ids.map(ProfileID.own)).map(\.lowercasedASCII).sorted()
    let parameters = [Parameter.texts(ids), .texts(ids.filter { $0.count >= 8 })]
    func isTheirs(_ text: String) -> String {
      """
      (
        lower(\(text) collate "C") = any($1)
        or exists (
          select from unnest($2) as long (id) where position(long.id in lower(\(text) collate "C")) > 0
        )
      )
      """
    }
    let gone = try connection.execute(
      """
      with gone as (
        delete from \(name).unknown_names as known
        where known.name <> '' and \(isTheirs("known.name"))
        returning known.job_id, known.source, known.kind, known.n
      ), nameless as (
        insert into \(name).unknown_names as known (job_id, source, kind, name, n)
        select job_id, source, kind, '', sum(n) from gone group by job_id, source, kind
        on conflict (job_id, source, kind, name) do update set n = known.n + excluded.n
      )
      select count(*) from gone
      """, parameters)
    for table in ["ingest_files", "job_runs"] {
      try connection.execute(
        """
        update \(name).\(table) as record
        set sources = (
          select jsonb_object_agg(source.key, (
            select coalesce(jsonb_agg(kind.value), '[]')
            from jsonb_array_elements_text(source.value) as kind (value)
            where not \(isTheirs("kind.value"))
          ))
          from jsonb_each(record.sources) as source
        )
        where exists (
          select
          from jsonb_each(record.sources) as source
          cross join jsonb_array_elements_text(source.value) as kind (value)
          where \(isTheirs("kind.value"))
        )
        """, parameters)
    }
    return Int(gone.integer(0, 0) ?? 0)
  }
}
