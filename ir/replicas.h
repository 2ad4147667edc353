/* replicas.h: figures that are wrong by as much as they may be, in so many ways: what
 * the greatest of several sums is then.
 *
 * By balanced repeated replication (P. J. McCarthy, Pseudo-replication: half samples,
 * 1969): in each replica every source of error is one standard deviation above or
 * below, so that of all replicas each pair of sources agrees in half. A sum varies
 * over them exactly as its sources say; what is no sum, as the sums do that it is
 * made of. docs/planner.md, "How sure a total is", has the words. */
#ifndef TP_IR_REPLICAS_H
#define TP_IR_REPLICAS_H

#include "ir/plan.h"

/* A kernel, or half a copy. */
typedef struct
{
  int engine;                 /* as in load-proof.h; -1: takes no time */
  int source;                 /* of what is wrong with its measurement; -1: it has
                               * no spread */
  gint64 time_ns;
  double sd_ns;
} TpWork;

/* [node]: row of the kernel that begins with it, groups after nodes; -1: it is inside
 * one. g_free (). */
int *tp_plan_list_rows (const TpPlan *plan, const TpGraph *graph);

/* Of a plan: [node], of a group in effect its first op; then [transfer], of its way
 * to host memory and of that from there. */
typedef struct
{
  int n_works;
  TpWork *works;
} TpWorks;
void tp_works_clear (TpWorks *works);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpWorks, tp_works_clear)

typedef struct
{
  const TpCosts *costs;       /* (unowned) */
  int n_sources;
  gboolean is_exact;          /* nothing is wrong with anything: no replica differs */
  double *roots;              /* [device * n_devices + source]: of covariances */
  double *shifts;             /* [device]: of all its kernels, in this replica */
  int n_replicas, index;      /* of all; of this one */
  double sum, squares;        /* of what replicas were above what was expected */
} TpReplicas;

/* With errors of devices and of the ways between them, which are those of @costs. */
void tp_replicas_init (TpReplicas *replicas, const TpCosts *costs);
void tp_replicas_clear (TpReplicas *replicas);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpReplicas, tp_replicas_clear)

/* What @plan does, with sources of its own for what it measured of kernels. */
void tp_replicas_list_works (TpReplicas *replicas, const TpPlan *plan,
                             const TpGraph *graph, TpWorks *out);
/* Goes to the first replica, then to the next; FALSE: there is none. Not before all
 * works are listed. */
gboolean tp_replicas_next (TpReplicas *replicas);
/* What @work takes in this one. */
double tp_replicas_get_ns (const TpReplicas *replicas, const TpWork *work);
/* Adds to what engines carry in this one. */
void tp_works_add_loads (const TpWorks *works, const TpReplicas *replicas,
                         gint64 n_runs, double *loads);
double tp_loads_find_most (const double *loads, int n_engines);
/* That the total is so much more in it than without errors. */
void tp_replicas_tell (TpReplicas *replicas, double more_ns);
/* Between what a total is with 90 %, of @total_ns without errors. */
void tp_replicas_find_interval (const TpReplicas *replicas, gint64 total_ns,
                                gint64 *out_low_ns, gint64 *out_high_ns);

#endif
