import Foundation
import Glibc
import TestSupport
import Testing

/// Several processes at once, and processes that are ended from outside.
@Suite(.ownThreads) struct ConcurrencyTests {
  @Test("B80: of two publishers at once nobody's release is lost, and the chain of manifests stays whole")
  func twoPublishers() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      var version = 2
      for _ in 0..<6 {
        let children = try (3...4).map {
          try playground.tool.start(
            "publish --feed feed --bundle bundle-\($0).js --sources sources.json --json")
        }
        let answers = try children.map { try $0.communicate([], within: .seconds(30)) }
        let published = answers.filter { $0.output.contains("\"code\":\"published\"") }.count
        for answer in answers {
          #expect(
            [.exited(0), .exited(6), .exited(7)].contains(answer.status), "\(answer.output)\(answer.errors)")
        }
        #expect(published >= 1, "\(answers.map(\.output))")
        let releases = try playground.tool.json("releases --feed feed")
        #expect(releases.number("releases.0.version") == version + published)
        version += published
      }
      try playground.must("verify --feed feed")
    }
  }

  @Test("B42: of several updates at once one stages; the others have nothing to do or say that it is busy")
  func updates() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      for round in 1...5 {
        let children = try (0..<4).map { _ in try playground.tool.start("device update --store store --json")
        }
        let answers = try children.map { try $0.communicate([], within: .seconds(30)) }
        for answer in answers {
          #expect([.exited(0), .exited(7)].contains(answer.status), "\(answer.output)\(answer.errors)")
        }
        #expect(answers.contains { $0.output.contains("\"code\":\"staged\"") }, "\(answers.map(\.output))")
        #expect(try namesInDirectory(playground.path("store/incoming")) == [])
        #expect(try namesInDirectory(playground.path("store/partial")) == [])
        let launched = try playground.tool.json("device activate --store store")
        #expect(launched.number("version") == round + 1)
        try playground.must("device confirm --store store")
        try playground.publish((round + 1) % 4 + 1, "--notes round-\(round)")
      }
    }
  }

  /// A feed that stalls in the middle of the bundle until it is told to go on.
  private func withStalledUpdate(
    _ body: (_ playground: Playground, _ update: ChildProcess, _ goOn: () -> Void) throws -> Void
  ) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.publish(3)
      let (root, flag) = (playground.path("feed"), playground.path("go-on"))
      let server = try LoopbackServer { request in
        let reply = HTTPReply.directory(root, request)
        guard request.path.hasSuffix("bundle.js"), access(flag, F_OK) != 0,
          let body = FileManager.default.contents(atPath: root + request.path)
        else { return reply }
        return .stalled(Array(body), after: 1000)
      }
      defer { server.stop() }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      let update = try playground.tool.start("device update --store store --quiet")
      // The download has begun once some of its bytes are on the disk of the device.
      for _ in 0..<2000 where try partialBytes(playground) == 0 { _ = poll(nil, 0, 5) }
      #expect(try partialBytes(playground) > 0, "the update never began to download")
      try body(playground, update) { try? playground.write("go-on", "") }
    }
  }

  private func partialBytes(_ playground: Playground) throws -> Int {
    guard access(playground.path("store/partial"), F_OK) == 0 else { return 0 }
    return try namesInDirectory(playground.path("store/partial")).map {
      try playground.read("store/partial/\($0)").count
    }
    .reduce(0, +)
  }

  private func expectUntouched(_ playground: Playground, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let status = try playground.tool.json("device status --store store")
    #expect(status.number("current.version") == 2, sourceLocation: sourceLocation)
    #expect(status.value("staged") == nil, sourceLocation: sourceLocation)
    #expect(
      try playground.must("device activate --store store --print bundle").result.stdout
        == playground.read("bundle-2.js"), sourceLocation: sourceLocation)
  }

  private func expectNextUpdateWorks(_ playground: Playground) throws {
    #expect(try playground.tool.json("device update --store store").code == "staged")
    #expect(try playground.tool.json("device activate --store store").number("version") == 3)
    #expect(try namesInDirectory(playground.path("store/incoming")) == [])
    #expect(try namesInDirectory(playground.path("store/partial")) == [])
  }

  @Test(
    "B39: an update that a signal interrupts ends with 128 + its number and leaves what runs and is staged",
    arguments: [SIGTERM, SIGINT])
  func interruptedUpdate(signal: Int32) throws {
    try withStalledUpdate { playground, update, goOn in
      update.signal(signal)
      #expect(update.wait() == .exited(128 + signal))
      try expectUntouched(playground)
      goOn()
      try expectNextUpdateWorks(playground)
    }
  }

  @Test("B49: after a kill the lock is free at once, and the next update works")
  func killedUpdate() throws {
    try withStalledUpdate { playground, update, goOn in
      update.signal(SIGKILL)
      #expect(update.wait() == .signalled(SIGKILL))
      try expectUntouched(playground)
      goOn()
      try expectNextUpdateWorks(playground)
    }
  }

  @Test(
    "B49: while one update is at work another one is busy, with a status of its own, and a launch is not held up"
  )
  func busy() throws {
    try withStalledUpdate { playground, update, goOn in
      let second = try playground.tool.json("device update --store store", status: 7)
      #expect(second.code == "busy")
      #expect(second.string("hint") != nil)
      try expectUntouched(playground)
      goOn()
      update.signal(SIGTERM)
      update.wait()
      try expectNextUpdateWorks(playground)
    }
  }

  @Test(
    "B49: whatever an old lock file holds, it is no lock", arguments: ["", "1\n", "999999\n", "\u{0}\u{0}"])
  func oldLockFile(text: String) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.write("store/lock", text)
      #expect(try playground.tool.json("device update --store store").code == "staged")
      try playground.write("feed/.parser-ota/lock", text)
      try playground.publish(3)
    }
  }

  @Test("B49: a folder in place of the lock is named")
  func folderAsLock() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.remove("feed/.parser-ota/lock")
      try playground.write("feed/.parser-ota/lock/x", "")
      let answer = try playground.tool.json(
        "publish --feed feed --bundle bundle-3.js --sources sources.json", status: 5)
      #expect(answer.message.contains("feed/.parser-ota/lock"), "\(answer.answer)")
    }
  }

  @Test(
    "B39: a publish that is interrupted while it waits changes nothing",
    .enabled(if: access("/usr/bin/flock", X_OK) == 0), arguments: [SIGTERM, SIGINT])
  func interruptedPublish(signal: Int32) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let holder = try ChildProcess(
        "/usr/bin/flock", [playground.path("feed/.parser-ota/lock"), "-c", "echo held; cat"])
      #expect(try holder.readLine() == "held")
      let before = try playground.snapshot("feed")
      let publish = try playground.tool.start(
        "publish --feed feed --bundle bundle-3.js --sources sources.json")
      // It waits for the lock once it has opened it.
      let lock = playground.path("feed/.parser-ota/lock")
      for _ in 0..<2000 where !opens(publish.pid, lock) { _ = poll(nil, 0, 2) }
      publish.signal(signal)
      #expect(publish.wait() == .exited(128 + signal))
      #expect(try playground.snapshot("feed") == before)
      holder.closeInput()
      holder.wait()
      try playground.publish(3)
    }
  }

  @Test(
    "a publish or check that is interrupted while the engine works says so, and asks for no engine",
    arguments: ["publish --feed feed", "check"])
  func interruptedGate(verb: String) throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try playground.publish(1)
      try playground.write(
        "stuck", "#!/bin/bash\ntouch \(playground.path("started"))\nexec cat > /dev/null\n")
      chmod(playground.path("stuck"), 0o755)
      let before = try playground.snapshot("feed")
      let run = try playground.tool.start(
        "\(verb) --bundle bundle-2.js --sources sources.json --engine stuck")
      for _ in 0..<5000 where access(playground.path("started"), F_OK) != 0 { _ = poll(nil, 0, 2) }
      run.signal(SIGTERM)
      let result = try run.communicate([], within: .seconds(20))
      #expect(result.status == .exited(128 + SIGTERM))
      #expect(result.errors.contains("was interrupted"), "\(result.errors)")
      #expect(!result.errors.contains("engine"), "\(result.errors)")
      #expect(try playground.snapshot("feed") == before)
    }
  }

  private func opens(_ pid: pid_t, _ path: String) -> Bool {
    let folder = "/proc/\(pid)/fd"
    let names = (try? namesInDirectory(folder)) ?? []
    return names.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
    }
  }

  @Test("B39: a publish that is killed leaves the old or the new release live, whole, and the next one works")
  func killedPublish() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      for round in 0..<8 {
        try playground.write("large.js", Fixtures.bundle(marker: "round \(round)", bytes: 4_000_000))
        let live = try playground.tool.json("releases --feed feed").number("releases.0.version") ?? 0
        let publish = try playground.tool.start(
          "publish --feed feed --bundle large.js --sources sources.json")
        // Killed at another point in each round: by the number of files that it has written so far.
        let files = try playground.snapshot("feed").count
        for _ in 0..<4000 {
          let count = FileManager.default.enumerator(atPath: playground.path("feed"))?.allObjects.count ?? 0
          if count >= files + round { break }
          if kill(publish.pid, 0) != 0 { break }
          _ = poll(nil, 0, 1)
          if round == 0 { break }
        }
        publish.signal(SIGKILL)
        publish.wait()
        let after = try playground.tool.json("verify --feed feed")
        let newest = after.list("releases").compactMap { $0 as? Int }.max() ?? 0
        #expect(newest == live || newest == live + 1)
      }
      let next = try playground.tool.json("publish --feed feed --bundle bundle-3.js --sources sources.json")
      #expect(next.code == "published")
      try playground.must("verify --feed feed")
    }
  }
}
