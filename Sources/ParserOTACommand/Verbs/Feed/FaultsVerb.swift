internal import OTACrypto
internal import OTAManifest
internal import ParserFaults

extension Verb {
  static let faults = Verb(
    VerbSpec(
      ["faults"], summary: "serve a feed on this machine with faults, to test how an app recovers",
      options: [
        FeedVerb.feed,
        .option(
          "listen", "ADDRESS:PORT",
          "where to listen, 127.0.0.1:0 when left out; port 0 is one that the system chooses"),
        .option("fault", "NAME[=N][:FILE][*TIMES]", "a fault from the start on; see below").repeatable(),
        .option("script", "FILE", "faults one after the other, a step a line").completing(.file),
        .option(
          "older", "DIR",
          "an earlier copy of the feed for the fault replay; the state at the start when left out"
        )
        .completing(.directory),
        .option("seconds", "N", "end after this time; until a signal when left out"),
        SigningOptions.releaseKey, Passphrase.option,
      ],
      manual: VerbManual(
        details: [
          "Prints the address of the feed on the first line and serves until SIGINT, SIGTERM or POST /.faults/stop."
            + " Only loopback addresses are served.",
          "Faults: " + Fault.allCases.map(\.rawValue).joined(separator: ", ")
            + ". FILE is the end of a name, such as sources.json; without it every file is concerned. *TIMES ends the fault"
            + " after so many requests. The number of 429, 429-date, 500 and 503 is Retry-After in seconds, of slow bytes a"
            + " second. expired needs the release key of a feed made for tests.",
          "While it runs, another program changes the faults: PUT /.faults with the text of a script, DELETE /.faults for a"
            + " good host, POST /.faults/next for the next step, POST /.faults/remember for what replay shows, and GET"
            + " /.faults/requests for what came.",
        ],
        examples: [
          "parser-ota faults --feed feed --fault truncated:sources.json",
          "parser-ota faults --feed feed --script faults.txt --listen 127.0.0.1:8080",
        ],
        exits: [.done, .untrustedContent, .localDisk, .notPermitted, .notAchieved])),
    run: { arguments, context throws(CommandFailure) in
      let server = try FaultsVerb.server(arguments, context)
      defer { server.stop() }
      let address = try FaultsVerb.address(arguments)
      var result = CommandResult.answer(
        "serving", "serving \(server.url)", lines: [server.url],
        payload: [
          JSONMember("feed", .string(server.url)), JSONMember("control", .string(server.controlURL)),
          JSONMember("listen", .string("\(address.isV6 ? "[::1]" : "127.0.0.1"):\(server.port)")),
          JSONMember("faults", .array(server.current.rules.map { .string("\($0)") })),
        ])
      // Whoever started it needs the address now, not at the end.
      ResultPrinter(talk: context.talk, json: arguments.flags.json).print(result)
      result.isPrinted = true
      await FaultsVerb.wait(
        for: server, seconds: try arguments.value("seconds", as: FaultsVerb.seconds), context.clock)
      return result
    })
}

private enum FaultsVerb {
  struct Address {
    let isV6: Bool
    let port: Int
  }

  static func server(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> FaultServer {
    try arguments.refuseTogether("fault", "script")
    let address = try address(arguments)
    let folder = try InputFolder.require(
      try arguments.required("feed"), option: "--feed", context, hint: "give the folder that init made")
    var older: String?
    if let path = arguments.value("older") {
      older = try InputFolder.require(
        path, option: "--older", context, hint: "give a copy of the feed's folder")
    }
    let script = try script(arguments, context)
    let keys = try keys(arguments, context)
    return try DeviceVerb.run { () throws(Problem) in
      let server = try FaultServer(
        feed: folder, port: address.port, isV6: address.isV6, older: older, keys: keys)
      try server.set(script)
      return server
    }
  }

  static func address(_ arguments: ParsedArguments) throws(CommandFailure) -> Address {
    try arguments.value("listen") { text throws(Refusal) in
      guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
        throw Refusal("must be an address and a port such as 127.0.0.1:0")
      }
      switch text[..<colon] {
      case "127.0.0.1", "localhost": return Address(isV6: false, port: Int(port))
      case "[::1]": return Address(isV6: true, port: Int(port))
      default: throw Refusal("must be an address of this machine: 127.0.0.1, localhost or [::1]")
      }
    } ?? Address(isV6: false, port: 0)
  }

  private static func script(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> FaultScript {
    guard let path = arguments.value("script") else {
      let rules: [FaultRule] = try arguments.values("fault") { text throws(Refusal) in
        do throws(InputError) { return try FaultRule(text) } catch { throw Refusal(error.detail) }
      }
      return FaultScript(rules)
    }
    let bytes = try InputFile.read(path, option: "--script", maxBytes: 64 << 10, context)
    do {
      return try FaultScript(decoding: bytes)
    } catch {
      throw arguments.usage(
        .invalidValue("--script \(path)", expected: "\(error.field) \(error.detail)", meant: nil))
    }
  }

  private static func keys(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> [PrivateKey] {
    let files = KeyFile(arguments, context)
    var keys: [PrivateKey] = []
    for path in arguments.values("release-key") {
      keys.append(try files.privateKey(path, option: "--release-key"))
    }
    if keys.isEmpty, let key = try files.privateKey(variable: SigningOptions.Kind.release.variable) {
      keys.append(key)
    }
    return keys
  }

  static func seconds(_ text: String) throws(Refusal) -> Int {
    guard let version = ReleaseVersion(decimal: text), version.number <= 86_400 else {
      throw Refusal("must be a whole number of seconds from 1 to 86400")
    }
    return Int(version.number)
  }

  /// Waits until the server is asked to end, the time is over, or a signal comes.
  static func wait(for server: FaultServer, seconds: Int?, _ clock: ToolClock) async {
    let end = seconds.map { clock.milliseconds() + Int64($0) * 1000 }
    while !server.isStopRequested, !Task.isCancelled, clock.milliseconds() < end ?? .max {
      do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
    }
  }
}
