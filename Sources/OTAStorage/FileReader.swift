import Glibc

/// A regular file that is read once from its start, in pieces.
public struct FileReader: ~Copyable, Sendable {
  /// The bytes that the file had when it was opened.
  public let size: Int
  private let descriptor: Descriptor
  private let path: String

  init(_ descriptor: consuming Descriptor, path: String, size: Int) {
    self.descriptor = descriptor
    self.path = path
    self.size = size
  }

  /// The next bytes: fewer than `maxBytes` only where the file ends, none after that.
  public mutating func read(maxBytes: Int = 65_536) throws(StorageError) -> [UInt8] {
    try descriptor.read(upTo: max(maxBytes, 1), path: path)
  }
}
