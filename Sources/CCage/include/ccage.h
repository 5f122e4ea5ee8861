#ifndef CCAGE_H
#define CCAGE_H
#include <sys/types.h>

/* Starts a program in a cage: in namespaces of its own, with an empty root, as nobody, without capabilities, and with a filter
   over its system calls; each as far as the kernel permits it. What holds is told to the program. */

/* What holds of a cage. */
enum {
  CCAGE_NETWORK = 1 << 0,      /* a network namespace of its own, with nothing in it */
  CCAGE_ROOT = 1 << 1,         /* an empty root with what the plan names */
  CCAGE_PROCESSES = 1 << 2,    /* a process namespace of its own, which ends with the program */
  CCAGE_IPC = 1 << 3,          /* an IPC namespace of its own */
  CCAGE_USER = 1 << 4,         /* the program's user is not root */
  CCAGE_RULES = 1 << 5,        /* Landlock: no file but those of the plan */
  CCAGE_FILTER = 1 << 6,       /* seccomp: no socket but local ones, nothing that changes the system */
  CCAGE_PROC = 1 << 7,         /* /proc shows no other process */
};

/* Lists end with NULL. All paths are absolute; those that are read are without links. */
typedef struct {
  const char *program;
  char *const *arguments;
  char *const *environment;
  /* What the program may read, at the place where it is. */
  const char *const *readable;
  /* Links of the root, as pairs of place and text. */
  const char *const *links;
  /* Folders of the root that are empty and may be written. */
  const char *const *writable;
  /* Folders that may be used where there is no such root, with all that others have in them. */
  const char *const *shared;
  /* In one of the environment's texts: eight digits, which become what holds, in hexadecimal. */
  char *held;
} ccage_plan;

/* The descriptor in the program that ends when its starter does. */
enum { CCAGE_LIFELINE = 3 };

/* Starts the program and returns its id, or -1. The id is that of a child. */
pid_t ccage_start(const ccage_plan *plan);
/* Starts a program of the search path with nothing to read from and nothing to say, which the kernel ends when the calling thread
   ends; returns its id, or -1. It does not get `closing`. */
pid_t ccage_start_bound(const char *program, char *const *arguments, int closing);
/* Makes this process the parent of what its children leave behind. */
void ccage_adopt(void);
/* Waits until descriptor 0 has no other end any more, or the child has ended; never longer. */
void ccage_wait(pid_t child);
#endif
