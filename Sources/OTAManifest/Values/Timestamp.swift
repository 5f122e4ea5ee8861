/// A moment in UTC with a precision of one second, written as `2026-06-11T09:12:44Z`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted; within the years 1970 to 9999.
  public let secondsSinceEpoch: Int64

  private static let latest: Int64 = 253_402_300_799

  /// Takes seconds since 1970; values outside the years 1970 to 9999 are moved to the nearest end.
  public init(secondsSinceEpoch: Int64) {
    self.secondsSinceEpoch = min(max(secondsSinceEpoch, 0), Self.latest)
  }

  /// Reads exactly the form `YYYY-MM-DDThh:mm:ssZ` (RFC 3339, UTC only); `nil` for any other text or impossible date.
  ///
  /// A leap second (`:60`) is read as the second after `:59`.
  public init?(_ text: some StringProtocol) {
    let codes = Array(text.utf8)
    let pattern = Array("dddd-dd-ddTdd:dd:ddZ".utf8)
    guard codes.count == pattern.count else { return nil }
    for (code, wanted) in zip(codes, pattern) {
      guard wanted == UInt8(ascii: "d") ? isDigit(code) : code == wanted else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      codes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard year >= 1970, (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = Self.daysSinceEpoch(year: year, month: month, day: day)
    self.init(secondsSinceEpoch: ((days * 24 + hour) * 60 + minute) * 60 + second)
  }

  /// The moment `seconds` later.
  public func advanced(bySeconds seconds: Int64) -> Timestamp {
    let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
    return Timestamp(secondsSinceEpoch: overflow ? (seconds > 0 ? Self.latest : 0) : sum)
  }

  /// Order in time.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.secondsSinceEpoch < right.secondsSinceEpoch
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days from the epoch, counted in eras of 400 years that begin in March.
  private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private var date: (year: Int64, month: Int64, day: Int64) {
    let days = secondsSinceEpoch / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension Timestamp: CustomStringConvertible {
  /// The moment as `2026-06-11T09:12:44Z`.
  public var description: String {
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let (year, month, day) = date
    let second = secondsSinceEpoch % 86_400
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
  }
}
