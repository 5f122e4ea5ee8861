#ifndef CCAGE_RULES_H
#define CCAGE_RULES_H
#include <stdbool.h>

#include "ccage.h"

/* Permits the files of the plan and no others; `false` where the kernel cannot. */
bool ccage_forbid_files(const ccage_plan *plan, bool has_root);
/* Forbids the system calls that a page needs for nothing; `false` where the kernel cannot. */
bool ccage_filter_calls(void);
#endif
