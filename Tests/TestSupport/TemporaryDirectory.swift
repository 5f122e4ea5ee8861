import Glibc

/// A fresh directory of mode 0700 that is removed, with all that is in it, when the last reference goes.
///
/// Prefer `withTemporaryDirectory`: a local reference may end after its last use, before the end of its scope.
public final class TemporaryDirectory: Sendable {
  /// The absolute path, without a trailing slash.
  public let path: String

  /// Makes a directory in `parent`, or in `TMPDIR` (else `/tmp`) when that is `nil`.
  public init(in parent: String? = nil) throws {
    let root = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(root)/parser-ota-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp \(root)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    // Tests remove write permission at times. What cannot be removed is left for the system to clean.
    _ = try? run("/bin/rm", ["-rf", "--one-file-system", "--", path], timeout: .seconds(20))
  }

  /// The path of something inside.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The sorted names of what is inside, hidden ones too.
  public func names() throws -> [String] { try namesInDirectory(path) }
}

/// Runs `body` with a fresh directory that is removed when `body` returns or throws.
public func withTemporaryDirectory<Value>(
  in parent: String? = nil, _ body: (TemporaryDirectory) throws -> Value
) throws -> Value {
  let directory = try TemporaryDirectory(in: parent)
  return try withExtendedLifetime(directory) { try body(directory) }
}

/// Runs `body` with a fresh directory that is removed when `body` returns or throws.
public func withTemporaryDirectory<Value>(
  in parent: String? = nil, isolation: isolated (any Actor)? = #isolation,
  _ body: (TemporaryDirectory) async throws -> Value
) async throws -> Value {
  let directory = try TemporaryDirectory(in: parent)
  defer { withExtendedLifetime(directory) {} }
  return try await body(directory)
}

/// The sorted names in the directory at `path`, without `.` and `..`.
public func namesInDirectory(_ path: String) throws -> [String] {
  guard let stream = opendir(path) else { throw SystemFailure("opendir \(path)") }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// A system call of a test or of its fixtures that failed.
public struct SystemFailure: Error, CustomStringConvertible {
  /// The call and the system's words.
  public let description: String

  /// Reads `errno`: make it directly after the call.
  public init(_ operation: String) {
    description = "\(operation): \(String(cString: strerror(errno)))"
  }
}
