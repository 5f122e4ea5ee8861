internal import OTAFeed
internal import GateScripts
internal import OTAManifest
internal import OTAProcess
internal import ParserEngine

/// Reads a bundle with the tools that authors of JavaScript have: a child process that parses and never runs it.
///
/// The child is started through the engine's program, which confines itself first and then becomes Node.js.
struct CodeReader: Sendable {
  /// Why a bundle was not read; the text is the rest of a sentence.
  struct Fault: Error, Equatable {
    let reason: String
    /// Whether the tools are not there, which is no fault of anything.
    var isMissing = false
  }

  /// The longest answer that is taken, in bytes.
  private static let maxAnswerBytes = 16 << 20
  /// How often memory is looked at.
  private static let memoryPause: Duration = .milliseconds(100)

  let program: String
  let environment: [String: String]
  var timeLimit: Duration = .seconds(60)
  var maxMemoryBytes = 2 << 30

  /// Asks for everything that can be read from a bundle.
  func read(_ question: CodeQuestion) async -> Result<CodeReading, Fault> {
    guard let tools = CodeTools(environment: environment) else {
      return .failure(Fault(reason: "Node.js is not installed", isMissing: true))
    }
    do throws(Fault) {
      let answer = try await ask(question.encoded(folders: tools.folders), tools)
      do {
        return .success(try CodeReading(answer, maxBytes: Self.maxAnswerBytes))
      } catch {
        return .failure(Fault(reason: "the reader's answer \(error.message)"))
      }
    } catch {
      return .failure(error)
    }
  }

  private func ask(_ question: [UInt8], _ tools: CodeTools) async throws(Fault) -> [UInt8] {
    var variables = environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
    variables["LANG"] = "C.UTF-8"
    variables["NODE_PATH"] = tools.folders.joined(separator: ":")
    let heap = "--max-old-space-size=\(maxMemoryBytes >> 20)"
    let group: ProgramGroup
    do {
      group = try ProgramGroup(
        [
          program, ReaderMode.argument, tools.node, heap, "--max-semi-space-size=64", "-e",
          GateScripts.readerStart,
        ],
        environment: variables)
    } catch {
      throw Fault(reason: "the reader cannot be started: \(error)")
    }
    return try await exchange(Array("\(question.count)\n".utf8) + question, group)
  }

  /// Sends all and receives until the child has ended.
  private func exchange(_ question: [UInt8], _ group: ProgramGroup) async throws(Fault) -> [UInt8] {
    var (outbox, answer, complaint) = (question[...], [UInt8](), [UInt8]())
    let deadline = ContinuousClock.now + timeLimit
    var nextLook = ContinuousClock.now + Self.memoryPause
    while true {
      let status = group.endStatus()
      outbox = outbox.dropFirst(group.send(outbox) ?? outbox.count)
      var isIdle = true
      while case let bytes = group.receive(), !bytes.isEmpty {
        answer += bytes
        isIdle = false
        guard answer.count <= Self.maxAnswerBytes else {
          throw Fault(reason: "the reader answers without end")
        }
      }
      complaint += group.receiveComplaint().suffix(4096)
      if let status { return try Self.result(status, answer, complaint) }
      let now = ContinuousClock.now
      guard now < deadline else {
        throw Fault(reason: "reading took more than \(timeLimit.components.seconds) s")
      }
      if now >= nextLook {
        nextLook = now + Self.memoryPause
        guard group.memoryBytes() <= maxMemoryBytes else {
          throw Fault(reason: "reading took more than \(maxMemoryBytes >> 20) MiB of memory")
        }
      }
      do {
        if isIdle { try await Pause.wait(milliseconds: 3) }
      } catch {
        throw Fault(reason: "it was cancelled")
      }
    }
  }

  private static func result(
    _ status: Int32, _ answer: [UInt8], _ complaint: [UInt8]
  ) throws(Fault) -> [UInt8] {
    guard status != 0 else { return answer }
    let lines = String(decoding: complaint, as: UTF8.self).split(separator: "\n")
    let told = lines.last { $0.contains("Error") || $0.hasPrefix("parser-ota-engine:") } ?? lines.last
    let words = told.map { String($0).printable(maxCharacters: 200) } ?? "status \(status)"
    throw Fault(reason: "the reader ended early: \(words)")
  }
}
