package import OTAManifest

/// What a server means by `Retry-After`: seconds from now, or a date.
package enum RetryAfter {
  /// Longer pauses are cut: a host that says "next year" by mistake must not end updates.
  package static let longestSeconds: Int64 = 86_400
  /// For a 429 that does not say, or says something that cannot be read.
  package static let usualSeconds: Int64 = 60

  /// The end of the pause; `nil` for text that is neither a number nor a date as HTTP writes it.
  package static func end(_ text: String, now: Timestamp) -> Timestamp? {
    let trimmed = text.drop { $0 == " " }
    if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      let seconds = Int64(trimmed) ?? longestSeconds
      return now.advanced(bySeconds: min(seconds, longestSeconds))
    }
    return date(trimmed).map { min($0, now.advanced(bySeconds: longestSeconds)) }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; the two older forms are no longer sent by anybody.
  private static func date(_ text: some StringProtocol) -> Timestamp? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let words = String(text).split { $0 == " " }.map(String.init)
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp("\(words[3])-\(number)-\(words[1])T\(words[4])Z")
  }
}
