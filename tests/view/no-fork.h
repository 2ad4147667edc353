/* no-fork.h: what a process that may not fork does, and what it leaves open. */
#ifndef TP_TESTS_NO_FORK_H
#define TP_TESTS_NO_FORK_H

#include <glib.h>

/* Until the next call with FALSE, fork () fails with EAGAIN. */
void refuse_forks (gboolean is_refused);
/* How many descriptors this process has open. */
int count_open_descriptors (void);

#endif
