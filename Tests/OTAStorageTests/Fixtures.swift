import Glibc
import OTAStorage
import TestSupport
import Testing

/// Runs the probe on one name in `folder`, under another program where `through` names one.
func probe(
  _ verb: String, _ folder: String, _ name: String, _ rest: [String] = [], through: [String] = []
) throws -> ChildResult {
  let command = through + [try BuiltProducts.path(of: "storage-probe"), verb, folder, name] + rest
  return try run(command[0], Array(command.dropFirst()))
}

/// The kind of the error that `body` throws, or `nil` when it throws none.
func kindOfError(_ body: () throws -> Void) -> StorageError.Kind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StorageError)?.kind
  }
}

/// The permission bits of a path.
func mode(_ path: String) -> UInt32? {
  var raw = stat()
  return lstat(path, &raw) == 0 ? raw.st_mode & 0o7777 : nil
}

/// Bytes of a file, or `nil`; by other means than the code under test.
func content(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes[..<count], as: UTF8.self)
}

/// Puts a small file somewhere, by other means than the code under test.
func plant(_ text: String, at path: String) {
  let file = fopen(path, "w")
  fputs(text, file)
  fclose(file)
}

/// What this machine lets a test do; what it does not let shows as a skipped test.
enum Machine {
  static let traces =
    (try? run("/usr/bin/strace", ["-o", "/dev/null", "/bin/true"]).status) == .exited(0)
  static let mounts =
    (try? run("/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status) == .exited(0)
  static let overlays =
    (try? run(
      "/usr/bin/unshare",
      [
        "-m", "/bin/sh", "-c",
        "mount -t tmpfs none /mnt && cd /mnt && mkdir l u w o && mount -t overlay none -o lowerdir=l,upperdir=u,workdir=w o",
      ]
    ).status) == .exited(0)
}
