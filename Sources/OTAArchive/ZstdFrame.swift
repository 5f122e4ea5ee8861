internal import OTAManifest

/// Why a packed file is refused, or could not be made.
package enum ZstdError: Error, Equatable, Sendable {
  /// libzstd cannot be loaded.
  case libraryMissing(String)
  case noMemory
  /// The bytes do not begin as a frame of zstd does.
  case notAFrame
  /// The frame does not say how many bytes it unpacks to.
  case noSize
  /// It unpacks to another number of bytes than its description says.
  case sizeDiffers(Int, expected: Int)
  /// Its window and its base take more memory than is allowed.
  case needsMemory(Int, max: Int)
  /// It wants a dictionary, which is never used here.
  case wantsDictionary
  case cutShort
  /// Something follows the end of the frame.
  case strayEnd
  /// The frame is broken, or was made against another base.
  case damaged(String)
  case tooLarge(maxBytes: Int)

  /// The rest of a sentence that begins with the name of the file.
  package var detail: String {
    switch self {
    case .libraryMissing(let text): "cannot be unpacked: \(text)"
    case .noMemory: "cannot be unpacked: out of memory"
    case .notAFrame: "is not in zstd"
    case .noSize: "does not say how large it is unpacked"
    case .sizeDiffers(let found, let expected): "unpacks to \(found) bytes, not to \(expected)"
    case .needsMemory(let found, let max): "needs \(found) bytes of memory, more than \(max)"
    case .wantsDictionary: "needs a dictionary"
    case .cutShort: "is cut short"
    case .strayEnd: "goes on after its end"
    case .damaged(let text): "is damaged, or fits another file: \(text.printable(maxCharacters: 120))"
    case .tooLarge(let maxBytes): "unpacks to more than \(maxBytes) bytes"
    }
  }
}

/// The head of a zstd frame: what it will take to unpack, known before anything is allocated.
///
/// Source: RFC 8878, section 3.1.1.1.
package struct ZstdFrame: Equatable, Sendable {
  /// The most bytes that a head has.
  package static let maxHeadBytes = 18
  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// The bytes that a decoder must remember.
  package let windowBytes: Int
  /// The bytes that the frame unpacks to; `nil` when it does not say.
  package let contentBytes: Int?
  private let hasDictionary: Bool

  /// Reads the head from the first bytes of a frame.
  package init(head: [UInt8]) throws(ZstdError) {
    guard head.starts(with: Self.magic) else { throw .notAFrame }
    guard head.count > 4 else { throw .cutShort }
    let descriptor = head[4]
    let isSingleSegment = descriptor & 0x20 != 0
    let dictionaryBytes = [0, 1, 2, 4][Int(descriptor & 3)]
    let sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
    let sizeAt = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes
    guard head.count >= sizeAt + sizeBytes else { throw .cutShort }
    guard descriptor & 0x08 == 0 else { throw .damaged("a reserved bit is set") }
    hasDictionary = dictionaryBytes > 0
    var size: UInt64 = 0
    for index in 0..<sizeBytes { size |= UInt64(head[sizeAt + index]) << (8 * index) }
    if sizeBytes == 2 { size += 256 }
    let content = Int(exactly: size) ?? .max
    contentBytes = sizeBytes == 0 ? nil : content
    windowBytes = isSingleSegment ? content : Self.window(head[5])
  }

  private static func window(_ byte: UInt8) -> Int {
    let base = 1 << (10 + Int(byte >> 3))
    return base + base / 8 * Int(byte & 7)
  }

  /// Refuses a frame that says other than its description, or that takes more memory than is allowed.
  package func require(bytes: Int, memory: Int) throws(ZstdError) {
    guard !hasDictionary else { throw .wantsDictionary }
    guard let contentBytes else { throw .noSize }
    guard contentBytes == bytes else { throw .sizeDiffers(contentBytes, expected: bytes) }
    let needed = min(windowBytes, bytes)
    guard windowBytes <= Self.largestWindow, needed <= memory else {
      throw .needsMemory(windowBytes, max: max(memory, 0))
    }
  }

  /// The decoder refuses larger windows whatever the content.
  private static let largestWindow = 1 << 27
}
