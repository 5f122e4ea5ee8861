/// The shares of a rollout and when each begins, counted from its start.
public struct RolloutSteps: Equatable, Sendable {
  /// A share, and the seconds after the start from which it counts.
  public struct Step: Equatable, Sendable {
    /// How many devices may have the release.
    public let share: Share
    /// Seconds after the start of the rollout, at least 0.
    public let after: Int64

    /// Describes a step.
    public init(share: Share, after: Int64) {
      self.share = share
      self.after = after
    }
  }

  /// How many steps a rollout may have.
  public static let maxSteps = 32
  /// The longest time until a step, in seconds: a year.
  public static let maxSeconds: Int64 = 366 * 86_400

  /// At least one step; both shares and times only grow.
  public let steps: [Step]

  /// One share from the start on, until a person changes it.
  public init(_ share: Share) { steps = [Step(share: share, after: 0)] }

  /// Takes steps whose shares and times grow.
  ///
  /// - Throws: `InputError` that says which step is wrong.
  public init(_ steps: [Step]) throws(InputError) {
    guard (1...Self.maxSteps).contains(steps.count) else {
      throw InputError(.outOfRange, "has \(steps.count) steps, not 1 to \(Self.maxSteps)")
    }
    for (index, step) in steps.enumerated() {
      guard (0...Self.maxSeconds).contains(step.after) else {
        throw InputError(.outOfRange, "has a step after more than a year, or before its start")
      }
      guard index > 0 else { continue }
      let before = steps[index - 1]
      guard step.share > before.share, step.after > before.after else {
        throw InputError(
          .malformed, "has the step \(step.share) after \(before.share): shares and times must grow")
      }
    }
    self.steps = steps
  }

  /// Reads `10%` or `1%, 10% after 6h, 100% after 3d`; units are `m`, `h` and `d`.
  ///
  /// - Throws: `InputError` that quotes what cannot be read.
  public init(_ text: String) throws(InputError) {
    var steps: [Step] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ")
      guard words.count == 1 || (words.count == 3 && words[1] == "after"), let share = Share(words[0]),
        let after = words.count == 3 ? Self.seconds(words[2]) : 0
      else {
        throw InputError(
          .malformed,
          "\"\(String(part).printable(maxCharacters: 60))\" is not a step such as 10% or 10% after 6h")
      }
      steps.append(Step(share: share, after: after))
    }
    try self.init(steps)
  }

  /// Reads `30m`, `6h` or `3d` as seconds; `nil` for anything else.
  public static func seconds(_ text: some StringProtocol) -> Int64? {
    let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), (2...7).contains(text.utf8.count),
      text.dropLast().utf8.allSatisfy(isDigit), let number = Int64(text.dropLast())
    else { return nil }
    return number * unit
  }

  /// The number of steps that have begun this many seconds after the start; 0 before the first one.
  public func begun(after seconds: Int64) -> Int { steps.prefix { $0.after <= seconds }.count }
}

extension RolloutSteps: CustomStringConvertible {
  /// The steps as they are written on a command line.
  public var description: String {
    steps.map { $0.after == 0 ? "\($0.share)" : "\($0.share) after \(Self.text($0.after))" }
      .joined(separator: ", ")
  }

  /// Seconds in the largest unit that says them exactly.
  public static func text(_ seconds: Int64) -> String {
    if seconds % 86_400 == 0 { return "\(seconds / 86_400)d" }
    if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    return "\(seconds / 60)m"
  }
}
