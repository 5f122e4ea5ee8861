package import OTATransfer

extension FetchResponse {
  /// The coding that a text file came in; `nil` when there is none, or when the label is wrong and the text is intact.
  ///
  /// Everything on a feed is text. Compressed bytes have control characters within their first few hundred bytes.
  package func trueCoding(of head: some Collection<UInt8>) -> String? {
    guard let claimedCoding else { return nil }
    let isText = head.prefix(512).allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
    return isText ? nil : claimedCoding
  }
}
