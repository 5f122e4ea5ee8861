internal import CLinux
internal import Glibc

/// A running program that leads a process group of its own; the group is killed when the last reference goes.
///
/// Nothing here blocks but `kill()`. For one thread at a time.
public final class ProgramGroup {
  /// How often memory is read before members are searched for again.
  private static let looksPerSearch = 8

  /// The process id of the leader, which is the id of the group.
  public let id: Int32
  private let socket: Int32
  private let complaints: Pipe
  private var ended: Int32?
  private var looksUntilSearch = 0
  private var members: [ProcessGroupMember] = []

  /// Starts a program with a socket as its standard input and output, and a pipe as its standard error.
  ///
  /// - Parameters:
  ///   - command: the path of the program and its arguments.
  ///   - environment: the whole environment of the program.
  public init(_ command: [String], environment: [String: String]) throws(CommandFault) {
    let complaints = try Pipe()
    var ends: (Int32, Int32) = (-1, -1)
    let made = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) {
        unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, $0)
      }
    }
    guard made == 0 else { throw .failed("socketpair") }
    defer { close(ends.1) }
    guard fcntl(ends.0, F_SETFL, O_NONBLOCK) == 0 else {
      close(ends.0)
      throw .failed("fcntl")
    }
    do {
      id = try Spawn.program(
        command, environment: environment, streams: (ends.1, ends.1, complaints.writer))
    } catch {
      close(ends.0)
      throw error
    }
    complaints.closeWriter()
    socket = ends.0
    self.complaints = complaints
  }

  deinit {
    kill()
    close(socket)
  }

  /// Offers bytes to the program's standard input and returns how many it took; `nil` when it reads no more.
  public func send(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count < 0 else { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// What the program wrote to its standard output since the last call; at most 256 KiB at a time.
  public func receive() -> [UInt8] {
    var waiting: Int32 = 0
    // Asked a thousand times a second, mostly for nothing: room is made for what is there.
    guard unsafe ioctl(socket, UInt(FIONREAD), &waiting) == 0, waiting > 0 else { return [] }
    let room = min(Int(waiting), 256 << 10)
    return unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      // No byte now and the end look the same here; `endStatus` tells them apart.
      count = max(0, unsafe read(socket, buffer.baseAddress, buffer.count))
    }
  }

  /// What the program wrote to its standard error since the last call.
  public func receiveComplaint() -> [UInt8] { complaints.readAvailable() }

  /// The status of the leader as shells count it, once it has ended.
  public func endStatus() -> Int32? {
    if ended == nil { ended = ProcessEnd.poll(id) }
    return ended
  }

  /// Kills every process of the group and waits until all of them are gone; safe to call again.
  public func kill() {
    Glibc.kill(-id, SIGKILL)
    if ended == nil {
      ProcessEnd.wait(id)
      ended = 128 + SIGKILL
    }
    // The members are children of others, so they cannot be waited for. A killed process is gone within milliseconds;
    // the bound is for one that the kernel holds back, and whose end is certain all the same.
    for _ in 0..<500 {
      if ProcessGroupMember.all(of: id).isEmpty { return }
      usleep(2000)
    }
  }

  /// Ends the other processes of this process's group, and what became its children; for a leader, before it ends.
  package static func endOthers() {
    let (leader, group) = (getpid(), getpgrp())
    for _ in 0..<500 {
      while waitpid(-1, nil, WNOHANG) > 0 {}
      let others = ProcessGroupMember.all { $0.parent == leader || $0.group == group }.filter {
        $0.id != leader
      }
      guard !others.isEmpty else { return }
      for process in others { Glibc.kill(process.id, SIGKILL) }
      usleep(2000)
    }
  }

  /// The anonymous and shared memory of all processes of the group, in bytes.
  ///
  /// A process that was started since counts after a few calls: to find it takes a look at all that the machine runs.
  public func memoryBytes() -> Int {
    if looksUntilSearch == 0 {
      members = ProcessGroupMember.all(of: id)
      looksUntilSearch = Self.looksPerSearch
    }
    looksUntilSearch -= 1
    return members.reduce(0) { $0 + $1.memoryBytes }
  }
}

/// A living process of a group, as `/proc` tells it.
struct ProcessGroupMember {
  let id: Int32

  /// The members that still run; a process that ended and was not waited for is none.
  static func all(of group: Int32) -> [ProcessGroupMember] { all { $0.group == group } }

  /// The living processes of the machine that are wanted.
  static func all(where isWanted: ((parent: Int32, group: Int32)) -> Bool) -> [ProcessGroupMember] {
    guard let folder = unsafe opendir("/proc") else { return [] }
    defer { unsafe closedir(folder) }
    var members: [ProcessGroupMember] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe $0.prefix { $0 != 0 }.map(\.self)
      }
      guard let id = Int32(String(decoding: name, as: UTF8.self)), let place = place(of: id), isWanted(place)
      else { continue }
      members.append(ProcessGroupMember(id: id))
    }
    return members
  }

  /// Reads `stat`: after the name, which may hold anything, come the state, the parent and the group.
  private static func place(of id: Int32) -> (parent: Int32, group: Int32)? {
    let text = contents("/proc/\(id)/stat")
    guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard fields.count > 2, let state = fields[0].first, state != UInt8(ascii: "Z"),
      state != UInt8(ascii: "X"),
      let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let group = Int32(String(decoding: fields[2], as: UTF8.self))
    else { return nil }
    return (parent, group)
  }

  /// What the process has that no file backs; 0 for one that ended meanwhile.
  var memoryBytes: Int {
    let lines = Self.contents("/proc/\(id)/status").split(separator: UInt8(ascii: "\n"))
    return lines.reduce(0) { sum, line in
      guard line.starts(with: "RssAnon:".utf8) || line.starts(with: "RssShmem:".utf8) else { return sum }
      let digits = line.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return sum + (Int(String(decoding: digits, as: UTF8.self)) ?? 0) << 10
    }
  }

  /// A small file of the kernel; empty when the process is gone.
  private static func contents(_ path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    return unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
    }
  }
}
