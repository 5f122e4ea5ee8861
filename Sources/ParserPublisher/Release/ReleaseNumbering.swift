internal import OTAFeed
internal import OTAManifest

/// Which number a release gets: the feed's newest plus 1, or what was asked for when that keeps the order.
enum ReleaseNumbering {
  /// The largest step that needs no confirmation; a larger one is likelier a slip than a plan.
  static let maxStep: Int64 = 1000
  /// The largest number that may be asked for, which is the largest that a tag gives.
  ///
  /// Readers take numbers up to 2^53 - 1; what lies between is room for the releases after a slip of the finger.
  static let cap: Int64 = 999_999_999_999_999

  /// The version that was asked for, by number, by tag or by both.
  static func requested(_ version: ReleaseVersion?, tag: String?) throws(Problem) -> ReleaseVersion? {
    guard let tag else { return version }
    guard let fromTag = ReleaseVersion(tag: tag) else {
      throw Problem(
        .versionRefused, "the tag \(tag.printable()) gives no version",
        advice: "use tags such as v2.6 or v2.1.6: up to three numbers, the last two at most 999")
    }
    if let version, version != fromTag {
      throw Problem(
        .versionRefused,
        "the version \(version) that was given and the version \(fromTag) of the tag \(tag) disagree",
        advice: "give one of the two, or make them agree")
    }
    return fromTag
  }

  /// Checks a requested number against the newest one of the feed, or counts on from there.
  static func next(
    after head: ReleaseVersion?, requested: ReleaseVersion?, allowsJump: Bool
  ) throws(Problem) -> ReleaseVersion {
    if let requested { try requireUnderCap(requested) }
    guard let head else { return requested ?? .first }
    guard let requested else {
      guard let next = head.next else {
        throw Problem(
          .versionRefused, "release \(head) is the largest version: none can follow it",
          advice:
            "stop signing it in a new epoch: parser-ota root prepare --new-epoch, sign, then root commit --discard \(head)"
        )
      }
      return next
    }
    guard requested > head else {
      let reason = requested == head ? "contents changed, version did not" : "the newest release is \(head)"
      throw Problem(
        .versionRefused, "version \(requested) cannot be published: \(reason)",
        advice: "leave the version out, or give one above \(head)")
    }
    guard allowsJump || requested.number - head.number <= maxStep else {
      throw Problem(
        .versionRefused, "version \(requested) is more than \(maxStep) above the newest release \(head)",
        advice: "add --allow-version-jump when that is meant: no lower version can follow it")
    }
    return requested
  }

  /// Numbers only grow, so one near the end of all numbers ends the feed; no option allows that.
  private static func requireUnderCap(_ requested: ReleaseVersion) throws(Problem) {
    guard requested.number > cap else { return }
    throw Problem(
      .versionRefused,
      "version \(requested) is above \(cap): devices that take it would refuse every smaller number for good",
      advice: "leave the version out, or give a smaller one")
  }
}
