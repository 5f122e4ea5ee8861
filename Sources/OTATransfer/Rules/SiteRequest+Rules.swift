/// What of a request is sent, and what a redirect makes of it.
extension SiteRequest {
  /// Fields that are the transfer's own affair: a web view does not let a page set them either.
  private static let ownFields: Set<String> = [
    "accept-encoding", "connection", "content-length", "cookie", "expect", "host", "keep-alive",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Refuses what cannot be sent or is more than a parser needs.
  func check() throws(TransferError) {
    for field in fields {
      guard Self.isName(field.name) else {
        throw refusal("a header field has a name that HTTP does not allow: \(field.name.debugDescription)")
      }
      guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw refusal("the header field \(field.name) has a control character")
      }
    }
    guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.maxFieldBytes else {
      throw refusal("the header fields have more than \(Self.maxFieldBytes) bytes")
    }
    guard body.count <= Self.maxBodyBytes else {
      throw refusal("the body has more than \(Self.maxBodyBytes) bytes")
    }
  }

  /// Complete lines, without those that are the transfer's own affair; a later field of the same name wins.
  var headerLines: [String] {
    var lines: [String: String] = [:]
    var order: [String] = []
    for field in fields {
      let key = field.name.lowercased()
      guard !Self.ownFields.contains(key) else { continue }
      if lines[key] == nil { order.append(key) }
      // An empty value needs a semicolon: libcurl takes a bare colon as "do not send".
      lines[key] = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
    }
    return order.compactMap { lines[$0] }
  }

  /// The cookies that the parser itself sends, beside those of the jar.
  var cookieField: String? {
    let values = fields.filter { $0.name.lowercased() == "cookie" && !$0.value.isEmpty }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: "; ")
  }

  /// The request that a redirect asks for. Source: the Fetch standard, HTTP-redirect fetch.
  func redirected(by status: Int, to target: FetchURL, from url: FetchURL) -> SiteRequest {
    var next = self
    next.url = target.text
    let losesBody = method == .post && [301, 302, 303].contains(status)
    if losesBody {
      next.method = .get
      next.body = []
    }
    next.fields.removeAll { field in
      let name = field.name.lowercased()
      let isOfBody = losesBody && name.hasPrefix("content-")
      let isSecret = target.origin != url.origin && (name == "authorization" || name == "cookie")
      return isOfBody || isSecret
    }
    return next
  }

  private func refusal(_ detail: String) -> TransferError {
    TransferError(.refusedRequest, url: url, detail: detail)
  }

  private static func isName(_ name: String) -> Bool {
    let marks = "!#$%&'*+-.^_`|~".utf8
    return !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || marks.contains(byte)
      }
  }
}
