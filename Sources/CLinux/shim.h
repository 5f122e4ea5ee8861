#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
/* glibc declares renameat2 for _GNU_SOURCE only, which the importer of Swift does not define. */
extern int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags);
enum { CLINUX_RENAME_NOREPLACE = 1, CLINUX_RENAME_EXCHANGE = 2 };
extern int memfd_create(const char *name, unsigned int flags);
enum { CLINUX_MFD_CLOEXEC = 1 };
extern int pipe2(int ends[2], int flags);
/* prctl takes a variable number of arguments, which Swift cannot call. */
extern int prctl(int option, ...);
static inline int clinux_forbid_dumps(void) { return prctl(4 /* PR_SET_DUMPABLE */, 0UL, 0UL, 0UL, 0UL); }
/* Locks of an open file description are declared for _GNU_SOURCE only, and fcntl takes a variable number of arguments. */
#include <fcntl.h>
enum { CLINUX_OFD_GETLK = 36, CLINUX_OFD_SETLK = 37 };
static inline struct flock clinux_byte(short type, off_t position) {
  struct flock lock = { .l_type = type, .l_whence = 0 /* SEEK_SET */, .l_start = position, .l_len = 1 };
  return lock;
}
/* Takes a shared lock on one byte, whether the file has it or not; -1 and errno when that fails. */
static inline int clinux_share_byte(int descriptor, off_t position) {
  struct flock lock = clinux_byte(F_RDLCK, position);
  return fcntl(descriptor, CLINUX_OFD_SETLK, &lock);
}
/* Gives a lock on one byte up, also where a child that was just forked still has the description. */
static inline int clinux_free_byte(int descriptor, off_t position) {
  struct flock lock = clinux_byte(F_UNLCK, position);
  return fcntl(descriptor, CLINUX_OFD_SETLK, &lock);
}
/* 1 when another open file description has a lock on one byte, 0 when none has, -1 and errno when that fails. */
static inline int clinux_is_byte_locked(int descriptor, off_t position) {
  struct flock lock = clinux_byte(F_WRLCK, position);
  if (fcntl(descriptor, CLINUX_OFD_GETLK, &lock) == -1) return -1;
  return lock.l_type != F_UNLCK;
}
#endif
