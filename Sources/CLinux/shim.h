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
#endif
