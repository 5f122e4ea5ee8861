import Foundation
import TestSupport
import Testing

/// A signed feed in a playground, with the keys that sign it and some that do not; all made by the tool itself.
///
/// The feed `signed` has two releases and two root keys of which one must sign; `next.root.json` waits for a signature, and
/// `signed.tar.zst` is an archive of release 2.
struct SignedScene {
  /// The names of the key files, without their endings.
  static let keys = ["root", "spare", "release", "other", "sealed"]
  static let files =
    keys.flatMap { ["\($0).pem", "\($0).pem.pub"] } + [
      "phrase.txt", "next.root.json", "signed.tar.zst", "plan.json",
    ]

  private static let shared = Result { try SignedScene() }
  private let playground: Playground
  /// Key ids by the words that stand for them in command lines: `ROOT_ID`.
  private var ids: [String: String] = [:]

  /// Copies the scene into a playground.
  static func put(into playground: Playground) throws {
    let scene = try shared.get().playground
    for name in files + ["signed", "steps"] {
      try FileManager.default.copyItem(atPath: scene.path(name), toPath: playground.path(name))
    }
  }

  /// The command line with ids in place of the words that stand for them.
  static func filled(_ line: String) throws -> String {
    try shared.get().ids.reduce(line) { $0.replacing($1.key, with: $1.value) }
  }

  private init() throws {
    playground = try SharedPlaygrounds.make()
    try playground.writeSecret("phrase.txt", "correct horse\n")
    for key in Self.keys {
      let encryption = key == "sealed" ? "--encrypt --passphrase-file phrase.txt" : ""
      let made = try playground.tool.json("key generate --out \(key).pem \(encryption)")
      let id: String = try #require(made.string("keyID"))
      ids["\(key.uppercased())_ID"] = id
    }
    try playground.must(
      "init --feed signed --root-key root.pem --root-key spare.pem --release-key release.pem")
    for number in 1...2 {
      try playground.must(
        "publish --feed signed --bundle bundle-\(number).js --sources sources.json --release-key release.pem")
    }
    try playground.must("export --feed signed --out signed.tar.zst")
    try Self.makeSteps(playground)
    try playground.must("root prepare --feed signed --out next.root.json --expires-days 700")
  }
}

extension SignedScene {
  /// The feed `steps`: a channel beta, a release of stable that some devices may have, and a plan to simulate.
  private static func makeSteps(_ playground: Playground) throws {
    try playground.must("init --feed steps --checksums-only")
    let files = "--feed steps --sources sources.json"
    try playground.must("publish \(files) --bundle bundle-1.js")
    try playground.must("publish \(files) --bundle bundle-3.js --channel beta")
    try playground.must("publish \(files) --bundle bundle-2.js --rollout 10%")
    try playground.write(
      "plan.json",
      #"{"devices":300,"hours":48,"events":[{"at":"1h","do":"publish","rollout":"10%","bad":true},{"at":"9h","do":"withdraw"}]}"#
    )
  }
}

extension Playground {
  /// The signed feed `signed` and its keys beside everything else.
  func makeSignedFeed() throws { try SignedScene.put(into: self) }

  /// Writes a file that only its owner may read, as the tool asks for secrets.
  func writeSecret(_ name: String, _ text: String) throws {
    try write(name, text)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
  }
}
