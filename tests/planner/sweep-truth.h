/* sweep-truth.h: all placements of a small graph, and what each holds where, for tests
 * of sweeps. */
#ifndef TP_TESTS_SWEEP_TRUTH_H
#define TP_TESTS_SWEEP_TRUTH_H

#include "random-graph.h"

#include "ir/memory-proof.h"

#define TP_TRUTH_MAX_OPS 7
#define TP_TRUTH_DEVICES TP_SWEEP_MAX_DEVICES

/* One placement, in which groups that may be one kernel are, or are not; by device. */
typedef struct
{
  gint64 cost;
  gint64 weights[TP_TRUTH_DEVICES]; /* constants */
  gint64 peaks[TP_TRUTH_DEVICES]; /* alive at most beside them, at any step */
  gint64 firsts[TP_TRUTH_DEVICES]; /* and with constants that no later op reads */
} TpTruthSeen;

typedef struct
{
  int k, n_ops, n_tensors;
  gint64 all_bytes;
  GArray *seen;               /* TpTruthSeen: those that are allowed */
} TpTruth;

void tp_truth_init (TpTruth *truth, const TpTestCase *test);
void tp_truth_clear (TpTruth *truth);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpTruth, tp_truth_clear)

/* Of peaks. */
typedef struct
{
  gint64 low[TP_TRUTH_DEVICES], high[TP_TRUTH_DEVICES];
} TpTruthBox;

/* Whether a placement keeps to @limit on @device. */
typedef gboolean (*TpTruthFits) (const TpTruthSeen *seen, const TpTruthBox *box,
                                 gint64 limit, int device);
gboolean tp_truth_fits_alive (const TpTruthSeen *seen, const TpTruthBox *box,
                              gint64 limit, int device);
/* Constants apart. */
gboolean tp_truth_fits_apart (const TpTruthSeen *seen, const TpTruthBox *box,
                              gint64 limit, int device);
/* As far as a sweep sees, with its peaks in @box. */
gboolean tp_truth_fits_sweep (const TpTruthSeen *seen, const TpTruthBox *box,
                              gint64 limit, int device);

/* Of those that fit, on devices where not everything does; NULL: there is none. */
const TpTruthSeen *tp_truth_find_cheapest (const TpTruth *truth,
                                           const gint64 *limits,
                                           const TpTruthBox *box,
                                           TpTruthFits fits);
/* What that costs; TP_COST_NONE: there is none. */
gint64 tp_truth_find_least (const TpTruth *truth, const gint64 *limits,
                            const TpTruthBox *box, TpTruthFits fits);
/* By the layout of sessions. */
gint64 tp_truth_find_laid_out (const TpTestCase *test, const gint64 *limits);

#endif
