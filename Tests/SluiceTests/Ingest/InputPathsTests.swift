import Core
import Foundation
import Testing

@testable import Ingest

@testable import sluice

@Suite("Input paths")
struct InputPathsTests {
  private func names(_ paths: InputPaths, in folder: ScratchFolder) -> [String] {
    paths.inputs.map {
      switch $0 {
      case .file(let path): String(path.string.dropFirst(folder.path.count + 1))
      case .standardInput: "-"
      }
    }
  }

  @Test("expands a folder by bytes, without hidden files and marks")
  func folder() throws {
    let folder = try ScratchFolder()
    for name in ["b.ndjson", "a/2", "a/10", "B", ".hidden", "_SUCCESS", "a/_tmp/x", ".git/y"] {
      try folder.write(name)
    }
    for argument in [folder.path, folder.path + "/"] {
      let paths = try InputPaths(arguments: [argument])
      let found = names(paths, in: folder).map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
      #expect(found == ["B", "a/10", "a/2", "b.ndjson"])
      #expect(paths.skipped == 4)
    }
  }

  @Test("passes over manifests, checksums and half-written files, unless they are named")
  func noData() throws {
    let folder = try ScratchFolder()
    let marks = [
      "_SUCCESS", "_manifest", "part-0.crc", "x.MANIFEST", "Manifest", "a_manifest.json",
      "manifest.json", "y.md5", "z.sha256", "w.checksum", "u.part", "t.tmp", ".DS_Store",
      "SHA256SUMS",
    ]
    for name in marks + ["manifesto.json", "crc", "part", "x.tmp.json"] { try folder.write(name) }
    let paths = try InputPaths(arguments: [folder.path])
    #expect(names(paths, in: folder) == ["crc", "manifesto.json", "part", "x.tmp.json"])
    #expect(paths.skipped == marks.count)
    let found = try InputPaths(arguments: [folder.path + "/*"])
    #expect(names(found, in: folder) == ["crc", "manifesto.json", "part", "x.tmp.json"])
    #expect(
      found.skipped == marks.count - 1, "a pattern does not match names that begin with a dot")
    let named = try InputPaths(arguments: [folder.path + "/_manifest"])
    #expect(named.inputs.count == 1 && named.skipped == 0)
  }

  @Test("reads a file once that several arguments or links lead to")
  func once() throws {
    let folder = try ScratchFolder()
    try folder.write("a")
    try folder.write("d/b")
    try folder.link("d/again", to: "a")
    try folder.link("d/loop", to: "d")
    try folder.link("d/nowhere", to: "missing")
    let paths = try InputPaths(arguments: [folder.path + "/a", folder.path, "-", "-"])
    #expect(names(paths, in: folder) == ["a", "d/b", "-"])
    #expect(paths.repeated == 4)
    #expect(paths.skipped == 0 && paths.dangling.count == 1)
  }

  @Test("takes `.` and `..` in an archive's paths for ways, not for hidden names")
  func archivePaths() {
    for path: Bytes in ["./a.ndjson", "x/./b.ndjson", "/abs/c.ndjson", "../d.ndjson"] {
      #expect(!InputPaths.isNoData(path: path), "\(path.string)")
    }
    for path: Bytes in [".dir/e.ndjson", "./.e.ndjson", "a/_f.ndjson", "./manifest.json"] {
      #expect(InputPaths.isNoData(path: path), "\(path.string)")
    }
  }

  @Test("expands a glob that the shell left alone, and prefers a file of that very name")
  func glob() throws {
    let folder = try ScratchFolder()
    for name in ["x1", "x2", "y", "[z]", "z"] { try folder.write(name) }
    let paths = try InputPaths(arguments: [folder.path + "/x*", folder.path + "/[z]"])
    #expect(names(paths, in: folder) == ["x1", "x2", "[z]"])
  }

  @Test("names a path that leads nowhere")
  func missing() throws {
    let folder = try ScratchFolder()
    for name in ["missing", "m*"] {
      let problem = #expect(throws: Problem.self) {
        try InputPaths(arguments: [folder.path + "/" + name])
      }
      #expect(problem?.exit == .noInput)
      #expect(problem?.place == folder.path + "/" + name)
    }
  }

  @Test("opens what it found, and tells a changed file from the same one")
  func identity() throws {
    let folder = try ScratchFolder()
    try folder.write("a", record() + "\n")
    try folder.link("b", to: "a")
    func identity(_ name: String) throws -> FileIdentity? {
      let path = Bytes(folder.path + "/" + name)
      return try FileIdentity(of: FileSource(path: path), path: path, primitives: .system)
    }
    let before = try #require(try identity("a"))
    #expect(try identity("b") == before)
    #expect(before.size == Int64(record().utf8.count + 1))
    #expect(before.headHash == before.tailHash)
    #expect(before.headHash.count == 32)
    try folder.write("a", record(id: "e2") + "\n")
    let after = try #require(try identity("a"))
    #expect(after.size == before.size)
    #expect(after != before && after.headHash != before.headHash)

    let input = try #require(try InputPaths(arguments: [folder.path + "/a"]).inputs.first)
    #expect(try InputReading(input.open()).ids == ["e2"])
    #expect(throws: Problem.self) { try FileSource(path: Bytes(folder.path + "/none")) }
    #expect(throws: Problem.self) { try InputReading(FileSource(path: Bytes(folder.path))) }
  }
}
