#define _GNU_SOURCE
#include "rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* MARK: Files */

/* Landlock, by the numbers of its interface: headers are older than kernels. */
enum {
  EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, REMOVE_DIR = 1 << 4, REMOVE_FILE = 1 << 5,
  MAKE_DIR = 1 << 7, MAKE_REG = 1 << 8, MAKE_SOCK = 1 << 9, MAKE_FIFO = 1 << 10, MAKE_SYM = 1 << 12, TRUNCATE = 1 << 14,
  FIRST = (1 << 13) - 1, READ = EXECUTE | READ_FILE | READ_DIR, FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE,
  MAKE = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | TRUNCATE,
};

static bool permit(int rules, const char *path, unsigned long long rights) {
  struct { unsigned long long rights; int folder; } __attribute__((packed)) rule = { rights, -1 };
  rule.folder = open(path, O_PATH | O_CLOEXEC);
  if (rule.folder < 0) return errno == ENOENT || errno == EACCES;
  struct stat status;
  if (fstat(rule.folder, &status) != 0) return false;
  if (!S_ISDIR(status.st_mode)) rule.rights &= FILE_RIGHTS;
  bool done = syscall(445 /* landlock_add_rule */, rules, 1 /* PATH_BENEATH */, &rule, 0) == 0;
  close(rule.folder);
  return done;
}

bool ccage_forbid_files(const ccage_plan *plan, bool has_root) {
  long version = syscall(444 /* landlock_create_ruleset */, NULL, 0, 1 /* VERSION */);
  if (version < 1) return false;
  unsigned long long known = FIRST;
  if (version >= 2) known |= 1 << 13 /* REFER */;
  if (version >= 3) known |= TRUNCATE;
  struct { unsigned long long files, network, scope; } all = { known, 0, 0 };
  size_t size = sizeof all.files;
  if (version >= 4) { all.network = 3 /* BIND_TCP, CONNECT_TCP */; size += sizeof all.network; }
  if (version >= 6) { all.scope = 3 /* ABSTRACT_UNIX_SOCKET, SIGNAL */; size += sizeof all.scope; }
  int rules = (int)syscall(444, &all, size, 0);
  if (rules < 0) return false;
  bool done = permit(rules, "/proc", READ & known) && permit(rules, "/dev/null", (READ_FILE | WRITE_FILE) & known);
  for (const char *const *path = plan->readable; *path != NULL; path += 1) done = done && permit(rules, *path, READ & known);
  for (const char *const *path = has_root ? plan->writable : plan->shared; *path != NULL; path += 1)
    done = done && permit(rules, *path, (MAKE | READ | 1 << 13) & known);
  done = done && syscall(446 /* landlock_restrict_self */, rules, 0) == 0;
  close(rules);
  return done;
}

/* MARK: System calls */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define FAIL(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define FORBID(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), FAIL(EPERM)

enum { NEW_NAMESPACES = 0x7E020000 /* user, mounts, processes, network, IPC, names, cgroups */ };

bool ccage_filter_calls(void) {
#ifdef ARCHITECTURE
  struct sock_filter filter[] = {
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#ifdef __x86_64__
    /* The second set of numbers that this machine has. */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), FAIL(ENOSYS),
#endif
    /* Its flags lie in memory, which a filter cannot read; the C library falls back to clone. */
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435 /* clone3 */, 0, 1), FAIL(ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4), LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1), FAIL(EPERM), RETURN(SECCOMP_RET_ALLOW),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 4),
    LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0), FAIL(EAFNOSUPPORT), RETURN(SECCOMP_RET_ALLOW),
    /* A terminal that belongs to somebody must not be typed into. */
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5), LOAD(args[1]),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x5412 /* TIOCSTI */, 1, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x541C /* TIOCLINUX */, 0, 1),
    FAIL(EPERM), RETURN(SECCOMP_RET_ALLOW),
    /* Other processes. */
    FORBID(SYS_ptrace), FORBID(SYS_process_vm_readv), FORBID(SYS_process_vm_writev), FORBID(SYS_kcmp), FORBID(438 /* pidfd_getfd */),
    FORBID(440 /* process_madvise */), FORBID(SYS_move_pages), FORBID(SYS_migrate_pages),
    /* Mounts and namespaces. */
    FORBID(SYS_mount), FORBID(SYS_umount2), FORBID(SYS_pivot_root), FORBID(SYS_chroot), FORBID(SYS_unshare), FORBID(SYS_setns),
    FORBID(428 /* open_tree */), FORBID(429 /* move_mount */), FORBID(430 /* fsopen */), FORBID(431 /* fsconfig */),
    FORBID(432 /* fsmount */), FORBID(433 /* fspick */), FORBID(442 /* mount_setattr */),
    FORBID(SYS_name_to_handle_at), FORBID(SYS_open_by_handle_at), FORBID(SYS_quotactl), FORBID(443 /* quotactl_fd */),
    /* The kernel, and parts of it in which holes have been. */
    FORBID(SYS_bpf), FORBID(SYS_perf_event_open), FORBID(SYS_userfaultfd), FORBID(SYS_keyctl), FORBID(SYS_add_key),
    FORBID(SYS_request_key), FORBID(425 /* io_uring_setup */), FORBID(426 /* io_uring_enter */), FORBID(427 /* io_uring_register */),
    FORBID(SYS_kexec_load), FORBID(SYS_init_module), FORBID(SYS_finit_module), FORBID(SYS_delete_module),
    FORBID(SYS_fanotify_init), FORBID(SYS_vmsplice), FORBID(SYS_personality), FORBID(SYS_syslog), FORBID(SYS_acct),
    FORBID(SYS_mknodat), FORBID(SYS_lookup_dcookie), FORBID(SYS_nfsservctl), FORBID(SYS_vhangup),
#ifdef __x86_64__
    FORBID(SYS_kexec_file_load), FORBID(SYS_iopl), FORBID(SYS_ioperm), FORBID(SYS_modify_ldt), FORBID(SYS_mknod), FORBID(SYS_uselib),
    FORBID(SYS_ustat), FORBID(SYS_sysfs), FORBID(SYS__sysctl),
#endif
    /* The machine. */
    FORBID(SYS_reboot), FORBID(SYS_swapon), FORBID(SYS_swapoff), FORBID(SYS_settimeofday), FORBID(SYS_clock_settime),
    FORBID(SYS_clock_adjtime), FORBID(SYS_adjtimex), FORBID(SYS_sethostname), FORBID(SYS_setdomainname),
    RETURN(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { .len = sizeof filter / sizeof filter[0], .filter = filter };
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
  return false;
#endif
}
