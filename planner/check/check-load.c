/* check-load.c: see check-load.h.
 *
 * The mean of what engines carry, by any weights, is at most what the busiest does.
 * The sum of weighted loads is a sum of costs as any other, so a flow bounds it: the
 * proof is checked as that of a plan whose figures are all multiplied by the weight of
 * the engine that they keep busy. */
#include "config.h"

#include "planner/check/check-load.h"

#include "ir/guard.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-tie.h"
#include "planner/check/check-weigh.h"

#include <string.h>

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

/* ---- loads --------------------------------------------------------------- */

static void
sum_loads (const TpChecker *checker, gint64 *loads)
{
  const TpPlan *plan = checker->plan;
  int n = plan->n_devices;

  for (int i = 0; i < plan->n_placements; i++)
    loads[plan->placements[i].device] += plan->placements[i].time_ns;
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];
      const TpCheckerLegs *legs = &checker->legs[(gsize) it->tensor * n];

      if (it->to != TP_COSTS_HOST)
        loads[n + it->to] += legs[it->to].feed;
      if (it->from != TP_COSTS_HOST)
        loads[2 * n + it->from] += legs[it->from].fetch;
    }
  for (int e = 1; e < 3 * n && tp_costs_is_one_engine (checker->costs); e++)
    {
      loads[0] += loads[e];
      loads[e] = 0;
    }
}

/* Of parts that were found right. */
static void
check_loads (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  gint64 loads[TP_LOAD_MAX_ENGINES] = { 0 }, most = 0;

  sum_loads (checker, loads);
  for (int e = 0; e < proof->n_engines; e++)
    {
      most = MAX (most, loads[e]);
      if (proof->loads[e] != loads[e])
        tp_checker_fail (checker,
                         "engine %d carries %" G_GINT64_FORMAT
                         ", the plan says %" G_GINT64_FORMAT,
                         e, loads[e], proof->loads[e]);
    }
  if (proof->load_ns != most)
    tp_checker_fail (checker,
                     "the busiest engine carries %" G_GINT64_FORMAT
                     ", the plan says %" G_GINT64_FORMAT,
                     most, proof->load_ns);
}

/* ---- weights -------------------------------------------------------------- */

/* Of one end of the tree. */
typedef struct
{
  const gint64 *weights;      /* [engine] */
  TpArc *arcs;
  int n_arcs;
} End;

/* What they add up to; 0: they are none, which was said. */
static gint64
sum_weights (TpChecker *checker, const gint64 *weights)
{
  Wide sum = 0;

  for (int e = 0; e < checker->plan->load_proof->n_engines; e++)
    {
      sum = MIN (sum + weights[e], MAX_SUM);
      if (weights[e] < 0
          || (tp_costs_is_one_engine (checker->costs)
              && weights[e] != weights[0]))
        sum = MAX_SUM;
    }
  if (sum > 0 && sum < MAX_SUM)
    return tp_costs_is_one_engine (checker->costs) ? weights[0] : (gint64) sum;
  tp_checker_fail (checker, "load_weights are below 0, or all 0, or too large, "
                            "or differ where all engines are one");
  return 0;
}

/* ---- the flow ------------------------------------------------------------- */

/* All is on the one device. */
static Wide
find_value_alone (const TpLoadProof *proof, End end)
{
  Wide value = 0;

  for (int e = 0; e < proof->n_engines; e++)
    value += (Wide) end.weights[e] * proof->loads[e];
  return value;
}

/* What the end proves; -1: nothing, which was said. @devices: [op]: those it may be
 * on, a bit for each. */
static gint64
check_end (TpChecker *checker, End end, const guint8 *devices)
{
  gint64 sum = sum_weights (checker, end.weights), value = 0;
  g_auto (TpCheckerWeighed) weighed = { 0 };
  int n = checker->costs->n_devices;
  Wide least;

  if (sum == 0 || !tp_checker_weigh (checker, end.weights, &weighed))
    return -1;
  for (int i = 0; i < checker->graph->n_nodes; i++)
    for (int d = 0; d < n; d++)
      if (!(devices[i] >> d & 1))
        weighed.node_costs[(gsize) i * n + d] = TP_COST_NONE;
  if (!tp_checker_prove (&weighed, end.arcs, end.n_arcs, &value))
    return -1;
  least = n == 1 ? find_value_alone (checker->plan->load_proof, end) : value;
  return (gint64) (least / sum + (least % sum > 0));
}

