/// What one step of a survey came to.
public enum SurveyVerdict: String, Sendable, CaseIterable {
  /// The parser gave what a reader needs.
  case ok
  /// The parser gave nothing, and every page came.
  case empty
  /// The parser gave something, and fields are gone that the last survey had.
  case fewer
  /// The parser threw, never answered, or gave something of another shape.
  case fault
  /// The site leads to another name for good.
  case moved
  /// The site asks for a browser and a person.
  case challenge
  /// The site refuses this network: 403, 429 or 451.
  case blocked
  /// The site asks for a name and a password.
  case login
  /// The site answers with an error status.
  case status
  /// The name of the site has no address.
  case dns
  /// There is no secure connection to the site.
  case tls
  /// The site does not answer in time.
  case timeout
  /// Nobody listens, or the connection breaks before an answer.
  case unreachable
  /// The answer of the site breaks off, has no end, or goes in circles.
  case answer
  /// Nothing can be said: this machine, its proxy, or a recording without the page.
  case unknown
  /// An earlier step left nothing to ask for.
  case skipped

  /// Who has to act.
  public enum Blame: String, Sendable {
    /// Nobody.
    case none
    /// The author of the parser.
    case parser
    /// The owner of the site, or nobody: time.
    case site
    /// The network from which was asked, so that readers may see something else.
    case network
  }

  /// Who has to act; for `empty` only a guess, which a look at the family makes better.
  public var blame: Blame {
    switch self {
    case .ok, .skipped: .none
    case .empty, .fewer, .fault: .parser
    case .moved, .login, .status, .dns, .tls, .timeout, .unreachable, .answer: .site
    case .challenge, .blocked, .unknown: .network
    }
  }

  /// Whether the same host need not be asked for the other steps.
  var endsSource: Bool {
    switch self {
    case .challenge, .blocked, .dns, .tls, .timeout, .unreachable, .unknown: true
    case .ok, .empty, .fewer, .fault, .moved, .login, .status, .answer, .skipped: false
    }
  }
}

/// What readers of a source can do.
public enum SurveyState: String, Sendable, CaseIterable {
  /// Everything.
  case ok
  /// Read, but search, pictures or some fields are missing; or the site is down for the moment.
  case degraded
  /// Not read.
  case broken
  /// Read, under another name of the site.
  case moved
  /// Cannot be known from where was asked.
  case unknown

  /// Whether somebody has to look at it.
  public var isBad: Bool { self == .degraded || self == .broken || self == .moved }
}

/// What became of a source since the survey before.
public enum SurveyChange: String, Sendable, CaseIterable {
  /// It was well, or not there, and is not well.
  case new
  /// It was not well, and is.
  case fixed
  /// It was not well, and is not.
  case still
}
