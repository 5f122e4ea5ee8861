internal import OTACrypto
public import OTAManifest
public import OTATrust

/// A root on its way from one holder of a root key to the next, in a file that needs no secrecy.
public struct RootDraft: Sendable {
  /// The root itself.
  public let root: Root
  private var document: SignedDocument

  /// Reads the file of a draft, with the signatures that it has so far.
  public init(decoding bytes: [UInt8]) throws(Problem) {
    do {
      let limit = TrustLimits.standard.maxRootBytes
      root = try Root(Envelope(bytes, role: "root", maxBytes: limit))
      document = try SignedDocument(decoding: bytes, role: "root", maxBytes: limit)
    } catch {
      throw Problem(
        .inputInvalid, "it is not a root: \(error.message)", advice: "give the file that root prepare wrote")
    }
  }

  /// Starts a draft without signatures.
  init(_ new: RootDocument) throws(Problem) {
    do {
      document = try new.document()
      root = try Root(Envelope(document.encoded(), role: "root", maxBytes: TrustLimits.standard.maxRootBytes))
    } catch {
      throw Problem(
        .inputRefused, error.message, advice: "make the changes that belong together in one root prepare")
    }
  }

  /// The file: the same bytes for the same content.
  public func encoded() -> [UInt8] { document.encoded() }

  /// The version that it will have.
  public var version: Int64 { root.version }

  /// Takes over the signatures of another copy of the same root, which another holder signed meanwhile.
  ///
  /// - Throws: `inputRefused` for another root, with what differs.
  public mutating func join(_ other: RootDraft) throws(Problem) {
    do {
      try document.merge(other.document, role: "root")
    } catch {
      let found = other.root.changes(since: root)
      let versions =
        other.version == version
        ? [] : ["one has version \(version), the other version \(other.version)"]
      throw Problem(
        .inputRefused,
        "the copies are of different roots: "
          + (versions + (found.isEmpty ? ["they differ in fields that are unknown here"] : found))
          .joined(separator: "; "),
        advice: "give copies of one file of parser-ota root prepare, each with its own signatures")
    }
  }

  /// Adds the signatures of those signers whose keys count for this root or the one before.
  ///
  /// Without `previous`, keys that this root does not list are taken for keys of the one before.
  /// - Returns: the ids of the keys that signed.
  public mutating func sign(
    with signers: [any MetadataSigner], previous: Root?
  ) async throws(Problem) -> [String] {
    var signed: [String] = []
    for signer in signers {
      let key = signer.publicKey
      let id: String
      do {
        id = try key.metadataID()
      } catch {
        throw Problem(.cryptoUnavailable, "a key cannot be named here: \(error.message)")
      }
      let lists = [root, previous].compactMap(\.self)
      if previous != nil, !lists.contains(where: { $0.rootKeys.contains(id) }) { continue }
      guard !signed.contains(id) else { continue }
      try await document.sign(with: signer, keyID: id)
      signed.append(id)
    }
    return signed
  }

  /// Whose signatures are there and whose are missing, for this root and for the one before.
  public func approvals(previous: Root?) throws(Problem) -> [RootApproval] {
    var approvals: [RootApproval] = []
    if let previous { approvals.append(try approval(by: previous)) }
    approvals.append(try approval(by: root))
    return approvals
  }

  private func approval(by judge: Root) throws(Problem) -> RootApproval {
    do {
      let role = try judge.keys(of: .root)
      var (signed, missing): ([String], [String]) = ([], [])
      for key in role.keys {
        guard case .verifies(let material) = key.use else { continue }
        let isSigned =
          try document.signatures[key.id].map {
            try material.verify($0, of: document.canonicalBytes, with: material.scheme)
          } ?? false
        if isSigned { signed.append(key.id) } else { missing.append(key.id) }
      }
      return RootApproval(
        version: judge.version, threshold: role.threshold, signed: signed, missing: missing)
    } catch let error as CryptoError {
      throw Problem(.trustCannotVerify, error.message)
    } catch {
      throw Problem(.trustCannotVerify, "the signatures of the root cannot be verified here")
    }
  }
}

/// How far one root's demands on a draft are met.
public struct RootApproval: Equatable, Sendable {
  /// The version of the root whose keys are asked for.
  public let version: Int64
  /// How many of its keys must sign.
  public let threshold: Int
  /// The ids of those that have.
  public let signed: [String]
  /// The ids of those that have not.
  public let missing: [String]

  /// Whether enough have signed.
  public var isReached: Bool { signed.count >= threshold }
}

extension Root {
  /// The ids of the keys that sign roots.
  var rootKeys: [String] { keyIDs(of: .root) }

  /// The ids of the keys that speak for a role.
  func keyIDs(of role: Role) -> [String] {
    // A root that was read has all four roles.
    ((try? keys(of: role).keys) ?? []).map(\.id)
  }

  /// The keys that speak for a role.
  func material(of role: Role) -> [PublicKey] {
    // A root that was read has all four roles.
    ((try? keys(of: role).keys) ?? []).compactMap { key in
      if case .verifies(let material) = key.use { material } else { nil }
    }
  }

  /// What is different from another root, each a sentence.
  public func changes(since older: Root) -> [String] {
    var changes: [String] = []
    for role in Role.allCases {
      let (now, before) = (keyIDs(of: role), older.keyIDs(of: role))
      changes += now.filter { !before.contains($0) }.map { "\(role.rawValue): key \($0) is added" }
      changes += before.filter { !now.contains($0) }.map { "\(role.rawValue): key \($0) is removed" }
      // A root that was read has all four roles.
      let thresholds = ((try? older.keys(of: role).threshold) ?? 0, (try? keys(of: role).threshold) ?? 0)
      if thresholds.0 != thresholds.1 {
        changes.append("\(role.rawValue): \(thresholds.1) keys must sign, not \(thresholds.0)")
      }
    }
    if feedName != older.feedName {
      changes.append("the feed is \(feedName.map { "named \($0)" } ?? "without a name")")
    }
    if epoch > older.epoch {
      changes.append(
        "epoch \(epoch) begins: devices forget the versions and dates of the epoch before, and run only releases that"
          + " are signed now")
    } else if epoch < older.epoch {
      changes.append("it goes back from epoch \(older.epoch) to \(epoch)")
    }
    if header.expires != older.header.expires {
      changes.append("it expires at \(header.expires), not at \(older.header.expires)")
    }
    return changes
  }
}
