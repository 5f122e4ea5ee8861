import OTAFeed
import Glibc
import OTAManifest
import OTAStorage
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserUpdater

/// B98: what may not be read, or is not given by the disk, is neither damaged nor missing: nothing is changed by it.
@Suite("What cannot be known", .enabled(if: OtherUser.isPossible, "needs setpriv"))
struct UnknownStories {
  /// A device that runs 42, confirmed, may go back to 41, has 43 staged, and belongs to the other user.
  private func device(_ mode: TrustMode, staged: Bool = true) async throws -> Device {
    let signer =
      mode == .signed ? FeedSigner(now: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())) : nil
    let device = try Device(embedded: nil, feed: MemoryFeed(signer: signer))
    device.embed(try SampleRelease(30, .init(marked: 30)))
    if let signer { plant(signer.root(), at: device.home.path("app/root.json")) }
    for version in 41...42 as ClosedRange<Int64> {
      try device.feed.publish(version, .init(marked: version))
      try await device.update()
      device.launchAndConfirm()
    }
    if staged {
      try device.feed.publish(43, .init(marked: 43))
      try await device.update()
    }
    device.feed.write(to: device.home.path("feed"))
    try OtherUser.own(device.home.path)
    return device
  }

  /// The files whose bytes a launch, a question or an update needs; `42` stands for the folder of the release.
  static let names = [
    "state.json", "releases", "releases/42", "releases/42/manifest.json", "releases/42/parsers.bundle.js",
    "releases/42/sources.json", ".",
  ]

  @Test(
    "B98: a file of the store that may not be read costs nothing: told as unknown, nothing changed, and all is well later",
    arguments: names, TrustMode.allCases)
  func unreadable(name: String, mode: TrustMode) async throws {
    let device = try await device(mode, staged: false)
    let folder = try #require(try device.folder(of: 42).split(separator: "/").last)
    let place = "\(device.store)/\(name.replacing("releases/42", with: "releases/\(folder)"))"
    let before = Inventory(device.store)
    var status = stat()
    #expect(stat(place, &status) == 0)
    chmod(place, 0)
    for verb in ["explain", "launch", "launch", "launch", "check", "update"] {
      let told = try OtherUser.probe(device, verb)
      #expect(told.contains { $0.contains("no-permission: ") }, "\(verb): \(told)")
      if ["explain", "launch"].contains(verb) {
        #expect(["next 30 embedded ", "next 41 previous "].contains(told.first), "\(told)")
      }
    }
    chmod(place, status.st_mode & 0o7777)
    let ignored = ["history.jsonl", "metadata", "incoming"]
    #expect(Inventory(device.store).without(ignored) == before.without(ignored))
    #expect(try OtherUser.probe(device, "launch") == ["next 42 current "])
    try device.feed.publish(43, .init(marked: 43))
    device.feed.write(to: device.home.path("feed"))
    try OtherUser.own(device.home.path)
    #expect(try OtherUser.probe(device, "update") == ["staged 43"])
  }

  @Test(
    "B98: a staged release whose bundle may not be read stays staged, and is launched when it may",
    arguments: TrustMode.allCases)
  func staged(mode: TrustMode) async throws {
    let device = try await device(mode)
    let bundle = "\(try device.folder(of: 43))/parsers.bundle.js"
    chmod(bundle, 0)
    for verb in ["explain", "launch", "launch"] {
      let told = try OtherUser.probe(device, verb)
      #expect(told.first == "next 42 current ", "\(verb): \(told)")
      #expect(told.contains { $0.hasPrefix("passed unknown: release 43 (staged)") }, "\(verb): \(told)")
    }
    for verb in ["check", "update"] {
      #expect(try OtherUser.probe(device, verb).first?.hasPrefix("no-permission: ") == true)
    }
    chmod(bundle, 0o600)
    #expect(try OtherUser.probe(device, "launch") == ["next 43 staged on-trial"])
  }

  @Test("B98: a trial is not counted, and nothing rejected, while it cannot be known which launches go on")
  func unknownLaunches() async throws {
    let device = try await device(.checksumsOnly)
    for _ in 0..<2 { #expect(try OtherUser.probe(device, "launch").first?.hasPrefix("next 43 ") == true) }
    let launches = "\(device.store)/launches"
    chmod(launches, 0)
    let before = content("\(device.store)/state.json")
    for verb in ["explain", "launch", "launch"] {
      let told = try OtherUser.probe(device, verb)
      #expect(told.first == "next 42 previous ", "\(verb): \(told)")
      #expect(told.contains { $0.hasPrefix("passed unknown: release 43 (current)") }, "\(verb): \(told)")
    }
    #expect(content("\(device.store)/state.json") == before)
    chmod(launches, 0o600)
    #expect(try OtherUser.probe(device, "launch").contains { $0.hasPrefix("passed rejected: release 43") })
  }

  @Test("B98: an embedded copy that may not be read is not called damaged")
  func embedded() async throws {
    let device = try await device(.checksumsOnly, staged: false)
    chmod(device.home.path("app/manifest.json"), 0)
    for verb in ["explain", "launch"] {
      let told = try OtherUser.probe(device, verb)
      #expect(told.first == "next 42 current ", "\(told)")
      #expect(told.contains { $0.contains("no-permission: the copy inside the app") }, "\(told)")
    }
  }

  @Test(
    "B98: the store of another user is not used, not called damaged, and not changed",
    .enabled(if: geteuid() == 0, "needs root"))
  func strangersStore() async throws {
    let device = try await device(.checksumsOnly, staged: false)
    for mode in [0o755, 0o700] as [mode_t] {
      chmod(device.store, mode)
      _ = try run("/bin/chown", ["-R", "1:1", device.store])
      let before = Inventory(device.store)
      for verb in ["explain", "launch", "check", "update"] {
        let told = try OtherUser.probe(device, verb)
        let codes = mode == 0o755 ? "not-private: " : "no-permission: "
        #expect(told.contains { $0.contains(codes) }, "\(verb): \(told)")
        if ["explain", "launch"].contains(verb) { #expect(told.first == "next 30 embedded ") }
      }
      #expect(Inventory(device.store) == before)
    }
  }

  @Test(
    "B98: a disk that does not answer is asked again later: nothing is rebuilt, rejected or fetched",
    .enabled(if: Machine.traces, "needs strace"), arguments: ["EIO", "EACCES", "EPERM"],
    ["state.json", "parsers.bundle.js", "sources.json", "manifest.json", "releases", "launches"])
  func diskFaults(error: String, name: String) async throws {
    let device = try await device(.checksumsOnly, staged: false)
    let state = content("\(device.store)/state.json")
    let folder =
      name.hasPrefix("state") || name == "releases" || name == "launches" ? "store" : "store/releases/"
    for verb in ["explain", "launch", "update"] {
      let told = try traced(device, verb, "\(device.home.path)/\(folder)", name, error)
      #expect(
        told.allSatisfy { !$0.hasPrefix("passed not-whole") && !$0.hasPrefix("staged") }, "\(verb): \(told)")
      #expect(content("\(device.store)/state.json") == state, "\(verb) \(told)")
    }
    #expect(device.stored == [41, 42])
    #expect(try OtherUser.probe(device, "launch") == ["next 42 current "])
  }

  /// Lets every opening of a name fail; the system call is told by its number among all of them.
  private func traced(
    _ device: Device, _ verb: String, _ folder: String, _ name: String, _ error: String
  ) throws -> [String] {
    let probe = try BuiltProducts.path(of: "activate-probe")
    let arguments = [verb, device.store, device.home.path("app"), device.home.path("feed")]
    let log = device.home.path("trace")
    _ = try run(
      "/usr/bin/strace",
      ["-f", "-y", "-qq", "-s", "300", "-e", "trace=openat", "-o", log, probe]
        + (verb == "update" ? ["check"] : [verb])
        + arguments.dropFirst())
    let lines = String(decoding: content(log) ?? [], as: UTF8.self).split(separator: "\n")
    let ordinals = lines.enumerated().filter { _, line in
      line.contains("\"\(name)\"") && line.contains("<\(folder)")
    }.map { $0.offset + 1 }
    guard let first = ordinals.first else { return [] }
    let result = try run(
      "/usr/bin/strace",
      [
        "-f", "-qq", "-o", "/dev/null", "-e", "trace=openat", "-e",
        "inject=openat:error=\(error):when=\(first)..\(first + (name == "state.json" ? 1 : 0))", probe,
      ] + arguments)
    return result.output.split(separator: "\n").map(String.init)
  }
}
