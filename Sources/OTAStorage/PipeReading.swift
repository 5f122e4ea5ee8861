import Glibc

/// The bytes of a file or a pipe that a person named: `<(cat x)` and `/dev/stdin` work as files do.
///
/// Links are followed. A pipe must have a writer; it is read to its end. Directories, devices and sockets are `.wrongKind`.
public func readInput(at path: String, maxBytes: Int) throws(StorageError) -> [UInt8] {
  guard !path.utf8.contains(0) else {
    throw StorageError(.invalidName, operation: "open", path: path, reason: "it holds a zero byte")
  }
  let file: Descriptor
  do {
    file = try Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, path: path)
  } catch  where error.kind == .missing && isLink(path) {
    throw StorageError(
      .missing, operation: "open", path: path, reason: "it is a symbolic link that leads to nothing")
  }
  guard try file.isPipe(path: path) else { return try file.readAll(maxBytes: maxBytes, path: path) }
  return try file.readPipe(maxBytes: maxBytes, path: path)
}

/// Whether a symbolic link has this path, wherever it leads.
private func isLink(_ path: String) -> Bool {
  var raw = stat()
  return unsafe lstat(path, &raw) == 0 && raw.st_mode & S_IFMT == S_IFLNK
}

extension Descriptor {
  /// Whether a pipe is open, with a name or without one.
  func isPipe(path: String) throws(StorageError) -> Bool {
    var raw = stat()
    guard unsafe fstat(number, &raw) == 0 else {
      throw StorageError(operation: "inspect", path: path, systemCode: errno)
    }
    return raw.st_mode & S_IFMT == S_IFIFO
  }

  /// Everything that comes through a pipe opened without waiting, until its last writer closes it.
  ///
  /// Throws `.wrongKind` for a pipe that nobody writes to: waiting for a writer could take for ever.
  func readPipe(maxBytes: Int, path: String) throws(StorageError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = retrying { unsafe Glibc.read(number, &chunk, chunk.count) }
      if count > 0 {
        bytes += chunk.prefix(count)
      } else if count == 0 {
        break
      } else if errno == EAGAIN {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
      } else {
        throw StorageError(operation: "read", path: path, systemCode: errno)
      }
      guard bytes.count <= maxBytes else {
        throw StorageError(
          .tooLarge, operation: "read", path: path, reason: "it has more than \(maxBytes) bytes")
      }
    }
    guard !bytes.isEmpty else {
      throw StorageError(
        .wrongKind, operation: "read", path: path, reason: "it is a pipe that nothing comes out of")
    }
    return bytes
  }
}
