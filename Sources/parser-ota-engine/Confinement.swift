internal import CLinux
internal import Glibc
internal import OTAManifest

/// How this process and all that it starts are kept away from the network and from files.
///
/// Namespaces of the kernel where they are permitted. Where they are not, what remains is what the page may not do:
/// its policy loads nothing, it cannot navigate, and its only proxy leads nowhere.
struct Confinement {
  /// Whether there is no network at all.
  let hasNoNetwork: Bool
  /// Whether the folders for people's and passing files are empty ones of this process.
  let hasOwnFiles: Bool

  /// As JSON, for the parent.
  var description: String {
    let members = [JSONMember("noNetwork", .bool(hasNoNetwork)), JSONMember("ownFiles", .bool(hasOwnFiles))]
    return String(decoding: JSONValue.object(members).encoded(indented: false), as: UTF8.self)
  }

  /// Confines this process; before its second thread.
  static func enter() -> Confinement {
    // A crash of a page must leave no core file.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)
    let (user, group) = (getuid(), getgid())
    var spaces = CLINUX_NEW_NETWORK | CLINUX_NEW_MOUNTS
    if user != 0 { spaces |= CLINUX_NEW_USERS }
    guard unshare(Int32(spaces)) == 0 else {
      return Confinement(hasNoNetwork: false, hasOwnFiles: false)
    }
    if user != 0 { keepIdentity(user, group) }
    return Confinement(hasNoNetwork: true, hasOwnFiles: hideFiles())
  }

  /// Makes the user in the new space the one outside, so that files are read as before.
  private static func keepIdentity(_ user: uid_t, _ group: gid_t) {
    write("deny", to: "/proc/self/setgroups")
    write("\(user) \(user) 1", to: "/proc/self/uid_map")
    write("\(group) \(group) 1", to: "/proc/self/gid_map")
  }

  private static func write(_ text: String, to path: String) {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
  }

  /// Puts empty folders, which go with this process, over those that hold people's files.
  private static func hideFiles() -> Bool {
    guard unsafe mount("none", "/", nil, UInt(CLINUX_MOUNT_PRIVATE), nil) == 0 else { return false }
    var isHidden = true
    // The last one is where every display number 0 keeps its keyboard.
    for folder in ["/tmp", "/var/tmp", "/home", "/root", "/run", "/mnt", "/srv", "/dev/shm", "/var/lib/xkb"]
    where unsafe access(folder, F_OK) == 0 {
      let size = "size=256m,mode=1777"
      let done = unsafe mount("tmpfs", folder, "tmpfs", UInt(CLINUX_MOUNT_NOSUID_NODEV), size)
      if done != 0 { isHidden = false }
    }
    return isHidden
  }
}
