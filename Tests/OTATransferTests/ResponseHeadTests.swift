import Testing

@testable import OTATransfer

@Suite("Reading a head and measuring a rate")
struct ResponseHeadTests {
  private func head(_ lines: String...) -> ResponseHead {
    var head = ResponseHead()
    for line in lines { head.take(line: Array((line + "\r\n").utf8)) }
    return head
  }

  @Test("names in any case, spaces around values, and the status of HTTP/2")
  func fields() {
    let read = head("HTTP/2 206 ", "CONTENT-length: \t12 ", "eTag:\"x\"", "Set-Cookie: a=b", "")
    #expect(read.status == 206 && read.isComplete)
    #expect(read.contentLength == 12)
    #expect(read["etag"] == "\"x\"")
    #expect(read["set-cookie"] == nil)
  }

  @Test("a status line forgets the head before it")
  func reset() {
    let read = head("HTTP/1.1 302 Found", "ETag: \"old\"", "", "HTTP/1.1 200 OK")
    #expect(read.status == 200 && !read.isComplete && read["etag"] == nil)
  }

  @Test("coding fields go on with each other")
  func lists() {
    #expect(
      head("HTTP/1.1 200", "Content-Encoding: gzip", "Content-Encoding: br")["content-encoding"] == "gzip, br"
    )
  }

  @Test(
    "a status or a length that is no number counts as missing",
    arguments: ["-1", "+5", "5 5", "0x10", "99999999999999999999"])
  func numbers(text: String) {
    #expect(head("HTTP/1.1 200", "Content-Length: \(text)").contentLength == nil)
    #expect(head("HTTP/1.1 \(text.prefix(1))x9").status == 0)
  }

  @Test("a stall is a whole window below the rate, never one above it")
  func stallWindows() {
    let start = ContinuousClock.now
    var watch = StallWatch(.init(bytesPerSecond: 100, seconds: 10), now: start)
    watch.count(1000)
    var verdicts = [watch.isStalled(at: start + .seconds(10))]
    watch.count(999)
    verdicts.append(watch.isStalled(at: start + .milliseconds(19_999)))
    verdicts.append(watch.isStalled(at: start + .seconds(20)))
    watch.restart(at: start + .seconds(20))
    verdicts.append(watch.isStalled(at: start + .seconds(29)))
    #expect(verdicts == [false, false, true, false])
  }
}
