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

  /// `repair` from the live feed: restores what it can, and gives up the rest.
  func repair() -> Attempt? {
    guard model.exists else { return nil }
    var after = model
    after.settle()
    let keys = model.isSigned ? model.releaseKeys : []
    let words = "parser-ota repair --feed feed \(Self.options("release", keys))"
    return Attempt(kind: "repair", command: words, expectation: .done(after)) { [self] host in
      var request = RepairRequest()
      request.allowsPlainHTTPOnLoopback = true
      request.signers = try signers(keys)
      _ = try await publisher(host).repair(request)
    }
  }
}

/// How long the addresses of an adopted feed are served: for so many stable releases after it.
enum PromisedNames {
  static let releases: Int64 = 3
}
