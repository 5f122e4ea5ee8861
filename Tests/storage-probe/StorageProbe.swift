import Glibc
import OTAStorage

/// Does one thing to a directory, so that tests can watch or disturb its system calls.
///
/// `storage-probe <verb> <directory> <name> …`; prints `done`, or the kind and message of the error.
@main
struct StorageProbe {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4 else { return print("usage: storage-probe <verb> <directory> <name> …") }
    do {
      let directory = try Directory.open(arguments[2])
      try act(arguments[1], directory, arguments[3], Array(arguments.dropFirst(4)))
      print("done")
    } catch {
      print("\(error.kind): \(error.message)")
    }
  }

  static func act(
    _ verb: String, _ directory: Directory, _ name: String, _ rest: [String]
  ) throws(StorageError) {
    switch verb {
    case "replace":
      try directory.replace(name, with: [UInt8](rest[0].utf8))
    case "create":
      let wanted = UInt32(rest[0], radix: 8) ?? 0
      _ = try directory.createFile(name, mode: wanted, isSecret: rest.last == "secret")
    case "replace-repeatedly":
      for round in 0..<(Int(rest[0]) ?? 0) { try directory.replace(name, with: [UInt8]("\(round)".utf8)) }
    case "replace-size":
      try directory.replace(name, with: [UInt8](repeating: 7, count: Int(rest[0]) ?? 0))
    case "read-exactly":
      _ = try directory.read(name, exactly: Int(rest[0]) ?? 0)
    case "rename-exclusively":
      try directory.renameExclusively(name, to: rest[0], in: directory)
    case "lock":
      let lock = try directory.lock(name, .exclusive)
      print("locked")
      // A pipe is not flushed at the end of a line.
      fflush(nil)
      _ = readLine()
      lock.release()
    case "lock-number":
      let lock = try directory.lockNumber(UInt64(rest[0]) ?? 0, in: name)
      print("locked")
      fflush(nil)
      _ = readLine()
      withExtendedLifetime(lock) {}
    default: print("unknown verb \(verb)")
    }
  }
}
