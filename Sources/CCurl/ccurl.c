#define _GNU_SOURCE
#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The numbers of options that are deprecated or new in some headers: the library that is opened may be older
// or newer than the header that was compiled. The protocol options have successors since 7.85.
enum {
  PROTOCOLS = 181,
  REDIR_PROTOCOLS = 182,
  PROTOCOLS_STR = 10318,
  REDIR_PROTOCOLS_STR = 10319,
  QUICK_EXIT = 322,
};

#define FUNCTIONS(X)                                                                                   \
  X(CURLcode, global_init, (long))                                                                     \
  X(CURL *, easy_init, (void))                                                                         \
  X(void, easy_cleanup, (CURL *))                                                                      \
  X(CURLcode, easy_setopt, (CURL *, CURLoption, ...))                                                  \
  X(CURLcode, easy_getinfo, (CURL *, CURLINFO, ...))                                                   \
  X(const char *, easy_strerror, (CURLcode))                                                           \
  X(struct curl_slist *, slist_append, (struct curl_slist *, const char *))                            \
  X(void, slist_free_all, (struct curl_slist *))                                                       \
  X(CURLM *, multi_init, (void))                                                                       \
  X(CURLMcode, multi_cleanup, (CURLM *))                                                               \
  X(CURLMcode, multi_add_handle, (CURLM *, CURL *))                                                    \
  X(CURLMcode, multi_remove_handle, (CURLM *, CURL *))                                                 \
  X(CURLMcode, multi_perform, (CURLM *, int *))                                                        \
  X(CURLMcode, multi_poll, (CURLM *, struct curl_waitfd[], unsigned int, int, int *))                  \
  X(CURLMcode, multi_wakeup, (CURLM *))                                                                \
  X(CURLMsg *, multi_info_read, (CURLM *, int *))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(MEMBER) } curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];
static int loaded;

static void *open_library(void) {
  void *library = dlopen("libcurl.so.4", RTLD_LOCAL | RTLD_NOW);
  if (!library) {
    const char *text = dlerror();
    snprintf(failure, sizeof failure, "libcurl.so.4 is not installed (%s); install libcurl4", text ? text : "?");
    library = dlopen("libcurl.so", RTLD_LOCAL | RTLD_NOW);
  }
  return library;
}

static void load(void) {
  void *library = open_library();
  if (!library) return;
#define RESOLVE(result, name, parameters)                                                              \
  if (!(*(void **)&curl.name = dlsym(library, "curl_" #name))) {                                       \
    snprintf(failure, sizeof failure, "libcurl.so.4 is too old: it has no curl_" #name "; 7.68 is needed"); \
    return;                                                                                            \
  }
  FUNCTIONS(RESOLVE)
  CURLcode code = curl.global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    snprintf(failure, sizeof failure, "libcurl.so.4 does not start: %s", curl.easy_strerror(code));
    return;
  }
  loaded = 1;
}

int ccurl_load(const char **error) {
  pthread_once(&once, load);
  if (!loaded) *error = failure;
  return loaded ? 0 : -1;
}

CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }
const char *ccurl_easy_strerror(CURLcode code) { return curl.easy_strerror(code); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_str(CURL *easy, CURLoption option, const char *value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_ptr(CURL *easy, CURLoption option, void *value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_callback(CURL *easy, CURLoption option, ccurl_data_callback value) {
  return curl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_only_protocol(CURL *easy, int plain_http) {
  CURLcode code = curl.easy_setopt(easy, (CURLoption)PROTOCOLS_STR, plain_http ? "http" : "https");
  if (code == CURLE_OK) return curl.easy_setopt(easy, (CURLoption)REDIR_PROTOCOLS_STR, "https");
  code = curl.easy_setopt(easy, (CURLoption)PROTOCOLS, (long)(plain_http ? CURLPROTO_HTTP : CURLPROTO_HTTPS));
  if (code != CURLE_OK) return code;
  return curl.easy_setopt(easy, (CURLoption)REDIR_PROTOCOLS, (long)CURLPROTO_HTTPS);
}

void ccurl_set_quick_exit(CURL *easy) { (void)curl.easy_setopt(easy, (CURLoption)QUICK_EXIT, 1L); }

CURLcode ccurl_set_id(CURL *easy, uint64_t value) {
  return curl.easy_setopt(easy, CURLOPT_PRIVATE, (void *)(uintptr_t)value);
}
uint64_t ccurl_get_id(CURL *easy) {
  char *value = NULL;
  curl.easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return (uint64_t)(uintptr_t)value;
}
long ccurl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl.easy_getinfo(easy, info, &value);
  return value;
}
int64_t ccurl_get_microseconds(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl.easy_getinfo(easy, info, &value);
  return value;
}
const char *ccurl_get_str(CURL *easy, CURLINFO info) {
  const char *value = NULL;
  curl.easy_getinfo(easy, info, &value);
  return value;
}

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
  return curl.slist_append(list, text);
}
void ccurl_slist_free_all(struct curl_slist *list) { curl.slist_free_all(list); }

CURLM *ccurl_multi_init(void) { return curl.multi_init(); }
CURLMcode ccurl_multi_cleanup(CURLM *multi) { return curl.multi_cleanup(multi); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) { return curl.multi_add_handle(multi, easy); }
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return curl.multi_remove_handle(multi, easy);
}
CURLMcode ccurl_multi_perform(CURLM *multi) {
  int running = 0;
  return curl.multi_perform(multi, &running);
}
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
  return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode ccurl_multi_wakeup(CURLM *multi) { return curl.multi_wakeup(multi); }
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl.multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

void ccurl_name_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }
