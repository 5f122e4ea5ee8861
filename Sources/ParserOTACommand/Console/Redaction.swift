/// Keeps credentials out of messages: logs of CI jobs are read by many.
enum Redaction {
  /// A text fit to be shown: of a URL, the user name, password and query are replaced by `…`.
  static func hidingSecrets(in text: String) -> String {
    guard let scheme = text.firstRange(of: "://") else { return text }
    var rest = text[scheme.upperBound...]
    var hidden = ""
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = authority.lastIndex(of: "@") {
      hidden = "…@"
      rest = rest[rest.index(after: at)...]
    }
    let end = rest.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
    return text[..<scheme.upperBound] + hidden + rest[..<end] + (end == rest.endIndex ? "" : "?…")
  }
}
