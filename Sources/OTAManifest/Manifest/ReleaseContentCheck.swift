/// What the two files of a release must be, beyond their digests; the same for the publisher and for devices.
public enum ReleaseContentCheck {
  /// Checks the beginning of a bundle: not empty, no byte-order mark, not a page.
  ///
  /// - Parameter head: at least the first 512 bytes, or all of them.
  public static func checkBundle(head: some Collection<UInt8>) throws(InputError) {
    let head = Array(head.prefix(512))
    guard head.contains(where: { !isSpace($0) }) else { throw InputError(.empty, "is empty") }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw InputError(
        .byteOrderMark, "begins with a byte-order mark (BOM at byte 0): save it as UTF-8 without BOM")
    }
    if looksLikeHTML(head) {
      throw InputError(.html, "begins with \"<\": this is HTML, not JavaScript")
    }
  }

  /// Whether bytes begin as an HTML or XML page does.
  public static func looksLikeHTML(_ head: some Collection<UInt8>) -> Bool {
    head.first { !isSpace($0) } == UInt8(ascii: "<")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
