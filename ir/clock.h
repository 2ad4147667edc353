/* clock.h: the time that intervals are measured in. */
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

#endif
