/// An archive as it came, in memory that stays where it is: each pass over it reads these bytes and no file.
@safe package final class ArchiveBytes: Sendable {
  /// How many bytes the archive has.
  package var count: Int { unsafe buffer.count }
  // Written once, in the initializer, and only read after that, through references to this object.
  nonisolated(unsafe) let buffer: UnsafeRawBufferPointer

  /// Copies the bytes; refuses more than an archive may have.
  package init(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
    guard bytes.count <= limits.maxPackedBytes else { throw .tooLarge(maxBytes: limits.maxPackedBytes) }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    unsafe copy.copyBytes(from: bytes)
    unsafe buffer = UnsafeRawBufferPointer(copy)
  }

  deinit { unsafe buffer.deallocate() }
}
