import Glibc

/// What this machine knows of its own network, to tell a host that is down from a device that is offline.
enum NetworkState {
  /// Why a connection was not made.
  enum Obstacle: Equatable {
    case refused, noRoute, tooSlow, other

    init(systemCode: Int) {
      switch Int32(clamping: systemCode) {
      case ECONNREFUSED: self = .refused
      case ENETUNREACH, ENETDOWN, EHOSTUNREACH, EADDRNOTAVAIL: self = .noRoute
      case ETIMEDOUT: self = .tooSlow
      default: self = .other
      }
    }
  }

  /// Whether a name was not found because there is nobody to ask; names that never have an address explain themselves.
  static func explainsLookup(of host: String, hasNetwork: () -> Bool = { hasNetwork }) -> Bool {
    let name = host.lowercased()
    let isNeverThere = [".invalid", ".localhost", ".test", ".example"].contains { name.hasSuffix($0) }
    return !isNeverThere && !hasNetwork()
  }

  /// Whether any interface but the loopback one is up and has an address.
  static var hasNetwork: Bool {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return true }
    defer { unsafe freeifaddrs(first) }
    var next = unsafe first
    while let interface = unsafe next {
      let flags = unsafe interface.pointee.ifa_flags
      let family = unsafe interface.pointee.ifa_addr?.pointee.sa_family
      let isUp = flags & UInt32(IFF_UP) != 0 && flags & UInt32(IFF_LOOPBACK) == 0
      if isUp, family == sa_family_t(AF_INET) || family == sa_family_t(AF_INET6) { return true }
      unsafe next = unsafe interface.pointee.ifa_next
    }
    return false
  }
}
