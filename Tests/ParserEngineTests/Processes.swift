import Glibc

/// A process as `/proc` tells it.
struct SeenProcess {
  let id: pid_t
  let name: String
}

/// The processes of a group that have not ended.
func processes(in group: pid_t) -> [SeenProcess] {
  guard let folder = opendir("/proc") else { return [] }
  defer { closedir(folder) }
  var seen: [SeenProcess] = []
  while let entry = readdir(folder) {
    let text = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let id = pid_t(text), let stat = try? contents(of: "/proc/\(id)/stat"),
      let open = stat.firstIndex(of: "("), let close = stat.lastIndex(of: ")")
    else { continue }
    let fields = stat[stat.index(after: close)...].split(separator: " ")
    guard fields.count > 2, pid_t(fields[2]) == group, fields[0] != "Z", fields[0] != "X" else { continue }
    seen.append(SeenProcess(id: id, name: String(stat[stat.index(after: open)..<close])))
  }
  return seen
}

/// The names of what is left of a group.
func livingProcesses(in group: pid_t) -> [String] { processes(in: group).map(\.name) }

private func contents(of path: String) throws -> String {
  let file = open(path, O_RDONLY)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var buffer = [UInt8](repeating: 0, count: 4096)
  let count = max(0, read(file, &buffer, buffer.count))
  return String(decoding: buffer.prefix(count), as: UTF8.self)
}
