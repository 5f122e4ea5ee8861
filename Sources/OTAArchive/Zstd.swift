internal import CZstd

/// Compressed forms of files and patches between them, in frames of zstd.
package enum Zstd {
  /// How hard to pack: the best level for bundles of the usual size, and one that keeps huge ones bearable.
  private static let levels: (usual: Int32, huge: Int32) = (19, 6)
  private static let hugeBytes = 8 << 20
  /// The window of a compressed file: readers need as much memory as this, and no more.
  private static let maxWindowLog = 22
  /// The largest window that any reader here accepts, as a logarithm; `ZstdFrame` judges by the byte before.
  private static let largestWindowLog: Int32 = 27
  private static let chunkBytes = 64 << 10

  /// A packed file, and the bytes of memory that unpacking takes: the window and the base.
  package struct Packed: Equatable, Sendable {
    package let bytes: [UInt8]
    package let memory: Int
  }

  /// Whether libzstd can be loaded.
  package static var isAvailable: Bool {
    do {
      try load()
      return true
    } catch {
      return false
    }
  }

  private static func load() throws(ZstdError) {
    var error: UnsafePointer<CChar>?
    guard unsafe czstd_load(&error) != 0 else { return }
    throw .libraryMissing(unsafe error.map { unsafe String(cString: $0) } ?? "libzstd cannot be loaded")
  }

  // MARK: Packing

  /// Packs a file into one frame that names its size and ends with a checksum.
  ///
  /// - Parameter base: the file that a patch is made against; empty for a compressed file.
  /// - Throws: `libraryMissing` or `noMemory`.
  package static func pack(_ bytes: [UInt8], base: [UInt8] = []) throws(ZstdError) -> Packed {
    try load()
    let level = bytes.count + base.count > hugeBytes ? levels.huge : levels.usual
    var output = [UInt8](repeating: 0, count: czstd_bound(bytes.count))
    let count = unsafe czstd_pack(
      bytes, bytes.count, base, base.count, level, Int32(windowLog(bytes.count, base.count)), &output,
      output.count)
    guard count > 0 else { throw .noMemory }
    output.removeLast(output.count - count)
    let frame = try ZstdFrame(head: output)
    return Packed(bytes: output, memory: min(frame.windowBytes, max(bytes.count, 1)) + base.count)
  }

  /// A window that covers the file and its base; bounded when there is no base.
  private static func windowLog(_ count: Int, _ base: Int) -> Int {
    let reach = max(count + base, 1 << 10)
    let log = Int.bitWidth - (reach - 1).leadingZeroBitCount
    return base > 0 ? min(log, Int(largestWindowLog)) : min(log, maxWindowLog)
  }

  // MARK: Unpacking

  /// Unpacks one frame piece by piece, and hands on exactly `expected` bytes or throws.
  ///
  /// The head of the frame is judged before anything is allocated for it. What was handed on is worth nothing until its
  /// digest was compared.
  ///
  /// - Parameters:
  ///   - base: the file that a patch was made against; empty for a compressed file.
  ///   - maxMemory: the bytes that the window and the base may take together.
  ///   - read: gives the next packed bytes, none at their end.
  /// - Throws: `ZstdError`, and whatever `read` and `write` throw.
  package static func unpack(
    expecting expected: Int, base: [UInt8] = [], maxMemory: Int, read: () throws -> [UInt8],
    write: (RawSpan) throws -> Void
  ) throws {
    try load()
    var head: [UInt8] = []
    while head.count < ZstdFrame.maxHeadBytes {
      let more = try read()
      if more.isEmpty { break }
      head += more
    }
    let frame = try ZstdFrame(head: head)
    try frame.require(bytes: expected, memory: maxMemory - base.count)
    try unsafe base.withUnsafeBytes { base in
      var decoder = try unsafe ZstdDecoder(base: base, maxWindowLog: largestWindowLog)
      var chunk = head
      while !chunk.isEmpty {
        try decoder.take(chunk, capacity: chunkBytes, write)
        chunk = try read()
      }
      try decoder.finish(expecting: expected)
    }
  }

  /// Unpacks a frame in memory.
  package static func unpack(
    _ packed: [UInt8], base: [UInt8] = [], maxBytes: Int, maxMemory: Int? = nil
  ) throws(ZstdError) -> [UInt8] {
    guard let expected = try ZstdFrame(head: packed).contentBytes else { throw .noSize }
    guard expected <= maxBytes else { throw .tooLarge(maxBytes: maxBytes) }
    var (rest, plain) = (packed, [UInt8]())
    plain.reserveCapacity(expected)
    do {
      try unpack(
        expecting: expected, base: base, maxMemory: maxMemory ?? max(maxBytes, 1 << 10),
        read: {
          defer { rest = [] }
          return rest
        },
        write: { span in unsafe span.withUnsafeBytes { unsafe plain.append(contentsOf: $0) } })
    } catch let error as ZstdError {
      throw error
    } catch {
      throw .damaged("it cannot be read")
    }
    return plain
  }
}

/// The decoder of one frame; the base must stay where it is for its life.
@safe private struct ZstdDecoder: ~Copyable {
  private let decoder: OpaquePointer
  private var output: [UInt8]
  private var written = 0
  private var isEnded = false

  init(base: UnsafeRawBufferPointer, maxWindowLog: Int32) throws(ZstdError) {
    guard let decoder = unsafe czstd_decoder_new(base.baseAddress, base.count, maxWindowLog) else {
      throw .noMemory
    }
    unsafe self.decoder = decoder
    output = []
  }

  deinit { unsafe czstd_decoder_free(decoder) }

  /// Unpacks what these bytes give.
  mutating func take(_ chunk: [UInt8], capacity: Int, _ write: (RawSpan) throws -> Void) throws {
    if output.isEmpty { output = [UInt8](repeating: 0, count: capacity) }
    var taken = 0
    var mayHaveMore = true
    while taken < chunk.count || mayHaveMore {
      guard !isEnded else {
        guard taken == chunk.count else { throw ZstdError.strayEnd }
        return
      }
      var count = 0
      let result = unsafe czstd_decode(decoder, chunk, chunk.count, &taken, &output, output.count, &count)
      guard result != CZSTD_DAMAGED else {
        throw ZstdError.damaged(unsafe String(cString: czstd_decoder_error(decoder)))
      }
      written += count
      if count > 0 { try unsafe write(output.span.bytes.extracting(0..<count)) }
      isEnded = result == CZSTD_END
      mayHaveMore = count == output.count
    }
  }

  /// The frame must be whole and have given what its head said.
  func finish(expecting expected: Int) throws(ZstdError) {
    guard isEnded else { throw .cutShort }
    guard written == expected else { throw .sizeDiffers(written, expected: expected) }
  }
}
