internal import OTAManifest
internal import OTAStorage

/// A report for another program: replaced by every run, and never put in the place of anything else.
enum ReportFile {
  /// Larger than any report.
  private static let maxBytes = 64 << 20
  /// What reports of all kinds begin with.
  private static let heads = ["{\n  \"$schema\": \"https://json.schemastore.org/sarif", "<?xml "]

  static func write(_ bytes: [UInt8], to path: String, option: String) throws(CommandFailure) {
    do {
      guard try isFree(path) else {
        throw OutputFile.taken(path, "and is not a report of this tool", option: option)
      }
      try durablyReplaceFile(at: path, with: bytes)
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as StorageError {
      throw OutputFile.failure(error, option: option)
    } catch {
      throw CommandFailure(.storageFailed, "\(option): \(path) cannot be written")
    }
  }

  /// Whether nothing is there, or an older report, or an empty file that something made room with.
  private static func isFree(_ path: String) throws(StorageError) -> Bool {
    do {
      let old = try readFile(at: path, maxBytes: maxBytes)
      return old.isEmpty || heads.contains { old.starts(with: $0.utf8) }
    } catch  where error.kind == .missing {
      return true
    } catch  where error.kind == .tooLarge {
      return false
    }
  }
}
