/// The character encoding that a `Content-Type` names.
enum CharsetLabel {
  /// The label in lower case; `nil` when there is none or when it cannot be one.
  static func label(in contentType: String?) -> String? {
    for part in (contentType ?? "").split(separator: ";").dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1).map { trimmed($0).lowercased() }
      guard sides.count == 2, sides[0] == "charset" else { continue }
      let label = sides[1].filter { $0 != "\"" && $0 != "'" }
      return isLabel(label) ? label : nil
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { start[...$0] } ?? ""
  }

  private static func isLabel(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-_.:+".utf8.contains(byte)
      }
  }
}
