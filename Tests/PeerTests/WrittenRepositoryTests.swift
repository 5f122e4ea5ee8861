import Foundation
import OTACrypto
import OTAManifest
import TestSupport
import Testing

/// Repositories of the reference implementation, read by our client.
@Suite("Our client reads what python-tuf writes", .enabled(if: PythonTUF.isInstalled, PythonTUF.remedy))
struct WrittenRepositoryTests {
  /// Our client as a program, with a folder of its own.
  private struct Client {
    let folder: String
    let url: String

    func call(_ words: [String]) throws -> ChildResult {
      let places = [
        "--metadata-dir", "\(folder)/metadata", "--metadata-url", "\(url)metadata/", "--target-base-url",
        "\(url)files/", "--target-dir", "\(folder)/targets",
      ]
      return try run(
        BuiltProducts.path(of: "tuf-client"), places + words,
        environment: ["PATH": "/usr/bin:/bin", "HOME": "/"])
    }

    func download(_ name: String) throws -> ChildResult { try call(["--target-name", name, "download"]) }

    /// The digest of a target that was downloaded.
    func digest(of name: String) throws -> String {
      let file = name.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? name
      return try sha256(Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/targets/\(file)")))).hex
    }
  }

  /// Serves a repository to a client that was shipped with its first root.
  private func withClient(
    of repository: String, in folder: String, _ body: (Client, LoopbackServer) throws -> Void
  ) throws {
    let server = try LoopbackServer { .directory(repository, $0) }
    defer { server.stop() }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let client = Client(folder: folder, url: server.url)
    #expect(try client.call(["init", "\(repository)/metadata/1.root.json"]).status == .exited(0))
    try body(client, server)
  }

  @Test(
    """
    through four roots of Ed25519, ECDSA and RSA keys and two levels of delegations, both clients find the same \
    targets and miss the same
    """, arguments: ["consistent", "plain"])
  func trees(_ kind: String) throws {
    try withTemporaryDirectory { directory in
      try PythonTUF.write("trees", to: directory.path)
      let repository = directory.path(kind)
      let expected = try JSONDecoder().decode(
        [String: String?].self, from: Data(contentsOf: URL(fileURLWithPath: "\(repository)/expected.json")))
      #expect(expected.count > 15)
      try withClient(of: repository, in: directory.path("ours")) { client, server in
        let peer = PythonTUF.Client(
          root: "\(repository)/metadata/1.root.json", folder: directory.path("peer"))
        let reading = try peer.read(
          server.url + "metadata/", server.url + "files/", expected.keys.sorted())
        #expect(reading.versions == ["root": 4, "timestamp": 2, "snapshot": 2, "targets": 2])
        let refreshed = try client.call(["refresh"])
        #expect(refreshed.status == .exited(0), "\(refreshed.errors)")
        for (name, digest) in expected {
          #expect(reading.targets[name]??.sha256 == digest, "\(name)")
          let result = try client.download(name)
          if let digest {
            try #require(result.status == .exited(0), "\(name): \(result.errors)")
            #expect(try client.digest(of: name) == digest, "\(name)")
          } else {
            #expect(result.status == .exited(1), "\(name)")
            #expect(result.errors.contains("no trusted role vouches for"), "\(name): \(result.errors)")
          }
        }
      }
    }
  }

  @Test("a forged signature, or one too few, is refused in every role and by both clients")
  func forgeries() throws {
    try withTemporaryDirectory { directory in
      try PythonTUF.write("forgeries", to: directory.path)
      let kinds = try directory.names()
      #expect(kinds.count == 14)
      for kind in kinds {
        let repository = directory.path(kind)
        try withClient(of: repository, in: directory.path("\(kind)/ours")) { client, server in
          let peer = PythonTUF.Client(
            root: "\(repository)/metadata/1.root.json", folder: "\(repository)/peer")
          let theirs = try peer.run(server.url + "metadata/", server.url + "files/", ["a.txt"])
          let ours = try client.download("a.txt")
          let status: ChildStatus = kind == "honest" ? .exited(0) : .exited(1)
          #expect(theirs.status == status, "\(kind): \(theirs.errors)")
          #expect(ours.status == status, "\(kind): \(ours.errors)")
          #expect(kind == "honest" || ours.errors.contains("tuf-client: trust-"), "\(kind): \(ours.errors)")
          let file = FileManager.default.contents(atPath: "\(client.folder)/targets/a.txt")
          #expect((file != nil) == (kind == "honest"), "\(kind)")
        }
      }
    }
  }
}

extension CharacterSet {
  /// What `tuf-client` leaves as it is in the names of its files.
  fileprivate static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
