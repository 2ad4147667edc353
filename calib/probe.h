/* probe.h: the speed of this machine itself, by code that never changes. */
#ifndef TP_CALIB_PROBE_H
#define TP_CALIB_PROBE_H

#include <glib.h>

#define TP_PROBE_STREAM_BYTES (8 << 20)

/* These are stored beside every figure: clocks drift, and neighbours on a shared
 * machine come and go. When they differ, so will the figures. */

/* A chain of 4096 dependent multiply-adds: the clock of the core. The median of
 * five, 30 us in all. */
gint64 tp_probe_fma_ns (void);
/* A sum over 8 MiB that no cache holds: the bandwidth of memory. */
gint64 tp_probe_stream_ns (void);
/* What the processors that threads run on are to each other, and to others. 0:
 * there is but one thread to ask, or the others were not there. */
typedef struct
{
  gint64 handover_ns;         /* a cache line given to the next thread and back:
                               * how far apart they are */
  gint64 crowding;            /* time of multiply-adds that all threads do at once,
                               * in thousandths of the time of one alone: whether
                               * they share the units of a core */
  gint64 contention;          /* time of independent multiply-adds that all threads
                               * do at once, in thousandths of that of a seventh
                               * as many dependent ones: whether somebody else uses
                               * the units of their cores, another virtual
                               * machine, say */
  gint64 fma_ns;              /* tp_probe_fma_ns () on the first of them */
} TpProcessors;

void tp_probe_processors (int n_threads, TpProcessors *out_processors);
/* The last of these alone. Takes about 20 us and touches no memory. */
gint64 tp_probe_contention (int n_threads);
/* Whether the system says that all processors allowed share their largest cache. */
gboolean tp_probe_is_cache_shared (void);
/* Whether it says that no two of them are threads of one core. */
gboolean tp_probe_has_own_cores (void);
/* Whether the pool's threads run at once just now; waits a few milliseconds for
 * those that are away. */
gboolean tp_probe_is_pool_whole (int n_threads);
/* What the largest cache of a processor holds; at least 32 MiB, which is also
 * what is said where nobody knows. */
gint64 tp_probe_get_cache_bytes (void);

#endif
