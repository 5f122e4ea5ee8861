// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: a warning is an error, and unsafe code is marked where it stands.
let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
]

/// Tests may use unsafe system calls without marking each of them.
let tests: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "parser-ota",
  products: [
    // The modules of values come along for apps that see members only of modules that they import.
    .library(
      name: "ParserUpdater",
      targets: ["ParserUpdater", "ParserUpdaterFoundation", "OTAFeed", "OTAManifest", "OTATransfer"]),
    .library(name: "ParserPublisher", targets: ["ParserPublisher", "OTAFeed", "OTAManifest", "OTACrypto"]),
    .library(name: "ParserWorkbench", targets: ["ParserWorkbench"]),
    .library(name: "ParserEngine", targets: ["ParserEngine"]),
    .library(name: "ParserTrialLoad", targets: ["ParserTrialLoad"]),
    .library(name: "ParserFaults", targets: ["ParserFaults"]),
    .executable(name: "parser-ota", targets: ["parser-ota"]),
    .executable(name: "parser-ota-engine", targets: ["parser-ota-engine"]),
  ],
  targets: [
    // C libraries. libcurl, libarchive and libzstd are loaded on first use, so that local commands never pay for them.
    .target(name: "CCurl"),
    .target(name: "CArchive"),
    .target(name: "CZstd"),
    .target(name: "CCage"),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
      name: "CWebKit", pkgConfig: "webkit2gtk-4.1", providers: [.apt(["libwebkit2gtk-4.1-dev"])]),

    // Rank 0: pure values.
    .target(name: "OTAManifest", swiftSettings: house),
    // Rank 0: scripts of the gate, a target of their own because they compile slowly.
    .target(
      name: "GateScripts",
      resources: [
        .embedInCode("Page/probe.js"),
        .embedInCode("Page/page.js"),
        .embedInCode("Page/selectors.js"),
        .embedInCode("Page/samples.js"),
        .embedInCode("Page/patterns.js"),
        .embedInCode("Page/results.js"),
        .embedInCode("Page/watching.js"),
        .embedInCode("Page/dryrun.js"),
        .embedInCode("Reader/start.js"),
        .embedInCode("Reader/main.js"),
        .embedInCode("Reader/tools.js"),
        .embedInCode("Reader/syntax.js"),
        .embedInCode("Reader/bundle.js"),
        .embedInCode("Reader/names.js"),
        .embedInCode("Reader/calls.js"),
        .embedInCode("Reader/words.js"),
        .embedInCode("Reader/report.js"),
        .embedInCode("Reader/sourcemap.js"),
        .embedInCode("Reader/engines.js"),
        .embedInCode("Reader/types.js"),
        .embedInCode("Reader/program.js"),
        .embedInCode("Reader/sorting.js"),
        .embedInCode("Reader/evidence.js"),
        .embedInCode("Reader/promises.js"),
        .embedInCode("Reader/contract.d.ts"),
        .embedInCode("Reader/engine-names.json"),
        .embedInCode("Reader/features.json"),
      ], swiftSettings: house),
    // Rank 1: adapters to the system.
    .target(name: "OTACrypto", dependencies: ["COpenSSL", "OTAManifest"], swiftSettings: house),
    .target(name: "OTAStorage", dependencies: ["CLinux"], swiftSettings: house),
    .target(name: "OTATransfer", dependencies: ["CCurl"], swiftSettings: house),
    .target(name: "OTAProcess", dependencies: ["CLinux"], swiftSettings: house),
    .target(name: "OTAArchive", dependencies: ["CArchive", "CZstd", "OTAManifest"], swiftSettings: house),
    // Rank 2: what makes metadata believable, and a feed as a reader sees it.
    .target(name: "OTATrust", dependencies: ["OTAManifest", "OTACrypto"], swiftSettings: house),
    .target(
      name: "OTAFeed",
      dependencies: ["OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "OTAArchive", "OTATrust"],
      swiftSettings: house),
    .target(
      name: "ParserEngine", dependencies: ["OTAManifest", "OTAProcess"],
      resources: [
        .embedInCode("Page/carrier.js"), .embedInCode("Page/kernel.js"), .embedInCode("Page/bridge.js"),
      ], swiftSettings: house),
    .target(
      name: "ParserPages",
      dependencies: ["OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "ParserEngine"],
      swiftSettings: house),
    .target(
      name: "ParserWorkbench",
      dependencies: [
        "OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "OTAFeed", "ParserEngine", "ParserPages",
      ],
      swiftSettings: house),
    // Rank 3: the two libraries.
    .target(
      name: "ParserUpdater",
      dependencies: [
        "OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "OTAArchive", "OTATrust", "OTAFeed",
      ],
      swiftSettings: house),
    .target(
      name: "ParserPublisher",
      dependencies: [
        "OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "OTAProcess", "OTAArchive", "OTATrust",
        "OTAFeed", "GateScripts", "ParserEngine", "ParserPages", "ParserWorkbench",
      ],
      swiftSettings: house),
    // What of it needs Foundation, for apps alone.
    .target(
      name: "ParserUpdaterFoundation", dependencies: ["OTAManifest", "ParserUpdater"], swiftSettings: house),
    // Rank 3: a feed with faults, for the tests of apps and for ours.
    .target(
      name: "ParserFaults",
      dependencies: ["OTAManifest", "OTACrypto", "OTAStorage", "OTATrust", "OTAFeed"],
      swiftSettings: house),
    // Rank 4: the tool, and what joins the client library with the engine for those who want both.
    .target(
      name: "ParserTrialLoad", dependencies: ["OTAManifest", "ParserEngine", "ParserUpdater"],
      resources: [.embedInCode("trial.js")], swiftSettings: house),
    .target(
      name: "ParserOTACommand",
      dependencies: [
        "OTAManifest", "OTACrypto", "OTAStorage", "OTAProcess", "OTATrust", "OTAFeed", "ParserUpdater",
        "ParserPublisher", "ParserEngine", "ParserPages", "ParserWorkbench", "ParserTrialLoad",
        "ParserFaults",
      ],
      swiftSettings: house),
    .executableTarget(name: "parser-ota", dependencies: ["ParserOTACommand"], swiftSettings: house),
    .executableTarget(
      name: "parser-ota-engine",
      dependencies: ["ParserEngine", "OTAManifest", "OTAProcess", "CWebKit", "CCage"],
      swiftSettings: house),

    // Tests, with the servers, spawners and probes that they share.
    .target(
      name: "TestSupport", path: "Tests/TestSupport", exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "OTAManifestTests", dependencies: ["OTAManifest", "TestSupport"], swiftSettings: tests),
    .testTarget(
      name: "OTACryptoTests", dependencies: ["OTACrypto", "OTAManifest", "TestSupport"],
      swiftSettings: tests),
    .executableTarget(
      name: "storage-probe", dependencies: ["OTAStorage"], path: "Tests/storage-probe", swiftSettings: tests),
    .testTarget(
      name: "OTAStorageTests", dependencies: ["OTAStorage", "TestSupport", "storage-probe"],
      swiftSettings: tests),
    .testTarget(
      name: "OTATransferTests", dependencies: ["OTATransfer", "TestSupport"], swiftSettings: tests),
    .testTarget(
      name: "OTAArchiveTests", dependencies: ["OTAArchive", "OTACrypto", "TestSupport"], swiftSettings: tests),
    .target(
      name: "TrustFixtures", dependencies: ["OTATrust", "OTAManifest", "OTACrypto", "OTATransfer"],
      path: "Tests/TrustFixtures", swiftSettings: tests),
    .target(
      name: "UpdaterTestSupport",
      dependencies: [
        "OTAManifest", "OTACrypto", "OTATransfer", "OTATrust", "OTAFeed", "ParserUpdater", "TestSupport",
      ],
      path: "Tests/UpdaterTestSupport", swiftSettings: tests),
    .testTarget(
      name: "OTAFeedTests",
      dependencies: [
        "OTAFeed", "OTATrust", "OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "TestSupport",
        "UpdaterTestSupport", "TrustFixtures", "tuf-client",
      ],
      swiftSettings: tests),
    .executableTarget(
      name: "activate-probe", dependencies: ["ParserUpdater", "OTAFeed", "OTAManifest", "OTAStorage"],
      path: "Tests/activate-probe", swiftSettings: tests),
    .testTarget(
      name: "ParserUpdaterTests",
      dependencies: [
        "ParserUpdater", "OTAFeed", "OTATrust", "OTAManifest", "OTACrypto", "OTAArchive", "OTAStorage",
        "OTATransfer", "ParserFaults", "TestSupport", "UpdaterTestSupport", "activate-probe",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "ParserPublisherTests",
      dependencies: [
        "ParserPublisher", "OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "OTAArchive", "OTATrust",
        "OTAFeed", "ParserEngine", "ParserWorkbench", "ParserUpdater", "TestSupport", "UpdaterTestSupport",
        "parser-ota-engine",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "HostTests",
      dependencies: [
        "ParserPublisher", "OTAManifest", "OTACrypto", "OTAStorage", "OTATransfer", "OTATrust", "OTAFeed",
        "TestSupport", "parser-ota",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "OTATrustTests",
      dependencies: ["OTATrust", "OTAManifest", "OTACrypto", "TrustFixtures"], swiftSettings: tests),
    .executableTarget(
      name: "tuf-client", dependencies: ["OTAManifest", "OTAStorage", "OTATransfer", "OTAFeed", "OTATrust"],
      path: "Tests/tuf-client", swiftSettings: tests),
    .testTarget(
      name: "ParserOTACommandTests",
      dependencies: [
        "ParserOTACommand", "ParserPublisher", "ParserPages", "ParserEngine", "OTAManifest", "TestSupport",
        "UpdaterTestSupport",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport", "parser-ota", "parser-ota-engine"],
      exclude: ["Pipelines"],
      swiftSettings: tests),
    .testTarget(
      name: "KeyTests",
      dependencies: [
        "ParserOTACommand", "ParserPublisher", "OTAProcess", "OTATrust", "OTAManifest", "OTACrypto",
        "OTAStorage", "OTATransfer", "OTAFeed", "TestSupport", "parser-ota",
      ], swiftSettings: tests),
    .testTarget(
      name: "PeerTests",
      dependencies: ["OTACrypto", "OTAManifest", "TestSupport", "parser-ota", "tuf-client"],
      exclude: ["Python"], swiftSettings: tests),
    .testTarget(
      name: "ParserEngineTests",
      dependencies: [
        "ParserEngine", "ParserTrialLoad", "ParserUpdater", "OTAManifest", "TestSupport",
        "UpdaterTestSupport",
        "parser-ota-engine",
      ], swiftSettings: tests),
    .testTarget(
      name: "ParserPagesTests",
      dependencies: ["ParserPages", "ParserEngine", "OTAManifest", "OTATransfer", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "ParserWorkbenchTests",
      dependencies: ["ParserWorkbench", "ParserPages", "ParserEngine", "OTAManifest", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "ReaderSiteTests",
      dependencies: [
        "ParserWorkbench", "ParserPublisher", "ParserPages", "ParserEngine", "OTAManifest", "OTATransfer",
        "TestSupport",
        "parser-ota", "parser-ota-engine",
      ], exclude: ["Site"], swiftSettings: tests),
    .target(
      name: "Roads",
      dependencies: [
        "ParserPublisher", "ParserUpdater", "OTAManifest", "OTACrypto", "OTATransfer", "OTATrust", "OTAFeed",
        "TestSupport",
      ], path: "Tests/Roads", exclude: ["Python"], swiftSettings: tests),
    .testTarget(name: "RoadTests", dependencies: ["Roads", "TestSupport"], swiftSettings: tests),
    .executableTarget(
      name: "road-runner", dependencies: ["Roads"], path: "Tests/road-runner", swiftSettings: tests),
    .testTarget(name: "HouseTests", dependencies: ["OTAManifest", "TestSupport"], swiftSettings: tests),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzer's runtime exists on some machines only, so its driver is a part of the package for `ci/fuzz` alone. What is
// fuzzed is in the ordinary tests too: every finding of the past, and a short run of mutations.
let fuzzed: [Target.Dependency] = [
  "OTAManifest", "OTACrypto", "OTATransfer", "OTAArchive", "OTATrust", "OTAFeed", "ParserEngine",
  "ParserPages",
  "ParserUpdater", "ParserOTACommand", "TestSupport", "TrustFixtures", "UpdaterTestSupport",
]
if Context.environment["PARSER_OTA_FUZZ"] == nil {
  package.targets.append(
    .testTarget(
      name: "FuzzTargets", dependencies: fuzzed, path: "Tests/FuzzTargets", swiftSettings: tests))
} else {
  package.targets += [
    .target(
      name: "FuzzTargets", dependencies: fuzzed, path: "Tests/FuzzTargets",
      exclude: ["FuzzTargetTests.swift"], swiftSettings: tests),
    .executableTarget(
      name: "fuzz-driver", dependencies: ["FuzzTargets"], path: "Tests/fuzz-driver", swiftSettings: tests),
  ]
}
