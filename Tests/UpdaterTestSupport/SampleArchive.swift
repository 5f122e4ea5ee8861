import OTAManifest
import TestSupport

/// A file of an archive by its name.
package typealias ArchivedFile = (name: String, bytes: [UInt8])

extension SampleRelease {
  /// The files of an archive that brings this release, without signatures, in the order in which they are exported.
  ///
  /// - Parameter newest: the newest release of the channel; this one when left out.
  package func archiveFiles(newest: SampleRelease? = nil) -> [ArchivedFile] {
    let newest = newest ?? self
    let folder = "files/releases/\(manifest.version)"
    let channel = newest.manifest.channel
    let copies = channel == .stable ? "files" : "files/channels/\(channel)"
    return [
      (channel.manifestPath, newest.bytes), ("\(copies)/\(newest.digest.hex).manifest.json", newest.bytes),
      ("\(folder)/\(digest.hex).manifest.json", bytes),
      ("\(folder)/\(manifest.sources.sha256.hex).sources.json", sources),
      ("\(folder)/\(manifest.bundle.sha256.hex).parsers.bundle.js", bundle),
    ]
  }
}

/// A tar of these files in a stream that is not packed, so that its bytes are plain to see.
package func rawArchive(_ files: [ArchivedFile]) -> [UInt8] {
  var tar = RawTar()
  for file in files { tar.add(file.name, file.bytes) }
  return tar.packed
}
