import OTAManifest
import ParserEngine

@testable import ParserPages

extension FuzzTarget {
  /// Recordings: what is read of an index is written and read as the same steps, in a folder of its own.
  static let fixture = FuzzTarget(name: "fixture", seeds: { Seeds.texts(Self.fullIndex, #"{"format":1}"#) }) {
    bytes throws(BrokenRule) in
    guard let index = reading({ try FixtureIndex(bytes) }) else { return }
    guard let name = reading({ try FixtureFolder.folderName(of: index.source) }) else { return }
    try require(!name.contains("/") && !name.hasPrefix("."), "a folder's name is one visible name: \(name)")
    let isDigest = name.hasPrefix("=")
    try require(
      isDigest || FixtureFolder.source(ofFolder: name) == index.source, "a folder's name tells its source")
    let faults = index.requests.map { request in
      Exchange(
        method: request.method, url: request.url, body: Array(request.body.utf8),
        answer: .fault(PageFault(.timedOut, "slow", url: request.url)))
    }
    let fixture = Fixture(
      source: index.source, domain: index.domain, moment: (index.recorded, index.bundle), steps: index.steps,
      exchanges: faults)
    let written = try must("a recording can be written") { try FixtureFiles(fixture).index }
    // Indenting and escapes can make a file at the limit too long; its writer refuses that.
    guard written.count <= Fixture.maxIndexBytes else { return }
    let again = try must("an index that was written is read") { try FixtureIndex(written) }
    try require(again.steps == index.steps && again.source == index.source, "the same steps are read")
    try require(again.requests.map(\.url) == faults.map(\.url), "the same requests are read")
  }

  /// Requests of parsers: what is sent is plain ASCII, and a request finds itself again.
  static let request = FuzzTarget(
    name: "request",
    seeds: {
      Seeds.texts(
        " https://example.org/a b?q=\u{3042}|x#top\n", "HTTP://Example.ORG:80?_=1700000000001",
        "https://[::1]:443/%e3", "file:///etc/passwd", "//x\\y")
    },
    check: { bytes throws(BrokenRule) in
      let text = String(decoding: bytes, as: UTF8.self)
      let url = SiteAddress.sendable(text)
      try require(SiteAddress.sendable(url).utf8.elementsEqual(url.utf8), "what was escaped stays as it is")
      try require(url.utf8.allSatisfy { $0 < 0x7F && $0 != 0x20 }, "what is sent is ASCII without spaces")
      let key = RequestKey(method: "get", url: text, body: bytes)
      try require(RequestKey(method: "GET", url: key.url, body: bytes) == key, "a key is a key of itself")
      try require(key.timeless.timeless == key.timeless, "a key without moments has none")
      if let label = CharsetLabel.label(in: text) {
        try require(label.utf8.count <= 40 && !label.isEmpty, "a label is short")
      }
    })

  private static let fullIndex = """
    {"format":1,"source":"A.b/c","domain":"a.example","recorded":"2026-06-11T09:12:44Z",
    "bundle":"\(String(repeating: "0f", count: 32))","steps":[
    {"method":"list","arguments":{"page":1,"filter":{}},"answer":{"titles":[{"title":"A","url":"/a"}]}},
    {"method":"details","arguments":{"url":"/a"},"answer":{"title":"A","chapters":12}},
    {"method":"pages","arguments":{"url":"/a/1","branch":null},"answer":{"pages":["https://a/1"]}}],"requests":[
    {"method":"GET","url":"https://a/","status":200,"finalURL":"https://a/","charset":"utf-8",
    "page":"\(String(repeating: "0f", count: 32))","bytes":3},
    {"method":"POST","url":"https://a/x","body":"a=1","fault":{"code":"timed-out","message":"x","status":504}}]}
    """
}
