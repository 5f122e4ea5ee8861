import Glibc

/// Where the build put the executables that tests start.
public enum BuiltProducts {
  /// The directory of the running test bundle, such as `.build/debug`.
  public static func directory() throws -> String {
    guard let executable = realpath("/proc/self/exe", nil) else {
      throw SystemFailure("realpath /proc/self/exe")
    }
    defer { free(executable) }
    let path = String(cString: executable)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }

  /// The path of a built executable, such as `parser-ota`; throws when it was not built.
  public static func path(of product: String) throws -> String {
    let path = "\(try directory())/\(product)"
    guard access(path, X_OK) == 0 else { throw SystemFailure("built product \(path)") }
    return path
  }

  /// The root of the package's sources.
  public static func packageRoot(of file: String = #filePath) -> String {
    file.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }
  }
}
