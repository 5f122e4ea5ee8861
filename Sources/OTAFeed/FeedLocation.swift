public import OTAManifest

/// Where a feed is: a folder of this machine, the folder of a web server that holds `manifest.json`, or an archive of one
/// release.
public enum FeedLocation: Equatable, Sendable {
  /// A folder; no server is needed.
  case directory(String)
  /// The address of the folder, ending in `/`.
  case web(WebAddress)
  /// An archive that holds one release.
  case archive(ReleaseArchive)

  /// Reads what a person writes: a path, a `file:` URL, or an `https` URL of the folder or of its `manifest.json`.
  ///
  /// - Throws: `InputError` whose detail reads on from the name of the option.
  public init(_ text: String) throws(InputError) {
    let lowered = text.asciiLowercased
    if lowered.hasPrefix("file:") {
      self = .directory(try Self.path(ofFileURL: text))
    } else if text.utf8.first != UInt8(ascii: "/"), text.contains("://") {
      let address = try WebAddress(text)
      guard address.query == nil else {
        throw InputError(.forbiddenURL, "has a query: a feed is a folder of static files")
      }
      self = .web(address.asFolder)
    } else {
      guard !text.isEmpty, !text.utf8.contains(0) else {
        throw InputError(.malformed, "is not a path or URL")
      }
      self = .directory(text)
    }
  }

  /// The location as a person would write it.
  public var text: String {
    switch self {
    case .directory(let path): path
    case .web(let address): address.text
    case .archive(let archive): archive.name
    }
  }

  private static func path(ofFileURL text: String) throws(InputError) -> String {
    var rest = text.dropFirst("file:".count)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      if rest.asciiLowercased.hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    }
    guard rest.utf8.first == UInt8(ascii: "/"), let path = rest.percentDecoded,
      !path.utf8.contains(0)
    else {
      throw InputError(.forbiddenURL, "is not a file URL such as file:///srv/feed")
    }
    return path
  }
}
