import CLinux
import Glibc

extension Directory {
  /// The deepest nesting that `removeTree` follows.
  public static let maxTreeDepth = 16

  /// Gives a file or directory another name, which is replaced where it exists; durable after `sync` of both directories.
  public func rename(_ name: String, to newName: String, in other: Directory) throws(StorageError) {
    let path = try self.path(of: name, for: "rename")
    _ = try other.path(of: newName, for: "rename")
    let result = retrying {
      unsafe renameat(descriptor.number, name, other.descriptor.number, newName)
    }
    guard result == 0 else {
      throw StorageError(operation: "rename", path: path, systemCode: errno)
    }
  }

  /// Gives a file or directory a name that must be free; `.exists` otherwise. Durable after `sync` of both directories.
  ///
  /// A file system without such a call gets a check and a plain rename: there, only a lock keeps others from the name.
  public func renameExclusively(
    _ name: String, to newName: String, in other: Directory
  ) throws(StorageError) {
    let path = try self.path(of: name, for: "rename")
    let newPath = try other.path(of: newName, for: "rename")
    let result = retrying {
      unsafe renameat2(
        descriptor.number, name, other.descriptor.number, newName, UInt32(CLINUX_RENAME_NOREPLACE))
    }
    guard result != 0 else { return }
    switch errno {
    case EINVAL, ENOSYS, EOPNOTSUPP:
      if try other.kind(of: newName) != nil {
        throw StorageError(operation: "rename", path: newPath, systemCode: EEXIST)
      }
      try rename(name, to: newName, in: other)
    case EEXIST: throw StorageError(operation: "rename", path: newPath, systemCode: EEXIST)
    case let code: throw StorageError(operation: "rename", path: path, systemCode: code)
    }
  }

  /// Lets two names of this directory stand for each other's content, in one step. Durable after `sync`.
  ///
  /// A file system without such a call renames one after the other: a process that is killed between leaves `name` free.
  public func exchange(_ name: String, with other: String) throws(StorageError) {
    let path = try self.path(of: name, for: "exchange")
    _ = try self.path(of: other, for: "exchange")
    let result = retrying {
      unsafe renameat2(
        descriptor.number, name, descriptor.number, other, UInt32(CLINUX_RENAME_EXCHANGE))
    }
    guard result != 0 else { return }
    let code = errno
    guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(code) else {
      throw StorageError(operation: "exchange", path: path, systemCode: code)
    }
    let aside = Self.temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    try rename(name, to: aside, in: self)
    try rename(other, to: name, in: self)
    try rename(aside, to: other, in: self)
  }

  /// Removes a file or link; `false` when nothing had this name.
  @discardableResult
  public func remove(_ name: String) throws(StorageError) -> Bool {
    let path = try self.path(of: name, for: "remove")
    if retrying({ unsafe unlinkat(descriptor.number, name, 0) }) == 0 { return true }
    guard errno != ENOENT else { return false }
    throw StorageError(operation: "remove", path: path, systemCode: errno)
  }

  /// Removes a file, a link (never what it points to) or a directory with all that is in it; missing is fine.
  public func removeTree(_ name: String) throws(StorageError) {
    let path = try self.path(of: name, for: "remove")
    try removeTree(raw: name.utf8CString.map(\.self), path: path, depth: Self.maxTreeDepth)
  }

  /// Removes the unfinished files of replacements whose process was killed. Call it under a lock that all writers take.
  public func removeTemporaries() throws(StorageError) {
    for entry in try entries() where entry.kind == .file && entry.name.hasPrefix(Self.temporaryPrefix) {
      try remove(entry.name)
    }
  }

  private func removeTree(raw name: [CChar], path: String, depth: Int) throws(StorageError) {
    if unsafe unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT { return }
    guard errno == EISDIR else { throw StorageError(operation: "remove", path: path, systemCode: errno) }
    guard depth > 0 else {
      throw StorageError(
        .wrongKind, operation: "remove", path: path,
        reason: "it is nested deeper than \(Self.maxTreeDepth) directories")
    }
    try Self.emptyDirectory(raw: name, in: self, path: path, depth: depth)
    if unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return }
    throw StorageError(operation: "remove", path: path, systemCode: errno)
  }

  private static func emptyDirectory(
    raw name: [CChar], in parent: Directory, path: String, depth: Int
  ) throws(StorageError) {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let opened = retrying { unsafe openat(parent.descriptor.number, name, flags) }
    guard opened >= 0 else { throw StorageError(operation: "remove", path: path, systemCode: errno) }
    let directory = Directory(Descriptor(owning: opened), path: path)
    for entry in try directory.rawEntries() {
      let shown = String(decoding: entry.name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      try directory.removeTree(raw: entry.name, path: "\(path)/\(shown)", depth: depth - 1)
    }
  }
}
