internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

extension Verb {
  static let simulate = Verb(
    VerbSpec(
      ["simulate"], summary: "try a plan of releases on a made-up population of devices",
      options: [
        .option("plan", "FILE", "what the publisher does and what the devices are like, as JSON").completing(
          .file
        )
        .required(),
        .option("devices", "N", "how many devices there are; those of the plan when left out"),
        .option("seed", "N", "the seed of all chance; that of the plan when left out"),
        .option("svg", "FILE", "also write the adoption over time as a picture").completing(.file),
      ],
      manual: VerbManual(
        details: [
          "Uses the rules of real devices: who is inside a share, what a launch runs, when a release on trial is given up. The"
            + " same plan and seed give the same numbers on every machine.",
          "A plan is a JSON object. events is an array of objects with at (30m, 6h, 2d) and do: publish (with rollout and bad),"
            + " advance, set (with share), halt, resume, withdraw, complete or rollback. devices, hours, seed, intervals,"
            + " offline, wrongClocks, launchHours, crashRate, newerEmbedded, releaseBytes, checkBytes and refreshHours have"
            + " defaults.",
        ],
        examples: [
          "parser-ota simulate --plan plan.json",
          "parser-ota simulate --devices 1000000 --plan plan.json --svg adoption.svg",
        ], exits: [.done, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let file = try arguments.required("plan")
      let bytes = try InputFile.read(file, option: "--plan", maxBytes: 1 << 20, context)
      var plan: SimulationPlan
      do throws(InputError) {
        plan = try SimulationPlan(decoding: bytes)
      } catch {
        throw InputFile.refusal(bytes, .inputInvalid, "--plan \(file)", error, "correct the plan")
      }
      plan.devices = try arguments.value("devices", as: Readings.population) ?? plan.devices
      plan.seed = try arguments.value("seed", as: Readings.version).map { UInt64($0.number) } ?? plan.seed
      let result = await Simulation(plan).run()
      if let path = arguments.value("svg") {
        try ReportFile.write(
          Array(SimulationPicture(result, plan).text.utf8), to: context.absolutePath(path), option: "--svg")
      }
      let page = SimulationPage(result, plan)
      return .answer("simulated", page.summary, lines: page.lines, payload: page.members)
    })
}

extension Readings {
  static func population(_ text: String) throws(Refusal) -> Int {
    guard let version = ReleaseVersion(decimal: text), version.number <= 10_000_000 else {
      throw Refusal("must be a whole number of devices from 1 to 10000000")
    }
    return Int(version.number)
  }
}

/// The outcome of a simulation for people and for programs.
struct SimulationPage {
  let summary: String
  let lines: [String]
  let members: [JSONMember]

  init(_ result: SimulationResult, _ plan: SimulationPlan) {
    let reached = Self.share(result.reached, of: plan.devices)
    summary =
      result.reached == 0
      ? "no device ran a bad release"
      : "\(result.reached) of \(plan.devices) devices (\(reached)) ran a bad release"
    var lines = [summary]
    if let stopped = result.stopped, result.reached > 0 {
      lines.append(
        "  stopped after \(Self.hours(Double(stopped) / 3600)), when \(result.runningWhenStopped) ran it")
      lines.append(
        "  half of them healed after \(Self.hours(result.healedHours.half)), nine of ten after \(Self.hours(result.healedHours.most))"
      )
      lines.append("  \(result.runningAtEnd) run it at the end")
    }
    let versions = result.adoption.map(\.version)
    lines.append(
      "hour  " + versions.map { Self.padded("release \($0)", 12) }.joined() + Self.padded("requests", 12)
        + Self.padded("MB", 10))
    let hours = result.requests.count
    for hour in stride(from: 0, to: hours, by: max(1, hours / 28)) {
      let devices = result.adoption.map { Self.padded(Self.share($0.devices[hour], of: plan.devices), 12) }
        .joined()
      lines.append(
        Self.padded("\(hour + 1)", 4) + "  " + devices + Self.padded("\(result.requests[hour])", 12)
          + Self.padded("\(result.bytes[hour] / 1_000_000)", 10))
    }
    self.lines = lines
    members = Self.members(result, plan)
  }

  private static func members(_ result: SimulationResult, _ plan: SimulationPlan) -> [JSONMember] {
    func tenths(_ hours: Double?) -> JSONValue {
      hours.map { .integer(Int64(($0 * 3600).rounded())) } ?? .null
    }
    return [
      JSONMember("devices", .integer(Int64(plan.devices))),
      JSONMember("seed", .integer(Int64(clamping: plan.seed))),
      JSONMember("reached", .integer(Int64(result.reached))),
      JSONMember("stoppedSeconds", result.stopped.map { .integer($0) } ?? .null),
      JSONMember("runningWhenStopped", .integer(Int64(result.runningWhenStopped))),
      JSONMember("halfHealedSeconds", tenths(result.healedHours.half)),
      JSONMember("mostHealedSeconds", tenths(result.healedHours.most)),
      JSONMember("runningAtEnd", .integer(Int64(result.runningAtEnd))),
      JSONMember(
        "adoption",
        .array(
          result.adoption.map { row in
            .object([
              JSONMember("version", .integer(row.version.number)),
              JSONMember("devices", .array(row.devices.map { .integer(Int64($0)) })),
            ])
          })),
      JSONMember("requests", .array(result.requests.map { .integer(Int64($0)) })),
      JSONMember("bytes", .array(result.bytes.map { .integer($0) })),
    ]
  }

  /// A share with two decimals.
  private static func share(_ count: Int, of all: Int) -> String {
    let parts = (count * 10_000 + all / 2) / all
    let rest = parts % 100
    return "\(parts / 100).\(rest < 10 ? "0" : "")\(rest) %"
  }

  private static func hours(_ hours: Double?) -> String {
    guard let hours else { return "more time than the plan has" }
    let tenths = Int((hours * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) h"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// Adoption over time as an SVG: one line a release, nothing from outside.
struct SimulationPicture {
  let text: String

  private static let (width, height, margin) = (900, 400, 50)
  private static let colours = ["#1b6ca8", "#b5451b", "#2e7d32", "#6a3d9a", "#8d6e63", "#00838f", "#ad1457"]

  init(_ result: SimulationResult, _ plan: SimulationPlan) {
    let hours = max(2, result.requests.count)
    func x(_ hour: Int) -> Int { Self.margin + hour * (Self.width - 2 * Self.margin) / (hours - 1) }
    func y(_ count: Int) -> Int {
      Self.height - Self.margin - count * (Self.height - 2 * Self.margin) / max(1, plan.devices)
    }
    var parts = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.width) \(Self.height)\" role=\"img\">",
      "<title>Devices by release over \(hours) hours</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      "<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\" stroke=\"none\">",
    ]
    for tenth in stride(from: 0, through: 10, by: 2) {
      let place = y(plan.devices * tenth / 10)
      parts.append("<path d=\"M\(Self.margin) \(place)H\(Self.width - Self.margin)\" stroke=\"#ddd\"/>")
      parts.append(
        "<text x=\"\(Self.margin - 8)\" y=\"\(place + 4)\" text-anchor=\"end\">\(tenth * 10) %</text>")
    }
    for day in 0...(hours / 24) where day * 24 < hours {
      parts.append(
        "<text x=\"\(x(day * 24))\" y=\"\(Self.height - Self.margin + 18)\" text-anchor=\"middle\">\(day) d</text>"
      )
    }
    for (index, row) in result.adoption.enumerated() {
      let colour = Self.colours[index % Self.colours.count]
      let points = row.devices.enumerated().map { "\(x($0.offset)),\(y($0.element))" }.joined(separator: " ")
      parts.append("<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\" points=\"\(points)\"/>")
      parts.append(
        "<text x=\"\(Self.margin + 10 + 110 * index)\" y=\"24\" fill=\"\(colour)\">release \(row.version)</text>"
      )
    }
    text = (parts + ["</g>", "</svg>", ""]).joined(separator: "\n")
  }
}
