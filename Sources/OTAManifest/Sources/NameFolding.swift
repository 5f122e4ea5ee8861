/// The one key by which names of sources are compared: compatibility-normalised and fully case-folded.
///
/// It is Unicode's NFKC_Casefold, so `DÉC`, `déc` in one code or two, and the full-width `ＤÉＣ` are one name, and so are `K`
/// and the Kelvin sign, `ß` and `SS`. Invisible codes do not count. Keys are compared as Swift strings, which do the last
/// step, canonical composition, themselves. Source: The Unicode Standard, section 3.13, definition R5.
package enum NameFolding {
  /// The key of a name; equal keys are names of the same source.
  package static func key(of name: String) -> String {
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name.asciiLowercased }
    var key = String.UnicodeScalarView()
    for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
      append(scalar, to: &key)
    }
    return String(key)
  }

  private static func append(_ scalar: Unicode.Scalar, to key: inout String.UnicodeScalarView) {
    let code = scalar.value
    if code < 0x80 {
      key.append(code >= 0x41 && code <= 0x5A ? Unicode.Scalar(UInt8(code | 0x20)) : scalar)
    } else if let folded = folds.sequences[code] {
      key.append(contentsOf: folded)
    } else {
      key.append(folds.target(of: code) ?? scalar)
    }
  }

  /// The table in the form in which it is searched; read at the first name that is not ASCII.
  private static let folds = Folds(table.description)
}

/// What codes map to, as `NameFolding.table` says it.
private struct Folds {
  /// Codes from `first` on, `step` apart, that map to codes the same distance from `target`.
  struct Run {
    let first: UInt32
    let count: UInt32
    let step: UInt32
    let target: UInt32
  }

  /// In the order of their first codes. Runs with step 2 may cover each other.
  private var runs: [Run] = []
  private(set) var sequences: [UInt32: [Unicode.Scalar]] = [:]

  init(_ table: String) {
    for word in table.utf8.split(separator: UInt8(ascii: ";")) {
      let sides = word.split(separator: UInt8(ascii: "="))
      if sides.count == 2, let code = Self.number(sides[0]) {
        let parts = sides[1].split(separator: UInt8(ascii: ","))
        sequences[code] = parts.compactMap { Self.number($0).flatMap(Unicode.Scalar.init) }
      } else {
        let numbers = word.split(separator: UInt8(ascii: " ")).compactMap { Self.number($0) }
        guard numbers.count == 4 else { continue }
        runs.append(Run(first: numbers[0], count: numbers[1], step: numbers[2], target: numbers[3]))
      }
    }
  }

  /// The code that the one at `code` maps to by a run; `nil` when it stays as it is.
  func target(of code: UInt32) -> Unicode.Scalar? {
    for run in runs {
      guard run.first <= code else { return nil }
      let distance = code - run.first
      if distance % run.step == 0, distance / run.step < run.count {
        return Unicode.Scalar(run.target + distance)
      }
    }
    return nil
  }

  private static func number(_ text: Substring.UTF8View) -> UInt32? { UInt32(Substring(text), radix: 16) }
}
