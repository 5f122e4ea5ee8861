import OTAManifest
import OTATrust
import TestSupport

@testable import ParserUpdater

extension FuzzTarget {
  /// JSON: what is read can be written and is read as the same value; its canonical form is a fixed point.
  static let json = FuzzTarget(name: "json", seeds: { try Seeds.manifests() + Seeds.written() }) {
    bytes throws(BrokenRule) in
    guard let value = reading({ try JSONReader.read(bytes, maxBytes: 1 << 20, maxDepth: 64) }) else { return }
    for indented in [true, false] {
      let again = try must("what was written is read") {
        try JSONReader.read(value.encoded(indented: indented), maxBytes: 1 << 24, maxDepth: 64)
      }
      try require(again == value, "what was written is read as the same value")
    }
    guard let canonical = reading({ try CanonicalJSON.encode(value) }) else { return }
    // The canonical form keeps control characters as they are, which makes it something else than JSON.
    guard canonical.allSatisfy({ $0 >= 0x20 }) else { return }
    let again = try must("the canonical form is read") {
      try CanonicalJSON.encode(JSONReader.read(canonical, maxBytes: 1 << 24, maxDepth: 64))
    }
    try require(again == canonical, "the canonical form of the canonical form is itself")
  }

  /// Manifests: what is read is written and read as the same release.
  static let manifest = FuzzTarget(name: "manifest", seeds: { try Seeds.manifests() }) {
    bytes throws(BrokenRule) in
    guard let manifest = reading({ try Manifest.decode(bytes) }) else { return }
    let written = manifest.encoded()
    // Indenting can make a file at the limit too long; its writer checks that before it publishes.
    guard written.count <= Limits.standard.maxManifestBytes else { return }
    let again = try must("a manifest that was written is read") { try Manifest.decode(written) }
    try require(again == manifest, "a manifest that was written is read as the same release")
    try require(again.encoded() == written, "a manifest is written as the same bytes")
  }

  /// Catalogs: every entry is found by its id, by the id as a reference, and by the form that is synced.
  static let catalog = FuzzTarget(
    name: "catalog",
    seeds: {
      [
        Array(try Fixtures.bytes("catalog-235.json").prefix(4000)),
        Fixtures.smallCatalog(ids: ["ABC", "é", "JS_X", "7"]),
        Fixtures.smallCatalog(ids: ["parser:A", "content:b-c", "LOCAL"]),
      ]
    },
    check: { bytes throws(BrokenRule) in
      guard let catalog = reading({ try SourceCatalog.decode(bytes) }) else { return }
      let resolver = SourceResolver(catalog: catalog)
      for entry in catalog.entries.prefix(64) {
        try require(catalog[entry.id] == entry, "the id \(entry.id) finds its entry")
        let isWrapped = "{\"".utf8.contains { $0 == entry.id.text.utf8.first }
        if !isWrapped { try requireSource(resolver.resolve(entry.id.text), entry) }
        let synced = resolver.resolve("JS_\(entry.id)").syncedForm
        try requireSource(resolver.resolve(synced), entry)
      }
    })

  private static func requireSource(
    _ resolution: SourceResolution, _ entry: SourceEntry
  ) throws(BrokenRule) {
    guard case .source(let found) = resolution.outcome, found == entry else {
      throw BrokenRule("\(resolution.reference.debugDescription) stands for \(entry.id)")
    }
  }

  /// The state of a device: what is read is written and read as the same state.
  static let state = FuzzTarget(name: "state", seeds: { Seeds.texts(Self.fullState, #"{"format":1}"#) }) {
    bytes throws(BrokenRule) in
    guard let state = reading({ try StateFile.decode(bytes) }) else { return }
    let written = StateFile.encode(state)
    guard written.count <= Limits.standard.maxStateBytes else { return }
    let again = try must("a state that was written is read") { try StateFile.decode(written) }
    try require(again == state, "a state that was written is read as the same state")
    try require(StateFile.encode(again) == written, "a state is written as the same bytes")
  }

  /// Lines of a device's history: what is read is written and read as the same event.
  static let history = FuzzTarget(
    name: "history",
    seeds: {
      let pair = #""bundle":"\#(digest)","sources":"\#(digest)""#
      return Seeds.texts(
        #"{"date":"2026-06-11T09:12:44Z","event":"activated","version":38,"text":""}"#,
        #"{"date":"2026-06-11T09:12:44Z","event":"rejected","version":38,"text":"it crashed",\#(pair)}"#)
    },
    check: { bytes throws(BrokenRule) in
      guard let event = HistoryEvent(line: bytes) else { return }
      try require(event.line.dropLast().allSatisfy { $0 != 0x0A }, "an event is one line")
      // Control characters take more bytes when they are written; a device writes none into its history.
      guard event.line.count <= 4096 else { return }
      guard let again = HistoryEvent(line: event.line) else {
        throw BrokenRule("an event that was written is read")
      }
      try require(again.line == event.line, "an event is written as the same line")
    })

  private static let digest = String(repeating: "0f", count: 32)
  private static let fullState = """
    {"format":1,"current":{"version":3,"manifest":"\(digest)","bundle":"\(digest)","sources":"\(digest)",
    "contract":2,"minimumAppVersion":"1.2.0"},"trial":["0123456789abcdef"],"pin":"embedded","rejected":
    [{"bundle":"\(digest)","sources":"\(digest)","version":2,"reason":"it crashed","date":"2026-06-11T09:12:44Z"}],
    "withdrawn":[1],"seen":{"stable":{"version":3,"manifest":"\(digest)","bundle":"\(digest)","sources":
    "\(digest)"}},"lastProblem":{"code":"timeout","message":"slow","date":"2026-06-11T09:12:44Z"},
    "stale":{"since":"2026-06-11T09:12:44Z","reason":"timestamp expired"}}
    """
}
