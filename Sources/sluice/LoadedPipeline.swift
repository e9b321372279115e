internal import Core
internal import Ingest
internal import Store

/// A pipeline ready to run: checked, with its tests and its generation.
struct LoadedPipeline: Sendable {
  let pipeline: Pipeline
  let tests: [PipelineTest]
  let generation: Generation
  /// What is allowed and yet most likely a mistake, in words that are ready to be shown; empty for
  /// nothing.
  let warnings: String
}

/// What is wrong with a pipeline file, in words that are ready to be shown.
struct PipelineFileProblem: Error {
  let report: String
  let count: Int
}

extension Sluice {
  /// Reads and checks a pipeline file.
  ///
  /// - Throws: ``PipelineFileProblem`` for what is wrong in it; ``Problem`` where it cannot be read.
  func load(_ path: String) throws -> LoadedPipeline {
    try load(try PipelineFile(contentsOf: path, environment: environment))
  }

  /// The pipeline that the database holds: its canonical text is a pipeline file.
  func load(_ generation: Generation) throws -> LoadedPipeline {
    try load(
      PipelineFile(Array(generation.text.utf8), path: "pipeline \(generation.pipeline) as stored"))
  }

  /// The named file, or the pipeline that the database holds.
  func load(_ path: String?, else store: @autoclosure () throws -> Store) throws -> LoadedPipeline {
    if let path { return try load(path) }
    guard let stored = try store().currentGeneration() else {
      throw Problem(
        .usage, at: "--pipeline", "is needed",
        because: "the database holds no pipeline yet", next: "name a pipeline file")
    }
    return try load(stored)
  }

  private func load(_ file: PipelineFile) throws -> LoadedPipeline {
    var problems: [PipelineProblem] = []
    if let source = file.source {
      let zone = zone(of: source, &problems)
      problems += TestNames(in: source).problems(of: file.tests)
      problems += TestEvents(primitives, ReadLimits(source.limits)).problems(
        of: file.tests)
      var warnings: [PipelineProblem] = []
      do {
        let zones = ZoneCache()
        let pipeline = try PipelineChecker.check(
          source, zone: zone, zones: { zones.zone(named: $0) })
        warnings = pipeline.warnings
        if file.problems.isEmpty, problems.isEmpty {
          return LoadedPipeline(
            pipeline: pipeline, tests: file.tests,
            generation: Generation(
              hash: Pipeline.generationHash(canonicalText: file.canonicalText, primitives).string,
              pipeline: pipeline.name.string, text: file.canonicalText.string,
              resolverVersion: resolverVersion, codec: Int32(EventSet.codec)),
            warnings: file.report(warnings: warnings))
        }
      } catch {
        problems += error.list
        warnings = error.warnings
      }
      problems = file.news(problems)
      throw PipelineFileProblem(
        report: file.report(problems, warnings: file.news(warnings)),
        count: file.problems.count + problems.count)
    }
    throw PipelineFileProblem(report: file.report(), count: file.problems.count)
  }

  /// The zone that a pipeline names; UTC where this machine has none of that name, which is a problem.
  private func zone(of source: PipelineSource, _ problems: inout [PipelineProblem]) -> Zone {
    guard let name = source.timeZone else { return .utc }
    if let zone = ZoneFile.zone(named: name.value) { return zone }
    problems.append(
      PipelineProblem(
        at: name.position,
        "no zone `\(name.value.string)` on this machine: name one as Europe/Berlin, or install tzdata"
      ))
    return .utc
  }
}

extension Sluice {
  /// Puts a pipeline in force, once its own tests pass; true where it is new to the database.
  ///
  /// - Throws: a ``Problem`` with `.pipelineWrong` where a test fails: what people are shown must not
  ///   change by a file that contradicts itself.
  @discardableResult
  func bringIn(_ loaded: LoadedPipeline, on store: Store, isActivating: Bool = false) throws -> Bool
  {
    if !loaded.tests.isEmpty, try store.currentGeneration()?.hash != loaded.generation.hash {
      try requirePassingTests(loaded)
    }
    return try loaded.start(on: store, isActivating: isActivating)
  }

  /// The tests of a pipeline's own file that fail, in the order of the file.
  func failingTests(of loaded: LoadedPipeline) -> [PipelineTest] {
    loaded.tests.filter { !differences($0, loaded.pipeline).isEmpty }
  }

  /// Refuses a pipeline of whose own tests some fail.
  func requirePassingTests(_ loaded: LoadedPipeline) throws {
    let failing = failingTests(of: loaded)
    guard failing.isEmpty else {
      throw Problem(
        .pipelineWrong, at: "pipeline \(loaded.generation.pipeline)",
        "is not brought into force",
        because:
          "\(counted(failing.count, "test")) of its file \(failing.count == 1 ? "fails" : "fail")",
        next: "`sluice test FILE` shows what is expected and what comes")
    }
  }
}

extension LoadedPipeline {
  /// Everything that follows from a person's events at an instant.
  func resolver(_ primitives: Primitives) -> @Sendable (PersonEvents, Instant) -> Outcome {
    let pipeline = pipeline
    return { person, asOf in resolve(person, pipeline, asOf: asOf, primitives) }
  }

  /// Puts the pipeline in force; true where it is new to the database.
  ///
  /// - Parameter isActivating: true to bring it back where it was replaced earlier.
  @discardableResult
  func start(on store: Store, isActivating: Bool = false) throws -> Bool {
    try store.startGeneration(
      generation,
      attributes: pipeline.attributes.map {
        DeclaredAttribute(key: $0.key, isNumber: $0.type == .number)
      },
      segments: pipeline.segments.map { DeclaredSegment(name: $0.name, rule: $0.rule) },
      excludedFromReports: pipeline.excludedFromReports, privacy: pipeline.privacy,
      isActivating: isActivating)
  }
}
