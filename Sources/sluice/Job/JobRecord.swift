internal import Core
internal import Store

extension Sluice {
  /// Does a job's work, which closes the job's record; where it fails, the record tells that.
  ///
  /// The first error is the one that is shown.
  func recording<Result>(
    _ job: Job, on store: Store, _ work: () async throws -> Result
  ) async throws -> Result {
    do { return try await work() } catch {
      _ = try? store.finish(job, exit: (error as? Problem)?.exit ?? .bug)
      throw error
    }
  }
}
