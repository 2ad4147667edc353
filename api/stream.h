/* stream.h: which weights stay in host memory, where limits of memory make a plan
 * dear: see docs/planner.md, "Weights streamed". */
#ifndef TP_API_STREAM_H
#define TP_API_STREAM_H

#include "api/road-notes.h"
#include "ir/graph.h"

typedef struct
{
  /* Plans with these weights streamed; NULL-terminated. */
  gboolean (*take) (gpointer data, const char *const *streamed,
                    TpRoadTaken *out_taken, GError **error);
  gpointer data;
  const TpGraph *graph;
  const gint64 *limits;       /* [row] (ir/pools.h), 0: none */
  int n_unmeasured;           /* set: of the first plan that streams, as in TpRoadNotes;
                               * G_MAXINT: so many that it is none */
} TpStreamSearch;

/**
 * tp_stream_search:
 * @best: what was found without; replaced by what is cheaper
 *
 * Streams all large weights first, then keeps on a device those that save most time
 * there for their bytes, as far as its limit allows. FALSE with @error: planning
 * failed otherwise than for want of memory.
 */
gboolean tp_stream_search (TpStreamSearch *search, TpRoadTaken *best,
                           GError **error);

#endif
