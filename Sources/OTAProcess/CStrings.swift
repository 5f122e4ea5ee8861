internal import Glibc

/// Texts as the system calls that start programs want them.
package enum CStrings {
  /// Hands over a list of C strings that ends with a null pointer, as `execve` wants it.
  package static func with<Result>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      // The buffer has at least the null pointer at its end, so it has a base address.
      unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }
}
