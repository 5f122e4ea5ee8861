import Glibc
import Testing

@testable import OTAStorage

/// What a mode that a file system gave by itself is good for.
@Suite("N37: modes that nobody asked for")
struct FileModeTests {
  private func fault(
    _ permissions: UInt32, for wanted: UInt32, isSecret: Bool = false, isFolder: Bool = false,
    owner: UInt32 = geteuid()
  ) -> String? {
    var raw = stat()
    raw.st_mode = permissions | (isFolder ? S_IFDIR : S_IFREG)
    raw.st_uid = owner
    return FileStatus(raw).fault(forWanted: wanted, isSecret: isSecret)
  }

  @Test("a feed's files and folders do when everybody can read them")
  func feed() {
    for mode: UInt32 in [0o644, 0o755, 0o777, 0o444] { #expect(fault(mode, for: 0o644) == nil) }
    for mode: UInt32 in [0o755, 0o777, 0o555] { #expect(fault(mode, for: 0o755, isFolder: true) == nil) }
    for mode: UInt32 in [0o600, 0o640, 0o700, 0] {
      #expect(fault(mode, for: 0o644)?.contains("others cannot read") == true)
    }
    #expect(fault(0o744, for: 0o755, isFolder: true)?.contains("mode 744") == true)
  }

  @Test("a store's do when they are ours and nobody else can write to them")
  func store() {
    for mode: UInt32 in [0o600, 0o700, 0o755, 0o644] { #expect(fault(mode, for: 0o600) == nil) }
    for mode: UInt32 in [0o777, 0o666, 0o775, 0o722] {
      #expect(fault(mode, for: 0o700, isFolder: true)?.contains("other users can write") == true)
    }
    #expect(fault(0o700, for: 0o600, owner: geteuid() + 1)?.contains("belongs to user") == true)
  }

  @Test("a secret does when nobody else can read it")
  func secret() {
    for mode: UInt32 in [0o600, 0o700] { #expect(fault(mode, for: 0o600, isSecret: true) == nil) }
    for mode: UInt32 in [0o644, 0o755, 0o640, 0o604, 0o777] {
      #expect(fault(mode, for: 0o600, isSecret: true)?.contains("others could read the secret") == true)
    }
  }
}
