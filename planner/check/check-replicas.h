/* check-replicas.h: what totals are in replicas, as docs/planner.md has them ("How sure
 * a total is"). */
#ifndef TP_PLANNER_CHECK_REPLICAS_H
#define TP_PLANNER_CHECK_REPLICAS_H

#include "planner/check/check-private.h"

#define TP_CHECKER_REPLICAS 256 /* at most */

/* A kernel, or a way of a copy, that takes time. */
typedef struct
{
  int engine;                 /* -1: none, or no time */
  double time_ns, sd_ns;
  int source;                 /* -1: no error of its own */
} TpCheckerFigure;

typedef struct
{
  const TpCosts *costs;       /* (unowned) */
  int n_sources, n;           /* n: of replicas, once all figures are listed */
  gboolean is_sure;           /* nothing is wrong */
  double *root;               /* of the covariances */
  double totals[TP_CHECKER_REPLICAS];
} TpCheckerReplicas;

void tp_checker_replicas_init (TpCheckerReplicas *replicas,
                               const TpCosts *costs);
void tp_checker_replicas_clear (TpCheckerReplicas *replicas);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerReplicas, tp_checker_replicas_clear)

/* Figures of the plan, whose times were found right: ops, of a group in effect the first;
 * then of each transfer two, from and to; g_free (). */
TpCheckerFigure *tp_checker_replicas_list (TpCheckerReplicas *replicas,
                                           const TpChecker *checker);
/* That no figures come any more: sets @n. */
void tp_checker_replicas_close (TpCheckerReplicas *replicas);
double tp_checker_replicas_get (const TpCheckerReplicas *replicas,
                                const TpCheckerFigure *figure, int replica);
/* Whether @low_ns and @high_ns are those of the totals; else says so. Both may be -1
 * where no device is real. */
gboolean tp_checker_replicas_check (const TpCheckerReplicas *replicas,
                                    TpChecker *checker, gint64 total_ns,
                                    const gint64 *told);

#endif
