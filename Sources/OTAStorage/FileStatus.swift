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
}
