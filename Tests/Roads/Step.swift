/// One step on a road: a verb, the time that passed before it, and what is put on the host afterwards.
///
/// A step names things by their place ("the second newest release"), so that it means something in any sequence and a
/// shrinker can leave out the others.
package struct Step: Equatable, Sendable {
  /// What is done to the feed.
  package var verb: Verb
  /// How long the person waited before it.
  package var minutes: Int
  /// What goes to the host afterwards.
  package var deploy: Deploy

  package init(_ verb: Verb, minutes: Int = 10, deploy: Deploy = .whole) {
    self.verb = verb
    self.minutes = minutes
    self.deploy = deploy
  }
}

/// What a person puts on the host.
package enum Deploy: Equatable, Sendable {
  case nothing
  /// The folder as it is.
  case whole
  /// The folder without the bundle (or else the catalog) of the newest release: the upload broke off.
  case withoutBundle, withoutCatalog
  /// The upload, in the order of the names and without removing anything, was cut short after so many percent.
  case cutShort(Int)
}

/// Something that a person, a CI job or an accident does to a feed.
package indirect enum Verb: Equatable, Sendable {
  /// The first `init`.
  case start(Start)
  /// The same `init` once more.
  case startAgain
  /// `init` with keys over a feed without signatures.
  case sign
  /// `init` into another, empty folder with the address of the live feed, as a copied pipeline does it.
  case startOverLive
  case publish(Publication, beta: Bool = false)
  case rollback(Target, beta: Bool = false)
  case refresh(force: Bool)
  case key(KeyChange)
  case rootPrepare(KeyChange)
  case rootSign
  case rootCommit
  /// The folder `.parser-ota` is lost, and `init` is run with the keys alone.
  case loseSettings
  /// A file that an older release needs is lost.
  case loseKept(LostFile, Int)
  case repair
  /// The folder goes through git, as a pipeline that keeps the feed in a branch does it.
  case checkout(lineEnds: Bool)
  /// The tool is killed after so many writes; the same command follows, or not.
  case killed(Verb, afterWrites: Int, again: Bool)
  /// Two publishers at once: the second one begins and ends between what the first one read and what it writes.
  case together(Verb, Verb)
}

/// How a feed begins.
package struct Start: Equatable, Sendable {
  /// Where its first release comes from.
  package enum Source: String, CaseIterable, Sendable {
    /// There is no feed yet.
    case nothing
    /// A live feed is taken over from its address, from a copy of its folder, or in its folder itself.
    case address, folder, inPlace
    /// There is a live feed, and the person does not say so.
    case unmentioned
  }

  package var source: Source
  package var isSigned: Bool
  /// How many releases are kept; `nil` leaves it to the tool.
  package var keep: Int?
  /// How the old feed names its files.
  package var shape: OldShape

  package init(_ source: Source, signed: Bool, keep: Int? = nil, shape: OldShape = .plain) {
    self.source = source
    isSigned = signed
    self.keep = keep
    self.shape = shape
  }
}

/// How a feed from before the tool names its files.
package enum OldShape: String, CaseIterable, Sendable {
  /// `parsers.bundle.js` beside the manifest, with its absolute address.
  case plain
  /// A folder for each release, with absolute addresses.
  case numbered
  /// `parsers.bundle.js` beside the manifest, with a relative address.
  case relative
}

/// What is published.
package enum Publication: Equatable, Sendable {
  case new
  /// The files that are live already.
  case same
  case newBundleOnly, newCatalogOnly
  /// A source has another id, and an alias.
  case renamed
  /// A source is gone, with or without saying so.
  case removed(allowed: Bool)
  /// The bundle is more than twice as long.
  case grown(allowed: Bool)
  /// The files of a release that was withdrawn, with or without saying that it is meant.
  case withdrawn(allowed: Bool)
  /// The files of an older release that is still good.
  case earlier
  /// What is live in the other channel.
  case promoted
}

/// Where a roll back goes.
package enum Target: Equatable, Sendable {
  /// Left out.
  case plain
  /// The release so many places before the live one.
  case back(Int)
  /// The release that was taken over.
  case adopted
  /// A release that was withdrawn, with or without saying that it is meant.
  case withdrawn(allowed: Bool)
}

/// A change of keys.
package enum KeyChange: Equatable, Sendable {
  case add, remove, rotate
  case addRoot, removeRoot, rotateRoot
}

/// A kind of file that an older release needs.
package enum LostFile: String, CaseIterable, Sendable {
  case manifest, bundle, catalog
}
