public import OTAManifest

/// Where a release that can be launched comes from.
public enum ReleaseOrigin: String, Sendable, CaseIterable {
  /// Fixed by hand.
  case pin
  /// Downloaded, verified and not used before.
  case staged
  /// The release that ran at the launch before.
  case current
  /// The confirmed release before that.
  case previous
  /// The confirmed release of the channel before, while the channel that is followed has none here.
  case otherChannel = "other-channel"
  /// The copy inside the app.
  case embedded
  /// Nothing usable was found, not even the embedded copy.
  case nothing
}

/// A release that was not launched, and why.
public struct PassedOver: Equatable, Sendable {
  /// The number of the release; `nil` when its manifest cannot be read, and for a channel without releases.
  public let version: ReleaseVersion?
  /// Where it was found.
  public let origin: ReleaseOrigin
  /// The stable code of the reason.
  public let code: String
  /// The reason as the end of a sentence that begins with the release.
  public let text: String

  init(_ version: ReleaseVersion?, _ origin: ReleaseOrigin, code: String, _ text: String) {
    self.version = version
    self.origin = origin
    self.code = code
    self.text = text
  }

  init(_ release: ReleaseReference, _ origin: ReleaseOrigin, _ reason: Ineligibility) {
    self.init(release.version, origin, code: reason.code, reason.text)
  }

  /// The whole sentence.
  public var message: String {
    if version == nil, origin == .otherChannel { return text }
    return "\(version.map { "release \($0)" } ?? "the copy") (\(origin.rawValue)) \(text)"
  }
}
