/// A number of bytes in words for people: `548 kB`, with 1 kB = 1000 bytes.
enum ByteCount {
  static func text(_ bytes: Int64) -> String {
    if bytes < 1000 { return "\(bytes) bytes" }
    if bytes < 999_500 { return "\((bytes + 500) / 1000) kB" }
    let tenths = bytes / 100_000 + (bytes % 100_000 >= 50_000 ? 1 : 0)
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}
