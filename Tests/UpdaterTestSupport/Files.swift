import Glibc
import TestSupport

/// Puts a file somewhere, with its parents, by other means than the code under test.
package func plant(_ bytes: [UInt8], at path: String) {
  makeParents(of: path)
  // A pipe that stands there would be opened only once somebody reads it.
  var status = stat()
  if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { unlink(path) }
  guard let file = fopen(path, "w") else { preconditionFailure("cannot write \(path)") }
  defer { fclose(file) }
  fwrite(bytes, 1, bytes.count, file)
}

/// Puts a text somewhere, by other means than the code under test.
package func plant(_ text: String, at path: String) { plant(Array(text.utf8), at: path) }

/// The bytes of a file, or `nil`; by other means than the code under test.
package func content(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  fseek(file, 0, SEEK_END)
  let size = ftell(file)
  guard size >= 0, size < 1 << 30 else { return nil }
  rewind(file)
  var bytes = [UInt8](repeating: 0, count: size)
  let count = fread(&bytes, 1, size, file)
  return Array(bytes[..<count])
}

/// Changes one byte in the middle of a file.
package func flipByte(in path: String) {
  guard var bytes = content(path), !bytes.isEmpty else { preconditionFailure("\(path) is empty") }
  bytes[bytes.count / 2] ^= 1
  plant(bytes, at: path)
}

/// Every path below a folder, sorted, folders with a final slash.
package func tree(_ folder: String) -> [String] {
  var paths: [String] = []
  for name in (try? namesInDirectory(folder)) ?? [] {
    var status = stat()
    let isFolder = lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    paths.append(isFolder ? "\(name)/" : name)
    if isFolder { paths += tree("\(folder)/\(name)").map { "\(name)/\($0)" } }
  }
  return paths.sorted()
}

private func makeParents(of path: String) {
  var walked = ""
  for part in path.split(separator: "/").dropLast() {
    walked += "/\(part)"
    mkdir(walked, 0o700)
  }
}

/// Every file and folder below a folder with what changes when somebody writes: its number, size and time.
package struct Inventory: Equatable, Sendable {
  private let entries: [String: [Int]]

  /// Looks at a folder as it is now.
  package init(_ folder: String) {
    var entries: [String: [Int]] = [:]
    for path in tree(folder) {
      var status = stat()
      guard lstat("\(folder)/\(path)", &status) == 0 else { continue }
      entries[path] = [
        Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      ]
    }
    self.entries = entries
  }

  private init(_ entries: [String: [Int]]) { self.entries = entries }

  /// The same without these files, and without what is below these folders.
  package func without(_ names: [String]) -> Inventory {
    Inventory(entries.filter { path, _ in !names.contains { path.hasPrefix($0) } })
  }
}

/// Removes whatever is at a path.
package func removeTree(_ path: String) throws { _ = try run("/bin/rm", ["-rf", "--", path]) }
