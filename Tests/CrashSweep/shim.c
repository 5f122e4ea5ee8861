/* Watches, and on request disturbs, the system calls of a process on one folder; loaded with LD_PRELOAD.
 *
 *   SWEEP_ROOT   the folder; calls on anything else are passed through and not counted
 *   SWEEP_LOG    a file that gets one line a call: ordinal, name, path, second path, number, result, bytes in hex
 *   SWEEP_FAULT  ORDINAL:KIND, where KIND is kill, cut, short, or the number of an error
 *   SWEEP_DISK   for cut: the mount point of the file system that is shut down without writing anything back
 *
 * One counter for all calls of all threads: the n-th call is the same in every run of a command that is deterministic.
 * A fault comes before the call has any effect, except short, which lets half of the bytes through.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NONE = 0, SHORT = -1, OUTSIDE = -2 };
#define EXT4_IOC_SHUTDOWN 0x8004587dUL
#define NO_LOG_FLUSH 2

static char root[PATH_MAX];
static size_t root_length;
static int log_file = -1;
static long fault_at;
static char fault_kind[16];
static atomic_long counter;

__attribute__((constructor)) static void start(void) {
  const char *folder = getenv("SWEEP_ROOT"), *log = getenv("SWEEP_LOG"), *fault = getenv("SWEEP_FAULT");
  if (!folder) return;
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
  if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fault) sscanf(fault, "%ld:%15s", &fault_at, fault_kind);
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* The path of an open descriptor. */
static void path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
}

/* The path that a call with a folder and a name means. */
static void path_at(int folder, const char *name, char *path) {
  char parent[PATH_MAX] = "";
  if (name[0] != '/') {
    if (folder == AT_FDCWD) { if (syscall(SYS_getcwd, parent, sizeof parent) < 0) parent[0] = 0; }
    else path_of(folder, parent);
  }
  if (!strcmp(name, ".") || !*name) name = "";
  if (strlen(parent) + strlen(name) + 2 > PATH_MAX) { path[0] = 0; return; }
  path[0] = 0;
  strcat(strcat(strcat(path, parent), *parent && *name ? "/" : ""), name);
}