/* ---- the tree ------------------------------------------------------------- */

/* Where the walk through it is. */
typedef struct
{
  int *path, n_path;          /* ops that are fixed */
  guint8 *devices;            /* [op]: those it may be on */
  int n_ends, n_arcs;         /* that were used */
  gint64 least;               /* of all ends */
  gboolean is_done;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_free (walk->path);
  g_free (walk->devices);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static gboolean
fix_op (TpChecker *checker, Walk *walk, int op)
{
  if (op < 0 || op >= checker->graph->n_nodes || walk->devices[op] != 3
      || checker->costs->n_devices != 2)
    return tp_checker_fail (checker, "load_tree: op %d is not free", op);
  walk->path[walk->n_path++] = op;
  walk->devices[op] = 1;
  return TRUE;
}

/* Goes on where the second device of an op is left. */
static void
step_back (Walk *walk)
{
  while (walk->n_path > 0 && walk->devices[walk->path[walk->n_path - 1]] == 2)
    walk->devices[walk->path[--walk->n_path]] = 3;
  walk->is_done = walk->n_path == 0;
  if (!walk->is_done)
    walk->devices[walk->path[walk->n_path - 1]] = 2;
}

static gboolean
take_end (TpChecker *checker, Walk *walk)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  int n = walk->n_ends, n_own = n < proof->n_bounds ? proof->n_arcs_of[n] : 0;
  End end;
  gint64 bound;

  if (n >= proof->n_bounds || n_own < 0
      || n_own > proof->n_arcs - walk->n_arcs)
    return tp_checker_fail (checker, "load_tree: end %d has no arcs", n);
  end = (End){ &proof->weights[(gsize) n * proof->n_engines],
               proof->arcs == NULL ? NULL : &proof->arcs[walk->n_arcs],
               n_own };
  walk->n_ends++;
  walk->n_arcs += n_own;
  bound = check_end (checker, end, walk->devices);
  walk->least = MIN (walk->least, bound);
  step_back (walk);
  return bound >= 0;
}

static void
check_bound (TpChecker *checker, const Walk *walk)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  gint64 bound = MIN (walk->least, proof->load_ns);

  if (!walk->is_done || walk->n_ends != proof->n_bounds
      || walk->n_arcs != proof->n_arcs)
    tp_checker_fail (checker, "load_tree has %d ends and %d arcs, the plan has "
                              "%d and %d",
                     walk->n_ends, walk->n_arcs, proof->n_bounds,
                     proof->n_arcs);
  if (bound != proof->bound_ns)
    tp_checker_fail (checker,
                     "weights and flows prove that the busiest engine carries "
                     "%" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                     bound, proof->bound_ns);
}

static void
check_tree (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  gsize n = checker->graph->n_nodes;
  g_auto (Walk) walk = { .path = tp_new0 (int, n + 1),
                         .devices = tp_new (guint8, n + 1),
                         .least = G_MAXINT64 };

  memset (walk.devices, 3, n + 1);
  for (int i = 0; i < proof->n_entries; i++)
    {
      if (walk.is_done)
        tp_checker_fail (checker, "load_tree has more ends than it needs");
      if (walk.is_done
          || !(proof->tree[i] == TP_LOAD_END
                   ? take_end (checker, &walk)
                   : fix_op (checker, &walk, proof->tree[i])))
        return;
    }
  check_bound (checker, &walk);
}

/* No price on a copy, and no margins: how far a figure may move is not known. */
static gboolean
check_form (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;

  if (plan->load_proof == NULL
      || plan->load_proof->n_engines != 3 * plan->n_devices)
    return tp_checker_fail (checker, "what engines carry is missing");
  if (plan->tie_price_ns != 0)
    return tp_checker_fail (checker, "no tie is broken for such a plan");
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].margin_ns != -1)
      return tp_checker_fail (checker, "op '%s' has a margin, which is not "
                                       "known of such a plan",
                              checker->graph->nodes[i].name);
  return TRUE;
}

void
tp_checker_check_load (TpChecker *checker)
{
  if (!check_form (checker))
    return;
  tp_checker_check_cut (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len > 0)
    return;                   /* the rest stands on the parts */
  check_loads (checker);
  check_tree (checker);
}
