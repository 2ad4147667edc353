/* pool.h: the threads of this process that share the work of a kernel.
 *
 * One pool for all sessions; a caller with n_threads uses n_threads - 1 of its
 * workers and itself. The caller never waits for a worker that has not begun:
 * it does that worker's part too. So a pool that is busy, short of processors
 * or gone after fork() makes a run slower, never wrong and never stuck. */
#ifndef TP_RUNTIME_POOL_H
#define TP_RUNTIME_POOL_H

#include <glib.h>

#define TP_POOL_MAX_THREADS 1024

/* Does items @first to @end - 1. @thread: 0 (the caller) to n_threads - 1; no
 * two calls with one number run at once. */
typedef void (*TpPoolFunc) (gpointer data, gint64 first, gint64 end,
                            int thread);

/* Starts workers so that @n_threads can run; those there are stay. Workers are
 * pinned, one to a processor, when they cover the affinity mask; fewer are left
 * to the scheduler. TPLAN_ERROR_FAILED: the system refused a thread. */
gboolean tp_pool_prepare (int n_threads, GError **error);

/* Shares @n_items out: every thread begins with a contiguous part of its own
 * and takes from the others when done. Returns when all are done; allocates
 * nothing. When another thread is using the pool, the caller does all alone.
 * Thread: any. */
void tp_pool_run (int n_threads, gint64 n_items, TpPoolFunc func,
                  gpointer data);
/* The same for what takes some tens of microseconds, such as to copy a megabyte: who
 * finds the pool busy with that waits for it, rather than do all alone. */
void tp_pool_run_briefly (int n_threads, gint64 n_items, TpPoolFunc func,
                          gpointer data);

/* Idle workers sleep at once, rather than wait awake for more: somebody else is about
 * to use their processors. Until the next run. Thread: any. */
void tp_pool_rest (void);

/* Leaves a moment to who shares the core with one that waits awake. */
void tp_pool_pause (void);

#endif
