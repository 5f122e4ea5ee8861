internal import OTACrypto

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension CommandTool {
  /// Runs the command line of this process and ends it with the status, or with 128 plus a signal that interrupted it.
  public static func main() -> Never {
    SystemConfiguration.ignore()
    StandardStreams.occupyClosedDescriptors()
    StandardStreams.ignoreBrokenPipes()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let surroundings = Surroundings.ofProcess()
    let ending = withInterruption { await CommandTool().run(arguments: arguments, in: surroundings) }
    switch ending {
    case .returned(let status): exit(status.rawValue)
    case .interrupted(let signal): exit(128 + signal)
    }
  }
}
