#define _GNU_SOURCE
#include "carchive.h"
#include "namewatch.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                   \
  X(struct archive *, archive_read_new, (void))                                                        \
  X(int, archive_read_free, (struct archive *))                                                        \
  X(int, archive_read_support_filter_zstd, (struct archive *))                                         \
  X(int, archive_read_support_format_raw, (struct archive *))                                          \
  X(int, archive_read_support_format_tar, (struct archive *))                                          \
  X(int, archive_read_open, (struct archive *, void *, archive_open_callback *, archive_read_callback *, archive_close_callback *)) \
  X(int, archive_read_open_memory, (struct archive *, const void *, size_t))                           \
  X(int, archive_read_next_header, (struct archive *, struct archive_entry **))                        \
  X(la_ssize_t, archive_read_data, (struct archive *, void *, size_t))                                 \
  X(int, archive_filter_code, (struct archive *, int))                                                 \
  X(int, archive_filter_count, (struct archive *))                                                     \
  X(la_int64_t, archive_filter_bytes, (struct archive *, int))                                         \
  X(const char *, archive_error_string, (struct archive *))                                            \
  X(void, archive_set_error, (struct archive *, int, const char *, ...))                               \
  X(const char *, archive_entry_pathname, (struct archive_entry *))                                    \
  X(const char *, archive_entry_hardlink, (struct archive_entry *))                                    \
  X(__LA_MODE_T, archive_entry_filetype, (struct archive_entry *))                                     \
  X(__LA_MODE_T, archive_entry_perm, (struct archive_entry *))                                         \
  X(la_int64_t, archive_entry_size, (struct archive_entry *))                                          \
  X(int, archive_entry_size_is_set, (struct archive_entry *))                                          \
  X(int, archive_entry_sparse_count, (struct archive_entry *))                                         \
  X(struct archive *, archive_write_new, (void))                                                       \
  X(int, archive_write_free, (struct archive *))                                                       \
  X(int, archive_write_add_filter_zstd, (struct archive *))                                            \
  X(int, archive_write_set_format_ustar, (struct archive *))                                           \
  X(int, archive_write_set_filter_option, (struct archive *, const char *, const char *, const char *)) \
  X(int, archive_write_set_bytes_in_last_block, (struct archive *, int))                               \
  X(int, archive_write_open, (struct archive *, void *, archive_open_callback *, archive_write_callback *, archive_close_callback *)) \
  X(int, archive_write_header, (struct archive *, struct archive_entry *))                             \
  X(la_ssize_t, archive_write_data, (struct archive *, const void *, size_t))                          \
  X(int, archive_write_finish_entry, (struct archive *))                                               \
  X(int, archive_write_close, (struct archive *))                                                      \
  X(struct archive_entry *, archive_entry_new, (void))                                                 \
  X(void, archive_entry_free, (struct archive_entry *))                                                \
  X(void, archive_entry_set_pathname, (struct archive_entry *, const char *))                          \
  X(void, archive_entry_set_filetype, (struct archive_entry *, unsigned int))                          \
  X(void, archive_entry_set_perm, (struct archive_entry *, __LA_MODE_T))                               \
  X(void, archive_entry_set_size, (struct archive_entry *, la_int64_t))                                \
  X(void, archive_entry_set_mtime, (struct archive_entry *, time_t, long))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(MEMBER) } lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];
static int loaded;

