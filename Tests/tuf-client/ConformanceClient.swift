import Glibc
import OTAFeed
import OTAManifest
import OTAStorage
import OTATransfer
import OTATrust

/// The product's client behind the command line of the TUF conformance suite; the rules are all in the product.
struct ConformanceClient {
  /// Holds the root that `init` was given. Its name keeps it out of the way of metadata files.
  private static let shippedRootName = "shipped-root"

  let arguments: ClientArguments

  static func run(_ words: [String]) async -> Int32 {
    do {
      try await ConformanceClient(arguments: ClientArguments(words)).run()
      return 0
    } catch let problem as Problem {
      report("\(problem.code.rawValue): \(problem.message)")
    } catch let error as StorageError {
      report(error.message)
    } catch let failure as ClientFailure {
      report(failure.message)
    } catch {
      report("\(error)")
    }
    return 1
  }

  private static func report(_ message: String) {
    let line = Array("tuf-client: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  func run() async throws {
    switch (arguments.words.first, arguments.words.count) {
    case ("init", 2): try initialize(arguments.words[1])
    case ("refresh", 1):
      var client = try client()
      try await client.refresh()
    case ("download", 1): try await download()
    default: throw ClientFailure("usage: tuf-client --metadata-dir DIR … init ROOT | refresh | download")
    }
  }

  private func initialize(_ rootPath: String) throws {
    let root = try readFile(at: rootPath, maxBytes: TrustLimits.standard.maxRootBytes)
    let directory = try Directory.create(arguments.metadataDirectory)
    try directory.replace(Self.shippedRootName, with: root)
    try DirectoryMetadataStore(directory).store(root, as: .newest(role: "root"))
  }

  private func client() throws -> TUFClient {
    var policy = TransferPolicy()
    policy.allowsPlainHTTPOnLoopback = true
    let directory = try Directory.open(arguments.metadataDirectory)
    return try TUFClient(
      repository: TUFRepository(
        fetcher: CurlFetcher(policy: policy), metadataBase: arguments.metadataURL,
        targetsBase: arguments.targetBaseURL),
      store: DirectoryMetadataStore(directory),
      shippedRoot: directory.read(Self.shippedRootName, maxBytes: TrustLimits.standard.maxRootBytes),
      now: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()))
  }

  private func download() async throws {
    guard !arguments.targetNames.isEmpty else { throw ClientFailure("--target-name is missing") }
    var client = try client()
    let directory = try Directory.create(arguments.targetDirectory)
    for name in arguments.targetNames {
      guard let target = try await client.targetInfo(name) else {
        throw ClientFailure("no trusted role vouches for \(name)")
      }
      let file = percentEncoded(name)
      if try isThere(target, file, directory) { continue }
      let sink = MemorySink()
      try await client.download(target, into: sink)
      try directory.replace(file, with: sink.bytes)
    }
  }

  /// Whether an earlier run left exactly this target.
  private func isThere(_ target: TargetDescription, _ file: String, _ directory: Directory) throws -> Bool {
    guard let bytes = try? directory.read(file, exactly: target.length) else { return false }
    do {
      var check = try FileCheck(target)
      try check.update(bytes.span.bytes)
      try check.finish()
      return true
    } catch {
      return false
    }
  }
}
