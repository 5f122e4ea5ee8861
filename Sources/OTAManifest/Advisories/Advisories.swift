/// The advisories of a channel: one small signed document that devices take at once.
public struct Advisories: Equatable, Sendable {
  /// The channel whose devices they are for.
  public var channel: Channel
  /// Counts the changes of the document, from 1; a lower one than a device has seen is an old copy.
  public var revision: Int64
  /// When it was written.
  public var written: Timestamp
  /// The advisories in the order of their sources, each source once.
  public private(set) var entries: [Advisory] = []

  /// Bytes of the document: what every device fetches when it changed.
  public static let maxBytes = 64 << 10
  /// The number of advisories: with more broken sources a release is due.
  public static let maxEntries = 512

  /// A document without advisories.
  public init(channel: Channel, revision: Int64 = 1, written: Timestamp) {
    (self.channel, self.revision, self.written) = (channel, revision, written)
  }

  /// The advisory on a source; `nil` when there is none.
  public subscript(_ source: SourceID) -> Advisory? { entries.first { $0.source == source } }

  /// Puts an advisory in the place of the one on the same source.
  public mutating func set(_ advisory: Advisory) {
    entries.removeAll { $0.source == advisory.source }
    let place = entries.firstIndex { precedes(advisory.source, $0.source) } ?? entries.endIndex
    entries.insert(advisory, at: place)
  }

  /// Takes the advisory on a source away; whether there was one.
  public mutating func clear(_ source: SourceID) -> Bool {
    let count = entries.count
    entries.removeAll { $0.source == source }
    return entries.count < count
  }

  /// The same document without what no longer counts.
  public func current(at moment: Timestamp) -> Advisories {
    var copy = self
    copy.entries.removeAll { !$0.counts(at: moment) }
    return copy
  }

  private func precedes(_ left: SourceID, _ right: SourceID) -> Bool {
    Array(left.text.utf8).lexicographicallyPrecedes(Array(right.text.utf8))
  }
}

extension SourceCatalog {
  /// The same catalog with the domains that advisories give in place of its own; each address stays `https`.
  ///
  /// Only sources of this catalog change, and nothing but their domain.
  public func applying(_ advisories: Advisories, at moment: Timestamp) -> SourceCatalog {
    replacingDomains { entry in
      advisories[entry.id].flatMap { $0.counts(at: moment) ? $0.domain?.name : nil }
    }
  }
}
