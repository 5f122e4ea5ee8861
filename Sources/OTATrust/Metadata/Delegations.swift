internal import OTACrypto
internal import OTAManifest

/// The roles that targets metadata delegates to, in order of trust.
public struct Delegations: Sendable {
  /// No delegations.
  static let none = Delegations(roles: [])

  /// The roles, each name once.
  public let roles: [DelegatedRole]

  private init(roles: [DelegatedRole]) { self.roles = roles }

  /// Reads the object `delegations`.
  ///
  /// - Throws: `InputError`, or `CryptoError.weakKey`.
  init(_ object: JSONObject) throws {
    guard object["succinct_roles"] == nil else {
      throw InputError(.malformed, field: object.path(of: "succinct_roles"), "is not supported")
    }
    let ring = try KeyRing(object.object("keys"))
    var roles: [DelegatedRole] = []
    var seen: Set<ExactText> = []
    for (index, item) in try object.array("roles").enumerated() {
      let path = "\(object.path(of: "roles"))[\(index)]"
      let role = try DelegatedRole(JSONObject(item, path: path, known: DelegatedRole.fields), ring: ring)
      guard seen.insert(ExactText(role.name)).inserted else {
        throw InputError(.duplicateID, field: "\(path).name", "is \"\(role.name.printable())\" a second time")
      }
      roles.append(role)
    }
    self.roles = roles
  }

  /// The role with a name; `nil` when there is none.
  public func role(named name: String) -> DelegatedRole? { roles.first { $0.name.hasSameBytes(as: name) } }
}

/// A role that another one trusts for some paths.
public struct DelegatedRole: Sendable {
  /// The paths that a role may vouch for.
  public enum Scope: Sendable {
    /// Those that match one of the patterns.
    case patterns([PathPattern])
    /// Those whose SHA-256 digest in hexadecimal begins with one of the prefixes.
    case hashPrefixes([String])
  }

  /// The name, unique beside its siblings.
  public let name: String
  /// Whose signatures count.
  public let keys: RoleKeys
  /// Whether roles after this one are not asked about a path of its scope.
  public let isTerminating: Bool
  /// The paths it may vouch for.
  public let scope: Scope

  static let fields = RoleKeys.fields + ["name", "paths", "path_hash_prefixes", "terminating"]

  init(_ object: JSONObject, ring: KeyRing) throws(InputError) {
    let name = try object.string("name")
    let isTopLevel = Root.Role.allCases.contains { $0.rawValue.hasSameBytes(as: name) }
    guard !name.isEmpty, !isTopLevel else {
      throw InputError(.malformed, field: object.path(of: "name"), "is empty or the name of a top-level role")
    }
    self.name = name
    keys = try RoleKeys(object, ring: ring)
    isTerminating =
      try object.optional("terminating") { (name) throws(InputError) in try object.bool(name) } ?? false
    scope = try Self.scope(object)
  }

  private static func scope(_ object: JSONObject) throws(InputError) -> Scope {
    switch (object["paths"], object["path_hash_prefixes"]) {
    case (.some, nil): return .patterns(try strings("paths", of: object).map(PathPattern.init))
    case (nil, .some):
      let prefixes = try strings("path_hash_prefixes", of: object)
      for prefix in prefixes where prefix.isEmpty || !prefix.utf8.allSatisfy(isLowerHexDigit) {
        throw InputError(
          .malformed, field: object.path(of: "path_hash_prefixes"),
          "has an entry that is not lower-case hexadecimal")
      }
      return .hashPrefixes(prefixes)
    default:
      throw InputError(
        .malformed, field: object.path, "must have either \"paths\" or \"path_hash_prefixes\"")
    }
  }

  private static func strings(_ name: String, of object: JSONObject) throws(InputError) -> [String] {
    var strings: [String] = []
    for (index, item) in try object.array(name).enumerated() {
      guard case .string(let text) = item else {
        throw InputError(
          .wrongType, field: "\(object.path(of: name))[\(index)]", "is \(item.kindName), not a string")
      }
      strings.append(text)
    }
    return strings
  }

  private static func isLowerHexDigit(_ code: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(code)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(code)
  }

  /// Whether the role may vouch for a path.
  public func covers(_ path: String) throws(TrustError) -> Bool {
    switch scope {
    case .patterns(let patterns): return patterns.contains { $0.matches(path) }
    case .hashPrefixes(let prefixes):
      do {
        let digest = try sha256(Array(path.utf8)).hex
        return prefixes.contains { digest.hasPrefix($0) }
      } catch {
        throw TrustError(.cannotVerify, role: name, "cannot be asked here: \(error.message)")
      }
    }
  }
}
