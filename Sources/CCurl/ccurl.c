#define _GNU_SOURCE
#include "ccurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

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
  X(CURLSH *, share_init, (void))                                                                      \
  X(CURLSHcode, share_setopt, (CURLSH *, CURLSHoption, ...))                                           \
  X(CURLSHcode, share_cleanup, (CURLSH *))                                                             \
  X(CURLM *, multi_init, (void))                                                                       \
  X(CURLMcode, multi_cleanup, (CURLM *))                                                               \
  X(CURLMcode, multi_add_handle, (CURLM *, CURL *))                                                    \
  X(CURLMcode, multi_remove_handle, (CURLM *, CURL *))                                                 \
  X(CURLMcode, multi_perform, (CURLM *, int *))                                                        \
  X(CURLMcode, multi_poll, (CURLM *, struct curl_waitfd[], unsigned int, int, int *))                  \
  X(CURLMcode, multi_setopt, (CURLM *, CURLMoption, ...))                                              \
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

CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = curl.easy_setopt(easy, CURLOPT_POST, 1L);
  if (code == CURLE_OK) code = curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return curl.easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "");
}

static int is_local_ipv4(uint32_t address, const struct ccurl_guard *guard) {
  static const struct { uint32_t network; int bits; } local[] = {
    {0x00000000, 8}, {0x0A000000, 8}, {0x64400000, 10}, {0xA9FE0000, 16}, {0xAC100000, 12}, {0xC0A80000, 16},
    {0xE0000000, 3},
  };
  if (address >> 24 == 127) return !guard->allows_loopback;
  for (size_t index = 0; index < sizeof local / sizeof *local; index++) {
    if ((address ^ local[index].network) >> (32 - local[index].bits) == 0) return 1;
  }
  return 0;
}

// The prefixes that carry an IPv4 address in their last four bytes: mapped, compatible, and NAT64.
static int carries_ipv4(const uint8_t *bytes) {
  static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  static const uint8_t compatible[12] = {0};
  static const uint8_t nat64[12] = {0, 0x64, 0xFF, 0x9B};
  return !memcmp(bytes, mapped, 12) || !memcmp(bytes, compatible, 12) || !memcmp(bytes, nat64, 12);
}

static int is_local(const struct sockaddr *address, const struct ccurl_guard *guard) {
  if (address->sa_family == AF_INET) {
    return is_local_ipv4(ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr), guard);
  }
  if (address->sa_family != AF_INET6) return 1;
  const uint8_t *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;
  if (!memcmp(bytes, &in6addr_loopback, 16)) return !guard->allows_loopback;
  if (carries_ipv4(bytes)) {
    uint32_t inner = (uint32_t)bytes[12] << 24 | bytes[13] << 16 | bytes[14] << 8 | bytes[15];
    return is_local_ipv4(inner, guard);
  }
  // Unique local fc00::/7, link local and site local fe80::/9, multicast ff00::/8.
  return (bytes[0] & 0xFE) == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0x80) || bytes[0] == 0xFF;
}

static curl_socket_t open_guarded(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  struct ccurl_guard *guard = context;
  if (purpose == CURLSOCKTYPE_IPCXN && is_local(&address->addr, guard)) {
    guard->has_refused = 1;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode ccurl_set_guard(CURL *easy, struct ccurl_guard *guard) {
  CURLcode code = curl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, guard);
  if (code != CURLE_OK) return code;
  return curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_guarded);
}

CURLSH *ccurl_cookies_init(void) {
  CURLSH *share = curl.share_init();
  if (share && curl.share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK) return share;
  if (share) curl.share_cleanup(share);
  return NULL;
}
void ccurl_cookies_cleanup(CURLSH *share) { (void)curl.share_cleanup(share); }
CURLcode ccurl_set_cookies(CURL *easy, CURLSH *share) {
  CURLcode code = curl.easy_setopt(easy, CURLOPT_SHARE, share);
  // An empty name reads no file and turns the cookie engine on.
  return code == CURLE_OK ? curl.easy_setopt(easy, CURLOPT_COOKIEFILE, "") : code;
}

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
int ccurl_certificate_end(CURL *easy, char *text, size_t size) {
  struct curl_certinfo *info = NULL;
  if (curl.easy_getinfo(easy, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1) return -1;
  static const char name[] = "Expire date:";
  for (struct curl_slist *line = info->certinfo[0]; line; line = line->next) {
    if (strncmp(line->data, name, sizeof name - 1)) continue;
    return snprintf(text, size, "%s", line->data + sizeof name - 1) > 0 ? 0 : -1;
  }
  return -1;
}
CURLMcode ccurl_multi_limit_connections(CURLM *multi, long count) {
  return curl.multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, count);
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
