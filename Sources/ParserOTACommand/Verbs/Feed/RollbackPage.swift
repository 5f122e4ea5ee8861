internal import OTAManifest
internal import ParserPublisher

/// What a person should see before a roll back: from what to what, how old, what changes, what devices will do.
struct RollbackPage {
  private static let maxChanges = 12

  private let plan: RollbackPlan
  private let comparison: ReleaseComparison?
  private let isDeployed: Bool
  private let now: Timestamp

  /// - Parameter comparison: the live release beside the one to go back to; `nil` when one of them cannot be read.
  /// - Parameter isDeployed: whether the feed is out by itself once it is written.
  init(_ plan: RollbackPlan, _ comparison: ReleaseComparison?, isDeployed: Bool, now: Timestamp) {
    (self.plan, self.comparison, self.isDeployed, self.now) = (plan, comparison, isDeployed, now)
  }

  var lines: [String] {
    [
      "live now  \(describe(plan.live, comparison?.old.manifest))",
      "back to   \(describe(plan.target, comparison?.new.manifest)), as release \(plan.next)",
    ] + changes + [
      "devices   take release \(plan.next) at their next check, use it from the launch after that, and download nothing they have",
      "          they stop running \(withdrawn) then, whether they take it or not; until then they run on",
      isDeployed
        ? "next      devices see it at once: publish the corrected parsers when they are ready"
        : "next      deploy the feed as after a publish; devices see nothing before that",
    ]
  }

  private func describe(_ version: ReleaseVersion, _ manifest: Manifest?) -> String {
    var text = "release \(version)"
    if let released = manifest?.released {
      text += " of \(released), \(Age.text(from: released, to: now))"
    }
    if let notes = manifest?.notes?.split(separator: "\n").first {
      text += ": \(String(notes).printable(maxCharacters: 60))"
    }
    return text
  }

  private var withdrawn: String {
    let new = plan.withdrawn.filter { $0 > plan.target && $0 <= plan.live }
    let shown = new.suffix(5).map(\.description).joined(separator: ", ")
    return "release\(new.count == 1 ? "" : "s") \(shown)"
  }

  private var changes: [String] {
    guard let comparison else { return ["changes   cannot be told: one of the two cannot be read"] }
    let page = ComparisonPage.lines(comparison.catalog).dropFirst() + ComparisonPage.lines(comparison.code)
    let more = page.count > Self.maxChanges ? ["    and \(page.count - Self.maxChanges) more lines"] : []
    return ["changes   \(ComparisonPage.counts(comparison.catalog, comparison.code))"]
      + page.prefix(Self.maxChanges) + more
  }
}
