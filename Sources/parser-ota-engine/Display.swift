internal import Glibc

/// The display that a hidden view needs, though nothing is ever shown on it.
enum Display {
  /// Why there is none.
  struct Missing: Error {
    let message: String
  }

  private static let program = "Xvfb"
  private static let startMilliseconds: Int32 = 15_000

  /// Starts a virtual display for this process alone; uses the one of the environment when that is not to be had.
  ///
  /// - Parameter isPrivate: whether the sockets of other displays are out of reach.
  static func make(isPrivate: Bool) throws(Missing) {
    prepareEnvironment()
    if let number = startVirtual() {
      unsafe setenv("DISPLAY", ":\(number)", 1)
      unsafe unsetenv("WAYLAND_DISPLAY")
      return
    }
    let isThere = unsafe getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil
    guard isThere, !isPrivate else {
      throw Missing(message: "there is no display: install \(program) (Debian package xvfb)")
    }
  }

  /// Keeps GTK and WebKit from looking for services and settings of a desktop.
  private static func prepareEnvironment() {
    let fixed = [
      "HOME": "/tmp", "XDG_RUNTIME_DIR": "/tmp", "XDG_CACHE_HOME": "/tmp", "XDG_DATA_HOME": "/tmp",
      "XDG_CONFIG_HOME": "/tmp", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local",
      "NO_AT_BRIDGE": "1", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
      // This process is confined as a whole, which works as root and in containers too; the sandbox inside does not.
      "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
      "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
    ]
    for (name, value) in fixed { unsafe setenv(name, value, 1) }
  }

  /// The number of a display of our own; `nil` when the program is not installed or does not start.
  private static func startVirtual() -> String? {
    var ends: (Int32, Int32) = (-1, -1)
    let made = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe pipe($0) }
    }
    guard made == 0 else { return nil }
    defer { close(ends.0) }
    let arguments = [
      "-displayfd", "\(ends.1)", "-screen", "0", "64x64x24", "-nolisten", "tcp", "-noreset", "-extension",
      "GLX",
    ]
    let process = HelperProgram.start([program] + arguments, closing: ends.0)
    close(ends.1)
    return process.flatMap { _ in readNumber(ends.0) }
  }

  /// Reads up to the line feed: the program writes the number first, and dies when it cannot write the rest.
  private static func readNumber(_ descriptor: Int32) -> String? {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&watched, 1, startMilliseconds) > 0 else { return nil }
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
        count = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
      }
      guard !bytes.isEmpty else { return nil }
      line += bytes
    }
    let number = String(decoding: line.dropLast(), as: UTF8.self)
    return Int32(number).map(String.init)
  }
}
