internal import CCurl

/// The cookies that sites set, kept by libcurl's own rules: domains, paths, expiry, public suffixes.
///
/// Sendable because libcurl looks into it on the engine's thread alone; the pointer itself never changes.
@safe final class CookieJar: @unchecked Sendable {
  /// For `EasyHandle` alone.
  let pointer: UnsafeMutableRawPointer

  /// `nil` when there is no memory. libcurl must be loaded.
  init?() {
    guard let pointer = unsafe ccurl_cookies_init() else { return nil }
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe ccurl_cookies_cleanup(pointer) }
}
