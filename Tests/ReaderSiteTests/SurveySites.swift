import Foundation
import TestSupport

/// What is wrong with a site of a survey, and what the survey must say.
enum SiteKind: String, CaseIterable, Sendable {
  case ok, nohead, empty, throws_ = "throws", moved, challenge, blocked, slowdown, login, gone, down, hidden
  case cut, circle, silent, nosearch, nopages, nopicture, dns, tls, closed, loop

  /// The step that decides, and its verdict; `nil` when nothing is wrong.
  var expected: (step: String, verdict: String, state: String)? {
    switch self {
    case .ok, .nohead: nil
    case .empty: ("list", "empty", "broken")
    case .throws_: ("details", "fault", "broken")
    case .moved: ("list", "moved", "moved")
    case .challenge: ("list", "challenge", "unknown")
    case .blocked, .slowdown: ("list", "blocked", "unknown")
    case .login: ("list", "login", "broken")
    case .gone: ("list", "status", "broken")
    case .down, .hidden: ("list", "status", "degraded")
    case .cut, .circle: ("list", "answer", "degraded")
    case .silent: ("list", "timeout", "degraded")
    case .nosearch: ("search", "empty", "degraded")
    case .nopages: ("pages", "empty", "broken")
    case .nopicture: ("picture", "status", "degraded")
    case .dns: ("list", "dns", "broken")
    case .tls: ("list", "tls", "broken")
    case .closed: ("list", "unreachable", "degraded")
    case .loop: ("list", "fault", "broken")
    }
  }

  var family: String {
    switch self {
    case .hidden: "HidingParser"
    case .loop: "LoopParser"
    default: "ReaderParser"
    }
  }
}

/// Sites on many addresses of this machine, behind one server, with the catalog that names them.
final class SurveySites {
  let kinds: [(id: String, kind: SiteKind)]
  let port: Int
  private let folder: TemporaryDirectory
  private let process: ChildProcess
  private var log: String { folder.path("requests.log") }

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - seed: shuffles the kinds.
  ///   - loops: how many of the sources hold up the engine, which takes seconds each.
  ///   - silent: how many never answer.
  init(count: Int, seed: UInt64, delay: Int = 0, loops: Int = 1, silent: Int = 3) throws {
    var random = SeededGenerator(seed: seed)
    let usual = SiteKind.allCases.filter { $0 != .loop && $0 != .silent }
    var kinds = (0..<count).map { index in index % 2 == 0 ? usual[(index / 2) % usual.count] : .ok }
    kinds.replaceSubrange(
      0..<0, with: Array(repeating: .loop, count: loops) + Array(repeating: .silent, count: silent))
    kinds = Array(kinds.prefix(count)).shuffled(using: &random)
    self.kinds = kinds.enumerated().map { ("S\($0)", $1) }
    folder = try TemporaryDirectory()
    var sites: [String: String] = [:]
    for (index, kind) in kinds.enumerated() where ![.dns, .closed].contains(kind) {
      sites[Self.address(index)] = kind.rawValue
      if kind == .moved { sites[Self.address(index, net: 2)] = "ok" }
    }
    let plan = ["delay": delay, "sites": sites] as [String: Any]
    try JSONSerialization.data(withJSONObject: plan).write(
      to: URL(fileURLWithPath: folder.path("sites.json")))
    process = try ChildProcess(
      "/usr/bin/python3",
      [
        BuiltProducts.packageRoot() + "/Tests/ReaderSiteTests/Site/survey_site.py", folder.path("sites.json"),
        folder.path("requests.log"),
      ])
    let line = try process.readLine(within: .seconds(60))
    guard let port = line.flatMap({ Int($0) }) else {
      throw SystemFailure("the sites do not start: \(line ?? "no line")")
    }
    self.port = port
  }

  private static func address(_ index: Int, net: Int = 1) -> String {
    "127.\(net).\(index / 200).\(index % 200 + 1)"
  }

  /// The address to which a moved site leads, as a catalog writes it.
  func movedDomain(_ index: Int) -> String { "\(Self.address(index, net: 2)):\(port)" }

  var sources: [ReaderSource] {
    kinds.enumerated().map { index, site in
      let domain = site.kind == .dns ? "name-\(index).invalid" : "\(Self.address(index)):\(port)"
      let overrides = site.kind == .tls ? [:] : ["scheme": "http"]
      return ReaderSource(id: site.id, domain: domain, family: site.kind.family, overrides: overrides)
    }
  }

  /// A bundle with parsers that hide failures and that never end.
  var bundle: ReaderBundle {
    ReaderBundle(
      sources,
      changing: (
        "const families = { ReaderParser, FormParser, BrokenParser };",
        """
        class HidingParser extends ReaderParser {
          async getListPage(...call) { try { return await super.getListPage(...call); } catch { return []; } }
        }
        class LoopParser extends ReaderParser {
          async getListPage() { for (;;) {} }
        }
        const families = { ReaderParser, HidingParser, LoopParser };
        """
      ),
      (
        "title: link.textContent.trim() };\n    }\n    async getDetails",
        """
        title: link.textContent.trim(),
                cover: link.dataset.cover || '' };
            }
            async getDetails
        """
      ))
  }

  /// The requests so far: the address, how many it had open, and what was asked.
  var requests: [(address: String, open: Int, line: String)] {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let open = Int(parts[1]) else { return nil }
      return (String(parts[0]), open, String(parts[2]))
    }
  }
}

/// The same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
