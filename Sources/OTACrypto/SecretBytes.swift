internal import COpenSSL

/// Overwrites bytes that were secret with zeros, also where a compiler would leave that out as useless.
///
/// Copies that were made before stay; an array with another owner is copied first.
public func erase(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  bytes = []
}
