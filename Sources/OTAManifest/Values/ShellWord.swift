extension String {
  /// The text as one word of a POSIX shell: as it is when nothing in it has a meaning there, else in single quotes.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-_./:=@,+%".utf8.contains(byte)
    }
    if isPlain && !isEmpty { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
