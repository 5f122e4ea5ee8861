import Foundation
import Synchronization

/// A child of the test process; it is killed when this value goes.
public final class ChildProcess: Sendable {
  /// Why a child is of no use.
  public struct Failure: Error, CustomStringConvertible {
    /// What happened.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  /// The process id.
  public let id: Int32

  private let process: Mutex<Process>
  private let output: FileHandle
  /// Stays open as long as this value, so that the child can notice the end of its parent.
  private let input: FileHandle

  /// Starts a program that is named by its path.
  public init(_ path: String, _ arguments: [String]) throws {
    let (new, stdin, stdout) = (Process(), Pipe(), Pipe())
    new.executableURL = URL(fileURLWithPath: path)
    new.arguments = arguments
    (new.standardInput, new.standardOutput, new.standardError) = (stdin, stdout, FileHandle.nullDevice)
    try new.run()
    id = new.processIdentifier
    (input, output) = (stdin.fileHandleForWriting, stdout.fileHandleForReading)
    process = Mutex(new)
  }

  deinit { kill() }

  /// Ends the child with SIGKILL, because a child of a test inherits a mask that blocks the gentler signals.
  public func kill() {
    process.withLock { process in
      if process.isRunning { Glibc.kill(id, SIGKILL) }
      process.waitUntilExit()
    }
  }

  /// Ends its input and waits for a child that ends with it.
  public func finish() {
    // A second close is the only thing that can fail here.
    try? input.close()
    process.withLock { $0.waitUntilExit() }
  }

  /// The next line of its output without the end; waits for it.
  public func readLine() throws -> String {
    var line: [UInt8] = []
    while let byte = try output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Runs a program to its end and demands success.
  public static func run(_ path: String, _ arguments: [String]) throws {
    let child = try ChildProcess(path, arguments)
    let status = child.process.withLock { process in
      process.waitUntilExit()
      return process.terminationStatus
    }
    guard status == 0 else { throw Failure("\(arguments.joined(separator: " ")): exit \(status)") }
  }
}
