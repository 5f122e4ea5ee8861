/// One file of a release as its manifest describes it.
public struct Artifact: Equatable, Sendable {
  /// Where the file is: relative to the feed, or absolute for clients that need it so.
  public let location: ArtifactLocation
  /// The digest of the file's bytes.
  public let sha256: Digest
  /// The size of the file in bytes, at least 1.
  public let bytes: Int64
  /// The file compressed, for devices that have nothing like it.
  public var encodings: [PackedFile] = []
  /// Patches to the file, each from a file that devices may have.
  public var patches: [PackedFile] = []

  /// Describes a file that comes as it is.
  public init(location: ArtifactLocation, sha256: Digest, bytes: Int64) {
    self.location = location
    self.sha256 = sha256
    self.bytes = bytes
  }

  static let fields = ["url", "sha256", "bytes", "encodings", "patches"]

  /// Reads a file of a release with its packed forms.
  init(packed object: JSONObject, maxBytes: Int64) throws(InputError) {
    try self.init(object, maxBytes: maxBytes)
    encodings = try PackedFile.list("encodings", in: object, isPatch: false, maxBytes: maxBytes)
    patches = try PackedFile.list("patches", in: object, isPatch: true, maxBytes: maxBytes)
  }

  init(_ object: JSONObject, maxBytes: Int64) throws(InputError) {
    let url = try object.string("url")
    do {
      location = try ArtifactLocation(url)
    } catch {
      throw InputError(error.reason, field: object.path(of: "url"), error.detail)
    }
    let hex = try object.string("sha256")
    guard let digest = Digest(hex: hex) else {
      throw InputError(.malformed, field: object.path(of: "sha256"), "is not 64 hexadecimal digits")
    }
    sha256 = digest
    bytes = try object.integer("bytes", in: 1...maxBytes)
  }

  var json: JSONValue {
    var members = [
      JSONMember("url", .string(location.text)), JSONMember("sha256", .string(sha256.hex)),
      JSONMember("bytes", .integer(bytes)),
    ]
    if !encodings.isEmpty { members.append(JSONMember("encodings", .array(encodings.map(\.json)))) }
    if !patches.isEmpty { members.append(JSONMember("patches", .array(patches.map(\.json)))) }
    return .object(members)
  }

  /// The same file without its packed forms.
  public var plain: Artifact { Artifact(location: location, sha256: sha256, bytes: bytes) }
}

/// The `url` of a file in a manifest.
public enum ArtifactLocation: Hashable, Sendable {
  /// Below the root of the feed.
  case relative(RelativePath)
  /// An absolute address; whether plain `http` is allowed is decided when it is fetched.
  case absolute(WebAddress)

  /// Reads the text of a manifest.
  public init(_ text: String) throws(InputError) {
    if text.contains("://") {
      self = .absolute(try WebAddress(text))
    } else {
      self = .relative(try RelativePath(text))
    }
  }

  /// The text as a manifest has it.
  public var text: String {
    switch self {
    case .relative(let path): path.text
    case .absolute(let address): address.text
    }
  }
}
