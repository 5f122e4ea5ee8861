import Foundation
import OTAFeed
import OTAManifest
import TestSupport

@testable import OTATransfer
@testable import ParserOTACommand

extension FuzzTarget {
  /// Addresses, paths and feeds: what is read is written and read as the same, and means the same to other readers.
  static let address = FuzzTarget(
    name: "address",
    seeds: {
      Seeds.texts(
        "https://feed.example/", "https://feed.example:8443/a/b/manifest.json?x=1",
        "HTTP://127.0.0.1:80/x%20y",
        "https://[::1]:1/", "files/a-1.js", "a/../b", "file:///srv/feed", "file://localhost/srv/a%2Fb",
        "./feed",
        "/srv/a:b", "https://1.2.3.4/%2e/", "https://a?b", "https://x.1/", "https://user@host/")
    },
    check: { bytes throws(BrokenRule) in
      let text = String(decoding: bytes, as: UTF8.self)
      if let path = reading({ try RelativePath(text) }) {
        try require(path.text.hasSameBytes(as: text), "a path is kept as it was written")
      }
      if let address = reading({ try WebAddress(text) }) { try checkAddress(address) }
      guard let location = reading({ try FeedLocation(text) }) else { return }
      let again = try must("a feed is read as it was shown") { try FeedLocation(location.text) }
      try require(again == location, "\(location.text.debugDescription) is the same feed again")
    })

  private static func checkAddress(_ address: WebAddress) throws(BrokenRule) {
    let folder = address.asFolder
    let longer = Limits.standard.maxURLBytes + 64
    for address in [address, folder] {
      let again = try must("an address that was written is read") {
        try WebAddress(address.text, maxBytes: longer)
      }
      try require(again == address, "\(address) is the same address again")
    }
    try require(folder.asFolder.path.hasSuffix("/"), "a folder ends in a slash")
    if address.scheme == "https" {
      _ = try must("an address can be fetched") {
        try FetchURL(address.text, allowsPlainHTTPOnLoopback: false)
      }
    }
    // Foundation knows IPv6 zones and refuses impossible addresses, which a transfer refuses as well.
    guard !address.host.hasPrefix("[") else { return }
    guard let other = URLComponents(string: address.text) else {
      throw BrokenRule("\(address) is an address for another reader too")
    }
    try require(
      other.host == address.host && other.port == address.port && other.percentEncodedPath == address.path
        && other.percentEncodedQuery == address.query && other.user == nil && other.fragment == nil,
      "\(address) means the same to another reader")
  }

  /// Stored references: whatever is stored, its synced form stands for the same, and stays as it is.
  static let reference = FuzzTarget(
    name: "reference",
    seeds: {
      Seeds.texts(
        "ABC", "JS_ABC", "parser:abc", #"{"name":"JS_ABC"}"#, #""{\"name\":\"ABC\",\"title\":\"T\"}""#,
        "LOCAL",
        "unknown", "MIHON_7", "mihon:9223372036854775807", "content:asura-scans", "data:old-one",
        #"{"type":"a.Local"}"#, #"{"type":"a.Unknown"}"#, " \u{FEFF}ABC\u{A0}", "e\u{301}", "JS_JS_TAG", "")
    },
    check: { bytes throws(BrokenRule) in
      let first = resolver.resolve(String(decoding: bytes, as: UTF8.self))
      let second = resolver.resolve(first.syncedForm)
      try require(
        second.syncedForm.hasSameBytes(as: first.syncedForm), "the synced form of the synced form is itself")
      try require(
        "\(second.outcome)".hasSameBytes(as: "\(first.outcome)"),
        "\(first.syncedForm) stands for what it was made from")
    })

  private static let resolver: SourceResolver = {
    let ids = ["ABC", "ASURA_SCANS", "é", "JS_TAG", "parser:odd", "{odd", "Two Words", "4CHAN", "content:x"]
    let aliases = [
      SourceAlias(old: "OLD_ONE", new: "ABC"), SourceAlias(old: "LOOP", new: "POOL"),
      SourceAlias(old: "POOL", new: "LOOP"), SourceAlias(old: "OLDER", new: "JS_OLD_ONE"),
    ]
    do {
      let catalog = try SourceCatalog.decode(Fixtures.smallCatalog(ids: ids))
      return SourceResolver(catalog: catalog, aliases: aliases)
    } catch {
      preconditionFailure("the catalog of this target is refused: \(error)")
    }
  }()

  /// Command lines, one argument a line: no argument is lost, and every refusal tells what to do.
  static let arguments = FuzzTarget(
    name: "arguments",
    seeds: {
      Seeds.texts(
        "publish\n--feed\nsite\n--bundle=a.js\n--sources=s.json\n--notes=x", "device\nstatus\n--json\ndir",
        "--help", "--version", "device\n-q\nupdate\n--\n-x", "rollback\n--to=3\n--reason\nwhy\n--yes",
        "key\ngenerate\n--out\nroot.pem\n--encrypt", "source\nresolve\nJS_ABC\n--catalog=c.json",
        "verfy\n--fed")
    },
    check: { bytes throws(BrokenRule) in
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let arguments = lines.map { String(decoding: $0, as: UTF8.self) }
      let tokens = Scanner.tokens(of: arguments)
      try require(tokens.count == arguments.count, "every argument is a token")
      for (token, argument) in zip(tokens, arguments) { try checkToken(token, argument) }
      do throws(CommandFailure) {
        _ = try ArgumentReader(table: .shipped).read(tokens)
      } catch {
        try require(error.status == .usage, "a refusal of a command line is a usage error")
        try require(!error.message.isEmpty && error.hint?.isEmpty == false, "a refusal has a hint")
      }
    })

  private static func checkToken(_ token: Token, _ argument: String) throws(BrokenRule) {
    switch token {
    case .end: try require(argument.hasSameBytes(as: "--"), "only -- ends the options")
    case .value(let text, _): try require(text.hasSameBytes(as: argument), "a value is kept as it was given")
    case .option(let name, let value, _):
      let joined = name + (value.map { "=" + $0 } ?? "")
      try require(joined.hasSameBytes(as: argument), "an option is kept as it was given")
      try require(!name.utf8.contains(UInt8(ascii: "=")), "\(name.debugDescription) is the name of an option")
    }
  }
}
