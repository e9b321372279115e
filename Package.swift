// swift-tools-version: 6.2
import PackageDescription

/// Every target is built the same way: Swift 6 mode, explicit `any`, honest imports, no warnings.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Built for `make bench` alone.
let benches: [Target] =
  Context.environment["SLUICE_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "bench-rules", dependencies: ["Core"], path: "Tests/bench/rules", swiftSettings: strict,
      // Core imports nothing, so nobody asks for libm.
      linkerSettings: [.linkedLibrary("m")])
  ]

/// Built for `make fuzz` alone: the program as a library, for libFuzzer has the `main`.
let isFuzzing = Context.environment["SLUICE_FUZZ"] != nil

let fuzzers: [Target] = [
  .target(
    name: "sluice", dependencies: ["Core", "Ingest", "Store", "Report", "CYAML", "CCrypto"],
    swiftSettings: strict + [
      .unsafeFlags(["-entry-point-function-name", "sluice_main"].flatMap { ["-Xfrontend", $0] })
    ]),
  .executableTarget(
    name: "fuzz", dependencies: ["Core", "Ingest", "sluice"], path: "Tests/fuzz/targets",
    swiftSettings: strict),
]

/// The program and its tests.
let program: [Target] = [
  .executableTarget(
    name: "sluice", dependencies: ["Core", "Ingest", "Store", "Report", "CYAML", "CCrypto"],
    swiftSettings: strict),
  .testTarget(
    name: "SluiceTests",
    dependencies: ["Core", "Ingest", "Store", "Report", "sluice", "CSimdjson", "CCompression"],
    exclude: ["Fixtures", "Golden", "Rules/prelude.sql"],
    swiftSettings: strict),
]

let package = Package(
  name: "sluice",
  products: isFuzzing ? [] : [.executable(name: "sluice", targets: ["sluice"])],
  targets: [
    // Doors to C libraries: a header and a module map each, no logic.
    .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CCompression",
      providers: [.apt(["zlib1g-dev", "libzstd-dev", "libarchive-dev"])]),
    // simdjson is C++: one small file gives it a plain C face.
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),

    // The pure core: values and functions. It imports nothing and holds no unsafe construct.
    .target(name: "Core", swiftSettings: strict + [.strictMemorySafety()]),
    .target(
      name: "Ingest", dependencies: ["Core", "CSimdjson", "CCompression"], swiftSettings: strict),
    .target(name: "Store", dependencies: ["Core", "CLibpq"], swiftSettings: strict),
    .target(name: "Report", dependencies: ["Core"], swiftSettings: strict),
  ] + (isFuzzing ? fuzzers : program) + benches,
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
