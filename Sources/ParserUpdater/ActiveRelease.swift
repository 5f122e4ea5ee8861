public import OTAManifest
internal import OTAStorage

/// The release that a launch runs, frozen in memory: both files, verified in the call that returned them.
///
/// While a value of it lives, the files of the release on disk are not removed, by whatever process, and its launch does
/// not count as one that ended without confirmation.
public struct ActiveRelease: Sendable {
  /// How far the release is believed.
  public enum Standing: String, Sendable, CaseIterable {
    /// The app said that it works, or it is the copy inside the app.
    case confirmed
    /// Used, not yet confirmed: call `confirm` or `fail`.
    case onTrial = "on-trial"
    /// There is nothing to run; both files are empty.
    case unusable
  }

  /// The number of the release; `nil` only when nothing is usable.
  public let version: ReleaseVersion?
  /// Where the release came from.
  public let origin: ReleaseOrigin
  /// Whether the release must still be confirmed.
  public let standing: Standing
  /// The parser bundle, UTF-8 JavaScript; the very bytes that were hashed.
  public let bundle: [UInt8]
  /// The source catalog, UTF-8 JSON; the very bytes that were hashed.
  public let sources: [UInt8]
  /// The manifest of the release; `nil` only when nothing is usable.
  public let manifest: Manifest?
  /// The name of this launch.
  public let launch: LaunchID
  /// The releases that were passed over, and why, best first.
  public let passedOver: [PassedOver]
  /// What went wrong besides, such as a store that cannot be written; the launch went on without it.
  public let notes: [Problem]
  /// The folder that holds the files; `nil` when they are only in memory.
  public let folder: String?

  let reference: ReleaseReference?
  let lease: ReleaseLease?
  let launchLease: LaunchLease?

  /// The bundle as text.
  public var bundleText: String { String(decoding: bundle, as: UTF8.self) }

  /// Decodes the catalog.
  ///
  /// - Throws: `InputError` for a catalog that is not one; an update never installs such a release.
  public func catalog() throws(InputError) -> SourceCatalog { try SourceCatalog.decode(sources) }

  /// A resolver for the source references of this release, with the aliases of its manifest.
  public func resolver() throws(InputError) -> SourceResolver {
    SourceResolver(catalog: try catalog(), aliases: manifest?.aliases ?? [])
  }
}

/// Keeps the folder of a release from being collected, by a shared lock that ends with the process at the latest.
final class ReleaseLease: Sendable {
  private let folder: Directory
  private let lock: FileLock

  private init(_ folder: Directory) throws(StorageError) {
    self.folder = folder
    lock = try folder.lockSelf(.shared)
  }

  /// A lease on a folder; `nil` when somebody asks just now whether the folder is in use.
  ///
  /// That takes microseconds and is no reason to pass over a good release: its bytes will be in memory anyway.
  static func take(_ folder: Directory) throws(StorageError) -> ReleaseLease? {
    for _ in 0..<100 {
      do {
        return try ReleaseLease(folder)
      } catch  where error.kind == .busy {
        continue
      }
    }
    return nil
  }
}

/// Says that a launch on trial goes on: a lock of the kernel, which no process outlives.
struct LaunchLease: Sendable {
  let lock: NumberLock
}
