/* micro.h: in which parts a batch is run, found by trying: see docs/planner.md,
 * "Micro-batches". */
#ifndef TP_API_MICRO_H
#define TP_API_MICRO_H

#include "api/road-notes.h"
#include "ir/costs.h"
#include "ir/micro-batches.h"

typedef struct
{
  /* Plans with the batch in these parts. */
  gboolean (*take) (gpointer data, const TpMicroBatches *micro_batches,
                    TpRoadTaken *out_taken, GError **error);
  gpointer data;
  gint64 batch;
  const TpCosts *costs;       /* of ops that take all of it */
  gboolean is_side_by_side;   /* devices work at the same time: the parts are theirs;
                               * else they follow one another */
  char *refusal;              /* set: (nullable) why the batch cannot be split */
  int n_unmeasured;           /* set: of the first plan, as TpStreamSearch */
} TpMicroSearch;

/**
 * tp_micro_search:
 * @best: what was found with the whole batch; replaced by what is cheaper
 *
 * Parts that follow one another: 2, 4, 8, 16 and 32 of them, as equal as can be. Side
 * by side: in proportion to how fast the devices are, then more for one and less for
 * another as long as that is cheaper. FALSE with @error: planning failed otherwise than
 * for want of memory.
 */
gboolean tp_micro_search (TpMicroSearch *search, TpRoadTaken *best,
                          GError **error);
void tp_micro_search_clear (TpMicroSearch *search);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMicroSearch, tp_micro_search_clear)

#endif
