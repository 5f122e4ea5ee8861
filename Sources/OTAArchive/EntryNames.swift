/// The names in an archive so far: plain ones below one folder, each once, with and without regard to case.
struct EntryNames {
  private static let maxBytes = 255
  private var seen: [String: String] = [:]

  /// Takes the next name.
  mutating func add(_ name: String) throws(ArchiveError) {
    guard Self.isSafe(name) else { throw .unsafeName(name) }
    guard let before = seen.updateValue(name, forKey: name.lowercased()) else { return }
    throw before == name ? .duplicateName(name) : .sameNameInOtherCase(before, name)
  }

  /// Whether a name is a path of plain ASCII names: not absolute, never up, no part that is empty or a dot.
  private static func isSafe(_ name: String) -> Bool {
    guard name.utf8.count <= maxBytes else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !["", ".", ".."].contains(part) && part.utf8.allSatisfy(isPlain)
    }
  }

  private static func isPlain(_ code: UInt8) -> Bool {
    switch code {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
