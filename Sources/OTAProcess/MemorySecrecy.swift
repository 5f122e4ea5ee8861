internal import CLinux
internal import Glibc

/// Keeps the memory of this process out of core files, and other processes of the same user out of it.
///
/// Call it before a secret is read. It cannot be undone, and a kernel that refuses it is no reason to stop.
public func keepMemoryPrivate() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  _ = unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)
  _ = clinux_forbid_dumps()
}
