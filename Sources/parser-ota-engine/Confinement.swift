internal import CCage
internal import Glibc
internal import ParserEngine

/// What holds of the cage in which this process is, as the kernel says it.
enum Confinement {
  /// Reads it; `nil` when this process is in no cage.
  static func current() -> EngineConfinement? {
    guard let text = unsafe getenv(Cage.heldName), let held = UInt32(unsafe String(cString: text), radix: 16)
    else { return nil }
    func holds(_ flag: Int) -> Bool { held & UInt32(flag) != 0 }
    let status = ownStatus()
    var confinement = EngineConfinement()
    if holds(CCAGE_NETWORK) {
      confinement.network = .namespace
    } else if status["Seccomp"] == "2" {
      confinement.network = .filter
    }
    if holds(CCAGE_ROOT) {
      confinement.files = .root
    } else if holds(CCAGE_RULES) {
      confinement.files = .rules
    }
    confinement.hasOwnProcesses = holds(CCAGE_PROCESSES) && (holds(CCAGE_PROC) || holds(CCAGE_RULES))
    confinement.hasOwnIPC = holds(CCAGE_IPC)
    confinement.isNotRoot = geteuid() != 0
    confinement.hasNoCapabilities = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].allSatisfy {
      $0 == "CapBnd" && geteuid() != 0 || status[$0]?.allSatisfy { $0 == "0" } == true
    }
    confinement.hasNoNewPrivileges = status["NoNewPrivs"] == "1"
    confinement.hasCallFilter = status["Seccomp"] == "2"
    return confinement
  }

  /// The fields of `/proc/self/status`.
  private static func ownStatus() -> [String: String] {
    let file = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [:] }
    defer { close(file) }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
      count = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
    }
    var fields: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[String(parts[0])] = parts[1].filter { $0 != "\t" && $0 != " " } }
    }
    return fields
  }
}
