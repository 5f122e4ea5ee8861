import OTAFeed
import OTAManifest

@testable import ParserPublisher

/// Where this model follows names and numbers of the product that people can choose.
extension World {
  /// How files that were withdrawn are let through by name.
  func allowWithdrawn(_ options: inout [String], _ allowances: inout [Allowance]) {
    options.append("--allow withdrawn-content")
    allowances.append(Allowance(.withdrawnContent))
  }

  /// `repair`, where there is one.
  func repair() -> Attempt? { nil }
}

/// How long the addresses of an adopted feed are served: for so many stable releases after it.
enum PromisedNames {
  static let releases: Int64 = 3
}
