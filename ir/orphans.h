/* orphans.h: processes that others started below this one, and left. */
#ifndef TP_IR_ORPHANS_H
#define TP_IR_ORPHANS_H

#include <glib.h>
#include <sys/types.h>

/* From now on those below come to this process. */
void tp_orphans_take (void);
/* Ends all children, and what comes of that. Safe in handlers of signals. */
void tp_orphans_end (void);
/* The status of @child (-1: of any), if it ends within a second. */
gboolean tp_orphans_await (pid_t child, int *out_status);

#endif
