import Foundation
import Glibc
import TestSupport
import Testing

/// Updates that are killed again and again: what came is not fetched twice, and the store is whole at every moment.
@Suite(.ownThreads) struct KilledUpdateTests {
  /// How many updates are killed; the long form is `PARSER_OTA_KILLS=200 swift test --filter KilledUpdateTests`.
  private static let kills = ProcessInfo.processInfo.environment["PARSER_OTA_KILLS"].flatMap { Int($0) } ?? 12

  @Test("killed at random moments and resumed, an update transfers under 1.5 times the file")
  func killed() throws {
    try withPlayground { playground in
      try playground.makeApp()
      let size = max(12, Self.kills) * 80_000
      try playground.write("bundle-2.js", Fixtures.bundle(marker: "large", bytes: size))
      try playground.publish(2)
      let root = playground.path("feed")
      let server = try LoopbackServer { request in
        guard let data = FileManager.default.contents(atPath: root + request.path) else { return .notFound }
        let bytes = Array(data)
        // The plain file takes long enough to be killed in the middle of it.
        guard !request.path.hasSuffix(".zst") else { return .notFound }
        guard request.path.hasSuffix(".js") else { return .ranged(bytes, request) }
        // Slow enough to be killed in the middle, and counted by what is sent.
        let start = request.rangeStart ?? 0
        let rest = Array(bytes[start...])
        var steps: [HTTPReply.Step] = []
        for place in stride(from: 0, to: rest.count, by: 8_000) {
          steps += [.send(Array(rest[place..<min(rest.count, place + 8_000)])), .pause(milliseconds: 4)]
        }
        let head =
          start == 0
          ? HTTPReply.head(200, ["Content-Length": "\(rest.count)"])
          : HTTPReply.head(
            206,
            [
              "Content-Length": "\(rest.count)",
              "Content-Range": "bytes \(start)-\(bytes.count - 1)/\(bytes.count)",
            ])
        return HTTPReply(head: head, steps: steps, keepsAlive: false)
      }
      defer { server.stop() }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      var random = SystemRandomNumberGenerator()
      var received = 0
      var held = 0
      for _ in 0..<Self.kills {
        let child = try playground.tool.start("device update --store store --now --quiet")
        usleep(UInt32.random(in: 10_000...120_000, using: &random))
        kill(child.pid, SIGKILL)
        _ = try child.communicate([], within: .seconds(10))
        // What is on disk now came since the last time; what was on its way is lost with the process.
        let now = partialBytes(playground)
        received += max(0, now - held)
        held = now
        #expect(try playground.tool.json("device explain --store store").number("candidates.0.version") == 1)
      }
      let offsets = server.requests.filter { $0.path.hasSuffix(".js") }.map { $0.rangeStart ?? 0 }
      #expect(offsets == offsets.sorted(), "a byte came again: \(offsets)")
      let last = try playground.tool.json("device update --store store --now")
      #expect(last.code == "staged", "\(last.answer)")
      let final = server.requests.last { $0.path.hasSuffix(".js") }?.rangeStart ?? 0
      #expect(received + size - final < size * 3 / 2, "\(received) + \(size - final)")
    }
  }

  private func partialBytes(_ playground: Playground) -> Int {
    let folder = playground.path("store/partial")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      (try? FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)"))?[.size] as? Int
    }.max() ?? 0
  }
}
