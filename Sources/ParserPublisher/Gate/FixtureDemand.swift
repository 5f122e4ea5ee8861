public import ParserPages

/// Recorded sources that a release must not make worse.
public struct FixtureDemand: Sendable {
  /// Where the recordings are.
  public var folder: FixtureFolder
  /// How many sources may get worse all the same.
  public var maxWorse: Int

  /// Asks for the recordings of a folder to be replayed.
  public init(_ folder: FixtureFolder, maxWorse: Int = 0) {
    self.folder = folder
    self.maxWorse = maxWorse
  }
}
