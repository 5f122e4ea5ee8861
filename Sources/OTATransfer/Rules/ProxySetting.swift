import Glibc

/// The proxy that the environment names for a URL, and the variable that names it; for messages alone.
///
/// libcurl itself reads the environment. This repeats its rules to say whose fault a failed connection is.
struct ProxySetting: Equatable, CustomStringConvertible {
  /// The variable, such as `https_proxy`.
  let variable: String
  /// The host without its port.
  let host: String
  /// Host and port as they were set, without scheme, user name and password.
  let address: String

  /// `127.0.0.1:3128 of https_proxy`
  var description: String { "\(address) of \(variable)" }

  /// `nil` when no variable names one, and for hosts that go past it.
  init?(for url: FetchURL, environment: (String) -> String? = Self.environment) {
    // What stays within this machine never passes a proxy.
    guard !(url.isPlainHTTP && url.isLoopback) else { return nil }
    let names = url.isPlainHTTP ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      guard let value = environment(name) else { continue }
      guard !Self.goesPast(url.host, environment("no_proxy") ?? environment("NO_PROXY") ?? "") else {
        return nil
      }
      variable = name
      address = Self.address(value)
      host = Self.host(of: address)
      return
    }
    return nil
  }

  private static func address(_ value: String) -> String {
    let rest = value.firstRange(of: "://").map { value[$0.upperBound...] } ?? value[...]
    let authority = rest.prefix { $0 != "/" }
    let shown = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return String(shown.unicodeScalars.prefix(100).map { ("!"..."~").contains($0) ? Character($0) : "?" })
  }

  private static func host(of address: String) -> String {
    if address.hasPrefix("[") { return String(address.dropFirst().prefix { $0 != "]" }) }
    return String(address.prefix { $0 != ":" })
  }

  /// Whether a list such as `.example, localhost` names the host; ranges of addresses are left to libcurl.
  private static func goesPast(_ host: String, _ list: String) -> Bool {
    list.lowercased().split { $0 == "," || $0 == " " }.contains { entry in
      let name = entry.drop { $0 == "." }
      return entry == "*" || host == name || host.hasSuffix(".\(name)")
    }
  }

  private static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
