internal import COpenSSL

extension PublicKey {
  /// Whether the signature is right for exactly these bytes.
  ///
  /// - Throws: `cannotVerify` when this machine or this key cannot tell; a malformed signature is plainly `false`.
  public func verify(
    _ signature: [UInt8], of message: [UInt8], with scheme: SignatureScheme
  ) throws(CryptoError) -> Bool {
    guard scheme == self.scheme else {
      throw .cannotVerify("the key is for \(self.scheme.rawValue), not for \(scheme.rawValue)")
    }
    // An error that an earlier call left must not be taken for one of this call.
    ERR_clear_error()
    let context = try VerificationContext(handle, scheme)
    let result = unsafe EVP_DigestVerify(
      context.pointer, signature, signature.count, message, message.count)
    ERR_clear_error()
    return Self.accepts(result)
  }

  /// Verifies a published signature and refuses a wrong one, to tell "cannot verify here" from "signature wrong".
  ///
  /// - Throws: `cannotVerify`. The vector is the second of RFC 8032 section 7.1.
  public static func checkThatVerifyingWorks() throws(CryptoError) {
    let text =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    let signature = bytes(fromHex: text) ?? []
    let judgements: [Bool]
    do {
      let key = try PublicKey(
        ed25519Hex: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
      judgements = [
        try key.verify(signature, of: [0x72], with: .ed25519),
        try key.verify(signature, of: [0x73], with: .ed25519),
      ]
    } catch {
      throw .cannotVerify(error.message)
    }
    guard judgements == [true, false] else {
      throw .cannotVerify("a published signature cannot be verified")
    }
  }

  /// The library answers 1 for a right signature, and other numbers, negative ones too, for all else.
  static func accepts(_ result: Int32) -> Bool { result == 1 }
}

/// A started verification; one that could not be started does not exist, since going on with it would crash.
@safe
private struct VerificationContext: ~Copyable {
  let pointer: OpaquePointer

  init(_ key: KeyHandle, _ scheme: SignatureScheme) throws(CryptoError) {
    guard let pointer = unsafe EVP_MD_CTX_new() else {
      throw .cannotVerify(CryptoError.drainedReasons(after: "EVP_MD_CTX_new"))
    }
    guard unsafe Self.start(pointer, key, scheme) else {
      let reasons = CryptoError.drainedReasons(after: "EVP_DigestVerifyInit")
      unsafe EVP_MD_CTX_free(pointer)
      throw .cannotVerify(reasons)
    }
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_MD_CTX_free(pointer) }

  private static func start(_ context: OpaquePointer, _ key: KeyHandle, _ scheme: SignatureScheme) -> Bool {
    var options: OpaquePointer?
    let digest = unsafe scheme == .ed25519 ? nil : EVP_sha256()
    guard unsafe EVP_DigestVerifyInit(context, &options, digest, nil, key.pointer) == 1 else { return false }
    guard scheme == .rsaPSS else { return true }
    return unsafe EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
      && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_AUTO) == 1
  }
}
