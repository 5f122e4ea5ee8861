import OTACrypto
import OTAFeed
import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

@Suite("a command signs for a key that lies elsewhere")
struct CommandSignerTests {
  private static let message = Array("what is to be signed".utf8)

  private let key: PrivateKey
  private let signature: [UInt8]

  init() throws {
    key = try PrivateKey.generate()
    signature = try key.sign(Self.message)
  }

  private func signer(_ command: String, limit: Duration = .seconds(20)) -> CommandSigner {
    CommandSigner(
      command, publicKey: key.publicKey, environment: ["PATH": "/usr/bin:/bin"], timeLimit: limit)
  }

  private func problem(_ command: String, limit: Duration = .seconds(20)) async -> Problem? {
    do {
      _ = try await signer(command, limit: limit).sign(Self.message)
      return nil
    } catch {
      return error
    }
  }

  private var octal: String {
    signature.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }

  private var hex: String { signature.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

  @Test("raw, hexadecimal and Base64 answers are taken, with at most one newline")
  func forms() async throws {
    let commands = [
      "printf '\(octal)'", "echo \(hex)", "printf \(hex)", "printf '\(hex)\\r\\n'",
      "printf '\(octal)' | base64 -w 0", "printf '\(octal)' | base64 -w 0; echo",
    ]
    for command in commands {
      #expect(try await signer(command).sign(Self.message) == signature, "\(command)")
    }
  }

  @Test("the command gets exactly the bytes on standard input, however many, and the environment it is given")
  func input() async throws {
    try await withTemporaryDirectory { directory in
      let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let signature = try key.sign(bytes)
      let octal = signature.map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }.joined()
      let file = directory.path("seen")
      let signer = CommandSigner(
        "cat > \"$OUT\"; printf '\(octal)'", publicKey: key.publicKey,
        environment: ["PATH": "/usr/bin:/bin", "OUT": file])
      #expect(try await signer.sign(bytes) == signature)
      let seen = try run("/bin/cat", [file]).stdout
      let isSame = seen == bytes
      #expect(isSame, "\(seen.count) bytes arrived")
    }
  }

  @Test("a signature of another message or key is refused, whatever the status says")
  func wrong() async throws {
    let other = try PrivateKey.generate().sign(Self.message)
    let text = other.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let problem = await problem("echo \(text)")
    #expect(problem?.code == .signingFailed)
    #expect(problem?.message.contains("public key does not verify") == true)
  }

  @Test("a command that hangs is ended in time, with all that it started")
  func hang() async throws {
    try await withTemporaryDirectory { directory in
      let problem = await problem(
        "sleep 60 & echo $! > '\(directory.path("pid"))'; wait", limit: .milliseconds(300))
      #expect(problem?.message.contains("had not answered after 0.3 seconds") == true, "\(problem as Any)")
      let pid = try run("/bin/cat", [directory.path("pid")]).output.split(separator: "\n")[0]
      // The killed grandchild may still be waiting to be collected by its new parent; a zombie does not sleep.
      let state = try run("/bin/sh", ["-c", "cat /proc/\(pid)/stat 2>/dev/null | cut -d' ' -f3"]).output
      #expect(!state.hasPrefix("S") && !state.hasPrefix("R"), "\(state)")
    }
  }

  @Test("a failure says status and complaint, in bounds")
  func failure() async throws {
    let said = await problem("echo 'the token is locked' >&2; exit 3")
    #expect(said?.code == .signingFailed)
    #expect(said?.message == "the signing command ended with status 3: the token is locked")
    let silent = await problem("exit 9")
    #expect(silent?.message.contains("status 9 and said nothing") == true)
    let loud = await problem("yes complaint | head -c 100000 >&2; exit 1")
    #expect((loud?.message.count ?? 0) < 2500)
    let killed = await problem("kill -9 $$")
    #expect(killed?.message.contains("status 137") == true)
    let missing = await problem("/no/such/command")
    #expect(missing?.message.contains("status 127") == true)
    let ignoring = await problem("exec 0<&-; exit 4")
    #expect(ignoring?.message.contains("status 4") == true)
  }

  @Test("an answer that is no signature, or has no end, is refused")
  func noSignature() async throws {
    for command in ["true", "echo hello", "printf '\(octal)'; echo", "echo \(hex); echo"] {
      #expect(await problem(command)?.message.contains("not a signature") == true, "\(command)")
    }
    #expect(await problem("yes")?.message.contains("wrote more than") == true)
  }

  @Test("an endless complaint does not stop the clock")
  func endlessComplaint() async throws {
    let problem = await problem("yes >&2", limit: .milliseconds(300))
    #expect(problem?.message.contains("had not answered") == true)
  }

  @Test("a cancelled task ends the command")
  func cancellation() async throws {
    let signer = signer("sleep 60")
    let task = Task { () -> Problem? in
      do {
        _ = try await signer.sign(Self.message)
        return nil
      } catch { return error as? Problem }
    }
    task.cancel()
    #expect(await task.value?.code == .cancelled)
  }
}
