/// Decides from single calls, as they come, whether a release fails more often than the last good one did.
///
/// Wald's sequential probability ratio test of two rates: that of the last good release, and one that is clearly worse.
/// Source: A. Wald, Sequential Tests of Statistical Hypotheses, 1945.
struct SequentialTest: Equatable, Sendable {
  /// How often a good release may be undone.
  static let falseAlarms = 0.01
  /// How often a bad release may be confirmed.
  static let misses = 0.05
  /// Fewer calls decide nothing.
  static let minimumCalls = 20
  /// Fewer errors undo nothing: one bad source must not.
  static let minimumErrors = 5

  /// What the calls say so far.
  enum Verdict: Equatable, Sendable {
    case undecided, good, bad
  }

  /// The rate that a good release has, cautiously from what is known of the last one.
  let usual: Double
  /// The rate that a bad release has at least.
  let worse: Double

  /// Compares with the calls of the last good release; few or none of them count as many errors as are plausible.
  init(errors: Int, calls: Int) {
    // The upper end of an interval that is right nine times in ten (Agresti and Coull).
    let count = Double(calls) + 4
    let rate = (Double(errors) + 2) / count
    let upper =
      calls < Self.minimumCalls ? max(rate, 0.15) : rate + 1.2816 * (rate * (1 - rate) / count).squareRoot()
    usual = min(max(upper, 0.02), 0.6)
    worse = min(max(usual * 2, usual + 0.2), 0.95)
  }

  /// Judges the calls of a release.
  func verdict(errors: Int, calls: Int) -> Verdict {
    guard calls >= Self.minimumCalls else { return .undecided }
    let ratio =
      Double(errors) * naturalLogarithm(worse / usual) + Double(calls - errors)
      * naturalLogarithm((1 - worse) / (1 - usual))
    if ratio >= naturalLogarithm((1 - Self.misses) / Self.falseAlarms), errors >= Self.minimumErrors {
      return .bad
    }
    return ratio <= naturalLogarithm(Self.misses / (1 - Self.falseAlarms)) ? .good : .undecided
  }
}

/// The natural logarithm of a positive number, exact to about 15 digits: no library of the system is needed for it.
///
/// The significand goes into the series of the inverse hyperbolic tangent, the exponent is counted in ln 2.
func naturalLogarithm(_ value: Double) -> Double {
  guard value > 0, value.isFinite else { return value > 0 ? .infinity : -.infinity }
  var (exponent, significand) = (Double(value.exponent), value.significand)
  if significand > 1.4142135623730951 { (exponent, significand) = (exponent + 1, significand / 2) }
  let ratio = (significand - 1) / (significand + 1)
  var (power, sum) = (ratio, ratio)
  for divisor in stride(from: 3.0, through: 31, by: 2) {
    power *= ratio * ratio
    sum += power / divisor
  }
  return exponent * 0.693_147_180_559_945_3 + 2 * sum
}
