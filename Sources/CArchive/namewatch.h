#pragma once

#include <stddef.h>
#include <stdint.h>

// Watches the plain bytes of a tar for names with a zero byte in them. libarchive ends a name there, other readers do not,
// so the two would see different files.
struct name_watch {
  unsigned char header[512];
  size_t header_count;
  // What is left of the content of the last header: its bytes, and with them the padding.
  uint64_t content_left;
  uint64_t padded_left;
  int is_text;
  int may_end_in_zero;
  int has_zero;
  int is_over;
};

// Takes the next bytes; 0 when a name holds a zero byte.
int name_watch_take(struct name_watch *watch, const unsigned char *bytes, size_t count);
