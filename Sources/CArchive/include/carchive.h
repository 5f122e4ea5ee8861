#pragma once

// Tar archives in zstd by libarchive, which is loaded on first use: programs that never touch an archive must not pay for it.
//
// Everything else may be called only after `carchive_load` has returned 0.

#include <stddef.h>
#include <stdint.h>

// Loads the library; safe from any thread and cheap to repeat. On failure returns -1 and points `error` at text
// that stays valid.
int carchive_load(const char **error);

// What reading or writing came to.
typedef enum {
  CARCHIVE_OK = 0,
  // No more entries.
  CARCHIVE_END,
  // Not a zstd stream at all.
  CARCHIVE_FOREIGN,
  // The stream ends before its end.
  CARCHIVE_CUT,
  // The stream or the tar in it is broken.
  CARCHIVE_DAMAGED,
  // More plain bytes than allowed.
  CARCHIVE_TOO_LARGE,
  // Bytes after the end of the tar, or no end at all.
  CARCHIVE_TRAILING,
  // A name that cannot be read as text, or that holds a zero byte.
  CARCHIVE_BAD_NAME,
  CARCHIVE_NO_MEMORY,
} carchive_result;

typedef enum {
  CARCHIVE_FILE,
  CARCHIVE_DIRECTORY,
  CARCHIVE_SYMBOLIC_LINK,
  CARCHIVE_HARD_LINK,
  CARCHIVE_DEVICE,
} carchive_kind;

struct carchive_entry {
  // Valid until the next call.
  const char *name;
  // -1 when the header does not say it.
  int64_t size;
  carchive_kind kind;
  // Set user, set group or sticky.
  int has_special_mode;
  int is_sparse;
  // The library could not make sense of some of the header.
  int is_doubtful;
};

// MARK: Reading

typedef struct carchive_reader carchive_reader;

// `bytes` must outlive the reader. `max_plain` bounds what the stream may unpack to, headers and padding included.
// NULL without memory.
carchive_reader *carchive_reader_new(const void *bytes, size_t count, uint64_t max_plain);
void carchive_reader_free(carchive_reader *reader);

// The next entry, or CARCHIVE_END. What was not read of the one before is passed over.
carchive_result carchive_reader_next(carchive_reader *reader, struct carchive_entry *entry);
// Up to `capacity` bytes of the entry; `count` is 0 at its end.
carchive_result carchive_reader_data(carchive_reader *reader, void *buffer, size_t capacity, size_t *count);
// After CARCHIVE_END: reads the stream to its own end, which must be whole and hold nothing more.
carchive_result carchive_reader_finish(carchive_reader *reader);
// What the library said last; valid until the next call.
const char *carchive_reader_error(carchive_reader *reader);

// MARK: Writing

typedef struct carchive_writer carchive_writer;

// An archive of plain files in memory: fixed modes, no owners. NULL without memory or without zstd.
carchive_writer *carchive_writer_new(const char *level);
void carchive_writer_free(carchive_writer *writer);
// Adds a whole file, dated `seconds` after 1970.
carchive_result carchive_writer_add(
  carchive_writer *writer, const char *name, int64_t seconds, const void *bytes, size_t count);
// Ends the archive; its bytes belong to the writer.
carchive_result carchive_writer_finish(carchive_writer *writer, const void **bytes, size_t *count);
const char *carchive_writer_error(carchive_writer *writer);
