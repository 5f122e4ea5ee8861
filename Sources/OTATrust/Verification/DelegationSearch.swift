internal import OTAManifest

/// A role together with the chain of roles that vouch for it; the same role by another way is another edge.
public final class DelegationEdge: Sendable {
  /// The top-level role, which the root vouches for.
  public static let top = DelegationEdge(role: "targets", delegator: nil)

  /// The name of the role.
  public let role: String
  /// Who vouches for it; `nil` for the root.
  public let delegator: DelegationEdge?
  /// The number of delegations from the top-level role.
  public let depth: Int

  init(role: String, delegator: DelegationEdge?) {
    self.role = role
    self.delegator = delegator
    depth = delegator.map { $0.depth + 1 } ?? 0
  }
}

extension DelegationEdge: Hashable {
  /// Compares the names of the whole chain as bytes.
  public static func == (left: DelegationEdge, right: DelegationEdge) -> Bool {
    left.role.hasSameBytes(as: right.role) && left.delegator == right.delegator
  }

  /// Hashes the name of the role.
  public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(role)) }
}

/// The search for a target through delegated roles, the most trusted first (specification, section 5.6.7).
///
/// The caller fetches and verifies what `next` names, tells `visit` the result, and goes on until there is an answer.
public struct DelegationSearch: Sendable {
  /// The path that is looked for.
  public let path: String
  private var waiting = [DelegationEdge.top]
  private var visited: Set<ExactText> = []

  /// Starts a search at the top-level role.
  public init(for path: String) { self.path = path }

  /// The role to look into; `nil` when no role vouches for the path.
  ///
  /// - Throws: `limit` when more roles or deeper chains would have to be followed than an honest feed has.
  public mutating func next() throws(TrustError) -> DelegationEdge? {
    while let edge = waiting.popLast() {
      guard !visited.contains(ExactText(edge.role)) else { continue }
      let limits = TrustLimits.standard
      guard visited.count < limits.maxVisitedRoles, edge.depth <= limits.maxDelegationDepth else {
        throw TrustError(
          .limit, role: path,
          "was not found in \(visited.count) roles; at most \(limits.maxVisitedRoles), and"
            + " \(limits.maxDelegationDepth) below one another, are asked")
      }
      return edge
    }
    return nil
  }

  /// Looks into verified metadata of the role that `next` named: the target, or `nil` to go on.
  public mutating func visit(_ edge: DelegationEdge, _ targets: Targets) throws(TrustError)
    -> TargetDescription?
  {
    visited.insert(ExactText(edge.role))
    if let found = targets.description(of: path) { return found }
    var children: [DelegationEdge] = []
    for role in targets.delegations.roles where try role.covers(path) {
      children.append(DelegationEdge(role: role.name, delegator: edge))
      if role.isTerminating {
        waiting = []
        break
      }
    }
    waiting += children.reversed()
    return nil
  }
}
