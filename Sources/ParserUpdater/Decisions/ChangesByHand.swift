internal import OTAManifest

extension DeviceState {
  /// Leaves the release that runs, the staged one, or that of the channel before; `nil` when there is none to leave.
  ///
  /// A staged release is put back too, since it would otherwise run at the next launch in place of the way back; it
  /// may be offered again.
  mutating func rollBack(now: Timestamp) -> ReleaseReference? {
    guard let left = current ?? staged ?? fallback?.release else { return nil }
    reject(left, reason: "rolled back by hand", date: now)
    staged = nil
    if current == left { dropCurrent() } else { drop(left) }
    return left
  }

  /// Forgets rejections; those that were forgotten.
  mutating func forget(_ version: ReleaseVersion?) -> [Rejection] {
    let forgotten = rejected.filter { (version == nil || $0.version == version) && heeds($0) }
    rejected.removeAll { forgotten.contains($0) }
    return forgotten
  }
}
