/// The other use of the engine's program: it confines itself and becomes a program that reads a bundle without running it.
package enum ReaderMode {
  /// The first argument that asks for it; the command to become follows.
  package static let argument = "--read-code"
}
