public import OTAManifest

/// What the app that embeds the client can run.
public struct AppCapabilities: Equatable, Sendable {
  /// The version of the app; a release that asks for a minimum is not usable while this is `nil`.
  public var version: AppVersion?
  /// The contracts between app and bundle that the app implements; a release that names another is not usable.
  public var contracts: Set<Int64>

  /// States the app's version and contracts; releases that ask for neither run anyway.
  public init(version: AppVersion? = nil, contracts: Set<Int64> = []) {
    self.version = version
    self.contracts = contracts
  }
}
