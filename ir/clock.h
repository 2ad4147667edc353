/* clock.h: the time that intervals are measured in, and how long somebody watched. */
#ifndef TP_IR_CLOCK_H
#define TP_IR_CLOCK_H

#include <glib.h>
#include <time.h>

/* Since some moment in the past, never running backwards. GLib's clock counts
 * microseconds, and a kernel may take less than one. */
static inline gint64
tp_clock_get_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

/* More than this between two looks is not counted as watched: who looks was stopped
 * then (by a terminal, a debugger, a host that stood still), and what he looks at,
 * too. */
#define TP_CLOCK_LATE_NS G_GINT64_CONSTANT (500000000)

typedef struct
{
  gint64 looked_ns, watched_ns;
} TpClockWatch;

static inline void
tp_clock_watch_start (TpClockWatch *watch)
{
  *watch = (TpClockWatch){ tp_clock_get_ns (), 0 };
}

/* How long it was watched until now; to be called some times a second. */
static inline gint64
tp_clock_watch_look (TpClockWatch *watch)
{
  gint64 now_ns = tp_clock_get_ns ();

  watch->watched_ns += MIN (now_ns - watch->looked_ns, TP_CLOCK_LATE_NS);
  watch->looked_ns = now_ns;
  return watch->watched_ns;
}

#endif
