import TestSupport

/// The two files of a release, by what makes them different from others.
package struct Content: Hashable, Sendable {
  /// The number in the bundle.
  var bundle: Int
  /// The number in the catalog.
  var catalog: Int
  /// The number in the id of the second source; `nil` when there is only one source.
  var second: Int? = 0
  /// Whether the bundle is several times as long as usual.
  var isLong = false

  var ids: [String] { ["ABC"] + (second.map { [Self.secondID($0)] } ?? []) }

  static func secondID(_ number: Int) -> String { "D\(number)" }

  var bundleBytes: [UInt8] { Fixtures.bundle(marker: "b\(bundle)", bytes: 0) + (isLong ? Self.moreCode : []) }

  /// Code and no comments: the gate does not count those.
  private static let moreCode = (0..<60).flatMap { number in
    Array("NyoraParsers.more\(number) = function (first, second) { return first + second; };\n".utf8)
  }

  var catalogBytes: [UInt8] {
    let entries = ids.map { id in
      #"{"id":"\#(id)","className":"\#(id)Parser","title":"\#(id) \#(catalog)","locale":"en","#
        + #""domain":"\#(id.lowercased()).example","family":"MadaraParser","isNsfw":false,"overrides":{}}"#
    }
    return Array("[\(entries.joined(separator: ",\n"))]\n".utf8)
  }

  /// What a person would call the files.
  var names: (bundle: String, catalog: String) {
    ("b\(bundle)\(isLong ? "-long" : "").js", "c\(catalog)-\(second.map(String.init) ?? "one").json")
  }
}
