// Typed entry points to libcurl, which is opened with dlopen on first use instead of being linked:
// linking it loads some thirty libraries, which costs a local command more than all of its work.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>
#include "ccurl_names.h"

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);

/// Opens libcurl and initialises it, once per process and from any thread. Returns 0, or -1 with a text that
/// lives as long as the process. No other function may be called before this one has returned 0.
int ccurl_load(const char **error);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *easy);
const char *ccurl_easy_strerror(CURLcode code);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_str(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_ptr(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_callback(CURL *easy, CURLoption option, ccurl_data_callback value);
/// Allows exactly one protocol for the URL, and none for redirects (they are followed by the caller).
CURLcode ccurl_set_only_protocol(CURL *easy, int plain_http);
/// Lets a cancelled name lookup end in the background; without effect before libcurl 7.87.
void ccurl_set_quick_exit(CURL *easy);

/// Makes the request a POST with a copy of these bytes as its body.
CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count);

/// What `ccurl_set_guard` works by; must live as long as the handle.
struct ccurl_guard {
  int allows_loopback;
  /// Set when a connection was not made because of where it would have led.
  int has_refused;
};
/// Refuses connections to addresses of local networks, when the name has been looked up and before any byte is sent.
CURLcode ccurl_set_guard(CURL *easy, struct ccurl_guard *guard);

/// A jar of cookies for the handles of one thread; outlives them. NULL when there is no memory.
CURLSH *ccurl_cookies_init(void);
void ccurl_cookies_cleanup(CURLSH *share);
CURLcode ccurl_set_cookies(CURL *easy, CURLSH *share);

/// A number of the caller's own, to find a transfer again when it is done.
CURLcode ccurl_set_id(CURL *easy, uint64_t value);
uint64_t ccurl_get_id(CURL *easy);
long ccurl_get_long(CURL *easy, CURLINFO info);
/// Microseconds; 0 while the event has not happened.
int64_t ccurl_get_microseconds(CURL *easy, CURLINFO info);
/// Copies the end of the server's own certificate, as OpenSSL writes it; -1 without one. Needs CURLOPT_CERTINFO.
int ccurl_certificate_end(CURL *easy, char *text, size_t size);
/// Valid until the next call on the handle; NULL when there is nothing.
const char *ccurl_get_str(CURL *easy, CURLINFO info);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_perform(CURLM *multi);
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
/// The most connections to one host; transfers share a connection that speaks HTTP/2, and wait for another one.
CURLMcode ccurl_multi_limit_connections(CURLM *multi, long count);
/// The only call that is allowed from another thread.
CURLMcode ccurl_multi_wakeup(CURLM *multi);
/// The next finished transfer, or NULL.
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

/// Names the calling thread for debuggers; at most 15 bytes count.
void ccurl_name_thread(const char *name);

#endif
