/* children.h: work in child processes that may fail in any way, and what they tell.
 *
 * Children are copies of the process with one thread each. Locks that another
 * thread held when they were made stay held in them: they are for what uses
 * malloc, GLib's plain containers and libraries that nobody else uses. */
#ifndef TP_RUNTIME_CHILDREN_H
#define TP_RUNTIME_CHILDREN_H

#include "ir/array.h"
#include "ir/types.h"

#define TP_CHILDREN_SILENCE_MS 300000 /* longer than any kernel takes */

typedef struct
{
  /* In each child: calls tp_children_send () with @pipe. FALSE with the reason. */
  gboolean (*work) (int pipe, gpointer data, GError **error);
  /* In the parent, as it comes: @number >= 0. */
  void (*receive) (gpointer data, int number, TpArray *bytes);
  gpointer data;
  int n_children;
  int silence_ms;             /* none of them says anything for so long: they are
                               * ended */
} TpChildren;

typedef enum
{
  TP_CHILDREN_DONE,
  TP_CHILDREN_REFUSED,        /* an error of work () */
  TP_CHILDREN_DIED,           /* a child ended, with a signal or without: killed,
                               * crashed, or without memory */
  TP_CHILDREN_IMPOSSIBLE,     /* there can be no children here; or they wait for a
                               * lock that nobody holds any more */
} TpChildrenEnd;

/* Returns when all children are gone. @error: unless all is done. Runs in a guarded
 * call (ir/guard.h); children are ended where that is left. */
TpChildrenEnd tp_children_run (const TpChildren *task, GError **error);
void tp_children_send (int pipe, int number, const void *bytes, gsize size);

#endif
