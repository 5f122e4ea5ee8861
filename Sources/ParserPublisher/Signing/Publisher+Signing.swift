internal import OTAManifest

extension Publisher {
  /// Checks the given signers against the kind of feed and its root, before anything else is done.
  ///
  /// - Returns: `nil` on a feed without signatures, and for a dry run without signers.
  func signing(
    _ signers: [any MetadataSigner], _ date: Timestamp?, _ state: FeedState, isDryRun: Bool
  ) throws(Problem) -> FeedSigning? {
    guard case .signed(let expiry) = state.settings.trust, let metadata = state.metadata else {
      guard signers.isEmpty else {
        throw Problem(
          .inputRefused, "\(place) is a checksums-only feed, which takes no signatures",
          advice: "leave the keys out, or make it a signed feed with parser-ota init and the keys")
      }
      return nil
    }
    if signers.isEmpty {
      if isDryRun { return nil }
      throw Problem(
        .keyNotTrusted, "\(place) is a signed feed, and no key to sign with was given",
        advice: "add --release-key FILE, or set PARSER_OTA_RELEASE_KEY")
    }
    let now = now()
    let signing = try FeedSigning(
      metadata: metadata, signers: signers, expiry: expiry, date: date ?? now, now: now)
    try signing.requireSigners()
    return signing
  }
}
