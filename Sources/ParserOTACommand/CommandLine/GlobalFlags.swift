/// The flags that shape the output, read from the tokens alone so that they hold for usage errors too.
struct GlobalFlags: Equatable, Sendable {
  var json = false
  var quiet = false
  var noColor = false
  var help = false

  init() {}

  init(_ tokens: [Token]) {
    for case .option(let name, _, _) in tokens {
      switch name {
      case "--json": json = true
      case "--quiet", "-q": quiet = true
      case "--no-color": noColor = true
      case "--help", "-h": help = true
      default: continue
      }
    }
  }
}
