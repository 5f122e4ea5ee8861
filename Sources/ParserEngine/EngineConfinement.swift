public import OTAManifest

/// How the processes of an engine are kept in, beside what the page may not do.
public struct EngineConfinement: Sendable, Equatable {
  /// What keeps the engine from a network.
  public enum Network: String, Sendable {
    /// A network namespace with nothing in it, and the filter.
    case namespace
    /// A filter over system calls: there are local sockets only.
    case filter
    /// The rules of the page alone.
    case page
  }

  /// What keeps the engine from files.
  public enum Files: String, Sendable {
    /// A root of its own, with the system's programs and libraries, and the rules.
    case root
    /// Rules of the kernel (Landlock): programs and libraries can be read, nothing else.
    case rules
    /// The rules of the page alone.
    case page
  }

  /// What keeps the engine from a network.
  public var network = Network.page
  /// What keeps the engine from files.
  public var files = Files.page
  /// Whether it sees no process but its own, and the kernel ends all of them with the first.
  public var hasOwnProcesses = false
  /// Whether shared memory and queues of others are out of reach.
  public var hasOwnIPC = false
  /// Whether its user is not root.
  public var isNotRoot = false
  /// Whether its processes have no capability, and can get none.
  public var hasNoCapabilities = false
  /// Whether no program that it starts has more rights than it.
  public var hasNoNewPrivileges = false
  /// Whether system calls that it does not need are refused.
  public var hasCallFilter = false

  /// Describes an engine that nothing but the page keeps in.
  public init() {}

  /// Whether there is no network at all.
  public var hasNoNetwork: Bool { network != .page }
  /// Whether people's files are out of reach.
  public var hasOwnFiles: Bool { files != .page }
  /// Whether the kernel keeps the engine from the network and from people's files.
  public var isWhole: Bool { hasNoNetwork && hasOwnFiles }

  private static var flags: [(name: String, path: WritableKeyPath<EngineConfinement, Bool>)] {
    [
      ("ownProcesses", \.hasOwnProcesses), ("ownIPC", \.hasOwnIPC), ("notRoot", \.isNotRoot),
      ("noCapabilities", \.hasNoCapabilities), ("noNewPrivileges", \.hasNoNewPrivileges),
      ("callFilter", \.hasCallFilter),
    ]
  }

  /// What holds, as reports have it.
  public var json: JSONValue {
    let flags = Self.flags.map { JSONMember($0.name, .bool(self[keyPath: $0.path])) }
    return .object(
      [JSONMember("network", .string(network.rawValue)), JSONMember("files", .string(files.rawValue))] + flags
    )
  }

  /// Reads the payload of the frame that says that the page is there.
  package static func decode(_ payload: [UInt8]) throws(InputError) -> EngineConfinement {
    let object = try JSONObject(JSONReader.read(payload, maxBytes: EngineFrame.maxBytes, maxDepth: 2))
    var confinement = EngineConfinement()
    guard let network = Network(rawValue: try object.string("network")),
      let files = Files(rawValue: try object.string("files"))
    else { throw InputError(.malformed, field: "network", "is none that the engine knows") }
    (confinement.network, confinement.files) = (network, files)
    for flag in flags { confinement[keyPath: flag.path] = try object.bool(flag.name) }
    return confinement
  }

  /// That payload.
  package var encoded: [UInt8] { json.encoded(indented: false) }
}
