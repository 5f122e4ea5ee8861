// The few names of libcurl's binary interface that are used here, for machines without its headers: the library itself is
// opened at run time, so nothing else is needed. The numbers never change; they are those of <https://curl.se/libcurl/>.
#ifndef CCURL_NAMES_H
#define CCURL_NAMES_H

#if __has_include(<curl/curl.h>) && !defined(CCURL_OWN_NAMES)
#include <curl/curl.h>
#else

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef void CURL;
typedef void CURLM;
typedef void CURLSH;
typedef int curl_socket_t;
#define CURL_SOCKET_BAD (-1)
#define CURL_ERROR_SIZE 256
#define CURL_GLOBAL_DEFAULT 3
#define CURLPROTO_HTTP 1
#define CURLPROTO_HTTPS 2
#define CURL_IPRESOLVE_V4 1
#define CURL_IPRESOLVE_V6 2

typedef enum {
  CURLE_OK = 0,
  CURLE_URL_MALFORMAT = 3,
  CURLE_COULDNT_RESOLVE_PROXY = 5,
  CURLE_COULDNT_RESOLVE_HOST = 6,
  CURLE_COULDNT_CONNECT = 7,
  CURLE_HTTP2 = 16,
  CURLE_PARTIAL_FILE = 18,
  CURLE_OUT_OF_MEMORY = 27,
  CURLE_OPERATION_TIMEDOUT = 28,
  CURLE_SSL_CONNECT_ERROR = 35,
  CURLE_INTERFACE_FAILED = 45,
  CURLE_GOT_NOTHING = 52,
  CURLE_SEND_ERROR = 55,
  CURLE_RECV_ERROR = 56,
  CURLE_SSL_CIPHER = 59,
  CURLE_PEER_FAILED_VERIFICATION = 60,
  CURLE_BAD_CONTENT_ENCODING = 61,
  CURLE_USE_SSL_FAILED = 64,
  CURLE_SSL_CACERT_BADFILE = 77,
  CURLE_SSL_ISSUER_ERROR = 83,
  CURLE_SSL_INVALIDCERTSTATUS = 91,
  CURLE_HTTP2_STREAM = 92,
  CURLE_PROXY = 97,
} CURLcode;

typedef enum {
  CURLOPT_SSLVERSION = 32,
  CURLOPT_NOBODY = 44,
  CURLOPT_POST = 47,
  CURLOPT_NETRC = 51,
  CURLOPT_FOLLOWLOCATION = 52,
  CURLOPT_HTTPGET = 80,
  CURLOPT_HTTP_VERSION = 84,
  CURLOPT_BUFFERSIZE = 98,
  CURLOPT_NOSIGNAL = 99,
  CURLOPT_IPRESOLVE = 113,
  CURLOPT_CONNECTTIMEOUT_MS = 156,
  CURLOPT_CERTINFO = 172,
  CURLOPT_PIPEWAIT = 237,
  CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
  CURLOPT_DISALLOW_USERNAME_IN_URL = 278,
  CURLOPT_WRITEDATA = 10001,
  CURLOPT_URL = 10002,
  CURLOPT_PROXY = 10004,
  CURLOPT_RANGE = 10007,
  CURLOPT_ERRORBUFFER = 10010,
  CURLOPT_USERAGENT = 10018,
  CURLOPT_CUSTOMREQUEST = 10036,
  CURLOPT_COOKIE = 10022,
  CURLOPT_HTTPHEADER = 10023,
  CURLOPT_HEADERDATA = 10029,
  CURLOPT_COOKIEFILE = 10031,
  CURLOPT_CAINFO = 10065,
  CURLOPT_CAPATH = 10097,
  CURLOPT_SHARE = 10100,
  CURLOPT_ACCEPT_ENCODING = 10102,
  CURLOPT_PRIVATE = 10103,
  CURLOPT_OPENSOCKETDATA = 10164,
  CURLOPT_COPYPOSTFIELDS = 10165,
  CURLOPT_NOPROXY = 10177,
  CURLOPT_WRITEFUNCTION = 20011,
  CURLOPT_HEADERFUNCTION = 20079,
  CURLOPT_OPENSOCKETFUNCTION = 20163,
  CURLOPT_POSTFIELDSIZE_LARGE = 30120,
} CURLoption;

typedef enum {
  CURLINFO_PRIVATE = 1048597,
  CURLINFO_REDIRECT_URL = 1048607,
  CURLINFO_PRIMARY_IP = 1048608,
  CURLINFO_SSL_VERIFYRESULT = 2097165,
  CURLINFO_HTTP_CONNECTCODE = 2097174,
  CURLINFO_OS_ERRNO = 2097177,
  CURLINFO_HTTP_VERSION = 2097198,
  CURLINFO_CERTINFO = 4194338,
  CURLINFO_PRETRANSFER_TIME_T = 6291509,
} CURLINFO;

typedef enum {
  CURLM_OK = 0,
} CURLMcode;

typedef enum {
  CURLMOPT_MAX_HOST_CONNECTIONS = 7,
} CURLMoption;

typedef enum {
  CURLSHE_OK = 0,
} CURLSHcode;

typedef enum {
  CURLSHOPT_SHARE = 1,
} CURLSHoption;

typedef enum {
  CURLMSG_NONE = 0,
  CURLMSG_DONE = 1,
} CURLMSG;

typedef enum {
  CURL_LOCK_DATA_COOKIE = 2,
} curl_lock_data;

enum CURL_NETRC_OPTION {
  CURL_NETRC_IGNORED = 0,
};

enum {
  CURL_HTTP_VERSION_1_0 = 1,
  CURL_HTTP_VERSION_1_1 = 2,
  CURL_HTTP_VERSION_2_0 = 3,
  CURL_HTTP_VERSION_2TLS = 4,
  CURL_SSLVERSION_TLSv1_2 = 6,
};

struct curl_slist {
  char *data;
  struct curl_slist *next;
};

struct curl_certinfo {
  int num_of_certs;
  struct curl_slist **certinfo;
};

typedef struct {
  CURLMSG msg;
  CURL *easy_handle;
  union {
    void *whatever;
    CURLcode result;
  } data;
} CURLMsg;

typedef int64_t curl_off_t;

typedef enum {
  CURLSOCKTYPE_IPCXN = 0,
  CURLSOCKTYPE_ACCEPT = 1,
} curlsocktype;

struct curl_sockaddr {
  int family;
  int socktype;
  int protocol;
  unsigned int addrlen;
  struct sockaddr addr;
};

struct curl_waitfd {
  curl_socket_t fd;
  short events;
  short revents;
};

#endif
#endif
