internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// The folder that is to become a feed: refused when it holds other things, and left as it was when that fails.
struct FeedFolder {
  let path: String

  /// Names that may be in a folder before it is a feed: what hosts and version control put there.
  private static let harmless: Set<String> = [
    ".git", ".gitignore", ".gitattributes", ".github", ".gitlab-ci.yml", ".nojekyll", ".well-known",
    ".htaccess", ".ds_store", "cname", "_headers", "_redirects", "index.html", "404.html", "robots.txt",
    "favicon.ico", "lost+found",
  ]
  /// Beginnings of such names, whatever ending they have.
  private static let harmlessStems = ["readme", "license", "licence", "copying", "codeowners"]
  /// What only a feed has, or the folder of a publisher before this tool.
  private static let marks = [
    FeedLayout.privateFolder, Channel.stable.manifestPath, FeedLayout.firstRoot, FeedLayout.releasesFolder,
  ]

  /// Refuses a folder whose things a feed would be mixed with; a missing one is fine.
  func requireUsable() throws(Problem) {
    let found: [String]
    do throws(StorageError) {
      let folder = try Directory.open(path)
      let strange = try folder.entries().map(\.name).filter { !Self.isHarmless($0) }
      for mark in Self.marks where try Self.has(mark, folder) { return }
      found = strange
    } catch  where error.kind == .missing {
      return
    } catch {
      throw Problem(onFeed: error)
    }
    guard found.isEmpty else { throw Self.occupied(path, found) }
  }

  /// Refuses a place on a host whose things a feed would be mixed with.
  static func requireUsable(_ host: any FeedHost, _ place: String) async throws(Problem) {
    let names = try await host.list("")
    guard !names.contains(where: { marks.contains($0) || $0 == FeedLayout.metadataFolder }) else { return }
    let strange = names.filter { !isHarmless($0) }
    guard strange.isEmpty else { throw occupied(place, strange) }
  }

  /// Whether a folder would still be taken for a feed or for an empty one: what was begun must be finished by the same
  /// command, and not be called foreign.
  private static func isUsable(_ folder: Directory, without name: String) throws(StorageError) -> Bool {
    for mark in marks where mark != name {
      if try has(mark, folder) { return true }
    }
    return try folder.entries().allSatisfy { $0.name == name || isHarmless($0.name) }
  }

  private static func isHarmless(_ name: String) -> Bool {
    let name = name.asciiLowercased
    return harmless.contains(name) || harmlessStems.contains { name == $0 || name.hasPrefix($0 + ".") }
  }

  private static func has(_ mark: String, _ folder: Directory) throws(StorageError) -> Bool {
    let parts = mark.split(separator: "/").map(String.init)
    var folder = folder
    for part in parts.dropLast() {
      guard try folder.kind(of: part) == .directory else { return false }
      folder = try folder.subdirectory(part)
    }
    return try folder.kind(of: parts[parts.count - 1]) != nil
  }
}

extension FeedFolder {
  /// A refusal to mix files with what a folder holds already.
  static func occupied(_ path: String, _ names: [String]) -> Problem {
    let shown = names.prefix(5).map { $0.printable(maxCharacters: 60) }.joined(separator: ", ")
    let rest = names.count > 5 ? " and \(names.count - 5) more" : ""
    return Problem(
      .foreignFolder, "\(path) holds other things: \(shown)\(rest)", kept: "nothing was changed there",
      advice: "give an empty folder, or one that does not exist yet")
  }

  // MARK: Leaving nothing behind

  /// What is there before anything is made.
  struct Before {
    /// The deepest folder on the way that exists already.
    let existing: String
    let isMade: Bool
  }

  func before() throws(Problem) -> Before {
    var existing = path
    while true {
      do throws(StorageError) {
        let folder = try Directory.open(existing.isEmpty ? "." : existing)
        let isMade = existing == path ? try folder.kind(of: FeedLayout.privateFolder) != nil : false
        return Before(existing: existing, isMade: isMade)
      } catch  where error.kind == .missing && existing.contains("/") && existing != "/" {
        let parent = existing.split(separator: "/").dropLast().joined(separator: "/")
        existing = (existing.hasPrefix("/") ? "/" : "") + parent
      } catch  where error.kind == .missing {
        return Before(existing: ".", isMade: false)
      } catch {
        throw Problem(onFeed: error)
      }
    }
  }

  /// Removes the lock and the folders that a failed start made, as long as nothing else is in them.
  func clean(to before: Before) {
    guard !before.isMade else { return }
    do {
      let folder = try Directory.open(path)
      let hidden = try folder.subdirectory(FeedLayout.privateFolder)
      guard try hidden.entries().allSatisfy({ $0.name == "lock" }) else { return }
      guard try Self.isUsable(folder, without: FeedLayout.privateFolder) else { return }
      try folder.removeTree(FeedLayout.privateFolder)
      var made = path
      while made != before.existing, try Directory.open(made).entries().isEmpty {
        let parts = made.split(separator: "/")
        guard let last = parts.last else { return }
        let parent = (made.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        try Directory.open(parent.isEmpty ? "." : parent).removeTree(String(last))
        made = parent
      }
    } catch {
      // The reason for the failure is what counts; empty folders do no harm.
    }
  }
}
