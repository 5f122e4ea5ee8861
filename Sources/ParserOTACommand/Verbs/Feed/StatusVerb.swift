internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let status = Verb(
    VerbSpec(
      ["status"],
      summary: "say what a feed serves, until when its signatures are good, and what is to be done",
      positionals: [
        PositionalSpec(
          name: "FEED", help: "the feed: a folder or its public address; that of --feed when left out",
          count: .optional, shape: .directory)
      ],
      options: [
        .option("feed", "DIR|URL", "the feed: a folder or its public address").completing(.directory)
          .setting(unless: ["FEED"]),
        .option(
          "root", "FILE",
          "the root of trust that ships in apps; the feed's own first root when left out, which proves nothing"
        )
        .completing(.file),
        .flag("exit-code", "end with 1 when something is to be done now, for monitors"),
        OutputFormat.option,
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "Shows the live release of each channel and since when, what is withdrawn, when each role expires and the day on"
            + " which it should be renewed, and what an interrupted verb left unfinished. Nothing is changed.",
          "With --exit-code it ends with 1 when something is to be done now: a signature has expired or should be renewed, a"
            + " publish is unfinished, a file is lost.",
        ],
        examples: [
          "parser-ota status --feed feed", "parser-ota status https://parsers.example/feed/ --exit-code",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let status = try await read(arguments, context)
      let page = FeedStatusPage(status, now: Timestamp(secondsSinceEpoch: context.clock.wallSeconds()))
      var result = CommandResult.answer("status", page.summary, lines: page.lines, payload: page.members)
      if arguments.flag("exit-code"), !status.toDo.isEmpty { result.status = .notAchieved }
      if let first = status.toDo.first { result.hint = first.advice }
      if !status.isRootGiven, !status.roles.isEmpty {
        result.warnings.append(
          "the dates are those of the feed's own first root; give --root FILE to authenticate them")
      }
      return try OutputFormat.apply(
        to: result, arguments, rows: page.rows, values: page.variables)
    })

  private static func read(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> FeedStatus {
    if arguments.isGiven("FEED"), arguments.isGiven("feed") {
      throw arguments.usage(.refusedTogether("FEED", "--feed"))
    }
    let text: String
    if let named = arguments.positional("FEED") {
      text = named
    } else {
      text = try arguments.required("feed")
    }
    if HostPlace.isHost(text) {
      let clock = context.clock
      let place = HostPlace(text, environment: context.environment)
      return try await DeviceVerb.run { () async throws(Problem) in
        try await Publisher(at: place) { Timestamp(secondsSinceEpoch: clock.wallSeconds()) }.status()
      }
    }
    let feed: FeedLocation
    if let named = try arguments.positional("FEED", as: Readings.feed) {
      feed = try InputFolder.require(named, option: "FEED", context)
    } else {
      feed = try InputFolder.require(
        try arguments.required("feed", as: Readings.feed), option: "--feed", context)
    }
    var root: [UInt8]?
    if case .root(let bytes)? = try TrustChoice.given(arguments, context) { root = bytes }
    if case .directory(let path) = feed, root == nil {
      let clock = context.clock
      let publisher = Publisher(feed: path) { Timestamp(secondsSinceEpoch: clock.wallSeconds()) }
      return try await DeviceVerb.run { () async throws(Problem) in try await publisher.status() }
    }
    let (trusted, allowsHTTP) = (root, arguments.flag("allow-http-loopback"))
    let now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
    return try await DeviceVerb.run { () async throws(Problem) in
      try await Publisher.status(
        of: feed, root: trusted, now: now, allowsPlainHTTPOnLoopback: allowsHTTP)
    }
  }
}

/// How a feed stands, for people and for programs.
struct FeedStatusPage {
  private let status: FeedStatus
  private let now: Timestamp

  init(_ status: FeedStatus, now: Timestamp) { (self.status, self.now) = (status, now) }

  var summary: String {
    let live = status.channels.map { "\($0.live.channel) \($0.live.version)" }.joined(separator: ", ")
    let wait = status.toDo.isEmpty ? "nothing to do" : "\(status.toDo.count) to do"
    return "\(live.isEmpty ? "no release" : live); \(wait)"
  }

  var lines: [String] {
    var lines = [status.place]
    for channel in status.channels {
      let live = channel.live
      lines.append(
        "  \(live.channel)  release \(live.version)"
          + (live.released.map { " since \($0), \(Age.text(from: $0, to: now))" } ?? "")
          + (live.content != live.version ? ", content of \(live.content)" : ""))
      if let notes = live.notes { lines.append("    \(notes.split(separator: "\n").first ?? "")") }
      if !channel.withdrawn.isEmpty {
        lines.append("    withdrawn: \(Self.list(channel.withdrawn.map(\.description).reversed()))")
      }
    }
    if status.channels.isEmpty { lines.append("  no release yet") }
    if status.roles.isEmpty {
      lines.append("  not signed: sizes and digests only")
    } else {
      lines.append("  signed" + (status.feedName.map { " as \($0)" } ?? ""))
      for role in status.roles {
        lines.append(
          "    \(role.name)  expires \(role.expires.day), \(Age.text(from: now, to: role.expires, past: "over"));"
            + " renew by \(role.renewBy.day)")
      }
    }
    if let day = status.nextDay, status.toDo.isEmpty { lines.append("  next to do: \(day.day)") }
    return lines + status.toDo.map { "  to do: \($0.message)" }
  }

  private static func list(_ texts: [String]) -> String {
    texts.count > 5
      ? texts.prefix(5).joined(separator: ", ") + " and \(texts.count - 5) more"
      : texts.joined(separator: ", ")
  }

  /// Kind of row, then its fields.
  var rows: [[String]] {
    status.channels.map { channel in
      [
        "channel", channel.live.channel.name, "\(channel.live.version)",
        channel.live.released?.description ?? "",
        channel.live.notes ?? "",
      ]
    } + status.roles.map { ["role", $0.name, "\($0.expires)", "\($0.renewBy)"] }
      + status.toDo.map { ["to-do", $0.code, $0.message] }
  }

  var variables: [(name: String, value: String)] {
    let main = status.channels.first?.live
    return [
      ("PARSER_OTA_VERSION", main.map { "\($0.version)" } ?? ""),
      ("PARSER_OTA_RELEASED", main?.released?.description ?? ""),
      ("PARSER_OTA_CHANNELS", status.channels.map { $0.live.channel.name }.joined(separator: " ")),
      ("PARSER_OTA_RENEW_BY", status.nextDay?.description ?? ""),
      ("PARSER_OTA_TO_DO", status.toDo.map(\.code).joined(separator: " ")),
    ]
  }

  var members: [JSONMember] {
    [
      JSONMember("feed", .string(status.place)), JSONMember("trust", .string(status.trust)),
      JSONMember("feedName", status.feedName.map { .string($0) } ?? .null),
      JSONMember("rootGiven", .bool(status.isRootGiven)),
      JSONMember("channels", .array(status.channels.map(Self.json))),
      JSONMember(
        "roles",
        .array(
          status.roles.map { role in
            .object([
              JSONMember("role", .string(role.name)), JSONMember("expires", .string("\(role.expires)")),
              JSONMember("renewBy", .string("\(role.renewBy)")),
            ])
          })),
      JSONMember("nextDay", status.nextDay.map { .string("\($0)") } ?? .null),
      JSONMember(
        "toDo",
        .array(
          status.toDo.map { item in
            .object([
              JSONMember("code", .string(item.code)), JSONMember("message", .string(item.message)),
              JSONMember("advice", .string(item.advice)),
            ])
          })),
    ]
  }

  private static func json(_ channel: FeedStatus.ChannelStatus) -> JSONValue {
    let live = channel.live
    return .object([
      JSONMember("channel", .string(live.channel.name)), JSONMember("version", .integer(live.version.number)),
      JSONMember("content", .integer(live.content.number)),
      JSONMember("released", live.released.map { .string("\($0)") } ?? .null),
      JSONMember("notes", live.notes.map { .string($0) } ?? .null),
      JSONMember("manifestSHA256", .string(live.manifestDigest.hex)),
      JSONMember("withdrawn", .array(channel.withdrawn.map { .integer($0.number) })),
    ])
  }
}

/// How long something is ago, or lies ahead, in words for people.
enum Age {
  /// - Parameter past: the words when the second moment is not after the first; `nil` counts on.
  static func text(from: Timestamp, to: Timestamp, past: String? = nil) -> String {
    let seconds = to.secondsSinceEpoch - from.secondsSinceEpoch
    if let past { return seconds <= 0 ? past : "in \(span(seconds))" }
    return seconds < 60 ? "just now" : "\(span(seconds)) ago"
  }

  private static func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<3600: "\(max(1, seconds / 60)) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}

extension Timestamp {
  /// The day alone, as `2026-06-11`.
  var day: String { String(description.prefix(10)) }
}
