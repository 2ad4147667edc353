/* probe.h: the speed of this machine itself, by code that never changes. */
#ifndef TP_CALIB_PROBE_H
#define TP_CALIB_PROBE_H

#include <glib.h>

/* Both are stored beside every figure: clocks drift, and neighbours on a shared
 * machine come and go. When they differ, so will the figures. */

/* A chain of 4096 dependent multiply-adds: the clock of the core. */
gint64 tp_probe_fma_ns (void);
/* A sum over 8 MiB: the bandwidth of memory, or of the last-level cache. */
gint64 tp_probe_stream_ns (void);

#endif
