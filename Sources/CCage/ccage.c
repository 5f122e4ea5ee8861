#define _GNU_SOURCE
#include "ccage.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules.h"

/* Between clone and execve there are system calls only: the libraries of the caller may have threads and locks. */

enum { NOBODY = 65534, FAILED = 125, NAMESPACES = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS };

/* One way to start a program; the later ones hold less. */
typedef struct {
  int namespaces;
  bool has_root;
} attempt;

static bool write_file(const char *path, const char *text, size_t length) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool done = write(file, text, length) == (ssize_t)length;
  close(file);
  return done;
}

/* "ID ID 1": this user is the same one inside. Without snprintf, which may lock. */
static bool map_id(const char *path, unsigned id) {
  char digits[12], line[32];
  size_t count = 0, length = 0;
  do { digits[count++] = (char)('0' + id % 10); } while (id /= 10);
  for (int copy = 0; copy < 2; copy += 1) {
    for (size_t index = count; index > 0; index -= 1) line[length++] = digits[index - 1];
    line[length++] = ' ';
  }
  line[length++] = '1';
  return write_file(path, line, length);
}

/* MARK: The root */

/* Places under the old root and the new one, while both are there. */
typedef char place[4096];

static bool join(place made, const char *root, const char *path) {
  size_t head = strlen(root), tail = strlen(path);
  if (head + tail + 1 > sizeof(place)) return false;
  memcpy(made, root, head);
  memcpy(made + head, path, tail + 1);
  return true;
}

/* Makes the folders above a place, and the place itself when it is to be a folder. */
static bool make_folders(char *path, bool with_last) {
  for (char *end = path + 1; *end != 0; end += 1) {
    if (*end != '/') continue;
    *end = 0;
    bool done = mkdir(path, 0755) == 0 || errno == EEXIST;
    *end = '/';
    if (!done) return false;
  }
  return !with_last || mkdir(path, 0755) == 0 || errno == EEXIST;
}

static bool make_read_only(const char *path, bool is_device) {
  struct { unsigned long long set, clear, propagation, user; } change = {
    .set = 1 /* RDONLY */ | 2 /* NOSUID */ | (is_device ? 0 : 4 /* NODEV */)
  };
  if (syscall(442 /* mount_setattr */, AT_FDCWD, path, 0x8000 /* AT_RECURSIVE */, &change, sizeof change) == 0) return true;
  unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | (is_device ? 0 : MS_NODEV);
  return mount("none", path, NULL, flags, NULL) == 0;
}

static bool show(const char *path) {
  place from, to;
  struct stat status;
  if (!join(from, "/old", path) || !join(to, "/new", path)) return false;
  /* What is not there is not needed: the plan names what some systems have. */
  if (stat(from, &status) != 0) return true;
  if (!make_folders(to, S_ISDIR(status.st_mode))) return false;
  if (!S_ISDIR(status.st_mode)) {
    int file = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return false;
    close(file);
  }
  return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 && make_read_only(to, S_ISCHR(status.st_mode));
}

static bool make_writable(const char *path) {
  place to;
  return join(to, "/new", path) && make_folders(to, true)
    && mount("tmpfs", to, "tmpfs", MS_NOSUID | MS_NODEV, "size=256m,mode=1777") == 0;
}

static bool make_link(const char *path, const char *text) {
  place to;
  return join(to, "/new", path) && make_folders(to, false) && symlink(text, to) == 0;
}

/* Replaces everything by an empty root with what the plan names. When it fails, this process is of no more use. */
static bool enter_root(const ccage_plan *plan, int *held) {
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
  if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") != 0 || chdir("/tmp") != 0) return false;
  if (mkdir("new", 0755) != 0 || mkdir("old", 0755) != 0 || syscall(SYS_pivot_root, ".", "old") != 0) return false;
  if (chdir("/") != 0 || mount("tmpfs", "/new", "tmpfs", MS_NOSUID | MS_NODEV, "size=4m,mode=755") != 0) return false;
  /* The empty ones first: the program may lie in one of them. */
  for (const char *const *path = plan->writable; *path != NULL; path += 1) if (!make_writable(*path)) return false;
  for (const char *const *path = plan->readable; *path != NULL; path += 1) if (!show(*path)) return false;
  for (const char *const *link = plan->links; *link != NULL; link += 2) if (!make_link(link[0], link[1])) return false;
  if (mkdir("/new/proc", 0755) != 0) return false;
  if (mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0) {
    *held |= CCAGE_PROC;
  } else if (mount("/old/proc", "/new/proc", NULL, MS_BIND | MS_REC, NULL) != 0) {
    return false;
  }
  if (mount("none", "/new", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) != 0) return false;
  if (umount2("/old", MNT_DETACH) != 0 || chdir("/new") != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return false;
  return umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

/* MARK: Rights */

/* Whether another user could read all that the program needs. */
static bool is_readable_by(unsigned user, const ccage_plan *plan) {
  setfsgid(user);
  setfsuid(user);
  bool can = true;
  for (const char *const *path = plan->readable; *path != NULL && can; path += 1) {
    int file = open(*path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) can = errno == ENOENT;
    else close(file);
  }
  setfsuid(geteuid());
  setfsgid(getegid());
  return can;
}

static bool become_nobody(const ccage_plan *plan) {
  if (!is_readable_by(NOBODY, plan)) return false;
  return syscall(SYS_setgroups, 0, NULL) == 0 && syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) == 0
    && syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) == 0;
}

