internal import CLinux
internal import Glibc
internal import ParserEngine

/// Keeps this process and all that it starts away from the network and from files.
///
/// Namespaces of the kernel where they are permitted. Where they are not, what remains is what the page may not do:
/// its policy loads nothing, it cannot navigate, and its only proxy leads nowhere.
enum Confinement {
  /// What the program is started with the second time, so that there is no third.
  static let secondStart = "--in-user-namespace"
  private static let unshareProgram = "/usr/bin/unshare"

  /// Confines this process; before it has made anything. May start the program anew.
  static func enter() -> EngineConfinement {
    // A crash of a page must leave no core file.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)
    if unshare(Int32(CLINUX_NEW_NETWORK | CLINUX_NEW_MOUNTS)) != 0 {
      becomeRootOfOwnNamespace()
      return EngineConfinement(hasNoNetwork: false, hasOwnFiles: false)
    }
    return EngineConfinement(hasNoNetwork: true, hasOwnFiles: hideFiles())
  }

  /// Starts the program anew in a user namespace in which this user is root; returns when that is not permitted.
  ///
  /// It takes a program of its own: a process with threads may not enter such a namespace, and the libraries of the
  /// web view have started some before `main`.
  private static func becomeRootOfOwnNamespace() {
    let command = [unshareProgram, "--user", "--map-root-user"]
    guard !CommandLine.arguments.contains(secondStart), let program = ownPath(),
      HelperProgram.succeeds(command + ["true"])
    else { return }
    HelperProgram.become(command + [program] + CommandLine.arguments.dropFirst() + [secondStart])
  }

  private static func ownPath() -> String? {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
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
