internal import CWebKit
internal import ParserEngine

/// Parses scripts with the engine's own parser, without running anything.
enum SyntaxCheck {
  /// Parses a script as a program.
  static func run(_ order: ScriptOrder) -> EngineFrame? {
    let context = unsafe jsc_context_new()
    defer { unsafe g_object_unref(context) }
    var exception: UnsafeMutablePointer<JSCException>?
    let result = unsafe jsc_context_check_syntax(
      context, order.text, gssize(order.text.utf8.count), JSC_CHECK_SYNTAX_MODE_SCRIPT, order.name, 1,
      &exception)
    guard result != JSC_CHECK_SYNTAX_RESULT_SUCCESS else { return order.done() }
    guard let exception = unsafe exception else {
      return order.failed(parsed: false, message: "SyntaxError: the engine gives up (\(result.rawValue))")
    }
    defer { unsafe g_object_unref(exception) }
    let text = unsafe jsc_exception_get_message(exception).map { unsafe String(cString: $0) }
    return order.failed(
      parsed: false, message: "SyntaxError: \(text ?? "it does not parse")",
      line: Int(unsafe jsc_exception_get_line_number(exception)),
      column: Int(unsafe jsc_exception_get_column_number(exception)))
  }
}
