import Foundation

/// Inputs that several test targets share: real catalogs with made-up names, and generators for small ones.
public enum Fixtures {
  /// A catalog of 121 sources, as a real feed had it (names replaced).
  public static let catalog121 = required("catalog-121.json")
  /// A catalog of 235 sources, among them an id that begins with a digit.
  public static let catalog235 = required("catalog-235.json")

  /// The bytes of a file in `Fixtures/`, which stands beside this source file.
  public static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appendingPathComponent("Fixtures/\(name)")))
  }

  /// A catalog with one plausible entry for each id, in order; class and domain follow from the id alone.
  public static func smallCatalog(ids: [String]) -> [UInt8] {
    let entries = ids.map { id in
      let word = id.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }
      let name = word.isEmpty ? "Source" : String(String.UnicodeScalarView(word))
      return """
         {"id":\(quoted(id)),"className":"\(name)Parser","title":\(quoted(id)),"locale":"en",\
        "domain":"\(name.lowercased()).example","family":"MadaraParser","isNsfw":false,"overrides":{}}
        """
    }
    return Array("[\n\(entries.joined(separator: ",\n"))\n]\n".utf8)
  }

  /// A parser bundle of exactly `bytes` bytes (or its shortest form, when that is longer).
  ///
  /// It defines `NyoraParsers`; other markers make other bytes, and comment lines fill it up.
  public static func bundle(marker: String, bytes: Int = 550_000) -> [UInt8] {
    var bundle = Array(bundleSource(marker: marker).utf8)
    let line = Array(
      "// padding: a real bundle has code of its parsers here, about this many bytes a line\n".utf8)
    while bundle.count + line.count <= bytes { bundle += line }
    let rest = bytes - bundle.count
    if rest > 0 { bundle += Array(repeating: UInt8(ascii: "\n"), count: rest) }
    return bundle
  }

  private static func bundleSource(marker: String) -> String {
    """
    "use strict";
    var NyoraParsers = {
      marker: \(quoted(marker)),
      getParser(id, context) {
        return {
          id: id,
          getList(page) { return context.http.get("https://" + id.toLowerCase() + ".example/?page=" + page); },
          getDetails(manga) { return context.http.get(manga.url); },
          getPages(chapter) { return context.http.get(chapter.url); }
        };
      },
      getAllSources() {
        return [{ id: "ABC", title: "ABC", locale: "en" }];
      }
    };

    """
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\u{0}"..<" ": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func required(_ name: String) -> [UInt8] {
    do {
      return try bytes(name)
    } catch {
      preconditionFailure("the fixture \(name) cannot be read: \(error)")
    }
  }
}
