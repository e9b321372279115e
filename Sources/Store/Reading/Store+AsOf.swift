package import Core

extension Store {
  /// The instant that everything is derived for: the latest of all jobs; nil before the first job.
  package func asOfInForce() throws -> Instant? {
    try retrying(at: "schema \(schema.name)", "cannot read") { _ in try header().asOf }
  }
}
