internal import OTAFeed
internal import OTAManifest

/// Asks a host for a file that cannot be there: devices of a signed feed ask for the next root, and need to hear "no".
struct FallbackAudit {
  let reader: FeedReader

  /// The finding when the host answers all the same; `nil` for a folder, and where the host says "no".
  ///
  /// Devices of this package see through it at the cost of a request; other clients of signed feeds stop.
  func finding(isSigned: Bool) async -> AuditFinding? {
    guard !reader.isFolder else { return nil }
    let path = "\(FeedLayout.metadataFolder)/\(String(UInt64.random(in: .min ... .max), radix: 16)).root.json"
    do throws(Problem) {
      guard try await reader.readIfThere(path, maxBytes: FeedLayout.maxRootBytes, absentWhen: []) != nil
      else {
        return nil
      }
    } catch  where error.code == .unexpectedEncoding || error.code == .tooLarge {
      // An answer too, whatever is in it.
    } catch {
      // "No", or a host that does not answer at all, which the rest of the audit tells.
      return nil
    }
    return AuditFinding(
      severity: isSigned ? .error : .warning, code: ProblemCode.hostAnswersEverything.rawValue, place: path,
      message: "the host answers 200 for files that are not there: switch its single-page fallback off"
        + " (Cloudflare Pages: put a 404.html at the top; Netlify: no rule \"/* /index.html 200\";"
        + " Vercel: no rewrite of everything; nginx: try_files $uri =404)")
  }
}

extension FeedReader {
  /// Whether the feed is read from a folder, without a host.
  var isFolder: Bool { if case .directory = location { true } else { false } }
}
