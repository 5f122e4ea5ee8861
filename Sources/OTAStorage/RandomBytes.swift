/// Bytes from the system's cryptographically secure generator.
public func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<max(count, 0)).map { _ in generator.next() }
}
