import Glibc

/// An open directory, to which every name below is relative: it stays the same one when its path is renamed or replaced.
///
/// A name is one path component of 1 to 255 bytes without slash and zero byte, and no dot name: anything else is `.invalidName`.
public final class Directory: Sendable {
  /// The path that it was opened by, for messages.
  public let path: String
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens an existing directory; a symbolic link or mount at `path` itself is followed.
  public static func open(_ path: String) throws(StorageError) -> Directory {
    let descriptor = try openDirectory(path, path: try checkedPath(path))
    return Directory(descriptor, path: path)
  }

  /// Opens a directory after making it, and its parents, with exactly this mode where they are missing.
  ///
  /// What it made is durable. What existed keeps its mode.
  public static func create(_ path: String, mode: UInt32 = 0o700) throws(StorageError) -> Directory {
    do {
      return try open(path)
    } catch  where error.kind == .missing && !path.isEmpty {
      var walked = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
      var current = try open(walked)
      for component in path.split(separator: "/") {
        walked = walked == "/" ? "/\(component)" : walked == "." ? "\(component)" : "\(walked)/\(component)"
        current = try current.step(into: String(component), mode: mode, path: walked)
      }
      return Directory(try openDirectory(at: current, ".", path: path), path: path)
    }
  }

  /// Opens a directory inside, never through a symbolic link.
  public func subdirectory(_ name: String) throws(StorageError) -> Directory {
    let path = try self.path(of: name, for: "open")
    return Directory(
      try Descriptor(at: descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path: path), path: path
    )
  }

  /// Opens a directory inside after making it durably, with exactly this mode, where it is missing.
  public func subdirectory(creating name: String, mode: UInt32 = 0o700) throws(StorageError) -> Directory {
    let path = try self.path(of: name, for: "create")
    guard try make(name, mode: mode, path: path) else { return try subdirectory(name) }
    let made = try subdirectory(name)
    try made.descriptor.setMode(mode, path: path)
    try sync()
    return made
  }

  /// What has this name, without following links; `nil` when nothing has.
  public func kind(of name: String) throws(StorageError) -> EntryKind? {
    try status(of: name)?.kind
  }

  /// The bytes of a regular file; `nil` when nothing has this name, `.wrongKind` for anything else.
  public func size(of name: String) throws(StorageError) -> Int? {
    guard let status = try status(of: name) else { return nil }
    guard status.kind == .file else {
      throw StorageError(
        .wrongKind, operation: "inspect", path: "\(path)/\(name)", reason: "it is not a regular file")
    }
    return status.size
  }

  /// Makes the names in this directory durable, as they are now.
  public func sync() throws(StorageError) {
    do {
      try descriptor.sync(path: path)
    } catch  where [EINVAL, EOPNOTSUPP, ENOSYS].contains(error.systemCode) {
      // Some network file systems have no such call for directories: they keep names without being asked.
    }
  }

  /// The bytes that this user can still write to this file system.
  public func freeBytes() throws(StorageError) -> Int {
    var raw = statvfs()
    guard retrying({ unsafe fstatvfs(descriptor.number, &raw) }) == 0 else {
      throw StorageError(operation: "inspect", path: path, systemCode: errno)
    }
    let (bytes, overflow) = raw.f_bavail.multipliedReportingOverflow(by: raw.f_frsize)
    return overflow ? Int.max : Int(clamping: bytes)
  }

  /// Throws what would keep this process from making names here, or from writing to the file `name` where it exists.
  ///
  /// Only the next write shows whether there is space, or whether the disk works.
  public func checkWritable(_ name: String = ".") throws(StorageError) {
    let path = name == "." ? path : try self.path(of: name, for: "write")
    // A link is never followed when it is opened, so what it leads to does not count.
    let flags = AT_EACCESS | (name == "." ? 0 : AT_SYMLINK_NOFOLLOW)
    if unsafe faccessat(descriptor.number, name, W_OK, flags) == 0 { return }
    guard name == "." || errno != ENOENT else { return }
    throw StorageError(operation: "write", path: path, systemCode: errno)
  }

  /// Refuses with `.untrustedOwner` a directory that others own, or can plant names in.
  public func checkPrivate() throws(StorageError) {
    let status = try descriptor.status(path: path)
    guard status.owner == geteuid() else {
      throw StorageError(
        .untrustedOwner, operation: "trust", path: path, reason: "it belongs to user \(status.owner)")
    }
    guard status.permissions & 0o022 == 0 else {
      throw StorageError(
        .untrustedOwner, operation: "trust", path: path, reason: "other users can write to it")
    }
  }
}

extension Directory {
  /// Metadata of a name, without following links.
  func status(of name: String) throws(StorageError) -> FileStatus? {
    let path = try self.path(of: name, for: "inspect")
    var raw = stat()
    let result = retrying { unsafe fstatat(descriptor.number, name, &raw, AT_SYMLINK_NOFOLLOW) }
    if result == 0 { return FileStatus(raw) }
    guard errno != ENOENT else { return nil }
    throw StorageError(operation: "inspect", path: path, systemCode: errno)
  }

  /// The full path of a name, after checking that it is one path component.
  func path(of name: String, for operation: String) throws(StorageError) -> String {
    let bytes = name.utf8
    let full = "\(path)/\(name)"
    guard
      (1...255).contains(bytes.count), name != ".", name != "..",
      !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
    else {
      throw StorageError(
        .invalidName, operation: operation, path: full, reason: "its last part is not a file name")
    }
    return full
  }

  /// One step of `create`: an existing component may be a link or a dot name, as in any path.
  private func step(into component: String, mode: UInt32, path: String) throws(StorageError) -> Directory {
    if try make(component, mode: mode, path: path) {
      let made = try Descriptor(
        at: descriptor.number, component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path: path, operation: "create"
      )
      try made.setMode(mode, path: path)
      try sync()
      return Directory(made, path: path)
    }
    return Directory(try Self.openDirectory(at: self, component, path: path), path: path)
  }

  /// Makes a directory; `false` when the name is taken.
  private func make(_ name: String, mode: UInt32, path: String) throws(StorageError) -> Bool {
    if retrying({ unsafe mkdirat(descriptor.number, name, mode) }) == 0 { return true }
    guard errno != EEXIST else { return false }
    throw StorageError(operation: "create", path: path, systemCode: errno)
  }

  private static func openDirectory(
    at directory: Directory? = nil, _ name: String, path: String
  ) throws(StorageError) -> Descriptor {
    try Descriptor(at: directory?.descriptor.number ?? AT_FDCWD, name, O_RDONLY | O_DIRECTORY, path: path)
  }

  private static func checkedPath(_ path: String) throws(StorageError) -> String {
    guard !path.utf8.contains(0) else {
      throw StorageError(.invalidName, operation: "open", path: path, reason: "it holds a zero byte")
    }
    return path
  }
}
