/// The command line that the conformance suite uses.
struct ClientArguments {
  var metadataDirectory = ""
  var metadataURL = ""
  var targetNames: [String] = []
  var targetBaseURL = ""
  var targetDirectory = ""
  /// The command and what follows it.
  var words: [String] = []

  init(_ arguments: [String]) throws(ClientFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        words.append(argument)
        continue
      }
      guard let value = rest.popFirst() else { throw ClientFailure("\(argument) has no value") }
      switch argument {
      case "--metadata-dir": metadataDirectory = value
      case "--metadata-url": metadataURL = value
      case "--target-name": targetNames.append(value)
      case "--target-base-url": targetBaseURL = value
      case "--target-dir": targetDirectory = value
      default: throw ClientFailure("\(argument) is not known")
      }
    }
  }
}

/// Something that ends the program with status 1.
struct ClientFailure: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
