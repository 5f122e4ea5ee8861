import OTACrypto
import OTAManifest
import OTATrust

@testable import ParserPublisher

extension World {
  private func id(_ key: UInt8) throws -> String { try signers([key])[0].publicKey.metadataID() }

  /// The change of a root and what the keys are afterwards; `nil` when the change would take the last key.
  private func change(_ change: KeyChange) throws -> (changes: [RootChange], after: Keys, words: [String])? {
    let keys = Keys(root: model.rootKeys, release: model.releaseKeys)
    var after = keys
    let isRoot = [.addRoot, .removeRoot, .rotateRoot].contains(change)
    let roles: [Root.Role] = isRoot ? [.root] : .release
    let path = isRoot ? \Keys.root : \Keys.release
    let role = isRoot ? "root" : "release"
    guard let first = keys[keyPath: path].first else { return nil }
    switch change {
    case .add, .addRoot:
      let new = nextKey()
      after[keyPath: path].append(new)
      return ([.add(try signers([new])[0].publicKey, to: roles)], after, ["add", "\(role)=k\(new).pem.pub"])
    case .remove, .removeRoot:
      guard keys[keyPath: path].count > 1 else { return nil }
      after[keyPath: path].removeFirst()
      return ([.remove(keyID: try id(first), from: roles)], after, ["remove", "\(role)=ID_OF_k\(first)"])
    case .rotate, .rotateRoot:
      let new = nextKey()
      after[keyPath: path][0] = new
      return (
        [.replace(keyID: try id(first), with: try signers([new])[0].publicKey, in: roles)], after,
        ["rotate", "\(role)=ID_OF_k\(first)", "\(role)=k\(new).pem.pub"]
      )
    }
  }

  /// The same change as options of `key` and of `root prepare`.
  private static func keyWords(_ words: [String]) -> String {
    let (role, first) = split(words[1])
    switch words[0] {
    case "add": return "add --role \(role) --public \(first)"
    case "remove": return "remove --role \(role) --key-id \(first)"
    default: return "rotate --role \(role) --from \(first) --to-public \(split(words[2]).value)"
    }
  }

  private static func rootWords(_ words: [String]) -> String {
    words[0] == "rotate" ? "--remove \(words[1]) --add \(words[2])" : "--\(words[0]) \(words[1])"
  }

  private static func split(_ word: String) -> (role: String, value: String) {
    let parts = word.split(separator: "=").map(String.init)
    return (parts[0], parts[1])
  }

  private func under(_ keys: Keys) -> Model {
    var after = model
    (after.rootKeys, after.releaseKeys) = (keys.root, keys.release)
    after.rootVersion += 1
    return after
  }

  func key(_ wanted: KeyChange) throws -> Attempt? {
    guard model.isSigned, let (changes, after, words) = try change(wanted) else { return nil }
    let roots = model.rootKeys + after.root
    let releases = model.releaseKeys + after.release
    let command =
      "parser-ota key \(Self.keyWords(words)) --feed feed \(Self.options("root", Set(roots).sorted())) "
      + Self.options("release", Set(releases).sorted())
    return Attempt(kind: "key", command: command, expectation: .done(under(after))) { [self] host in
      let outcome = try await publisher(host).changeRoot(changes, signers: try signers(roots + releases))
      guard case .committed = outcome else {
        throw Violation("key-outcome", "\(command) made a draft, although all keys are there")
      }
    }
  }

  func rootPrepare(_ wanted: KeyChange) -> Attempt? {
    guard model.isSigned, let (changes, after, words) = try? change(wanted) else { return nil }
    let before = Keys(root: model.rootKeys, release: model.releaseKeys)
    let version = model.rootVersion
    return Attempt(
      kind: "root-prepare",
      command: "parser-ota root prepare \(Self.rootWords(words)) --feed feed --out next.json",
      expectation: .done(model)
    ) { [self] host in
      draft = PreparedRoot(
        draft: try await publisher(host).prepareRoot(changes), base: version, before: before, after: after)
    }
  }

  func rootSign() -> Attempt? {
    guard let prepared = draft, !prepared.isSigned else { return nil }
    let keys = Set(prepared.before.root + prepared.after.root).sorted()
    return Attempt(
      kind: "root-sign", command: "parser-ota root sign next.json \(Self.options("root", keys))",
      expectation: .done(model)
    ) { [self] _ in
      _ = try await draft?.draft.sign(with: try signers(keys), previous: nil)
      draft?.isSigned = true
    }
  }

  func rootCommit() -> Attempt? {
    guard let prepared = draft else { return nil }
    let keys = Set(prepared.before.release + prepared.after.release).sorted()
    let expected: Model.Expectation
    if prepared.base + 1 == model.rootVersion {
      // The one that is live already may be committed once more.
      expected = .either(model)
    } else if prepared.base != model.rootVersion {
      expected = .refused("another root was made meanwhile")
    } else {
      expected = prepared.isSigned ? .done(under(prepared.after)) : .refused("it is not signed")
    }
    return Attempt(
      kind: "root-commit",
      command: "parser-ota root commit next.json --feed feed \(Self.options("release", keys))",
      expectation: expected
    ) { [self] host in
      _ = try await publisher(host).commitRoot(prepared.draft, signers: try signers(keys))
    }
  }
}
