#include "namewatch.h"

#include <string.h>

enum { NAME = 0, NAME_SIZE = 100, SIZE = 124, SIZE_SIZE = 12, TYPE = 156, BLOCK = 512 };

// A number in octal, or in binary where its first bit is set.
static uint64_t number(const unsigned char *field) {
  uint64_t value = 0;
  if (field[0] & 0x80) {
    for (int index = SIZE_SIZE - 8; index < SIZE_SIZE; index++) value = value << 8 | field[index];
    return value;
  }
  for (int index = 0; index < SIZE_SIZE; index++) {
    if (field[index] < '0' || field[index] > '7') continue;
    value = value << 3 | (uint64_t)(field[index] - '0');
  }
  return value;
}

// Whether nothing but zeros follows the first zero.
static int is_one_text(const unsigned char *bytes, size_t count) {
  const unsigned char *zero = memchr(bytes, 0, count);
  while (zero && zero < bytes + count) {
    if (*zero++) return 0;
  }
  return 1;
}

static int take_header(struct name_watch *watch) {
  static const unsigned char zeros[BLOCK];
  watch->header_count = 0;
  if (!memcmp(watch->header, zeros, BLOCK)) {
    watch->is_over = 1;
    return 1;
  }
  unsigned char type = watch->header[TYPE];
  watch->content_left = number(watch->header + SIZE);
  watch->padded_left = (watch->content_left + BLOCK - 1) / BLOCK * BLOCK;
  // Extended headers, and the long names of GNU, which end in a zero.
  watch->is_text = type && strchr("xgXLK", type) != NULL;
  watch->may_end_in_zero = type == 'L' || type == 'K';
  watch->has_zero = 0;
  return is_one_text(watch->header + NAME, NAME_SIZE);
}

static int take_content(struct name_watch *watch, const unsigned char *bytes, size_t count) {
  size_t real = count < watch->content_left ? count : (size_t)watch->content_left;
  for (size_t index = 0; watch->is_text && index < real; index++) {
    if (!bytes[index]) watch->has_zero = 1;
    if (watch->has_zero && (bytes[index] || !watch->may_end_in_zero)) return 0;
  }
  watch->content_left -= real;
  watch->padded_left -= count;
  return 1;
}

int name_watch_take(struct name_watch *watch, const unsigned char *bytes, size_t count) {
  while (count && !watch->is_over) {
    size_t taken;
    if (watch->padded_left) {
      taken = count < watch->padded_left ? count : (size_t)watch->padded_left;
      if (!take_content(watch, bytes, taken)) return 0;
    } else {
      taken = BLOCK - watch->header_count;
      if (taken > count) taken = count;
      memcpy(watch->header + watch->header_count, bytes, taken);
      watch->header_count += taken;
      if (watch->header_count == BLOCK && !take_header(watch)) return 0;
    }
    bytes += taken;
    count -= taken;
  }
  return 1;
}
