#pragma once

// Compressed forms and patches by libzstd, which is loaded on first use; its headers are not needed to build.
//
// Everything else may be called only after `czstd_load` has returned 0.

#include <stddef.h>

// Loads the library; safe from any thread and cheap to repeat. On failure returns -1 and points `error` at text
// that stays valid.
int czstd_load(const char **error);

typedef struct czstd_decoder czstd_decoder;

// Unpacks one frame. `base` is what a patch was made against and must outlive the decoder; none for a compressed file.
// Frames with a window above `1 << max_window_log` bytes are refused before memory is taken. NULL without memory.
czstd_decoder *czstd_decoder_new(const void *base, size_t base_count, int max_window_log);
void czstd_decoder_free(czstd_decoder *decoder);

typedef enum {
  // The frame goes on.
  CZSTD_MORE = 0,
  // The frame ended, whole.
  CZSTD_END,
  // The bytes are not a frame, or the base does not fit it.
  CZSTD_DAMAGED,
} czstd_result;

// Takes bytes from `input` at `*taken` on and writes to `output` from 0 on; both counts are moved.
czstd_result czstd_decode(
  czstd_decoder *decoder, const void *input, size_t count, size_t *taken, void *output, size_t capacity,
  size_t *written);
// What the library said of the damage; text that stays valid.
const char *czstd_decoder_error(const czstd_decoder *decoder);

// The most bytes that a frame of `count` plain bytes can have.
size_t czstd_bound(size_t count);
// Packs `count` bytes into one frame that names its size and ends with a checksum. `base` as for the decoder.
// The number of bytes; 0 without memory.
size_t czstd_pack(
  const void *bytes, size_t count, const void *base, size_t base_count, int level, int window_log, void *output,
  size_t capacity);
