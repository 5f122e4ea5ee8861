internal import OTAManifest

/// What the bridge in the page says, read strictly: anything else that a bundle posts is no message.
enum PageMessage {
  case request(id: String, PageRequest)
  case log(LogLine)
  case result(token: String, json: String)
  case failure(token: String, CallFault)

  /// Reads the text that the page posted.
  static func decode(_ bytes: [UInt8], maxBytes: Int) throws(InputError) -> PageMessage {
    let object = try JSONObject(JSONReader.read(bytes, maxBytes: maxBytes, maxDepth: 8), known: [])
    switch try object.string("kind") {
    case "request": return .request(id: try object.string("id"), try request(object))
    case "log":
      return .log(LogLine(level: try object.string("level"), text: try object.string("text")))
    case "result":
      let token = try object.string("token")
      guard try object.bool("ok") else {
        return .failure(token: token, try CallFault(object.object("error")))
      }
      return .result(token: token, json: try object.string("json"))
    case let kind:
      throw InputError(.malformed, field: "kind", "is \"\(kind.printable())\", which the bridge never sends")
    }
  }

  private static func request(_ object: JSONObject) throws(InputError) -> PageRequest {
    var headers: [PageRequest.Header] = []
    for field in try object.array("headers") {
      guard case .array(let pair) = field, pair.count == 2, case .string(let name) = pair[0],
        case .string(let value) = pair[1]
      else { throw InputError(.wrongType, field: "headers", "is not a list of names and values") }
      headers.append(PageRequest.Header(name, value))
    }
    var request = PageRequest(method: try object.string("method"), url: try object.string("url"))
    request.headers = headers
    request.domain = try object.string("domain")
    request.source = try object.optional("source", object.string)
    if let text = try object.optional("body", object.string) {
      guard let body = Base64Text.decode(text) else {
        throw InputError(.malformed, field: "body", "is no Base64")
      }
      request.body = body
    }
    return request
  }
}

extension CallFault {
  fileprivate init(_ object: JSONObject) throws(InputError) {
    func number(_ name: String) throws(InputError) -> Int? {
      try object.optional(name) { (name) throws(InputError) in Int(try object.integer(name)) }
    }
    var page: PageFault?
    if case .object = try object.optional("page", object.required) {
      let fault = try object.object("page")
      page = PageFault(
        code: try fault.string("code"), message: try fault.string("message"), url: try fault.string("url"),
        status: try fault.optional("status") { (name) throws(InputError) in Int(try fault.integer(name)) })
    }
    self.init(
      name: try object.string("name"), message: try object.string("message"),
      stack: try object.optional("stack", object.string) ?? "",
      script: try object.optional("script", object.string), line: try number("line"),
      column: try number("column"), page: page)
  }
}
