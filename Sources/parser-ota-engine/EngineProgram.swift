internal import CCage
internal import CWebKit
internal import Glibc
internal import OTAManifest
internal import ParserEngine

/// The process around the hidden view: confined first, then served by its parent until that one goes.
enum EngineProgram {
  /// Runs until the parent ends it. Standard input and output are one socket to the parent.
  static func run() -> Never {
    guard isSocket(STDIN_FILENO) else {
      fail("this program is started by parser-ota, and by nobody else", status: 2)
    }
    let arguments = CommandLine.arguments.dropFirst()
    if let confinement = Confinement.current(), arguments.isEmpty { serve(confinement) }
    guard let program = Cage.real("/proc/self/exe") else { fail("/proc is missing", status: 1) }
    Warden.run(Cage(program: program, arguments: [], reading: [program]))
  }

  /// The engine itself, in its cage.
  private static func serve(_ confinement: EngineConfinement) -> Never {
    watchParents()
    do {
      try Display.make(isPrivate: confinement.files == .root)
    } catch {
      fail(error.message, status: 1)
    }
    guard gtk_init_check(nil, nil) != 0 else { fail("the display cannot be used", status: 1) }
    let channel = FrameChannel()
    let service = EngineService(channel: channel, confinement: confinement)
    channel.serve { service.handle($0) }
    gtk_main()
    exit(0)
  }

  /// Ends the program with a sentence for the parent.
  static func fail(_ message: String, status: Int32) -> Never {
    var rest = Array("parser-ota-engine: \(message)\n".utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    exit(status)
  }

  static func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Kills the whole group when the tool or the warden is gone, also while the main thread is busy with a page.
  private static func watchParents() {
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { _ in
        var watched = [
          pollfd(fd: STDIN_FILENO, events: 0, revents: 0),
          pollfd(fd: Int32(CCAGE_LIFELINE), events: 0, revents: 0),
        ]
        while unsafe poll(&watched, nfds_t(watched.count), -1) <= 0 {}
        kill(0, SIGKILL)
        // The first process of a namespace does not kill itself.
        _exit(1)
      }, nil)
  }
}

/// Turns frames into work on the view.
final class EngineService {
  private let channel: FrameChannel
  private let confinement: EngineConfinement
  private var view: HiddenView?

  init(channel: FrameChannel, confinement: EngineConfinement) {
    self.channel = channel
    self.confinement = confinement
  }

  func handle(_ frame: EngineFrame) {
    switch frame.kind {
    case .open:
      guard let scripts = PageScripts(frame.text) else {
        EngineProgram.fail("a page was asked for without its scripts", status: 1)
      }
      let (channel, state) = (channel, confinement.encoded)
      if let view { return view.renew(scripts) }
      view = HiddenView(scripts: scripts, channel: channel) { channel.send(EngineFrame(.ready, state)) }
    case .check, .evaluate:
      guard let view, let order = ScriptOrder(frame.text) else {
        EngineProgram.fail("a script came without a page or without a name", status: 1)
      }
      if frame.kind == .check {
        channel.send(SyntaxCheck.run(order))
      } else {
        view.evaluate(order)
      }
    case .ready, .done, .message, .gone:
      EngineProgram.fail("a frame came that only the engine sends", status: 1)
    }
  }
}

/// A script as it is ordered: an id to answer to, a name, and the text.
struct ScriptOrder {
  /// The id of scripts that nobody waits for.
  static let unanswered = "-"

  let id: String
  let name: String
  let text: String

  init?(_ payload: String) {
    let parts = payload.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    (id, name, text) = (String(parts[0]), String(parts[1]), String(parts[2]))
  }

  /// The answer to the order; `nil` for one that nobody waits for.
  func done(_ fault: [JSONMember] = []) -> EngineFrame? {
    guard id != Self.unanswered else { return nil }
    return EngineFrame(
      .done, JSONValue.object([JSONMember("id", .string(id))] + fault).encoded(indented: false))
  }

  /// The answer when the script failed.
  func failed(parsed: Bool, message: String, line: Int? = nil, column: Int? = nil) -> EngineFrame? {
    var fault = [
      JSONMember("message", .string(message)), JSONMember("script", .string(name)),
      JSONMember("parsed", .bool(parsed)),
    ]
    for (key, number) in [("line", line), ("column", column)] {
      // The engine says 0 where it does not know.
      if let number, number > 0 { fault.append(JSONMember(key, .integer(Int64(number)))) }
    }
    return done(fault)
  }
}
