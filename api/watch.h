/* watch.h: who follows a call, as tplan.h has it and as calibrating wants it. */
#ifndef TP_API_WATCH_H
#define TP_API_WATCH_H

#include "api/road.h"
#include "include/tplan.h"

typedef struct
{
  const TplanWatch *asked;
  volatile gint own;          /* where the caller has no flag */
  volatile gint *cancelled;   /* that, or the caller's */
} TpFollower;

/* Points into itself: not to be copied. @watch is kept as long. */
void tp_follower_init (TpFollower *follower, const TplanWatch *watch);
/* For calls that measure. */
TpWatch tp_follower_get_watch (TpFollower *follower, gint64 time_limit_ns);
/* A TpCalibProgress, of a TpFollower. */
void tp_follower_tell (int done, int total, const char *what, gint64 left_ns,
                       gpointer follower);
/* What TpWatch wants; TPLAN_ERROR_USAGE: there is no such accuracy. */
gboolean tp_api_read_accuracy (TplanAccuracy accuracy, gboolean *out_is_relaxed,
                               GError **error);
/* Hands on lines for people; @lines: (nullable), of char *. */
void tp_follower_log (const TpFollower *follower, const GPtrArray *lines);

#endif
