internal import CWebKit
internal import ParserEngine

/// A web view that is never shown, with a page that may load nothing.
///
/// The callbacks get the view that registered them, which lives as long as the process.
@safe final class HiddenView {
  private static let page = "<!DOCTYPE html><html><head><title>parsers</title></head><body></body></html>"
  /// Scripts may be made from text, as in the pages of apps; everything else that a page could load is forbidden.
  private static let policy = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'"
  /// Nobody listens there.
  private static let deadProxy = "http://127.0.0.1:1"

  private let channel: FrameChannel
  private let onReady: () -> Void
  private var isReady = false
  private var view: UnsafeMutablePointer<WebKitWebView>?
  private var content: UnsafeMutablePointer<WebKitUserContentManager>?

  init(scripts: PageScripts, channel: FrameChannel, onReady: @escaping () -> Void) {
    self.channel = channel
    self.onReady = onReady
    let content = unsafe webkit_user_content_manager_new()
    unsafe self.content = content
    unsafe listen(content)
    let view = unsafe cwebkit_view_new(Self.context(), content, Self.settings(), Self.policy)
    unsafe self.view = view
    unsafe connect(view)
    load(scripts)
  }

  /// Replaces the page by a new one in the same processes.
  func renew(_ scripts: PageScripts) {
    unsafe webkit_user_content_manager_remove_all_scripts(content)
    load(scripts)
  }

  private func load(_ scripts: PageScripts) {
    isReady = false
    add(scripts)
    unsafe webkit_web_view_load_html(view, Self.page, EnginePage.address)
  }

  /// Evaluates a script and reports its end, unless nobody waits for it.
  func evaluate(_ order: ScriptOrder) {
    let running = Evaluation(order, channel)
    // What a script comes to is not asked for, and a function as its value would count as a failure.
    let text = order.text + "\n;undefined"
    unsafe webkit_web_view_evaluate_javascript(
      view, text, gssize(text.utf8.count), nil, EnginePage.address + order.name, nil,
      { source, result, context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Evaluation>.fromOpaque(context).takeRetainedValue().end(source, result)
      }, Unmanaged.passRetained(running).toOpaque())
  }

  // MARK: Making it

  private static func context() -> UnsafeMutablePointer<WebKitWebContext>? {
    // Ephemeral: cookies, caches and databases are kept in memory, and the page can use none of them anyway.
    let data = unsafe webkit_website_data_manager_new_ephemeral()
    let proxy = unsafe webkit_network_proxy_settings_new(deadProxy, nil)
    unsafe webkit_website_data_manager_set_network_proxy_settings(
      data, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, proxy)
    unsafe webkit_network_proxy_settings_free(proxy)
    let context = unsafe webkit_web_context_new_with_website_data_manager(data)
    unsafe webkit_web_context_set_cache_model(context, WEBKIT_CACHE_MODEL_DOCUMENT_VIEWER)
    unsafe webkit_web_context_set_spell_checking_enabled(context, 0)
    return unsafe context
  }

  private static func settings() -> UnsafeMutablePointer<WebKitSettings>? {
    let settings = unsafe webkit_settings_new()
    unsafe webkit_settings_set_hardware_acceleration_policy(
      settings, WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER)
    unsafe webkit_settings_set_enable_html5_local_storage(settings, 0)
    unsafe webkit_settings_set_enable_html5_database(settings, 0)
    unsafe webkit_settings_set_enable_webgl(settings, 0)
    unsafe webkit_settings_set_enable_webaudio(settings, 0)
    unsafe webkit_settings_set_enable_media(settings, 0)
    unsafe webkit_settings_set_enable_media_stream(settings, 0)
    unsafe webkit_settings_set_enable_page_cache(settings, 0)
    unsafe webkit_settings_set_enable_fullscreen(settings, 0)
    unsafe webkit_settings_set_allow_modal_dialogs(settings, 0)
    unsafe webkit_settings_set_javascript_can_open_windows_automatically(settings, 0)
    return unsafe settings
  }

