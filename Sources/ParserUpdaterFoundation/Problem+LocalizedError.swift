public import Foundation
public import OTAManifest

// Linked into apps with the product ParserUpdater, and a module of its own so that nothing else pays for Foundation.

/// What people read of a problem where only an error is shown.
extension Problem: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { message }
  /// What stayed as it was.
  public var failureReason: String? { kept }
  /// What to do next.
  public var recoverySuggestion: String? { advice }
}
