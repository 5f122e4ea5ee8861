internal import OTAFeed
internal import OTAManifest

/// Where the files of an adopted release stood before, and how long they go on being served there.
///
/// A client that read the old manifest before the switch asks for these names; so does one that caches it.
struct OldNames: Equatable, Sendable {
  /// One file under the name that the old manifest gave to it.
  struct File: Equatable, Sendable {
    /// The path below the feed.
    let path: String
    let sha256: Digest
    let bytes: Int64
  }

  /// How many releases after the adopted one still find them, unless told otherwise.
  static let standardReleases = 3
  /// What a person may ask for.
  static let range = 0...10_000

  /// The last release with which they are served.
  let until: ReleaseVersion
  let files: [File]

  /// Whether a release with this number no longer serves them.
  func isOver(at head: ReleaseVersion) -> Bool { head > until }
}

extension OldNames {
  static let fields = ["until", "files"]

  /// Reads the object `oldNames` of the settings.
  init(_ object: JSONObject) throws(InputError) {
    until = try object.version("until")
    var files: [File] = []
    for (index, value) in try object.array("files").enumerated() {
      let file = try JSONObject(value, path: "\(object.path(of: "files"))[\(index)]")
      let path = try file.string("path")
      guard Self.isSafe(path) else {
        throw InputError(.forbiddenURL, field: file.path(of: "path"), "is not the path of an old file")
      }
      files.append(
        File(
          path: path, sha256: try file.digest("sha256"),
          bytes: try file.integer("bytes", in: 1...Limits.standard.maxBundleBytes)))
    }
    self.files = files
  }

  /// The object `oldNames` of the settings.
  var value: JSONValue {
    .object([
      JSONMember("until", .integer(until.number)),
      JSONMember(
        "files",
        .array(
          files.map {
            .object([
              JSONMember("path", .string($0.path)), JSONMember("sha256", .string($0.sha256.hex)),
              JSONMember("bytes", .integer($0.bytes)),
            ])
          })),
    ])
  }

  /// Whether a path stays below the feed and out of what the feed needs for itself.
  static func isSafe(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return !FeedLayout.isReserved(path)
      && parts.allSatisfy { part in
        part != "." && part != ".." && (1...255).contains(part.utf8.count)
          && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      }
  }
}

// MARK: On the feed

extension OldNames {
  /// Removes the files that are still exactly the adopted ones; whatever else has their names now stays.
  ///
  /// - Returns: the paths that were removed.
  func remove(from host: any FeedHost) async throws(Problem) -> [String] {
    var paths: [String] = []
    for file in files where try await isUnchanged(file, on: host) { paths.append(file.path) }
    try await host.remove(paths)
    return paths
  }

  /// What is wrong with a file, as the end of a sentence; `nil` when it is as it was put there.
  static func fault(of file: File, on host: DirectoryHost) throws(Problem) -> String? {
    do throws(Problem) {
      guard let bytes = try host.read(file.path, maxBytes: Int(2 * file.bytes) + 4096) else {
        return "is missing"
      }
      if bytes.count == file.bytes, try ContentLookup.digest(of: bytes) == file.sha256 { return nil }
      return StrangeContent(bytes, insteadOf: file.sha256, bytes: file.bytes)?.message ?? "is another file"
    } catch  where error.code == .tooLarge || error.code == .wrongKind {
      return "is another file"
    }
  }

  private func isUnchanged(_ file: File, on host: any FeedHost) async throws(Problem) -> Bool {
    do throws(Problem) {
      guard let bytes = try await host.read(file.path, maxBytes: Int(file.bytes)), bytes.count == file.bytes
      else { return false }
      return try ContentLookup.digest(of: bytes) == file.sha256
    } catch  where error.code == .tooLarge || error.code == .wrongKind {
      // Another file by now: it belongs to somebody else.
      return false
    }
  }
}
