internal import COpenSSL

/// A stream of the library over bytes in memory.
@safe
struct MemoryBIO: ~Copyable {
  let pointer: OpaquePointer

  /// A stream to write to.
  init() throws(CryptoError) {
    guard let pointer = unsafe BIO_new(BIO_s_mem()) else { throw .drainingQueue(after: "BIO_new") }
    unsafe self.pointer = pointer
  }

  /// A stream to read these bytes from.
  init(_ bytes: [UInt8]) throws(CryptoError) {
    guard let pointer = unsafe BIO_new(BIO_s_mem()) else { throw .drainingQueue(after: "BIO_new") }
    guard unsafe BIO_write(pointer, bytes, Int32(clamping: bytes.count)) == bytes.count else {
      let failure = CryptoError.drainingQueue(after: "BIO_write")
      unsafe BIO_free_all(pointer)
      throw failure
    }
    unsafe self.pointer = pointer
  }

  deinit { unsafe BIO_free_all(pointer) }

  /// What was written so far.
  var bytes: [UInt8] {
    var start: UnsafePointer<UInt8>?
    let count = unsafe copenssl_memory_of_bio(pointer, &start)
    guard let first = unsafe start, count > 0 else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: first, count: count))
  }
}
