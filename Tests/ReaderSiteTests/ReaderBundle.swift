import Foundation
import OTAManifest
import ParserEngine
import ParserPublisher
import ParserWorkbench
import TestSupport

/// A source of the small bundle in `Site/`.
struct ReaderSource: Sendable {
  let id: String
  let domain: String
  var family = "ReaderParser"
  var overrides: [String: String] = [:]
}

/// The small bundle in `Site/` with its catalog, on disk and in memory.
struct ReaderBundle {
  let sources: [ReaderSource]
  /// What is replaced in the bundle's text, to break it.
  var changes: [(old: String, new: String)] = []

  init(_ sources: [ReaderSource], changing changes: (String, String)...) {
    self.sources = sources
    self.changes = changes.map { (old: $0.0, new: $0.1) }
  }

  var catalog: String {
    let entries = sources.map { source in
      [
        "id": source.id, "className": source.family, "title": source.id, "locale": "en",
        "domain": source.domain, "family": source.family, "isNsfw": false, "overrides": source.overrides,
      ] as [String: Any]
    }
    let data = try? JSONSerialization.data(withJSONObject: entries, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  func text() throws -> String {
    let path = BuiltProducts.packageRoot() + "/Tests/ReaderSiteTests/Site/reader.bundle.js"
    var text = try String(contentsOfFile: path, encoding: .utf8)
    for change in changes + [(old: "SOURCES", new: catalog)] {
      guard text.contains(change.old) else { throw SystemFailure("the bundle has no \(change.old)") }
      text = text.replacingOccurrences(of: change.old, with: change.new)
    }
    return text
  }

  /// Writes `NAME.js` and `NAME.json`.
  func write(_ name: String, to folder: TemporaryDirectory) throws {
    try text().write(toFile: folder.path("\(name).js"), atomically: true, encoding: .utf8)
    try catalog.write(toFile: folder.path("\(name).json"), atomically: true, encoding: .utf8)
  }

  /// The bundle as the product reads it.
  func load(_ name: String = "reader", in folder: TemporaryDirectory) throws -> ParserBundle {
    try write(name, to: folder)
    return try ParserBundle(
      bundlePath: folder.path("\(name).js"), sourcesPath: folder.path("\(name).json"), name: "\(name).js")
  }
}

enum Engines {
  static func engine(callTime: Duration = .seconds(45)) throws -> BundleEngine {
    var limits = EngineLimits()
    limits.callTime = callTime
    limits.startTime = .seconds(60)
    return BundleEngine(
      program: try BuiltProducts.path(of: "parser-ota-engine"), limits: limits,
      environment: ["PATH": "/usr/bin:/bin"])
  }
}

extension JSONValue {
  init(reading text: String) throws {
    self = try JSONReader.read(Array(text.utf8), maxBytes: 1 << 20, maxDepth: 64)
  }

  /// The texts of one member of each item.
  func texts(_ name: String) -> [String] {
    guard case .array(let items) = self else { return [] }
    return items.map { item in
      guard case .object(let members) = item,
        case .string(let text)? = members.first(where: { $0.key == name })?.value
      else { return "" }
      return text
    }
  }

  subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == name }?.value
  }
}
