/* keeper.h: a child process that leaves nobody behind.
 *
 * What works in it is a stranger's, and may fork, also into a session of its own.
 * So between it and the caller stands a keeper, a process to which all orphans
 * below it come: when the child ends, or the caller ends in any way, SIGKILL too,
 * the keeper ends all that are left, and then itself. */
#ifndef TP_IR_KEEPER_H
#define TP_IR_KEEPER_H

#include <glib.h>
#include <sys/types.h>

/* As fork (): 0 in the child; in the caller the keeper, which ends as the child did
 * and is waited for in its place. Where the system allows one process but not two
 * the child is that one. Thread: the caller's has to live as long as the child. */
pid_t tp_keeper_fork (void);
/* Ends the child of @keeper and all below it, and waits for that, unless they are
 * stuck in the system. */
void tp_keeper_end (pid_t keeper);

#endif
