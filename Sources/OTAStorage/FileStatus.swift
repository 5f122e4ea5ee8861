import Glibc

/// What a directory entry is, without following links.
public enum EntryKind: Sendable {
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A symbolic link, whatever it points to.
  case symlink
  /// A pipe, socket or device.
  case other
}

/// A name in a directory and what it stands for.
public struct DirectoryEntry: Hashable, Sendable {
  /// The last path component; bytes that are not UTF-8 are replaced, so that such a name opens nothing.
  public let name: String
  /// What has this name.
  public let kind: EntryKind
}

/// The part of the system's metadata that decides here.
struct FileStatus {
  let kind: EntryKind
  let size: Int
  let owner: UInt32
  let permissions: UInt32

  init(_ raw: stat) {
    kind =
      switch raw.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symlink
      default: .other
      }
    size = raw.st_size
    owner = raw.st_uid
    permissions = raw.st_mode & 0o7777
  }

  /// Why the mode that a file system gave by itself will not do; `nil` when it will.
  ///
  /// What is public must be readable by others. What is private must be ours and closed to writers, which is what a store
  /// is checked for; only a secret must be closed to readers too.
  func fault(forWanted wanted: UInt32, isSecret: Bool) -> String? {
    let shown = "mode \(String(permissions, radix: 8))"
    if wanted & 0o044 == 0o044 {
      let needed: UInt32 = kind == .directory ? 0o555 : 0o444
      if permissions & needed == needed { return nil }
      return "others cannot read what it stores (\(shown)): mount it with umask=022"
    }
    if owner != geteuid() { return "it belongs to user \(owner): mount it with uid=\(geteuid())" }
    if isSecret, permissions & 0o077 != 0 {
      return "others could read the secret (\(shown)): mount it with umask=077"
    }
    return permissions & 0o022 == 0
      ? nil : "other users can write to it (\(shown)): mount it with umask=022"
  }
}
