#ifndef CWEBKIT_SHIM_H
#define CWEBKIT_SHIM_H
#include <glib-unix.h>
#include <webkit2/webkit2.h>

/* The cast macros of GObject and its functions with a variable number of arguments, typed for what the engine needs. */

typedef void (*cwebkit_message_handler)(WebKitUserContentManager *, WebKitJavascriptResult *, gpointer);
typedef void (*cwebkit_load_handler)(WebKitWebView *, WebKitLoadEvent, gpointer);
typedef gboolean (*cwebkit_policy_handler)(WebKitWebView *, WebKitPolicyDecision *, WebKitPolicyDecisionType, gpointer);
typedef void (*cwebkit_end_handler)(WebKitWebView *, WebKitWebProcessTerminationReason, gpointer);
typedef gboolean (*cwebkit_refusal)(WebKitWebView *, gpointer, gpointer);

static inline WebKitWebView *cwebkit_view_new(WebKitWebContext *context, WebKitUserContentManager *content,
                                              WebKitSettings *settings, const char *policy) {
  return WEBKIT_WEB_VIEW(g_object_ref_sink(g_object_new(
      WEBKIT_TYPE_WEB_VIEW, "web-context", context, "user-content-manager", content, "settings", settings,
      "default-content-security-policy", policy, NULL)));
}

static inline void cwebkit_on_message(WebKitUserContentManager *content, const char *signal,
                                      cwebkit_message_handler handler, gpointer data) {
  g_signal_connect_data(content, signal, G_CALLBACK(handler), data, NULL, 0);
}
static inline void cwebkit_on_load(WebKitWebView *view, cwebkit_load_handler handler, gpointer data) {
  g_signal_connect_data(view, "load-changed", G_CALLBACK(handler), data, NULL, 0);
}
static inline void cwebkit_on_policy(WebKitWebView *view, cwebkit_policy_handler handler, gpointer data) {
  g_signal_connect_data(view, "decide-policy", G_CALLBACK(handler), data, NULL, 0);
}
static inline void cwebkit_on_end(WebKitWebView *view, cwebkit_end_handler handler, gpointer data) {
  g_signal_connect_data(view, "web-process-terminated", G_CALLBACK(handler), data, NULL, 0);
}
/* For the signals that ask a person something: the answer is TRUE, "I have dealt with it", and nothing is shown. */
static inline void cwebkit_on_question(WebKitWebView *view, const char *signal, cwebkit_refusal handler) {
  g_signal_connect_data(view, signal, G_CALLBACK(handler), NULL, NULL, 0);
}
#endif
