internal import OTAFeed
internal import OTACrypto
internal import OTAManifest
internal import OTATransfer

/// Who signs requests to an object store.
struct StoreCredentials: Equatable, Sendable {
  let keyID: String
  let secret: String
  /// Proves credentials that are good for some hours; `nil` for lasting ones.
  let sessionToken: String?
}

/// Signs requests as S3 wants it: every field and the whole body. Source: AWS Signature Version 4, header form.
struct RequestSignature: Sendable {
  let credentials: StoreCredentials
  let region: String

  /// What goes over the wire.
  struct Signed: Equatable {
    let pathAndQuery: String
    let fields: [HostRequest.Field]
    let signature: String
  }

  /// - Parameters:
  ///   - path: the decoded path, beginning with `/`.
  ///   - moment: as `20130524T000000Z`.
  func sign(
    _ method: String, host: String, path: String, query: [(String, String)] = [],
    fields: [HostRequest.Field] = [], body: [UInt8], at moment: String
  ) throws(CryptoError) -> Signed {
    let digest = try sha256(body).hex
    var sent = fields + [.init("x-amz-date", moment), .init("x-amz-content-sha256", digest)]
    if let token = credentials.sessionToken { sent.append(.init("x-amz-security-token", token)) }
    let named = (sent + [.init("host", host)]).map { (name: $0.name.asciiLowercased, value: $0.value) }
      .sorted { $0.name < $1.name }
    let names = named.map(\.name).joined(separator: ";")
    let (encodedPath, encodedQuery) = (Self.encoded(path: path), Self.encoded(query: query))
    let request = [
      method, encodedPath, encodedQuery, named.map { "\($0.name):\($0.value)\n" }.joined(), names, digest,
    ].joined(separator: "\n")
    let scope = "\(moment.prefix(8))/\(region)/s3/aws4_request"
    let text = ["AWS4-HMAC-SHA256", moment, scope, try sha256(Array(request.utf8)).hex]
      .joined(separator: "\n")
    let signature = try hmacSHA256(Array(text.utf8), key: key(on: String(moment.prefix(8)))).hex
    sent.append(
      .init(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
      ))
    return Signed(
      pathAndQuery: encodedQuery.isEmpty ? encodedPath : "\(encodedPath)?\(encodedQuery)", fields: sent,
      signature: signature)
  }

  private func key(on day: String) throws(CryptoError) -> [UInt8] {
    var key = Array("AWS4\(credentials.secret)".utf8)
    for part in [day, region, "s3", "aws4_request"] {
      key = try hmacSHA256(Array(part.utf8), key: key).bytes
    }
    return key
  }

  private static func encoded(path: String) -> String {
    percentEncoded(path, keeping: { $0 == UInt8(ascii: "/") })
  }

  private static func encoded(query: [(String, String)]) -> String {
    let pairs = query.map { (name: percentEncoded($0.0), value: percentEncoded($0.1)) }
    let sorted = pairs.sorted { $0.name == $1.name ? $0.value < $1.value : $0.name < $1.name }
    return sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// A moment as signatures have it.
  static func text(of moment: Timestamp) -> String {
    moment.description.filter { $0 != "-" && $0 != ":" }
  }
}
