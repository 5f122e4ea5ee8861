internal import OTAFeed
public import OTAManifest

/// Why a release may not be used on this device.
public enum Ineligibility: Equatable, Sendable {
  /// The bundle needs a contract that the app does not implement.
  case contract(needed: Int64, implemented: Set<Int64>)
  /// The app is older than the release asks for, or did not state its version.
  case appVersion(needed: AppVersion, actual: AppVersion?)
  /// The manifest requires features that this client does not know.
  case unknownFeatures([String])
  /// The same two files failed on this device before.
  case rejected(reason: String)
  /// The feed says that the release must not run any more.
  case withdrawn
  /// The feed says that apps of this version run their embedded copy.
  case embeddedOnly(since: ReleaseVersion)
  /// Another release with the same number was accepted before: a number keeps its bytes.
  case versionReused

  /// The stable code.
  public var code: String {
    switch self {
    case .contract: "needs-other-contract"
    case .appVersion: "needs-newer-app"
    case .unknownFeatures: "needs-newer-client"
    case .rejected: "rejected"
    case .withdrawn: "withdrawn"
    case .embeddedOnly: "embedded-only"
    case .versionReused: "version-reused"
    }
  }

  /// The reason as the end of a sentence that begins with the release.
  public var text: String {
    switch self {
    case .contract(let needed, let implemented):
      implemented.isEmpty
        ? "needs an app update: it needs contract \(needed), and the app states none"
        : "needs an app update: it needs contract \(needed), and the app implements "
          + implemented.sorted().map(String.init).joined(separator: ", ")
    case .appVersion(let needed, let actual):
      "needs an app update: it needs app \(needed) or later, and the app "
        + (actual.map { "is \($0)" } ?? "does not state its version")
    case .unknownFeatures(let names):
      "needs an app update: it requires features that this client does not know: "
        + names.map { $0.printable(maxCharacters: 40) }.joined(separator: ", ")
    case .rejected(let reason): "was rejected on this device: \(reason)"
    case .withdrawn: "was withdrawn by its feed"
    case .embeddedOnly(let since):
      "is not for this app: since release \(since) the feed says that it runs its embedded copy"
    case .versionReused: "has a number that was used before for other bytes"
    }
  }
}

extension DeviceState {
  /// The word of any channel that apps run their embedded copy in place of a release.
  func embeddedWord(against version: ReleaseVersion) -> ChannelSlots.EmbeddedWord? {
    ([slots] + parked.map(\.slots)).compactMap(\.embeddedWord).first { version <= $0.version }
  }
}

/// The one rule on who may run what, for the choice at launch and for offers from a feed alike.
///
/// - Returns: `nil` when the release may be used.
func ineligibility(
  of release: ReleaseReference, in state: DeviceState, for app: AppCapabilities
) -> Ineligibility? {
  if let rejection = state.rejection(of: release.pair) { return .rejected(reason: rejection.reason) }
  if state.isWithdrawn(release.version) { return .withdrawn }
  if let word = state.embeddedWord(against: release.version), word.apps.includes(app.version) {
    return .embeddedOnly(since: word.version)
  }
  return app.obstacle(contract: release.contract, minimum: release.minimumAppVersion)
}

extension AppCapabilities {
  /// Why the app cannot run what asks for a contract and an app version; `nil` when it can.
  func obstacle(contract: Int64?, minimum: AppVersion?) -> Ineligibility? {
    if let needed = contract, !contracts.contains(needed) {
      return .contract(needed: needed, implemented: contracts)
    }
    if let needed = minimum, version.map({ $0 < needed }) ?? true {
      return .appVersion(needed: needed, actual: version)
    }
    return nil
  }
}
