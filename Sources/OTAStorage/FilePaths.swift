import Glibc

/// The bytes of a regular file that a person named: links are followed, pipes and directories are `.wrongKind`.
public func readFile(at path: String, maxBytes: Int) throws(StorageError) -> [UInt8] {
  guard !path.utf8.contains(0) else {
    throw StorageError(.invalidName, operation: "open", path: path, reason: "it holds a zero byte")
  }
  let file = try Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, path: path)
  return try file.readAll(maxBytes: maxBytes, path: path)
}

/// The bytes of a file or pipe that holds a secret: `.untrustedOwner` when its mode lets anybody but its owner at it.
public func readSecretFile(at path: String, maxBytes: Int) throws(StorageError) -> [UInt8] {
  guard !path.utf8.contains(0) else {
    throw StorageError(.invalidName, operation: "open", path: path, reason: "it holds a zero byte")
  }
  let file = try Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, path: path)
  let isPipe = try file.isPipe(path: path)
  let status = try isPipe ? file.status(path: path) : file.statusOfRegularFile(path: path)
  guard status.permissions & 0o077 == 0 else {
    throw StorageError(
      .untrustedOwner, operation: "use", path: path,
      reason: "others can read it (mode \(String(status.permissions, radix: 8)))")
  }
  return try isPipe
    ? file.readPipe(maxBytes: maxBytes, path: path) : file.readAll(maxBytes: maxBytes, path: path)
}

/// Puts `bytes` at `path` as `Directory.replace` does; its directory must exist.
public func durablyReplaceFile(
  at path: String, with bytes: [UInt8], mode: UInt32 = 0o600
) throws(StorageError) {
  let name: Substring
  let parent: String
  if let slash = path.lastIndex(of: "/") {
    name = path[path.index(after: slash)...]
    parent = slash == path.startIndex ? "/" : String(path[..<slash])
  } else {
    name = path[...]
    parent = "."
  }
  try Directory.open(parent).replace(String(name), with: bytes, mode: mode)
}

/// Everything that stands on standard input, until its end; `.tooLarge` beyond the limit.
public func readStandardInput(maxBytes: Int) throws(StorageError) -> [UInt8] {
  let path = "standard input"
  let number = dup(STDIN_FILENO)
  guard number >= 0 else { throw StorageError(operation: "read", path: path, systemCode: errno) }
  let input = Descriptor(owning: number)
  var bytes: [UInt8] = []
  while true {
    let chunk = try input.read(upTo: 65_536, path: path)
    if chunk.isEmpty { return bytes }
    bytes += chunk
    guard bytes.count <= maxBytes else {
      throw StorageError(
        .tooLarge, operation: "read", path: path, reason: "it has more than \(maxBytes) bytes")
    }
  }
}
