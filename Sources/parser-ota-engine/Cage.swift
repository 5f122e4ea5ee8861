internal import CCage
internal import Glibc
internal import OTAProcess

/// What a program in a cage can see, and what it is given.
struct Cage {
  /// The variable in which the program finds what holds of its cage.
  static let heldName = "PARSER_OTA_HELD"
  /// What the program's environment takes over, when it is there: where libraries and displays are, and nothing of anybody.
  private static let passedOn = [
    "PATH", "LD_LIBRARY_PATH", "LANG", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
    "NODE_PATH",
  ]
  /// The last and largest compiler of the page is left out: what it makes faster is over before it has been compiled, so a
  /// dry run takes a fifth more with it. Without any compiler it takes half as much again.
  private static let engineSettings = ["JSC_useFTLJIT=0"]
  /// Programs, libraries and their data. A system has some of them, as folders or as links.
  private static let system = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/etc/fonts",
    "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/gtk-3.0", "/etc/ssl/openssl.cnf",
    "/etc/X11",
    "/var/cache/fontconfig",
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
  ]
  /// Where programs put what passes; the last one is where every display number 0 keeps its keyboard.
  private static let writable = ["/tmp", "/var/tmp", "/run", "/dev/shm", "/var/lib/xkb"]
  /// Without a root of its own a display needs these, whoever else uses them.
  private static let shared = ["/tmp", "/var/lib/xkb"]

  /// The path of the program.
  let program: String
  private let arguments: [String]
  private let readable: [String]
  /// Pairs of place and text.
  private let links: [String]

  /// Describes a program; nothing is started yet.
  ///
  /// - Parameter reading: what the program needs beside the system's programs and libraries.
  init(program: String, arguments: [String], reading: [String]) {
    self.program = program
    self.arguments = arguments
    var (readable, links): ([String], [String]) = ([], [])
    for path in Self.system {
      if let text = Self.link(at: path) {
        links += [path, text]
      } else {
        readable.append(path)
      }
    }
    for path in reading + Self.ownLibraries() {
      guard let real = Self.real(path) else { continue }
      if !readable.contains(where: { real == $0 || real.hasPrefix($0 + "/") }) { readable.append(real) }
      // The name by which the program is known must lead to it as well.
      if real != path, Self.link(at: path) != nil { links += [path, real] }
    }
    (self.readable, self.links) = (readable, links)
  }

  /// Starts the program and returns its id; below 1 when that cannot be done.
  func start() -> pid_t {
    let held = "\(Self.heldName)=00000000"
    let environment = [held] + Self.environment()
    let lists = [[program] + arguments, environment, readable, links, Self.writable, Self.shared]
    return unsafe Self.withLists(lists[...], []) { lists in
      var plan = unsafe ccage_plan()
      unsafe plan.program = unsafe UnsafePointer(lists[0][0])
      unsafe plan.arguments = unsafe UnsafePointer(lists[0])
      unsafe plan.environment = unsafe UnsafePointer(lists[1])
      unsafe plan.readable = Self.constant(lists[2])
      unsafe plan.links = Self.constant(lists[3])
      unsafe plan.writable = Self.constant(lists[4])
      unsafe plan.shared = Self.constant(lists[5])
      unsafe plan.held = unsafe lists[1][0].map { unsafe $0 + (held.utf8.count - 8) }
      return unsafe ccage_start(&plan)
    }
  }

  private typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Hands over several lists of C strings at once.
  private static func withLists(
    _ rest: ArraySlice<[String]>, _ lists: [List], _ body: ([List]) -> pid_t
  ) -> pid_t {
    guard let first = rest.first else { return unsafe body(lists) }
    return unsafe CStrings.with(first) { list in unsafe withLists(rest.dropFirst(), lists + [list], body) }
  }

  private static func constant(_ texts: List) -> UnsafePointer<UnsafePointer<CChar>?> {
    unsafe UnsafeRawPointer(texts).assumingMemoryBound(to: UnsafePointer<CChar>?.self)
  }

  // MARK: What there is

  private static func environment() -> [String] {
    engineSettings
      + passedOn.compactMap { name in
        guard let value = unsafe getenv(name) else { return nil }
        return "\(name)=\(unsafe String(cString: value))"
      }
  }

  /// The text of a link; `nil` for anything else, and for nothing.
  private static func link(at path: String) -> String? {
    let text = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = max(
        0,
        unsafe readlink(path, UnsafeMutableRawPointer(base).assumingMemoryBound(to: CChar.self), buffer.count)
      )
    }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// The path without links; `nil` when there is nothing.
  static func real(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// The files that are loaded into this process, which may lie anywhere.
  private static func ownLibraries() -> [String] {
    guard let file = unsafe fopen("/proc/self/maps", "re") else { return [] }
    defer { unsafe fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { unsafe free(line) }
    var paths: Set<String> = []
    while unsafe getline(&line, &size, file) > 0, let text = unsafe line {
      let words = unsafe String(cString: text).split(separator: " ", omittingEmptySubsequences: true)
      if words.count >= 6, words[5].hasPrefix("/") {
        paths.insert(words[5...].joined(separator: " ").filter { $0 != "\n" })
      }
    }
    return paths.sorted()
  }
}
