import Glibc

extension Directory {
  /// The bytes of a regular file; `.tooLarge` beyond the limit, also when it grows while it is read.
  public func read(_ name: String, maxBytes: Int) throws(StorageError) -> [UInt8] {
    let path = try self.path(of: name, for: "open")
    return try openRegular(name, path: path).readAll(maxBytes: maxBytes, path: path)
  }

  /// The bytes of a regular file that must have this many; `.sizeDiffers` otherwise, before a byte is read.
  ///
  /// Opened once and read with one system call. A name that is replaced meanwhile changes nothing.
  public func read(_ name: String, exactly bytes: Int) throws(StorageError) -> [UInt8] {
    let path = try self.path(of: name, for: "open")
    let file = try openRegular(name, path: path)
    let size = try file.statusOfRegularFile(path: path).size
    guard size == bytes else { throw Self.sizeDiffers(size, expected: bytes, path: path) }
    let content = try file.read(upTo: bytes, path: path)
    guard content.count == bytes else {
      throw Self.sizeDiffers(content.count, expected: bytes, path: path)
    }
    return content
  }

  /// Opens a regular file to read it in pieces.
  public func openForReading(_ name: String) throws(StorageError) -> FileReader {
    let path = try self.path(of: name, for: "open")
    let file = try openRegular(name, path: path)
    let size = try file.statusOfRegularFile(path: path).size
    return FileReader(file, path: path, size: size)
  }

  /// Never follows a link and never waits for the other end of a pipe; the kind is still to be checked.
  func openRegular(_ name: String, path: String) throws(StorageError) -> Descriptor {
    try Descriptor(at: descriptor.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, path: path)
  }

  private static func sizeDiffers(_ size: Int, expected: Int, path: String) -> StorageError {
    StorageError(
      .sizeDiffers, operation: "read", path: path, reason: "it has \(size) bytes instead of \(expected)")
  }
}

extension Descriptor {
  /// All bytes of an open regular file, within the limit.
  func readAll(maxBytes: Int, path: String) throws(StorageError) -> [UInt8] {
    let size = try statusOfRegularFile(path: path).size
    // One byte more than expected shows a file that grows, or one whose size the system does not tell.
    var wanted = max(size, 0) + 1
    var bytes: [UInt8] = []
    var complete = size > maxBytes
    while !complete && bytes.count <= maxBytes {
      let piece = try read(upTo: wanted, path: path)
      complete = piece.count < wanted
      bytes = bytes.isEmpty ? piece : bytes + piece
      wanted = min(65_535, max(maxBytes - bytes.count, 0)) + 1
    }
    guard size <= maxBytes, bytes.count <= maxBytes else {
      throw StorageError(
        .tooLarge, operation: "read", path: path,
        reason: "it has \(max(size, bytes.count)) bytes, and at most \(maxBytes) are allowed")
    }
    return bytes
  }
}