static int is_inside(const char *path) {
  return root_length && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static const char *shown(const char *path) {
  if (!path || !is_inside(path)) return path && *path ? "(outside)" : "-";
  return path[root_length] ? path + root_length + 1 : ".";
}

static void record(
  long ordinal, const char *name, const char *path, const char *other, long number, long result, const void *bytes,
  size_t count) {
  if (log_file < 0) return;
  size_t room = 2 * PATH_MAX + 128 + 2 * count;
  char *line = malloc(room);
  if (!line) return;
  int length = snprintf(line, room, "%ld\t%s\t%s\t%s\t%ld\t%ld\t", ordinal, name, shown(path), shown(other), number, result);
  for (size_t i = 0; i < count; i++) length += sprintf(line + length, "%02x", ((const unsigned char *)bytes)[i]);
  line[length++] = '\n';
  syscall(SYS_write, log_file, line, (size_t)length);
  free(line);
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void cut_power(void) {
  const char *disk = getenv("SWEEP_DISK");
  unsigned flag = NO_LOG_FLUSH;
  int mount = (int)syscall(SYS_openat, AT_FDCWD, disk ? disk : "", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (mount < 0 || ioctl(mount, EXT4_IOC_SHUTDOWN, &flag) != 0) _exit(99);
  die();
}

/* Counts a call; what to do with it: OUTSIDE, NONE, SHORT, or an error number. */
static int enter(const char *name, const char *path, const char *other, long *ordinal) {
  if (!is_inside(path) && !(other && is_inside(other))) return OUTSIDE;
  *ordinal = atomic_fetch_add(&counter, 1) + 1;
  if (*ordinal != fault_at) return NONE;
  record(*ordinal, name, path, other, 0, -9999, "", 0);
  if (!strcmp(fault_kind, "kill")) die();
  if (!strcmp(fault_kind, "cut")) cut_power();
  if (!strcmp(fault_kind, "short")) return SHORT;
  return atoi(fault_kind);
}

/* The common shape: fail with the error of the fault, or call and write down what came of it. */
#define DISTURBED(type, name, path, other, number, call) \
  long ordinal = 0; \
  int fault = enter(#name, path, other, &ordinal); \
  if (fault > 0) { errno = fault; return (type)-1; } \
  type result = call; \
  int code = errno; \
  if (fault != OUTSIDE) record(ordinal, #name, path, other, number, result == (type)-1 ? -code : 0, "", 0); \
  errno = code; \
  return result

int openat(int folder, const char *name, int flags, ...) {
  REAL(openat);
  va_list list;
  va_start(list, flags);
  mode_t mode = va_arg(list, mode_t);
  va_end(list);
  char path[PATH_MAX];
  path_at(folder, name, path);
  DISTURBED(int, openat, path, NULL, flags, real(folder, name, flags, mode));
}

int open(const char *name, int flags, ...) {
  REAL(open);
  va_list list;
  va_start(list, flags);
  mode_t mode = va_arg(list, mode_t);
  va_end(list);
  char path[PATH_MAX];
  path_at(AT_FDCWD, name, path);
  DISTURBED(int, open, path, NULL, flags, real(name, flags, mode));
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(write);
  char path[PATH_MAX];
  path_of(file, path);
  long ordinal = 0;
  int fault = enter("write", path, NULL, &ordinal);
  if (fault > 0) { errno = fault; return -1; }
  ssize_t result = real(file, bytes, fault == SHORT && count > 1 ? count / 2 : count);
  int code = errno;
  if (fault != OUTSIDE) record(ordinal, "write", path, NULL, 0, result < 0 ? -code : result, bytes, result < 0 ? 0 : (size_t)result);
  errno = code;
  return result;
}

ssize_t read(int file, void *bytes, size_t count) {
  REAL(read);
  char path[PATH_MAX];
  path_of(file, path);
  long ordinal = 0;
  int fault = enter("read", path, NULL, &ordinal);
  if (fault > 0) { errno = fault; return -1; }
  ssize_t result = real(file, bytes, count);
  /* Half of what is there, without losing the rest. */
  if (fault == SHORT && result > 1) { lseek(file, -(result - result / 2), SEEK_CUR); result /= 2; }
  int code = errno;
  if (fault != OUTSIDE) record(ordinal, "read", path, NULL, (long)count, result < 0 ? -code : result, "", 0);
  errno = code;
  return result;
}

#define ON_DESCRIPTOR(name) \
  int name(int file) { \
    REAL(name); \
    char path[PATH_MAX]; \
    path_of(file, path); \
    DISTURBED(int, name, path, NULL, 0, real(file)); \
  }

ON_DESCRIPTOR(fsync)
ON_DESCRIPTOR(fdatasync)

int flock(int file, int operation) {
  REAL(flock);
  char path[PATH_MAX];
  path_of(file, path);
  DISTURBED(int, flock, path, NULL, operation, real(file, operation));
}

int ftruncate(int file, off_t length) {
  REAL(ftruncate);
  char path[PATH_MAX];
  path_of(file, path);
  DISTURBED(int, ftruncate, path, NULL, (long)length, real(file, length));
}

int fchmod(int file, mode_t mode) {
  REAL(fchmod);
  char path[PATH_MAX];
  path_of(file, path);
  DISTURBED(int, fchmod, path, NULL, mode, real(file, mode));
}

int fstat(int file, struct stat *status) {
  REAL(fstat);
  char path[PATH_MAX];
  path_of(file, path);
  DISTURBED(int, fstat, path, NULL, 0, real(file, status));
}

int fstatat(int folder, const char *name, struct stat *status, int flags) {
  REAL(fstatat);
  char path[PATH_MAX];
  path_at(folder, name, path);
  DISTURBED(int, fstatat, path, NULL, flags, real(folder, name, status, flags));
}

int faccessat(int folder, const char *name, int mode, int flags) {
  REAL(faccessat);
  char path[PATH_MAX];
  path_at(folder, name, path);
  DISTURBED(int, faccessat, path, NULL, mode, real(folder, name, mode, flags));
}

int fstatvfs(int file, struct statvfs *status) {
  REAL(fstatvfs);
  char path[PATH_MAX];
  path_of(file, path);
  DISTURBED(int, fstatvfs, path, NULL, 0, real(file, status));
}

int mkdirat(int folder, const char *name, mode_t mode) {
  REAL(mkdirat);
  char path[PATH_MAX];
  path_at(folder, name, path);
  DISTURBED(int, mkdirat, path, NULL, mode, real(folder, name, mode));
}

int unlinkat(int folder, const char *name, int flags) {
  REAL(unlinkat);
  char path[PATH_MAX];
  path_at(folder, name, path);
  DISTURBED(int, unlinkat, path, NULL, flags, real(folder, name, flags));
}

int renameat(int from, const char *name, int to, const char *new_name) {
  REAL(renameat);
  char path[PATH_MAX], other[PATH_MAX];
  path_at(from, name, path);
  path_at(to, new_name, other);
  DISTURBED(int, renameat, path, other, 0, real(from, name, to, new_name));
}

int renameat2(int from, const char *name, int to, const char *new_name, unsigned flags) {
  REAL(renameat2);
  char path[PATH_MAX], other[PATH_MAX];
  path_at(from, name, path);
  path_at(to, new_name, other);
  DISTURBED(int, renameat2, path, other, flags, real(from, name, to, new_name, flags));
}

/* A listing is one call here: the first entry that is asked for stands for all of them. */
DIR *fdopendir(int file) {
  REAL(fdopendir);
  char path[PATH_MAX];
  path_of(file, path);
  long ordinal = 0;
  int fault = enter("fdopendir", path, NULL, &ordinal);
  if (fault > 0) { errno = fault; return NULL; }
  DIR *result = real(file);
  int code = errno;
  if (fault != OUTSIDE) record(ordinal, "fdopendir", path, NULL, 0, result ? 0 : -code, "", 0);
  errno = code;
  return result;
}

/* Reports its end with an error when the fault says so; only the end counts, so that order does not matter. */
struct dirent *readdir(DIR *stream) {
  REAL(readdir);
  char path[PATH_MAX];
  struct dirent *entry = real(stream);
  if (entry) return entry;
  int code = errno;
  path_of(dirfd(stream), path);
  long ordinal = 0;
  int fault = enter("readdir", path, NULL, &ordinal);
  if (fault > 0) { errno = fault; return NULL; }
  if (fault != OUTSIDE) record(ordinal, "readdir", path, NULL, 0, 0, "", 0);
  errno = code;
  return NULL;
}