  private func listen(_ content: UnsafeMutablePointer<WebKitUserContentManager>?) {
    unsafe cwebkit_on_message(
      content, "script-message-received::\(PageScripts.handlerName)",
      { _, result, context in
        guard let context = unsafe context, let result = unsafe result else { return }
        unsafe Unmanaged<HiddenView>.fromOpaque(context).takeUnretainedValue().receive(result)
      }, reference)
    // The handler is in a world of its own: the page shares the document with it, and no object.
    unsafe webkit_user_content_manager_register_script_message_handler_in_world(
      content, PageScripts.handlerName, PageScripts.handlerName)
  }

  private func add(_ scripts: PageScripts) {
    let carrier = unsafe webkit_user_script_new_for_world(
      scripts.carrier, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START,
      PageScripts.handlerName, nil, nil)
    let bridge = unsafe webkit_user_script_new(
      scripts.bridge, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_END, nil,
      nil)
    unsafe webkit_user_content_manager_add_script(content, carrier)
    unsafe webkit_user_content_manager_add_script(content, bridge)
    unsafe webkit_user_script_unref(carrier)
    unsafe webkit_user_script_unref(bridge)
  }

  private func connect(_ view: UnsafeMutablePointer<WebKitWebView>?) {
    unsafe cwebkit_on_load(
      view,
      { _, event, context in
        guard event == WEBKIT_LOAD_FINISHED, let context = unsafe context else { return }
        unsafe Unmanaged<HiddenView>.fromOpaque(context).takeUnretainedValue().loaded()
      }, reference)
    unsafe cwebkit_on_end(
      view,
      { _, reason, context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<HiddenView>.fromOpaque(context).takeUnretainedValue().ended(reason)
      }, reference)
    unsafe cwebkit_on_policy(
      view,
      { _, decision, _, context in
        guard let context = unsafe context else { return 0 }
        let view = unsafe Unmanaged<HiddenView>.fromOpaque(context).takeUnretainedValue()
        // The page itself is the only thing that is ever loaded.
        guard view.isReady else { return 0 }
        unsafe webkit_policy_decision_ignore(decision)
        return 1
      }, reference)
    for question in ["script-dialog", "print", "permission-request", "run-file-chooser", "show-notification"]
    {
      unsafe cwebkit_on_question(view, question, { _, _, _ in 1 })
    }
  }

  private var reference: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  // MARK: What happens

  private func loaded() {
    guard !isReady else { return }
    isReady = true
    onReady()
  }

  private func receive(_ result: OpaquePointer) {
    let value = unsafe webkit_javascript_result_get_js_value(result)
    // The bridge posts strings and nothing else; the parent refuses what is none of the bridge's.
    guard unsafe jsc_value_is_string(value) != 0, let bytes = unsafe jsc_value_to_string_as_bytes(value)
    else {
      return channel.send(EngineFrame(.message, ""))
    }
    defer { unsafe g_bytes_unref(bytes) }
    var count: gsize = 0
    let start = unsafe g_bytes_get_data(bytes, &count)
    let payload = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    channel.send(EngineFrame(.message, payload.count <= EngineFrame.maxBytes ? payload : []))
  }

  private func ended(_ reason: WebKitWebProcessTerminationReason) {
    let text =
      switch reason {
      case WEBKIT_WEB_PROCESS_CRASHED: "it crashed"
      case WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT: "it used too much memory"
      default: "it was ended (\(reason.rawValue))"
      }
    channel.send(EngineFrame(.gone, text))
  }
}

/// A script on its way through the page.
private final class Evaluation {
  private let order: ScriptOrder
  private let channel: FrameChannel

  init(_ order: ScriptOrder, _ channel: FrameChannel) {
    self.order = order
    self.channel = channel
  }

  func end(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?) {
    guard let source = unsafe source else { return }
    var error: UnsafeMutablePointer<GError>?
    let view = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebView.self)
    let value = unsafe webkit_web_view_evaluate_javascript_finish(view, result, &error)
    if let value = unsafe value { unsafe g_object_unref(value) }
    guard let error = unsafe error else { return channel.send(order.done()) }
    defer { unsafe g_error_free(error) }
    // A script that was under way when the web process ended comes to no value at all; that it ended is told besides.
    guard unsafe error.pointee.code == gint(WEBKIT_JAVASCRIPT_ERROR_SCRIPT_FAILED.rawValue) else { return }
    channel.send(order.failed(parsed: true, message: unsafe String(cString: error.pointee.message)))
  }
}
