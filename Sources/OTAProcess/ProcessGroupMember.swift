internal import Glibc

/// A living process of a group, as `/proc` tells it.
struct ProcessGroupMember {
  let id: Int32

  /// The members that still run; a process that ended and was not waited for is none.
  static func all(of group: Int32) -> [ProcessGroupMember] { all { $0.group == group } }

  /// The living processes of the machine that are wanted.
  static func all(where isWanted: ((parent: Int32, group: Int32)) -> Bool) -> [ProcessGroupMember] {
    guard let folder = unsafe opendir("/proc") else { return [] }
    defer { unsafe closedir(folder) }
    var members: [ProcessGroupMember] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe $0.prefix { $0 != 0 }.map(\.self)
      }
      guard let id = Int32(String(decoding: name, as: UTF8.self)), let place = place(of: id), isWanted(place)
      else { continue }
      members.append(ProcessGroupMember(id: id))
    }
    return members
  }

  /// Reads `stat`: after the name, which may hold anything, come the state, the parent and the group.
  private static func place(of id: Int32) -> (parent: Int32, group: Int32)? {
    let text = contents("/proc/\(id)/stat")
    guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard fields.count > 2, let state = fields[0].first, state != UInt8(ascii: "Z"),
      state != UInt8(ascii: "X"),
      let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let group = Int32(String(decoding: fields[2], as: UTF8.self))
    else { return nil }
    return (parent, group)
  }

  /// What the process has that no file backs; 0 for one that ended meanwhile.
  var memoryBytes: Int {
    let lines = Self.contents("/proc/\(id)/status").split(separator: UInt8(ascii: "\n"))
    return lines.reduce(0) { sum, line in
      guard line.starts(with: "RssAnon:".utf8) || line.starts(with: "RssShmem:".utf8) else { return sum }
      let digits = line.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return sum + (Int(String(decoding: digits, as: UTF8.self)) ?? 0) << 10
    }
  }

  /// A small file of the kernel; empty when the process is gone.
  private static func contents(_ path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    return unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
    }
  }
}
