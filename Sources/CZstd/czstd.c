#define _GNU_SOURCE
#include "czstd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The stable part of libzstd's interface, as it has been since 1.4.0 and as `libzstd.so.1` promises it.
typedef struct {
  const void *bytes;
  size_t count;
  size_t at;
} input_buffer;

typedef struct {
  void *bytes;
  size_t count;
  size_t at;
} output_buffer;

enum {
  COMPRESSION_LEVEL = 100,
  WINDOW_LOG = 101,
  CONTENT_SIZE_FLAG = 200,
  CHECKSUM_FLAG = 201,
  WINDOW_LOG_MAX = 100,
};

#define FUNCTIONS(X)                                                                                    \
  X(void *, ZSTD_createDCtx, (void))                                                                    \
  X(size_t, ZSTD_freeDCtx, (void *))                                                                    \
  X(size_t, ZSTD_DCtx_setParameter, (void *, int, int))                                                 \
  X(size_t, ZSTD_DCtx_refPrefix, (void *, const void *, size_t))                                        \
  X(size_t, ZSTD_decompressStream, (void *, output_buffer *, input_buffer *))                           \
  X(void *, ZSTD_createCCtx, (void))                                                                    \
  X(size_t, ZSTD_freeCCtx, (void *))                                                                    \
  X(size_t, ZSTD_CCtx_setParameter, (void *, int, int))                                                 \
  X(size_t, ZSTD_CCtx_refPrefix, (void *, const void *, size_t))                                        \
  X(size_t, ZSTD_compress2, (void *, void *, size_t, const void *, size_t))                             \
  X(size_t, ZSTD_compressBound, (size_t))                                                               \
  X(unsigned, ZSTD_isError, (size_t))                                                                   \
  X(const char *, ZSTD_getErrorName, (size_t))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(MEMBER) } lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];
static int loaded;

static void load(void) {
  void *library = dlopen("libzstd.so.1", RTLD_LOCAL | RTLD_NOW);
  if (!library) {
    const char *text = dlerror();
    snprintf(failure, sizeof failure, "libzstd.so.1 is not installed (%s)", text ? text : "?");
    return;
  }
#define RESOLVE(result, name, parameters)                                                               \
  if (!(*(void **)&lib.name = dlsym(library, #name))) {                                                 \
    snprintf(failure, sizeof failure, "libzstd.so.1 is too old: it has no " #name);                     \
    return;                                                                                             \
  }
  FUNCTIONS(RESOLVE)
  loaded = 1;
}

int czstd_load(const char **error) {
  pthread_once(&once, load);
  if (!loaded) *error = failure;
  return loaded ? 0 : -1;
}

// MARK: Unpacking

struct czstd_decoder {
  void *context;
  const char *error;
};

czstd_decoder *czstd_decoder_new(const void *base, size_t base_count, int max_window_log) {
  czstd_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->context = lib.ZSTD_createDCtx();
  if (decoder->context
      && !lib.ZSTD_isError(lib.ZSTD_DCtx_setParameter(decoder->context, WINDOW_LOG_MAX, max_window_log))
      && (!base_count || !lib.ZSTD_isError(lib.ZSTD_DCtx_refPrefix(decoder->context, base, base_count)))) {
    return decoder;
  }
  czstd_decoder_free(decoder);
  return NULL;
}

void czstd_decoder_free(czstd_decoder *decoder) {
  if (!decoder) return;
  if (decoder->context) lib.ZSTD_freeDCtx(decoder->context);
  free(decoder);
}

czstd_result czstd_decode(
  czstd_decoder *decoder, const void *input, size_t count, size_t *taken, void *output, size_t capacity,
  size_t *written) {
  input_buffer in = {input, count, *taken};
  output_buffer out = {output, capacity, 0};
  size_t result = lib.ZSTD_decompressStream(decoder->context, &out, &in);
  *taken = in.at;
  *written = out.at;
  if (lib.ZSTD_isError(result)) {
    decoder->error = lib.ZSTD_getErrorName(result);
    return CZSTD_DAMAGED;
  }
  return result == 0 ? CZSTD_END : CZSTD_MORE;
}

const char *czstd_decoder_error(const czstd_decoder *decoder) { return decoder->error ? decoder->error : ""; }

// MARK: Packing

size_t czstd_bound(size_t count) { return lib.ZSTD_compressBound(count); }

static int set(void *context, int parameter, int value) {
  return !lib.ZSTD_isError(lib.ZSTD_CCtx_setParameter(context, parameter, value));
}

size_t czstd_pack(
  const void *bytes, size_t count, const void *base, size_t base_count, int level, int window_log, void *output,
  size_t capacity) {
  void *context = lib.ZSTD_createCCtx();
  if (!context) return 0;
  size_t written = 0;
  if (set(context, COMPRESSION_LEVEL, level) && set(context, WINDOW_LOG, window_log)
      && set(context, CONTENT_SIZE_FLAG, 1) && set(context, CHECKSUM_FLAG, 1)
      && (!base_count || !lib.ZSTD_isError(lib.ZSTD_CCtx_refPrefix(context, base, base_count)))) {
    size_t result = lib.ZSTD_compress2(context, output, capacity, bytes, count);
    if (!lib.ZSTD_isError(result)) written = result;
  }
  lib.ZSTD_freeCCtx(context);
  return written;
}
