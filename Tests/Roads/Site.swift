import Glibc
import Synchronization
import TestSupport

/// A host in memory: what was deployed last, by the name of the site and the path.
package final class Sites: Sendable {
  private let server: LoopbackServer
  private let shared: Shared

  /// Starts serving nothing.
  package init() throws {
    let files = Shared()
    server = try LoopbackServer { request in
      let parts = request.path.dropFirst().split(separator: "/", maxSplits: 1)
      guard parts.count == 2, let bytes = files.value(String(parts[0]), String(parts[1])) else {
        return .notFound
      }
      return .ranged(bytes, request)
    }
    shared = files
  }

  /// The address of a site.
  func url(_ site: String) -> String { "\(server.url)\(site)/" }

  /// Puts a tree in the place of what a site had.
  func deploy(_ tree: [String: [UInt8]]?, to site: String) { shared.set(site, tree) }

  /// Ends every connection.
  package func stop() { server.stop() }

  private final class Shared: Sendable {
    let sites = Mutex<[String: [String: [UInt8]]]>([:])
    func value(_ site: String, _ path: String) -> [UInt8]? { sites.withLock { $0[site]?[path] } }
    func set(_ site: String, _ tree: [String: [UInt8]]?) { sites.withLock { $0[site] = tree } }
  }
}

/// Every file below a folder with its bytes, by its path; what git and locks keep for themselves is left out.
func readTree(_ folder: String) -> [String: [UInt8]] {
  var files: [String: [UInt8]] = [:]
  collect(folder, "", &files)
  return files
}

private func collect(_ folder: String, _ prefix: String, _ files: inout [String: [UInt8]]) {
  guard let stream = opendir(folder) else { return }
  defer { closedir(stream) }
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    guard name != ".", name != "..", name != ".git", name != "lock" else { continue }
    if entry.pointee.d_type == UInt8(DT_DIR) {
      collect("\(folder)/\(name)", "\(prefix)\(name)/", &files)
    } else if let bytes = fileBytes("\(folder)/\(name)") {
      files[prefix + name] = bytes
    }
  }
}

/// The bytes of a file; `nil` when it cannot be read.
func fileBytes(_ path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
  return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
    count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
  }
}
