internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Who of the given signers speaks for which role, under the ids of the root.
struct RoleSigners: Sendable {
  let root: Root
  let signers: [any MetadataSigner]

  /// The signers of a role, each key once.
  ///
  /// - Throws: `keyNotTrusted` when they are fewer than clients want, with the ids of the keys that could sign.
  func enough(for role: Root.Role) throws(Problem) -> [(keyID: String, signer: any MetadataSigner)] {
    let keys: RoleKeys
    do {
      keys = try root.keys(of: role)
    } catch {
      throw Problem(onFeed: error, FeedLayout.metadata("root", root.version))
    }
    var found: [(keyID: String, signer: any MetadataSigner)] = []
    var seen: Set<PublicKey> = []
    for signer in signers where !seen.contains(signer.publicKey) {
      let key = keys.keys.first { $0.use == .verifies(signer.publicKey) }
      guard let key else { continue }
      seen.insert(signer.publicKey)
      found.append((key.id, signer))
    }
    guard found.count >= keys.threshold else {
      throw refusal(role, keys, signed: found.map(\.keyID))
    }
    return found
  }

  private func refusal(_ role: Root.Role, _ keys: RoleKeys, signed: [String]) -> Problem {
    let listed = keys.keys.map(\.id).joined(separator: ", ")
    // An id is for the message alone; a key without one is named as such.
    let given = signers.map { (try? $0.publicKey.metadataID()) ?? "an unknown key" }
    return Problem(
      .keyNotTrusted,
      "installed clients would refuse this: root \(root.version) wants \(keys.threshold) of the keys \(listed) for "
        + "the role \(role.rawValue), and \(signed.count) of them "
        + "\(given.isEmpty ? "were given" : "are among those given (\(given.joined(separator: ", ")))")",
      advice:
        "give the keys that the root names; a lost key is replaced by a new root, see parser-ota key rotate")
  }
}