static void load(void) {
  void *library = dlopen("libarchive.so.13", RTLD_LOCAL | RTLD_NOW);
  if (!library) {
    const char *text = dlerror();
    snprintf(failure, sizeof failure, "libarchive.so.13 is not installed (%s)", text ? text : "?");
    return;
  }
#define RESOLVE(result, name, parameters)                                                              \
  if (!(*(void **)&lib.name = dlsym(library, #name))) {                                                \
    snprintf(failure, sizeof failure, "libarchive.so.13 is too old: it has no " #name);                \
    return;                                                                                            \
  }
  FUNCTIONS(RESOLVE)
  // Built without zstd, the library would start a program of that name for each archive.
  struct archive *probe = lib.archive_read_new();
  int code = probe ? lib.archive_read_support_filter_zstd(probe) : ARCHIVE_FATAL;
  if (probe) lib.archive_read_free(probe);
  if (code != ARCHIVE_OK) {
    snprintf(failure, sizeof failure, "libarchive.so.13 was built without zstd");
    return;
  }
  loaded = 1;
}

int carchive_load(const char **error) {
  pthread_once(&once, load);
  if (!loaded) *error = failure;
  return loaded ? 0 : -1;
}

// MARK: Reading

// Two readers, one on top of the other: the lower one unpacks the stream as it is, so that its plain bytes can be counted
// before the upper one reads them as a tar, and its end can be seen.
struct carchive_reader {
  struct archive *stream;
  struct archive *tar;
  const void *bytes;
  size_t count;
  uint64_t max_plain;
  // What was unpacked, and where the last byte other than zero ended.
  uint64_t plain;
  uint64_t content_end;
  carchive_result fault;
  int is_open;
  int is_drained;
  struct name_watch names;
  unsigned char block[65536];
};

static const unsigned char magic[4] = {0x28, 0xB5, 0x2F, 0xFD};

static carchive_result broken(struct archive *stream) {
  const char *text = lib.archive_error_string(stream);
  return text && strstr(text, "runcated") ? CARCHIVE_CUT : CARCHIVE_DAMAGED;
}

static carchive_result open_stream(carchive_reader *reader) {
  struct archive_entry *entry;
  struct archive *stream = reader->stream;
  if (reader->count < sizeof magic || memcmp(reader->bytes, magic, sizeof magic)) return CARCHIVE_FOREIGN;
  if (lib.archive_read_support_filter_zstd(stream) != ARCHIVE_OK) return CARCHIVE_NO_MEMORY;
  if (lib.archive_read_support_format_raw(stream) != ARCHIVE_OK) return CARCHIVE_NO_MEMORY;
  if (lib.archive_read_open_memory(stream, reader->bytes, reader->count) != ARCHIVE_OK) return broken(stream);
  int code = lib.archive_read_next_header(stream, &entry);
  if (code != ARCHIVE_OK) return code == ARCHIVE_EOF ? CARCHIVE_CUT : broken(stream);
  // One layer: streams in streams are how a few bytes unpack to very many.
  int is_single = lib.archive_filter_count(stream) == 2 && lib.archive_filter_code(stream, 0) == ARCHIVE_FILTER_ZSTD;
  return is_single ? CARCHIVE_OK : CARCHIVE_FOREIGN;
}

// Unpacks the next block; the number of its bytes, 0 at the end, -1 on failure.
static la_ssize_t unpack(carchive_reader *reader) {
  if (reader->fault != CARCHIVE_OK) return -1;
  if (reader->is_drained) return 0;
  la_ssize_t count = lib.archive_read_data(reader->stream, reader->block, sizeof reader->block);
  if (count < 0) {
    reader->fault = broken(reader->stream);
    return -1;
  }
  if (count == 0) reader->is_drained = 1;
  if (reader->plain + count > reader->max_plain) {
    reader->fault = CARCHIVE_TOO_LARGE;
    return -1;
  }
  if (!name_watch_take(&reader->names, reader->block, (size_t)count)) {
    reader->fault = CARCHIVE_BAD_NAME;
    return -1;
  }
  for (la_ssize_t index = count; index > 0; index--) {
    if (!reader->block[index - 1]) continue;
    reader->content_end = reader->plain + index;
    break;
  }
  reader->plain += count;
  return count;
}

static la_ssize_t pull(struct archive *tar, void *context, const void **buffer) {
  carchive_reader *reader = context;
  la_ssize_t count = unpack(reader);
  *buffer = reader->block;
  if (count < 0) lib.archive_set_error(tar, EILSEQ, "the stream is broken");
  return count < 0 ? ARCHIVE_FATAL : count;
}

carchive_reader *carchive_reader_new(const void *bytes, size_t count, uint64_t max_plain) {
  carchive_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->bytes = bytes;
  reader->count = count;
  reader->max_plain = max_plain;
  reader->stream = lib.archive_read_new();
  reader->tar = lib.archive_read_new();
  if (reader->stream && reader->tar) return reader;
  carchive_reader_free(reader);
  return NULL;
}

void carchive_reader_free(carchive_reader *reader) {
  if (!reader) return;
  if (reader->tar) lib.archive_read_free(reader->tar);
  if (reader->stream) lib.archive_read_free(reader->stream);
  free(reader);
}

static carchive_result open_tar(carchive_reader *reader) {
  carchive_result result = open_stream(reader);
  if (result != CARCHIVE_OK) return result;
  if (lib.archive_read_support_format_tar(reader->tar) != ARCHIVE_OK) return CARCHIVE_NO_MEMORY;
  int code = lib.archive_read_open(reader->tar, reader, NULL, pull, NULL);
  if (code == ARCHIVE_OK) return CARCHIVE_OK;
  return reader->fault != CARCHIVE_OK ? reader->fault : CARCHIVE_DAMAGED;
}

static carchive_kind kind(struct archive_entry *entry) {
  if (lib.archive_entry_hardlink(entry)) return CARCHIVE_HARD_LINK;
  switch (lib.archive_entry_filetype(entry)) {
    case AE_IFREG: return CARCHIVE_FILE;
    case AE_IFDIR: return CARCHIVE_DIRECTORY;
    case AE_IFLNK: return CARCHIVE_SYMBOLIC_LINK;
    default: return CARCHIVE_DEVICE;
  }
}

carchive_result carchive_reader_next(carchive_reader *reader, struct carchive_entry *entry) {
  struct archive_entry *found;
  if (!reader->is_open) {
    carchive_result result = open_tar(reader);
    if (result != CARCHIVE_OK) return reader->fault = result;
    reader->is_open = 1;
  }
  int code = lib.archive_read_next_header(reader->tar, &found);
  if (code == ARCHIVE_EOF && reader->fault == CARCHIVE_OK) return CARCHIVE_END;
  if (reader->fault != CARCHIVE_OK) return reader->fault;
  if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return CARCHIVE_DAMAGED;
  entry->name = lib.archive_entry_pathname(found);
  if (!entry->name) return CARCHIVE_BAD_NAME;
  entry->is_doubtful = code == ARCHIVE_WARN;
  entry->size = lib.archive_entry_size_is_set(found) ? lib.archive_entry_size(found) : -1;
  entry->kind = kind(found);
  entry->has_special_mode = (lib.archive_entry_perm(found) & 07000) != 0;
  entry->is_sparse = lib.archive_entry_sparse_count(found) > 0;
  return CARCHIVE_OK;
}

carchive_result carchive_reader_data(carchive_reader *reader, void *buffer, size_t capacity, size_t *count) {
  la_ssize_t got = lib.archive_read_data(reader->tar, buffer, capacity);
  if (reader->fault != CARCHIVE_OK) return reader->fault;
  if (got < 0) return CARCHIVE_DAMAGED;
  *count = (size_t)got;
  return CARCHIVE_OK;
}

carchive_result carchive_reader_finish(carchive_reader *reader) {
  uint64_t end = (uint64_t)lib.archive_filter_bytes(reader->tar, 0);
  la_ssize_t count;
  while ((count = unpack(reader)) > 0) continue;
  if (count < 0) return reader->fault;
  // A tar ends with two blocks of zeros: a stream that was cut between two files has none.
  if (reader->content_end > end || reader->plain - reader->content_end < 1024) return CARCHIVE_TRAILING;
  return CARCHIVE_OK;
}

const char *carchive_reader_error(carchive_reader *reader) {
  const char *text = lib.archive_error_string(reader->stream);
  if (!text) text = lib.archive_error_string(reader->tar);
  return text;
}

// MARK: Writing

struct carchive_writer {
  struct archive *archive;
  unsigned char *bytes;
  size_t count;
  size_t capacity;
};

static la_ssize_t append(struct archive *archive, void *context, const void *bytes, size_t count) {
  carchive_writer *writer = context;
  if (count > writer->capacity - writer->count) {
    size_t capacity = writer->capacity * 2 + count + 65536;
    unsigned char *larger = realloc(writer->bytes, capacity);
    if (!larger) {
      lib.archive_set_error(archive, ENOMEM, "there is no memory left");
      return -1;
    }
    writer->bytes = larger;
    writer->capacity = capacity;
  }
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
  return (la_ssize_t)count;
}

carchive_writer *carchive_writer_new(const char *level) {
  carchive_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  struct archive *archive = writer->archive = lib.archive_write_new();
  if (archive && lib.archive_write_add_filter_zstd(archive) == ARCHIVE_OK
      && lib.archive_write_set_filter_option(archive, "zstd", "compression-level", level) == ARCHIVE_OK
      && lib.archive_write_set_format_ustar(archive) == ARCHIVE_OK
      && lib.archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK
      && lib.archive_write_open(archive, writer, NULL, append, NULL) == ARCHIVE_OK) {
    return writer;
  }
  carchive_writer_free(writer);
  return NULL;
}

void carchive_writer_free(carchive_writer *writer) {
  if (!writer) return;
  if (writer->archive) lib.archive_write_free(writer->archive);
  free(writer->bytes);
  free(writer);
}

carchive_result carchive_writer_add(
  carchive_writer *writer, const char *name, int64_t seconds, const void *bytes, size_t count) {
  struct archive_entry *entry = lib.archive_entry_new();
  if (!entry) return CARCHIVE_NO_MEMORY;
  lib.archive_entry_set_pathname(entry, name);
  lib.archive_entry_set_filetype(entry, AE_IFREG);
  lib.archive_entry_set_perm(entry, 0644);
  lib.archive_entry_set_size(entry, (la_int64_t)count);
  lib.archive_entry_set_mtime(entry, (time_t)seconds, 0);
  int code = lib.archive_write_header(writer->archive, entry);
  lib.archive_entry_free(entry);
  if (code != ARCHIVE_OK) return CARCHIVE_BAD_NAME;
  if (count && lib.archive_write_data(writer->archive, bytes, count) != (la_ssize_t)count) return CARCHIVE_DAMAGED;
  return lib.archive_write_finish_entry(writer->archive) == ARCHIVE_OK ? CARCHIVE_OK : CARCHIVE_DAMAGED;
}

carchive_result carchive_writer_finish(carchive_writer *writer, const void **bytes, size_t *count) {
  if (lib.archive_write_close(writer->archive) != ARCHIVE_OK) return CARCHIVE_DAMAGED;
  *bytes = writer->bytes;
  *count = writer->count;
  return CARCHIVE_OK;
}

const char *carchive_writer_error(carchive_writer *writer) {
  return lib.archive_error_string(writer->archive);
}