static bool drop_capabilities(void) {
  struct { unsigned version; int process; } head = { 0x20080522, 0 };
  struct { unsigned effective, permitted, inheritable; } none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return syscall(SYS_capset, &head, none) == 0;
}

static void empty_bounding_set(void) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability += 1)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

/* MARK: The start */

static void tell(char *text, int held) {
  for (int index = 7; index >= 0; index -= 1, held >>= 4) text[index] = "0123456789abcdef"[held & 15];
}

static _Noreturn void fail(int status) {
  char byte = 1;
  ssize_t ignored = write(status, &byte, 1);
  (void)ignored;
  _exit(FAILED);
}

/* Runs in the child, and becomes the program. `ends` are the lifeline and the pipe for a failure. */
static _Noreturn void become(const ccage_plan *plan, attempt way, unsigned user, unsigned group, const int ends[2]) {
  int held = 0, failure = ends[1];
  if (way.namespaces & CLONE_NEWUSER) {
    write_file("/proc/self/setgroups", "deny", 4);
    if (!map_id("/proc/self/uid_map", user) || !map_id("/proc/self/gid_map", group)) fail(failure);
  }
  if (way.namespaces != 0) held |= CCAGE_NETWORK | CCAGE_PROCESSES | CCAGE_IPC;
  if (way.has_root) {
    if (!enter_root(plan, &held)) fail(failure);
    held |= CCAGE_ROOT;
  }
  struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_CORE, &none);
  empty_bounding_set();
  if (user != 0 || become_nobody(plan)) held |= CCAGE_USER;
  if (!drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(failure);
  if (ccage_forbid_files(plan, way.has_root)) held |= CCAGE_RULES;
  /* As the first of its processes it takes the others along; without a namespace somebody must clean up behind it. */
  if (way.namespaces != 0) prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  struct pollfd lifeline = { .fd = ends[0], .events = 0, .revents = 0 };
  if (poll(&lifeline, 1, 0) != 0) fail(failure);
  if (dup2(ends[0], CCAGE_LIFELINE) < 0) fail(failure);
  if (dup3(failure, CCAGE_LIFELINE + 1, O_CLOEXEC) < 0) fail(failure);
  failure = CCAGE_LIFELINE + 1;
  syscall(436 /* close_range */, CCAGE_LIFELINE + 2, ~0U, 0);
  if (ccage_filter_calls()) held |= CCAGE_FILTER;
  tell(plan->held, held);
  execve(plan->program, plan->arguments, plan->environment);
  fail(failure);
}

static pid_t start(const ccage_plan *plan, attempt way) {
  int lifeline[2], failure[2];
  if (pipe2(lifeline, O_CLOEXEC) != 0) return -1;
  if (pipe2(failure, O_CLOEXEC) != 0) return -1;
  /* High numbers, so that they are not in the way of those that the program has. */
  int ends[2] = { fcntl(lifeline[0], F_DUPFD_CLOEXEC, 64), fcntl(failure[1], F_DUPFD_CLOEXEC, 64) };
  unsigned user = geteuid(), group = getegid();
  pid_t child = (pid_t)syscall(SYS_clone, way.namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) {
    close(lifeline[1]);
    become(plan, way, user, group, ends);
  }
  close(lifeline[0]); close(failure[1]); close(ends[0]); close(ends[1]);
  char byte;
  bool failed = child < 0 || read(failure[0], &byte, 1) != 0;
  close(failure[0]);
  if (!failed) return child;
  close(lifeline[1]);
  if (child > 0) while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return -1;
}

pid_t ccage_start(const ccage_plan *plan) {
  const attempt ways[] = {
    { NAMESPACES, true }, { NAMESPACES | CLONE_NEWUSER, true }, { NAMESPACES, false }, { NAMESPACES | CLONE_NEWUSER, false }, { 0, false },
  };
  for (size_t index = 0; index < sizeof ways / sizeof ways[0]; index += 1) {
    pid_t child = start(plan, ways[index]);
    if (child > 0) return child;
  }
  return -1;
}

pid_t ccage_start_bound(const char *program, char *const *arguments, int closing) {
  pid_t parent = getpid();
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child != 0) return child;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent) _exit(FAILED);
  int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; stream += 1) if (dup2(nothing, stream) < 0) _exit(FAILED);
  close(closing);
  execvp(program, arguments);
  _exit(FAILED);
}

void ccage_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void ccage_wait(pid_t child) {
  int handle = (int)syscall(434 /* pidfd_open */, child, 0);
  struct pollfd watched[2] = { { .fd = STDIN_FILENO, .events = 0, .revents = 0 }, { .fd = handle, .events = POLLIN, .revents = 0 } };
  /* Without a handle, it is looked for the end of the child now and then. */
  while (poll(watched, 2, handle < 0 ? 50 : -1) <= 0) {
    siginfo_t ended = { 0 };
    if (handle < 0 && waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) return;
  }
  if (handle >= 0) close(handle);
}
