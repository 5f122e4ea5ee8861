import Foundation
import Synchronization
import TestSupport

@testable import OTATransfer

extension FuzzTarget {
  /// The heads and bodies of one HTTP exchange: whatever a server sends, limits hold, and no byte of an error page counts.
  ///
  /// The first byte chooses the request; heads end with an empty line, and what follows the last one is the body.
  static let headers = FuzzTarget(
    name: "headers",
    seeds: {
      Seeds.texts(
        "0HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello",
        "1HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-14/15\r\nETag: \"a\"\r\n\r\nhello",
        "1HTTP/2 200 \r\ncontent-length: 15\r\n\r\nhello hello hel",
        "1HTTP/1.1 416 No\r\nContent-Range: bytes */5\r\n\r\n",
        "2HTTP/1.1 304 Not Modified\r\nETag: W/\"a\"\r\n\r\n",
        "2HTTP/1.1 429 Slow\r\nRetry-After: 3600\r\n\r\n<html>",
        "0HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx",
        "0HTTP/1.1 301 Moved\r\nLocation: https://other.example/y\r\n\r\n<html>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nz",
        "1HTTP/1.1 206 OK\r\nContent-Range: bytes 10-9223372036854775806/9223372036854775807\r\n\r\nq",
        "0HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "more than the limit ", count: 5),
        "0HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nCache-Control: a\nCache-Control: b\n\nbody")
    },
    check: { bytes throws(BrokenRule) in
      let exchange = Exchange(bytes)
      try exchange.run()
    })
}

/// One transfer that is fed by hand as libcurl feeds it: line by line, then the body in pieces.
private struct Exchange {
  private static let limit = 64
  private static let offset = 10
  private let request: FetchRequest
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    var request = FetchRequest(url: "https://feed.example/x", maxBytes: Self.limit)
    switch bytes.first {
    case UInt8(ascii: "1"): request.resume = ResumePoint(offset: Self.offset, validator: "\"a\"")
    case UInt8(ascii: "2"): request.ifNoneMatch = "\"a\""
    default: break
    }
    self.request = request
    self.bytes = bytes.dropFirst()
  }

  /// What the sink was given.
  private final class Sink: FetchSink {
    let begun = Mutex<[FetchResponse]>([])
    let size = Mutex(0)
    func begin(_ response: FetchResponse) { begun.withLock { $0.append(response) } }
    func receive(_ chunk: RawSpan) { size.withLock { $0 += chunk.byteCount } }
  }

  func run() throws(BrokenRule) {
    let sink = Sink()
    guard let url = reading({ try FetchURL(request.url, allowsPlainHTTPOnLoopback: false) }) else {
      throw BrokenRule("the address of the request can be fetched")
    }
    var stream = AnswerStream(request, url: url, policy: TransferPolicy(), sink: sink)
    let finished = reading { try feed(&stream) }
    try check(sink, finished ?? nil)
  }

  /// Gives the bytes to the stream; the answer when one was finished.
  private func feed(_ stream: inout AnswerStream) throws -> FetchResponse? {
    var rest = bytes
    while rest.starts(with: "HTTP/".utf8) {
      var isHead = true
      while isHead, !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[end...]
        try stream.take(line: line)
        isHead = !line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
      }
    }
    while !rest.isEmpty {
      let piece = Array(rest.prefix(7))
      rest = rest.dropFirst(7)
      try stream.take(body: piece.span.bytes)
    }
    switch stream.end() {
    case .finished(let response): return response
    case .redirected:
      try stream.follow("https://other.example/y")
      return nil
    case .failed: return nil
    }
  }

  private func check(_ sink: Sink, _ finished: FetchResponse?) throws(BrokenRule) {
    let begun = sink.begun.withLock { $0 }
    let size = sink.size.withLock { $0 }
    try require(begun.count <= 1, "the body of one answer alone is delivered")
    try require(begun.isEmpty ? size == 0 : true, "no byte comes before its answer")
    for response in begun {
      try require(
        (200...299).contains(response.status), "a body of status \(response.status) is not the file")
      try require(
        response.resumedFrom == 0
          || (response.status == 206 && response.resumedFrom == request.resume?.offset),
        "a part begins where it was asked for, not at \(response.resumedFrom)")
      try require(response.resumedFrom + size <= request.maxBytes, "\(size) bytes are within the limit")
    }
    guard let finished else { return }
    try require(
      finished.status != 304 || request.ifNoneMatch != nil, "304 answers only who named what is there")
    if let total = finished.totalBytes, finished.status != 304 {
      try require(finished.resumedFrom + size == total, "a finished file is as long as was announced")
    }
    try checkNextRequest(after: finished)
  }

  /// What a server calls its file is sent back to it, and must not become other header lines.
  private func checkNextRequest(after response: FetchResponse) throws(BrokenRule) {
    for validator in [response.entityTag, response.lastModified] {
      var next = FetchRequest(url: request.url, maxBytes: 1, ifNoneMatch: validator)
      next.resume = ResumePoint(offset: 1, validator: validator)
      for line in ConditionalHeaders.lines(for: next) {
        try require(
          line.utf8.allSatisfy { (0x20...0x7E).contains($0) } && line.utf8.count < 1100,
          "\(line.debugDescription) is one header line")
      }
    }
  }
}
