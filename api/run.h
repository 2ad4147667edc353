/* run.h: runs that are submitted and waited for later: threads of a session take
 * them in turn. Their public calls are here too. */
#ifndef TP_API_RUN_H
#define TP_API_RUN_H

#include "include/tplan.h"

typedef struct TpRunQueue TpRunQueue;

/* Does one run, in a thread of the queue. */
typedef gboolean (*TpRunWork) (gpointer data, const void *const *inputs,
                               void *const *outputs, GError **error);

/* What a run is given: @n_inputs and @n_outputs arrays. */
typedef struct
{
  const void *const *inputs;
  void *const *outputs;
  int n_inputs, n_outputs;
} TpRunArrays;

/* @n_threads: the most; they are started as runs want them. */
TpRunQueue *tp_run_queue_new (int n_threads, TpRunWork work, gpointer data);
/* Runs that were not begun never will be; those under way are waited for. Handles of
 * runs stay good. */
void tp_run_queue_close (TpRunQueue *queue);
/* TPLAN_ERROR_FAILED: no thread. Copies both lists, no array. */
TplanRun *tp_run_queue_add (TpRunQueue *queue, const TpRunArrays *arrays,
                            GError **error);

#endif
