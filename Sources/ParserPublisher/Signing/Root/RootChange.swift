internal import OTAFeed
public import OTACrypto
internal import OTAManifest
public import OTATrust

/// One change to who speaks for a feed.
public enum RootChange: Sendable {
  /// Lets a key speak for roles.
  case add(PublicKey, to: [Root.Role])
  /// Takes roles away from the key with this id.
  case remove(keyID: String, from: [Root.Role])
  /// Puts a key in the place of another one, in those of the roles that the other one speaks for.
  case replace(keyID: String, with: PublicKey, in: [Root.Role])
  /// Sets how many keys of each role must sign.
  case threshold(Int, of: [Root.Role])
  /// Names a feed that has no name, so that no other feed of the same keys can be served in its place.
  case name(String)
  /// Begins a new epoch although no key of targets is revoked.
  case newEpoch
}

extension [Root.Role] {
  /// The roles that a release key signs for.
  public static var release: [Root.Role] { [.targets, .snapshot, .timestamp] }

  fileprivate var names: String { map(\.rawValue).joined(separator: ", ") }
}

extension RootDocument {
  /// Makes a change, or refuses one that would change nothing.
  mutating func apply(_ change: RootChange) throws(Problem) {
    let before = self
    switch change {
    case .add(let key, let roles): try add(key, to: roles)
    case .remove(let id, let roles):
      for role in roles { removeKey(id, from: role) }
      guard self != before else { throw Self.noSuchKey(id, roles, before) }
    case .replace(let id, let key, let roles):
      let held = roles.filter { keyIDs(of: $0).contains(id) }
      guard !held.isEmpty else { throw Self.noSuchKey(id, roles, before) }
      for role in held { removeKey(id, from: role) }
      try add(key, to: held)
    case .threshold(let threshold, let roles):
      for role in roles { setThreshold(threshold, of: role) }
    case .name(let name): try self.name(name)
    case .newEpoch: setEpoch(epoch + 1)
    }
    guard self != before else {
      throw Problem(
        .inputRefused, "the root says so already", advice: "parser-ota key list shows what it says")
    }
  }

  private mutating func name(_ name: String) throws(Problem) {
    guard FeedName.isValid(name) else {
      throw Problem(
        .inputRefused, "\(name.printable()) cannot name a feed: a name has \(FeedName.rule)")
    }
    if let feedName, feedName != name {
      throw Problem(
        .inputRefused, "the feed is named \(feedName), and apps refuse a root that renames it",
        advice: "leave the name out")
    }
    setFeedName(name)
  }

  /// Begins a new epoch when a key of targets goes, unless the root begins one already.
  ///
  /// Then devices forget the versions and dates that whoever has the key made them see.
  mutating func beginEpochIfNeeded(after live: Root) throws(Problem) {
    guard epoch == live.epoch else { return }
    guard try RootDraft(self).root.startsEpoch(after: live) else { return }
    setEpoch(epoch + 1)
  }

  private mutating func add(_ key: PublicKey, to roles: [Root.Role]) throws(Problem) {
    do {
      for role in roles { try addKey(key, to: role) }
    } catch {
      throw Problem(.inputRefused, error.message)
    }
  }

  private static func noSuchKey(_ id: String, _ roles: [Root.Role], _ root: RootDocument) -> Problem {
    let known = roles.map { "\($0.rawValue): \(root.keyIDs(of: $0).joined(separator: ", "))" }
    return Problem(
      .inputRefused, "the key \(id.printable()) does not sign for \(roles.names)",
      advice: "give a whole key id; \(known.joined(separator: "; "))")
  }
}
