internal import Glibc

/// Whether there is a file at the path that this user may run.
public func isExecutableFile(at path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
}
