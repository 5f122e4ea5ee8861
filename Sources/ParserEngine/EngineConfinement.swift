package import OTAManifest

/// How the processes of an engine are kept in, beside what the page may not do.
public struct EngineConfinement: Sendable, Equatable {
  /// Whether there is no network at all.
  public let hasNoNetwork: Bool
  /// Whether the folders for people's and passing files are empty ones of the engine.
  public let hasOwnFiles: Bool

  /// Describes what a kernel permitted.
  public init(hasNoNetwork: Bool, hasOwnFiles: Bool) {
    (self.hasNoNetwork, self.hasOwnFiles) = (hasNoNetwork, hasOwnFiles)
  }

  /// Whether the kernel keeps the engine from the network and from people's files.
  public var isWhole: Bool { hasNoNetwork && hasOwnFiles }

  /// The payload of the frame that says that the page is there.
  package var encoded: [UInt8] {
    JSONValue.object([
      JSONMember("noNetwork", .bool(hasNoNetwork)), JSONMember("ownFiles", .bool(hasOwnFiles)),
    ])
    .encoded(indented: false)
  }

  /// Reads that payload.
  package static func decode(_ payload: [UInt8]) throws(InputError) -> EngineConfinement {
    let object = try JSONObject(JSONReader.read(payload, maxBytes: EngineFrame.maxBytes, maxDepth: 2))
    return EngineConfinement(
      hasNoNetwork: try object.bool("noNetwork"), hasOwnFiles: try object.bool("ownFiles"))
  }
}
