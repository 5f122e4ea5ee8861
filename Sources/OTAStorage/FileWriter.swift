import Glibc

/// A regular file that is open for writing at its end; closed when it goes, but durable only after `finish` or `sync`.
public struct FileWriter: ~Copyable, Sendable {
  /// The bytes that this writer has written.
  public private(set) var bytesWritten = 0
  /// The bytes of the file, those from before included, as long as nobody else writes to it.
  public private(set) var size: Int
  private let descriptor: Descriptor
  private let path: String

  init(_ descriptor: consuming Descriptor, path: String, size: Int) {
    self.descriptor = descriptor
    self.path = path
    self.size = size
  }

  /// Adds all of these bytes at the end of the file.
  public mutating func write(_ bytes: RawSpan) throws(StorageError) {
    try descriptor.write(bytes, path: path)
    bytesWritten += bytes.byteCount
    size += bytes.byteCount
  }

  /// Adds all of these bytes at the end of the file.
  public mutating func write(_ bytes: [UInt8]) throws(StorageError) {
    try unsafe write(bytes.span.bytes)
  }

  /// Cuts the file to this many bytes; what is written next follows them.
  public mutating func truncate(to bytes: Int) throws(StorageError) {
    guard retrying({ ftruncate(descriptor.number, bytes) }) == 0 else {
      throw StorageError(operation: "truncate", path: path, systemCode: errno)
    }
    size = bytes
  }

  /// Makes the content durable; a new name needs `Directory.sync` as well.
  public mutating func sync() throws(StorageError) {
    try descriptor.sync(path: path)
  }

  /// Makes the content durable and closes; a new name needs `Directory.sync` as well.
  public consuming func finish() throws(StorageError) {
    try descriptor.sync(path: path)
  }
}
