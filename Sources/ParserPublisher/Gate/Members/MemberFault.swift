internal import OTAManifest
internal import OTAFeed

/// One thing that is wrong with a member that methods use, and all places where they do.
struct MemberFault {
  enum Kind: Hashable {
    /// The member is not there.
    case missing
    /// The member is there and is no method; carries its type.
    case notCallable(String)
    /// A getter is called; carries the type of what it gives.
    case getter(String)
    /// A method is used as if it were a text.
    case readAsText
    /// `this` is another one, or none.
    case lostThis
  }

  struct Key: Hashable {
    let kind: Kind
    let receiver: MemberUses.Receiver
    let name: String
  }

  /// One use, in the text of one method.
  struct Site: Hashable {
    let text: Int
    let offset: Int
    /// The method with its class.
    let caller: String
    let method: String
  }

  let key: Key
  /// The uses, the first ones first; those that are sure before the others.
  var sites: [Site] = []
  var sources: [String] = []
  /// Why the member may be there all the same; `nil` when nothing speaks for it.
  var doubt: Doubt?
  /// Members with similar names.
  var nearest: String?

  /// What keeps a fault from being sure.
  enum Doubt: Equatable {
    case explained(CallExplanation)
    case caught
    /// It is there, and is undefined or null until something sets it.
    case empty
  }

  var severity: Finding.Severity { doubt == nil ? .error : .warning }

  // MARK: Telling

  /// At most this many callers are named.
  private static let maxNamed = 3

  func finding(_ places: MethodPlaces) -> Finding {
    Finding(
      .danglingCall, severity, "\(who) \(what)\(doubtPhrase(places))",
      place: sites.first.map { places.place($0.text, $0.offset) } ?? Finding.Place(), advice: advice
    ).with {
      $0.sources = sources
      $0.method = sites.first?.method
      $0.subject = key.name
    }
  }

  private var callers: [String] {
    var seen: Set<String> = []
    return sites.map(\.caller).filter { seen.insert($0).inserted }
  }

  private var who: String {
    let callers = callers
    guard callers.count > 1 else { return (callers.first ?? "a method").printable() }
    let named = callers.prefix(Self.maxNamed).map { $0.printable() }
    let more = callers.count - named.count
    return named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private var what: String {
    let verb = callers.count > 1 ? ("call", "read", "use") : ("calls", "reads", "uses")
    let member = "\(key.receiver.rawValue).\(key.name.printable())"
    switch key.kind {
    case .missing: return "\(verb.0) \(member)(), which does not exist"
    case .notCallable(let type): return "\(verb.0) \(member)(), which is \(Self.article(type)), not a method"
    case .getter(let type): return "\(verb.0) \(member)(), which is a getter of \(Self.article(type))"
    case .readAsText: return "\(verb.1) \(member) as a text, which is a method"
    case .lostThis: return "\(verb.2) \(member) in a function that is called without this"
    }
  }

  private static func article(_ type: String) -> String {
    switch type {
    case "undefined", "null": type
    case "object": "an object"
    default: "a \(type)"
    }
  }

  private func doubtPhrase(_ places: MethodPlaces) -> String {
    switch doubt {
    case nil: return ""
    case .caught: return "; the error is caught"
    case .empty: return " until something sets it"
    case .explained(let explanation):
      guard let line = explanation.offset.flatMap({ places.place($0).line }) else {
        return "; \(explanation.phrase)"
      }
      return "; line \(line) \(explanation.phrase)"
    }
  }

  private var advice: String {
    let near = nearest.map { "did you mean \($0.printable())? " } ?? ""
    switch key.kind {
    case .missing, .notCallable: return near + "add the method, or correct the name"
    case .getter: return "leave out the brackets"
    case .readAsText: return "call the method: \(key.receiver.rawValue).\(key.name.printable())()"
    case .lostThis: return "use an arrow function, which keeps this"
    }
  }
}
