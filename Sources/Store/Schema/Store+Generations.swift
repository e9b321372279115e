package import Core

extension Store {
  /// The generation in force; nil before the first one.
  package func currentGeneration() throws -> Generation? {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in try readGeneration() }
  }

  private func readGeneration() throws -> Generation? {
    let row = try connection.execute(
      """
      select hash, pipeline, text, resolver_version, codec
      from \(schema.quoted).generations
      where is_current
      """)
    guard row.count == 1 else { return nil }
    return Generation(
      hash: row.text(0, 0) ?? "", pipeline: row.text(0, 1) ?? "", text: row.text(0, 2) ?? "",
      resolverVersion: Int32(row.integer(0, 3) ?? 0), codec: Int32(row.integer(0, 4) ?? 0))
  }

  /// Puts a generation in force; nothing happens where it is already.
  ///
  /// - Parameters:
  ///   - generation: hash, name and text of the pipeline.
  ///   - attributes: become the columns of `profiles_wide`.
  ///   - segments: so that an empty one is reported too, and each with its rule.
  ///   - excludedFromReports: the segment whose members reports leave out.
  ///   - privacy: what it drops; it is taken out of what is kept of quarantined profiles at once.
  ///   - isActivating: true to bring back a generation that was replaced earlier.
  /// - Returns: true where it is new: then all profiles wait to be derived by it.
  /// - Throws: a ``Problem`` with `.pipelineWrong` where another pipeline owns the schema, the
  ///   generation was replaced earlier, or this program is older than the one that wrote last.
  @discardableResult
  package func startGeneration(
    _ generation: Generation, attributes: [DeclaredAttribute], segments: [DeclaredSegment],
    excludedFromReports: Bytes? = nil, privacy: PrivacyRules = PrivacyRules(),
    isActivating: Bool = false
  ) throws -> Bool {
    try retrying(at: "schema \(schema.name)", "cannot bring in the pipeline file") { _ in
      if try readGeneration()?.hash == generation.hash { return false }
      return try connection.transaction {
        try connection.executeScript(
          "set local lock_timeout = '60s'; set local statement_timeout = 0")
        try connection.lockExclusively(schema)
        let header = try self.header()
        guard header.generation != generation.hash else { return false }
        try refuse(generation, under: header, isActivating: isActivating)
        try ProfilesWide(schema: schema, attributes: attributes).make(with: migrator)
        try insert(generation, segments, excludedFromReports)
        if !privacy.isEmpty { _ = try trimSetAside(Admission(privacy: privacy)) }
        return true
      }
    }
  }

  private func refuse(
    _ generation: Generation, under header: SchemaHeader, isActivating: Bool
  ) throws {
    guard header.generation == nil || header.pipeline == generation.pipeline else {
      throw Problem(
        .pipelineWrong, at: "pipeline \(generation.pipeline)",
        "cannot use schema \(schema.name)",
        because: "it belongs to the pipeline \(header.pipeline)",
        next: "name another schema with --schema")
    }
    guard
      header.generation == nil
        || (header.resolverVersion <= generation.resolverVersion
          && header.codec <= generation.codec)
    else {
      throw Problem(
        .pipelineWrong, at: "schema \(schema.name)", "was derived by a newer program",
        next: "use the newer program")
    }
    guard !isActivating else { return }
    let earlier = try connection.execute(
      "select 1 from \(schema.quoted).generations where hash = $1", [.text(generation.hash)])
    guard earlier.count == 0 else {
      throw Problem(
        .pipelineWrong, at: "pipeline \(generation.pipeline)", "was replaced by a later one",
        because: "a job with an old copy of the file would undo the newer one",
        next: "if going back to it is meant: `sluice recompute --activate --pipeline FILE`")
    }
  }

  private func insert(
    _ generation: Generation, _ segments: [DeclaredSegment], _ excludedFromReports: Bytes?
  ) throws {
    let name = schema.quoted
    try connection.execute(
      "update \(name).generations set replaced_at = clock_timestamp() where replaced_at is null")
    try connection.execute(
      """
      insert into \(name).generations (
        hash, pipeline, text, resolver_version, codec, segments, segment_rules, reports_exclude
      )
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (hash) do update set started_at = clock_timestamp(), replaced_at = null,
        segment_rules = excluded.segment_rules, reports_exclude = excluded.reports_exclude
      """,
      [
        .text(generation.hash), .text(generation.pipeline), .text(generation.text),
        .int4(generation.resolverVersion), .int4(generation.codec), .texts(segments.map(\.name)),
        .texts(segments.map(\.rule)),
        excludedFromReports.map { .text($0) } ?? .null(.text),
      ])
    try markForRefold(generation: generation.hash)
  }

  /// Has all profiles derived anew by the generation in force, without a change of the pipeline.
  package func refoldEverything(by generation: Generation) throws {
    try retrying(at: "schema \(schema.name)", "cannot have everything derived anew") { _ in
      try connection.transaction {
        try connection.lockExclusively(schema)
        guard try header().generation == generation.hash else { throw newerGeneration() }
        try markForRefold(generation: generation.hash)
      }
    }
  }

  /// A shard without profiles has nothing to derive: it is done at once.
  func markForRefold(generation: String) throws {
    let name = schema.quoted
    try connection.execute(
      """
      update \(name).shard_state as state
      set
        generation = $1,
        cursor = case
          when exists (select from \(name).profiles as profile where profile.shard = state.shard)
            then ''
        end
      """, [.text(generation)])
  }
}
