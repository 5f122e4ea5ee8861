#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
/* glibc declares renameat2 for _GNU_SOURCE only, which the importer of Swift does not define. */
extern int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags);
enum { CLINUX_RENAME_NOREPLACE = 1 };
#endif
