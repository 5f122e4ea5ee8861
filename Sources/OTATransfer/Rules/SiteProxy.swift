import Glibc

/// Whether the environment sends requests through a proxy, by the names that libcurl reads.
enum SiteProxy {
  private static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  static var isSet: Bool {
    names.contains { name in
      guard let value = unsafe getenv(name) else { return false }
      return unsafe value.pointee != 0
    }
  }
}
