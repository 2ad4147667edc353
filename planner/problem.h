/* problem.h: what is to be placed, checked once, asked for often. */
#ifndef TP_PLANNER_PROBLEM_H
#define TP_PLANNER_PROBLEM_H

#include "planner/objective.h"

/* How often paths through the graph pass. */
typedef struct
{
  gint64 *ops;
  gint64 *gains;              /* [group * n_devices + device]: what that is worth
                               * of what is saved: no more than the ops passed take */
  gint64 *tensors;            /* with who reads them, alone */
} TpPassed;

typedef struct
{
  const TpGraph *graph;       /* (unowned), as are all but @gains and
                               * @is_barred */
  const TpGroups *groups;
  const TpCosts *costs;
  const TpObjective *objective;
  int n_devices;
  gint64 sum;                 /* of all costs there are; below the limit */
  gint64 *gains;              /* [group * n_devices + device]: saved when the
                               * group runs as one there; >= 0 */
  guint8 *is_barred;          /* (nullable): [node * n_devices + device]: one
                               * that it is to be with may not be there */
  const gint64 *limits;       /* (nullable): [row] (ir/pools.h): bytes of memory;
                               * 0: no limit */
  gboolean is_unordered;      /* ops may run in any order: besides constants there is
                               * only what an op reads and makes while it runs */
  int n_cuts;                 /* to make for them, no sweeps; 0: as many as
                               * take some two seconds, after sweeps */
  gboolean is_part;           /* of a larger search: a quarter of these */
  gboolean heeds_noise;       /* what the figures cannot tell apart is a tie */
  const gint64 *aims;         /* [TP_N_AIMS]: of TP_OBJECTIVE_RATED: the
                               * objective's own, or what is asked for */
  const gint64 *weights;      /* (nullable): what a unit of time costs:
                               * [device]: of kernels there; [n_devices + device]:
                               * of copies to it from host memory; [2 * n_devices
                               * + device]: of copies from it */
  const TpPassed *passed;     /* (nullable): what it costs more */
} TpProblem;

/* Sums of costs stay below this, so that a cut network cannot overflow. */
#define TP_PROBLEM_LIMIT (G_GINT64_CONSTANT (1) << 62)

/**
 * tp_problem_new:
 * @groups: (nullable): none
 *
 * TPLAN_ERROR_USAGE: the parts do not fit each other, or no such objective;
 * _LIMIT: costs negative or too large; _INFEASIBLE: an op is left without a
 * device, and which pins did it; or those of a colocation have none in common.
 */
TpProblem *tp_problem_new (const TpGraph *graph, const TpGroups *groups,
                           const TpCosts *costs, const char *objective,
                           GError **error);
/**
 * tp_problem_weigh:
 * @weights: (unowned): at least 0, and their largest times all costs together is
 *   below TP_PROBLEM_LIMIT
 *
 * The same problem, in which time costs that much.
 */
TpProblem *tp_problem_weigh (const TpProblem *problem, const gint64 *weights);
/* And so much more as @passed (unowned) says; the largest of both sums. */
TpProblem *tp_problem_weigh_passed (const TpProblem *problem,
                                    const gint64 *weights,
                                    const TpPassed *passed);
/* No op may be on @without, devices, a bit for each. FALSE: some op may be nowhere
 * then. */
gboolean tp_problem_bar (TpProblem *problem, guint without);
void tp_problem_free (TpProblem *problem);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpProblem, tp_problem_free)

/* TP_COST_NONE: unsupported there, or pinned elsewhere; it, or one that is to be
 * where it is. */
gint64 tp_problem_node_cost (const TpProblem *problem, int node, int device);
/* @from, @to: devices, or TP_COSTS_HOST. */
gint64 tp_problem_edge_cost (const TpProblem *problem, int tensor, int from,
                             int to);
/* Of getting @tensor to the caller from @device, where it was made; 0 when it is
 * no output, or when there is a host, whose copy is then shared. */
gint64 tp_problem_fetch_cost (const TpProblem *problem, int tensor,
                              int device);
/* Of all ops on @device; TP_COST_NONE when one cannot be. */
gint64 tp_problem_single_cost (const TpProblem *problem, int device);
static inline gint64
tp_problem_get_gain (const TpProblem *problem, int group, int device)
{
  return problem->gains[(gsize) group * problem->n_devices + device];
}

/* @node, and what is to be where it is: *@out_n of them, ascending. @node outlives
 * them. */
static inline const int *
tp_problem_get_together (const TpProblem *problem, const int *node, int *out_n)
{
  const TpGraph *graph = problem->graph;
  int index = graph->colocation_of == NULL ? -1 : graph->colocation_of[*node];

  *out_n = index < 0 ? 1 : graph->colocations[index].n_nodes;
  return index < 0 ? node : graph->colocations[index].nodes;
}

/* Whether it is the first of what is to be where it is, and stands for all of it. */
static inline gboolean
tp_problem_leads (const TpProblem *problem, int node)
{
  int n;

  return *tp_problem_get_together (problem, &node, &n) == node;
}

/* Puts @node there, and what is to be where it is. @devices: one a node. */
void tp_problem_move (const TpProblem *problem, const int *node, int device,
                      guint8 *devices);

/* All ops that may be on @device are there, the others on the first that they may be
 * on. @devices: one a node. */
void tp_problem_gather (const TpProblem *problem, int device, guint8 *devices);

/* A group is in effect where all of it is on one device and that saves: that
 * device, or -1. @devices: one a node. */
int tp_problem_find_fused (const TpProblem *problem, int group,
                           const guint8 *devices);

#endif
