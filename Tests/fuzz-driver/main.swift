import Foundation
import FuzzTargets

// fuzz-driver TARGET seeds FOLDER      writes the starting points of a target
// fuzz-driver TARGET run ARGUMENT...   runs libFuzzer with these arguments
// fuzz-driver list                     prints the names of all targets

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Set before the fuzzer starts; its callback can carry nothing.
nonisolated(unsafe) var chosen = FuzzTarget.all[0]

func writeSeeds(to folder: String) throws {
  for (number, seed) in try chosen.seeds().enumerated() {
    try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
  }
}

/// What the fuzzer calls, under the name that its library wants to exist.
@_cdecl("LLVMFuzzerTestOneInput")
func check(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  do {
    try chosen.check(Array(UnsafeBufferPointer(start: bytes, count: size)))
  } catch {
    FileHandle.standardError.write(Data("broken rule: \(error)\n".utf8))
    abort()
  }
  return 0
}

func fuzz(_ arguments: [String]) -> CInt {
  var pointers = (["fuzz-driver"] + arguments).map { strdup($0) } + [nil]
  var count = CInt(pointers.count - 1)
  return pointers.withUnsafeMutableBufferPointer { buffer in
    var base = buffer.baseAddress
    return runFuzzer(&count, &base, check)
  }
}

let words = CommandLine.arguments.dropFirst()
if words.first == "list" {
  print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
  exit(0)
}
guard words.count >= 3, let target = FuzzTarget.all.first(where: { $0.name == words[1] }) else {
  FileHandle.standardError.write(Data("error: no such target\n".utf8))
  exit(2)
}
chosen = target
if words[2] == "seeds" { try writeSeeds(to: words[3]) } else { exit(fuzz(Array(words.dropFirst(2)))) }
