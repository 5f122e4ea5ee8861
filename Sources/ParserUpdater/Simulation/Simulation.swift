public import OTAManifest

/// What a device did, or all of them, by hours.
struct SimulationBook {
  private let hours: Int
  /// Devices that began to run a release in an hour, and those that ended to, by its number.
  private(set) var began: [ReleaseVersion: [Int]] = [:]
  private(set) var ended: [ReleaseVersion: [Int]] = [:]
  private(set) var requests: [Int]
  private(set) var bytes: [Int64]
  private var current: (version: ReleaseVersion, since: Int64)?
  /// When a device ran releases, in order.
  private(set) var spells: [(version: ReleaseVersion, from: Int64, to: Int64?)] = []

  init(_ plan: SimulationPlan) {
    hours = Int(plan.seconds / 3600)
    requests = [Int](repeating: 0, count: hours)
    bytes = [Int64](repeating: 0, count: hours)
  }

  private func hour(_ time: Int64) -> Int { min(Int(time / 3600), hours - 1) }

  mutating func count(requests count: Int, bytes sent: Int64, at time: Int64) {
    requests[hour(time)] += count
    bytes[hour(time)] += sent
  }

  mutating func runs(_ version: ReleaseVersion, from time: Int64) {
    guard current?.version != version else { return }
    if !spells.isEmpty { spells[spells.count - 1].to = time }
    spells.append((version, time, nil))
    current = (version, time)
  }
}

/// The outcome of a simulation.
public struct SimulationResult: Sendable {
  /// Devices by the release that they run, at the end of each hour.
  public let adoption: [(version: ReleaseVersion, devices: [Int])]
  /// Requests at the host in each hour.
  public let requests: [Int]
  /// Bytes from the host in each hour.
  public let bytes: [Int64]
  /// Devices that ever ran a bad release.
  public let reached: Int
  /// The time at which the first bad release was stopped, in seconds; `nil` for never.
  public let stopped: Int64?
  /// Devices that ran a bad release when it was stopped.
  public let runningWhenStopped: Int
  /// Hours from the stop until half of them, and nine of ten, ran another; `nil` when they did not within the plan.
  public let healedHours: (half: Double?, most: Double?)
  /// Devices that run a bad release at the end.
  public let runningAtEnd: Int
}

/// Runs the decisions of real devices over a made-up population: seeded, and the same for any number of threads.
public struct Simulation: Sendable {
  private let plan: SimulationPlan

  /// Prepares a plan.
  public init(_ plan: SimulationPlan) { self.plan = plan }

  /// What of all devices is added up.
  private struct Sum: Sendable {
    var began: [ReleaseVersion: [Int]] = [:]
    var ended: [ReleaseVersion: [Int]] = [:]
    var requests: [Int]
    var bytes: [Int64]
    var reached = 0
    var runningWhenStopped = 0
    var healed: [Int64: Int] = [:]
    var runningAtEnd = 0
  }

  /// Lives through the plan with every device.
  ///
  /// - Parameter threads: how many devices live at the same time; does not change the outcome.
  public func run(threads: Int = 2) async -> SimulationResult {
    let feed = SimulatedFeed(plan)
    let hours = Int(plan.seconds / 3600)
    let chunks = max(1, min(plan.devices, threads * 16))
    let plan = plan
    let sums = await withTaskGroup(of: Sum.self) { group in
      for chunk in 0..<chunks {
        let devices = plan.devices * chunk / chunks..<plan.devices * (chunk + 1) / chunks
        group.addTask { Self.sum(of: devices, plan, feed, hours) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    return result(sums, feed, hours)
  }

  private static func sum(
    of devices: Range<Int>, _ plan: SimulationPlan, _ feed: SimulatedFeed, _ hours: Int
  ) -> Sum {
    var sum = Sum(
      requests: [Int](repeating: 0, count: hours), bytes: [Int64](repeating: 0, count: hours))
    for number in devices {
      var device = SimulatedDevice(plan, feed, number: number)
      add(device.run(), feed, hours, &sum)
    }
    return sum
  }

  private static func add(_ book: SimulationBook, _ feed: SimulatedFeed, _ hours: Int, _ sum: inout Sum) {
    for hour in 0..<hours {
      sum.requests[hour] += book.requests[hour]
      sum.bytes[hour] += book.bytes[hour]
    }
    var isReached = false
    for spell in book.spells {
      sum.began[spell.version, default: [Int](repeating: 0, count: hours)][
        min(Int(spell.from / 3600), hours - 1)] += 1
      if let end = spell.to {
        sum.ended[spell.version, default: [Int](repeating: 0, count: hours)][
          min(Int(end / 3600), hours - 1)] += 1
      }
      guard feed.bad.contains(spell.version) else { continue }
      isReached = true
      guard let stopped = feed.stopped, spell.from <= stopped, spell.to.map({ $0 > stopped }) ?? true else {
        continue
      }
      sum.runningWhenStopped += 1
      if let end = spell.to { sum.healed[end - stopped, default: 0] += 1 }
    }
    if isReached { sum.reached += 1 }
    if let last = book.spells.last, feed.bad.contains(last.version) { sum.runningAtEnd += 1 }
  }

  private func result(_ sums: [Sum], _ feed: SimulatedFeed, _ hours: Int) -> SimulationResult {
    var total = Sum(requests: [Int](repeating: 0, count: hours), bytes: [Int64](repeating: 0, count: hours))
    for sum in sums {
      for hour in 0..<hours {
        total.requests[hour] += sum.requests[hour]
        total.bytes[hour] += sum.bytes[hour]
      }
      total.began.merge(sum.began) { zip($0, $1).map(+) }
      total.ended.merge(sum.ended) { zip($0, $1).map(+) }
      total.healed.merge(sum.healed, uniquingKeysWith: +)
      total.reached += sum.reached
      total.runningWhenStopped += sum.runningWhenStopped
      total.runningAtEnd += sum.runningAtEnd
    }
    let adoption = total.began.keys.sorted().map { version in
      (version: version, devices: Self.running(total.began[version] ?? [], total.ended[version]))
    }
    return SimulationResult(
      adoption: adoption, requests: total.requests, bytes: total.bytes, reached: total.reached,
      stopped: feed.stopped, runningWhenStopped: total.runningWhenStopped,
      healedHours: (
        Self.quantile(0.5, total.healed, of: total.runningWhenStopped),
        Self.quantile(0.9, total.healed, of: total.runningWhenStopped)
      ),
      runningAtEnd: total.runningAtEnd)
  }

  private static func running(_ began: [Int], _ ended: [Int]?) -> [Int] {
    var count = 0
    return began.indices.map { hour in
      count += began[hour] - (ended?[hour] ?? 0)
      return count
    }
  }

  /// The hours after which so many of all were healed.
  private static func quantile(_ share: Double, _ healed: [Int64: Int], of all: Int) -> Double? {
    guard all > 0 else { return nil }
    var count = 0
    for (seconds, devices) in healed.sorted(by: { $0.key < $1.key }) {
      count += devices
      if Double(count) >= share * Double(all) { return Double(seconds) / 3600 }
    }
    return nil
  }
}
