/// A smaller way to get a file of a release: the file compressed, or a patch from a file that devices may have.
///
/// The file that comes of it is what counts: it is hashed as if it had come as it is. So a packed file is never trusted.
public struct PackedFile: Equatable, Sendable {
  /// How it is packed; kinds that are not known here are passed over when a manifest is read.
  public enum Encoding: String, Sendable {
    /// One frame of zstd that names its size; a patch has the file that it is made against as its prefix.
    case zstd
  }

  /// The most packed files of one kind that one file may have: against manifests that are nothing else.
  public static let maxCount = 64

  /// How it is packed.
  public let encoding: Encoding
  /// The digest of the file that a patch is made against; `nil` for the file compressed as a whole.
  public let from: Digest?
  /// Where it is, its digest and its size; it has no packed forms of its own.
  public let location: ArtifactLocation
  /// The digest of the packed bytes.
  public let sha256: Digest
  /// The size of the packed bytes, at least 1.
  public let bytes: Int64
  /// The bytes of memory that unpacking takes: the window, and the file that a patch is made against.
  public let memory: Int64

  /// Describes a packed file.
  public init(
    encoding: Encoding = .zstd, from: Digest? = nil, location: ArtifactLocation, sha256: Digest, bytes: Int64,
    memory: Int64
  ) {
    self.encoding = encoding
    self.from = from
    self.location = location
    self.sha256 = sha256
    self.bytes = bytes
    self.memory = memory
  }

  /// The packed bytes as a file to be fetched.
  public var artifact: Artifact { Artifact(location: location, sha256: sha256, bytes: bytes) }
}

extension PackedFile {
  private static let fields = ["encoding", "from", "url", "sha256", "bytes", "memory"]

  /// Reads one entry; `nil` when it is packed in a way that is not known here.
  ///
  /// - Parameter isPatch: whether there must be a `from`.
  init?(_ object: JSONObject, isPatch: Bool, maxBytes: Int64) throws(InputError) {
    let kind = try object.string("encoding")
    let plain = try Artifact(object, maxBytes: maxBytes)
    memory = try object.integer("memory")
    from = isPatch ? try object.digest("from") : nil
    guard let encoding = Encoding(rawValue: kind) else { return nil }
    self.encoding = encoding
    (location, sha256, bytes) = (plain.location, plain.sha256, plain.bytes)
  }

  /// Reads a list; entries that are packed in a way that is not known here are passed over.
  static func list(
    _ name: String, in object: JSONObject, isPatch: Bool, maxBytes: Int64
  ) throws(InputError) -> [PackedFile] {
    guard object[name] != nil else { return [] }
    let items = try object.array(name)
    guard items.count <= maxCount else {
      throw InputError(
        .tooLarge, field: object.path(of: name),
        "has \(items.count) entries, more than the \(maxCount) allowed")
    }
    var files: [PackedFile] = []
    for (index, item) in items.enumerated() {
      let path = JSONPath.element(index, of: object.path(of: name))
      let entry = try JSONObject(item, path: path, known: fields)
      if let file = try PackedFile(entry, isPatch: isPatch, maxBytes: maxBytes) { files.append(file) }
    }
    return files
  }

  var json: JSONValue {
    var members = [JSONMember("encoding", .string(encoding.rawValue))]
    if let from { members.append(JSONMember("from", .string(from.hex))) }
    return .object(
      members + [
        JSONMember("url", .string(location.text)), JSONMember("sha256", .string(sha256.hex)),
        JSONMember("bytes", .integer(bytes)), JSONMember("memory", .integer(memory)),
      ])
  }
}
