/// Decides what a complete head means for one request; pure.
struct AnswerRules {
  enum Verdict: Equatable {
    /// A 1xx answer: the real one follows.
    case interim
    case deliver(FetchResponse)
    case unchanged(FetchResponse)
    case redirect
    case refuse(TransferError)
  }

  let request: FetchRequest
  /// The URL that gave the answer.
  let url: String

  func verdict(_ head: ResponseHead) -> Verdict {
    switch head.status {
    case 100...199: .interim
    case 206: part(head)
    // 203 and the like say who changed the answer, not whether it is the file: length and digest decide that.
    case 200...299 where head.status != 204 && head.status != 205: whole(head)
    case 304 where request.ifNoneMatch != nil: .unchanged(response(head, from: 0, total: nil))
    case 301, 302, 303, 307, 308: .redirect
    default: .refuse(statusError(head))
    }
  }

  private func whole(_ head: ResponseHead) -> Verdict {
    deliver(head, response(head, from: 0, total: head.contentLength))
  }

  private func part(_ head: ResponseHead) -> Verdict {
    guard let resume = request.resume, resume.offset > 0 else {
      return violation(head, "a part of the file came although all of it was asked for")
    }
    guard let range = head.contentRange, range.first == resume.offset else {
      return violation(head, "another part of the file came than the one from byte \(resume.offset)")
    }
    if let validator = resume.validator, validator.hasSuffix("\""), let tag = head["etag"], tag != validator {
      return violation(head, "the file changed on the server since its first part was fetched")
    }
    return deliver(head, response(head, from: resume.offset, total: range.total))
  }

  private func deliver(_ head: ResponseHead, _ response: FetchResponse) -> Verdict {
    if let coding = claimedCoding(head["transfer-encoding"], plain: ["chunked", "identity"]) {
      let detail = "the body is transferred as \"\(coding)\" although that was not asked for"
      return .refuse(error(.unexpectedEncoding, head, detail))
    }
    let announced = response.totalBytes ?? head.contentLength.map { saturatingSum($0, response.resumedFrom) }
    if let announced, announced > request.maxBytes {
      let detail = "the file has \(announced) bytes, more than the limit of \(request.maxBytes)"
      return .refuse(error(.tooLarge, head, detail))
    }
    return .deliver(response)
  }

  private func saturatingSum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? Int.max : sum
  }

  /// The first coding of a field other than the plain ones.
  private func claimedCoding(_ field: String?, plain: Set<String> = ["identity"]) -> String? {
    codings(field).first { !plain.contains($0) }
  }

  private func codings(_ field: String?) -> [String] {
    (field ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map { String($0.prefix(20)) }
  }

  private func statusError(_ head: ResponseHead) -> TransferError {
    let (kind, detail): (TransferError.Kind, String) =
      switch head.status {
      case 404: (.notFound, "there is no such file on the server")
      case 410: (.notFound, "the file is gone from the server")
      case 401, 403: (.forbidden, "the server does not allow this file to be read")
      case 407: (.proxy, "the proxy asks for a user name and password")
      case 416: (.httpStatus, "the requested range is not satisfiable")
      case 429: (.throttled, "the server asks for fewer requests")
      case 511: (.portal, "the network asks for a login first")
      case 500...599: (.server, "the server has a problem of its own")
      default: (.httpStatus, "the server gave an answer without the file")
      }
    return error(kind, head, "\(detail) (HTTP \(head.status))")
  }

  private func violation(_ head: ResponseHead, _ detail: String) -> Verdict {
    .refuse(error(.protocolViolation, head, detail))
  }

  private func error(_ kind: TransferError.Kind, _ head: ResponseHead, _ detail: String) -> TransferError {
    TransferError(kind, url: url, status: head.status, detail: detail, retryAfter: head["retry-after"])
  }

  private func response(_ head: ResponseHead, from offset: Int, total: Int?) -> FetchResponse {
    FetchResponse(
      status: head.status, finalURL: url, resumedFrom: offset, totalBytes: total, entityTag: head["etag"],
      lastModified: head["last-modified"], retryAfter: head["retry-after"], contentType: head["content-type"],
      cacheControl: head["cache-control"], claimedCoding: claimedCoding(head["content-encoding"]))
  }
}
