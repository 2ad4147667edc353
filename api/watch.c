/* watch.c: progress and lines for people, handed on to who follows a call. */
#include "config.h"

#include "api/watch.h"

void
tp_follower_init (TpFollower *follower, const TplanWatch *watch)
{
  follower->asked = watch;
  follower->own = 0;
  follower->cancelled
      = watch->cancelled != NULL ? watch->cancelled : &follower->own;
}

void
tp_follower_tell (int done, int total, const char *what, gint64 left_ns,
                  gpointer data)
{
  TpFollower *follower = data;
  const TplanProgress progress = { .what = what,
                                   .n_done = done,
                                   .n_total = total,
                                   .left_ns = left_ns };

  if (follower->asked->progress != NULL
      && !follower->asked->progress (&progress, follower->asked->user_data))
    g_atomic_int_set (follower->cancelled, 1);
}

TpWatch
tp_follower_get_watch (TpFollower *follower, gint64 time_limit_ns)
{
  return (TpWatch){ .time_limit_ns = time_limit_ns,
                    .cancelled = follower->cancelled,
                    .progress = tp_follower_tell,
                    .user_data = follower };
}

void
tp_follower_log (const TpFollower *follower, const GPtrArray *lines)
{
  if (lines == NULL || follower->asked->log == NULL)
    return;
  for (guint i = 0; i < lines->len; i++)
    follower->asked->log (g_ptr_array_index (lines, i),
                          follower->asked->user_data);
}

gboolean
tp_api_read_accuracy (TplanAccuracy accuracy, gboolean *out_is_relaxed,
                      GError **error)
{
  *out_is_relaxed = accuracy == TPLAN_ACCURACY_RELAXED;
  if (accuracy == TPLAN_ACCURACY_FULL || *out_is_relaxed)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "no accuracy %d: there are TPLAN_ACCURACY_FULL and "
               "TPLAN_ACCURACY_RELAXED", (int) accuracy);
  return FALSE;
}
