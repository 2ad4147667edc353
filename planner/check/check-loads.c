/* check-loads.c: see check-loads.h.
 *
 * The mean of what engines carry, by any weights, is at most what the busiest does.
 * The sum of weighted loads is a sum of costs as any other, so a flow bounds it: the
 * proof is checked as that of a plan whose figures are all multiplied by the weight of
 * the engine that they keep busy. Of several plans, whose ops have nothing to do with
 * each other, the sums add up, each times the runs of its plan. */
#include "config.h"

#include "planner/check/check-loads.h"

#include "ir/guard.h"
#include "planner/check/check-answers.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-replicas.h"
#include "planner/check/check-weigh.h"

#include <string.h>

#define MAX_UNIT (1 << 20)
#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

/* The same for all: devices, and whether they are one engine. */
static const TpCosts *
get_costs (const TpCheckerLoads *it)
{
  return it->parts[0].checker->costs;
}

/* ---- loads --------------------------------------------------------------- */

/* Of one run. */
static void
sum_loads (const TpChecker *checker, Wide *loads)
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

/* FALSE: too much, which was said. */
static gboolean
sum_parts (const TpCheckerLoads *it, Wide *loads)
{
  for (int i = 0; i < it->n_parts; i++)
    {
      Wide own[TP_LOAD_MAX_ENGINES] = { 0 };

      sum_loads (it->parts[i].checker, own);
      for (int e = 0; e < it->proof->n_engines; e++)
        loads[e] += own[e] * it->parts[i].n_runs;
    }
  for (int e = 0; e < it->proof->n_engines; e++)
    if (loads[e] >= MAX_SUM)
      return tp_checker_fail (it->parts[0].checker, "loads reach 2^62");
  return TRUE;
}

/* Of parts that were found right. */
static void
check_loads (const TpCheckerLoads *it)
{
  const TpLoadProof *proof = it->proof;
  Wide loads[TP_LOAD_MAX_ENGINES] = { 0 };
  gint64 most = 0;

  if (!sum_parts (it, loads))
    return;
  for (int e = 0; e < proof->n_engines; e++)
    {
      most = MAX (most, (gint64) loads[e]);
      if (proof->loads[e] != loads[e])
        tp_checker_fail (it->parts[0].checker,
                         "engine %d carries %" G_GINT64_FORMAT
                         ", the plan says %" G_GINT64_FORMAT,
                         e, (gint64) loads[e], proof->loads[e]);
    }
  if (proof->load_ns != most)
    tp_checker_fail (it->parts[0].checker,
                     "the busiest engine carries %" G_GINT64_FORMAT
                     ", the plan says %" G_GINT64_FORMAT,
                     most, proof->load_ns);
}

/* ---- how sure that is ----------------------------------------------------- */

typedef struct
{
  int n;
  TpCheckerFigure **figures;  /* [part] */
} Figures;

static void
figures_clear (Figures *figures)
{
  for (int i = 0; figures->figures != NULL && i < figures->n; i++)
    g_free (figures->figures[i]);
  g_free (figures->figures);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Figures, figures_clear)

/* What the busiest engine carries in that replica. */
static double
find_most (const TpCheckerLoads *it, const Figures *figures,
           const TpCheckerReplicas *replicas, int replica)
{
  gboolean is_one = tp_costs_is_one_engine (get_costs (it));
  double loads[TP_LOAD_MAX_ENGINES] = { 0 }, most = 0;

  for (int i = 0; i < it->n_parts; i++)
    {
      const TpPlan *plan = it->parts[i].checker->plan;
      int n = plan->n_placements + 2 * plan->n_transfers;

      for (int k = 0; k < n; k++)
        {
          const TpCheckerFigure *figure = &figures->figures[i][k];

          if (figure->engine >= 0)
            loads[is_one ? 0 : figure->engine]
                += (double) it->parts[i].n_runs
                   * tp_checker_replicas_get (replicas, figure, replica);
        }
    }
  for (int e = 0; e < it->proof->n_engines; e++)
    most = MAX (most, loads[e]);
  return most;
}

/* Not of a schedule, whose end is what counts. */
static void
check_interval (const TpCheckerLoads *it)
{
  TpChecker *checker = it->parts[0].checker;
  const gint64 told[] = { it->proof->low_ns, it->proof->high_ns };
  g_auto (TpCheckerReplicas) replicas = { 0 };
  g_auto (Figures) figures = { 0 };

  if (checker->plan->span_proof != NULL)
    {
      if (told[0] >= 0 || told[1] >= 0)
        tp_checker_fail (checker, "a schedule has between what it ends, not "
                                  "between what engines carry");
      return;
    }
  tp_checker_replicas_init (&replicas, get_costs (it));
  figures.figures = tp_new0 (TpCheckerFigure *, (gsize) it->n_parts + 1);
  for (; figures.n < it->n_parts; figures.n++)
    figures.figures[figures.n]
        = tp_checker_replicas_list (&replicas, it->parts[figures.n].checker);
  tp_checker_replicas_close (&replicas);
  for (int r = 0; r < replicas.n; r++)
    replicas.totals[r] = find_most (it, &figures, &replicas, r);
  tp_checker_replicas_check (&replicas, checker, it->proof->load_ns, told);
}

/* ---- weights -------------------------------------------------------------- */

/* What they add up to; 0: they are none, which was said. */
static gint64
sum_weights (const TpCheckerLoads *it, const gint64 *weights)
{
  gboolean is_one = tp_costs_is_one_engine (get_costs (it));
  Wide sum = 0;

  for (int e = 0; e < it->proof->n_engines; e++)
    {
      sum = MIN (sum + weights[e], MAX_SUM);
      if (weights[e] < 0 || (is_one && weights[e] != weights[0]))
        sum = MAX_SUM;
    }
  if (sum > 0 && sum < MAX_SUM)
    return is_one ? weights[0] : (gint64) sum;
  tp_checker_fail (it->parts[0].checker,
                   "load_weights are below 0, or all 0, or too large, or "
                   "differ where all engines are one");
  return 0;
}

/* Of a nanosecond of one run of the part; FALSE: too large, which was said. */
static gboolean
weigh_runs (const TpCheckerLoads *it, const TpCheckerLoadPart *part,
            const gint64 *weights, gint64 *out)
{
  for (int e = 0; e < it->proof->n_engines; e++)
    if (__builtin_mul_overflow (weights[e], part->n_runs, &out[e])
        || out[e] >= MAX_SUM)
      return tp_checker_fail (part->checker, "load_weights times runs reach "
                                             "2^62");
  return TRUE;
}

/* ---- the flow ------------------------------------------------------------- */

/* Of one end of the tree, or of what is a part's of it. */
typedef struct
{
  const gint64 *weights;      /* [engine] */
  const gint64 *flows;        /* of all parts, one after the other */
  const int *n_flows;         /* [part] */
  TpShareBound **shares;      /* [part]: of three devices and more, in place of flows */
  gint64 share_unit;
  const guint8 *devices;      /* [op]: those it may be on, a bit for each */
} End;

/* All is on the one device. */
static Wide
find_value_alone (const TpLoadProof *proof, const gint64 *weights)
{
  Wide value = 0;

  for (int e = 0; e < proof->n_engines; e++)
    value += (Wide) weights[e] * proof->loads[e];
  return value;
}

/* What no placement of the part is below by rows of shares; FALSE: nothing, which was
 * said. */
static gboolean
sum_answers (TpCheckerWeighed *weighed, const TpShareBound *rows, gint64 unit,
             Wide *out_value)
{
  const TpPlan *whole = weighed->checker.plan;
  TpShareProof shares = { .unit = unit };
  TpPlan plan = *whole;
  g_auto (TpCheckerAnswers) answers = { 0 };
  gboolean is_good;

  plan.share_proof = &shares;
  weighed->checker.plan = &plan;
  tp_checker_answers_init (&answers, &weighed->checker, NULL);
  is_good = tp_checker_answers_read (&answers, rows, "load_shares",
                                     answers.amounts);
  if (is_good)
    *out_value = tp_checker_answers_sum (&answers);
  weighed->checker.plan = whole;
  return is_good;
}

/* What the flow of part @index proves of its runs, or its shares; FALSE: nothing, which
 * was said. */
static gboolean
prove_part (const TpCheckerLoads *it, int index, End own, Wide *out_value)
{
  const TpCheckerLoadPart *part = &it->parts[index];
  gint64 weights[TP_LOAD_MAX_ENGINES] = { 0 };
  g_auto (TpCheckerWeighed) weighed = { 0 };
  TpPlan plan = *part->checker->plan;
  int n = plan.n_devices;
  gint64 flow;

  if (!weigh_runs (it, part, own.weights, weights)
      || !tp_checker_weigh (part->checker, weights, NULL, &weighed))
    return FALSE;
  plan.load_proof = (TpLoadProof *) it->proof; /* whose flows these are */
  weighed.checker.plan = &plan;
  for (int i = 0; i < part->checker->graph->n_nodes; i++)
    for (int d = 0; d < n; d++)
      if (!(own.devices[i] >> d & 1))
        weighed.node_costs[(gsize) i * n + d] = TP_COST_NONE;
  if (own.shares != NULL)
    return sum_answers (&weighed, own.shares[index], own.share_unit, out_value);
  if (!tp_checker_prove (&weighed, own.flows, own.n_flows[index], &flow))
    return FALSE;
  *out_value = flow;
  return TRUE;
}

/* What the end proves; -1: nothing, which was said. */
static gint64
check_end (const TpCheckerLoads *it, End end)
{
  gint64 sum = sum_weights (it, end.weights);
  Wide least = 0, bound, value = 0, all;

  if (sum == 0)
    return -1;
  if (end.shares != NULL && (end.share_unit < 1 || end.share_unit > MAX_UNIT))
    {
      tp_checker_fail (it->parts[0].checker,
                       "load_share_units are not in 1 to 2^20");
      return -1;
    }
  for (int i = 0; i < it->n_parts; i++)
    {
      if (!prove_part (it, i, end, &value))
        return -1;
      least += value;
      end.devices += it->parts[i].checker->graph->n_nodes;
      end.flows = end.flows == NULL ? NULL : end.flows + end.n_flows[i];
    }
  all = end.shares != NULL ? (Wide) sum * end.share_unit : sum;
  if (get_costs (it)->n_devices == 1)
    least = find_value_alone (it->proof, end.weights);
  bound = MAX (least / all + (least % all > 0), 0);
  return (gint64) MIN (bound, MAX_SUM);
}

/* ---- the tree ------------------------------------------------------------- */

/* Where the walk through it is. */
typedef struct
{
  int n_ops;                  /* of all parts, one after the other */
  int *path, n_path;          /* ops that are fixed */
  guint8 *devices;            /* [op]: those it may be on */
  guint8 *allowed;            /* [op]: where nothing is fixed */
  int *n_flows;               /* [part]: of an end */
  int n_ends;                 /* that were used */
  gint64 least;               /* of all ends */
  gboolean is_done;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_free (walk->path);
  g_free (walk->devices);
  g_free (walk->allowed);
  g_free (walk->n_flows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static gboolean
fix_op (const TpCheckerLoads *it, Walk *walk, int op)
{
  guint set = op < 0 || op >= walk->n_ops ? 0 : walk->devices[op];

  if ((set & (set - 1)) == 0)
    return tp_checker_fail (it->parts[0].checker,
                            "load_tree: op %d is not free", op);
  walk->path[walk->n_path++] = op;
  walk->devices[op] = (guint8) (set & -set); /* the first of them */
  return TRUE;
}

/* Goes on where another device of an op is left. */
static void
step_back (Walk *walk)
{
  walk->is_done = TRUE;
  while (walk->n_path > 0 && walk->is_done)
    {
      int op = walk->path[walk->n_path - 1];
      guint left = walk->allowed[op] & ~(2u * walk->devices[op] - 1);

      walk->is_done = left == 0;
      walk->devices[op]
          = walk->is_done ? walk->allowed[op] : (guint8) (left & -left);
      walk->n_path -= walk->is_done;
    }
}

/* How many flows an end has. */
static gint64
count_flows (const TpCheckerLoads *it, const Walk *walk)
{
  gint64 n = 0;

  for (int i = 0; i < it->n_parts; i++)
    n += walk->n_flows[i];
  return n;
}

/* Of end @index; NULL: there are flows. */
static TpShareBound **
find_shares (const TpCheckerLoads *it, int index)
{
  const TpPointers *shares = it->proof->shares;

  return shares == NULL
             ? NULL
             : (TpShareBound **) &shares->pdata[(gsize) index * it->n_parts];
}

static gboolean
take_end (const TpCheckerLoads *it, Walk *walk)
{
  const TpLoadProof *proof = it->proof;
  int n = walk->n_ends;
  gint64 n_own = count_flows (it, walk);
  End end;
  gint64 bound;

  if (n >= proof->n_bounds || (n + 1) * n_own > proof->n_flows)
    return tp_checker_fail (it->parts[0].checker,
                            "load_tree: end %d has no flows", n);
  end = (End){ &proof->weights[(gsize) n * proof->n_engines],
               proof->flows == NULL ? NULL : &proof->flows[n * n_own],
               walk->n_flows,
               find_shares (it, n),
               proof->shares == NULL ? 0 : proof->share_units[n],
               walk->devices };
  walk->n_ends++;
  bound = check_end (it, end);
  walk->least = MIN (walk->least, bound);
  step_back (walk);
  return bound >= 0;
}

static void
check_bound (const TpCheckerLoads *it, const Walk *walk)
{
  const TpLoadProof *proof = it->proof;
  gint64 bound = MIN (walk->least, proof->load_ns);

  if (!walk->is_done || walk->n_ends != proof->n_bounds
      || walk->n_ends * count_flows (it, walk) != proof->n_flows)
    tp_checker_fail (it->parts[0].checker,
                     "load_tree has %d ends of %" G_GINT64_FORMAT
                     " flows, the plan has %d and %d flows",
                     walk->n_ends, count_flows (it, walk), proof->n_bounds,
                     proof->n_flows);
  if (bound != proof->bound_ns)
    tp_checker_fail (it->parts[0].checker,
                     "weights and flows prove that the busiest engine carries "
                     "%" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                     bound, proof->bound_ns);
}

/* By where ops have a cost. */
static void
fill_allowed (const TpChecker *checker, guint8 *out)
{
  int n = checker->costs->n_devices;

  for (int i = 0; i < checker->graph->n_nodes; i++)
    for (int d = 0; d < n; d++)
      if (checker->node_costs[(gsize) i * n + d] != TP_COST_NONE)
        out[i] |= (guint8) (1u << d);
}

static void
walk_init (Walk *walk, const TpCheckerLoads *it)
{
  guint8 *own;

  for (int i = 0; i < it->n_parts; i++)
    walk->n_ops += it->parts[i].checker->graph->n_nodes;
  walk->n_flows = tp_new0 (int, (gsize) it->n_parts + 1);
  for (int i = 0; i < it->n_parts; i++)
    walk->n_flows[i] = tp_checker_count_flows (it->parts[i].checker);
  walk->path = tp_new0 (int, (gsize) walk->n_ops + 1);
  walk->allowed = own = tp_new0 (guint8, (gsize) walk->n_ops + 1);
  for (int i = 0; i < it->n_parts; i++)
    {
      fill_allowed (it->parts[i].checker, own);
      own += it->parts[i].checker->graph->n_nodes;
    }
  walk->devices = tp_memdup (walk->allowed, (gsize) walk->n_ops + 1);
  walk->least = G_MAXINT64;
}

static void
check_tree (const TpCheckerLoads *it)
{
  const TpLoadProof *proof = it->proof;
  g_auto (Walk) walk = { 0 };

  walk_init (&walk, it);
  for (int i = 0; i < proof->n_entries; i++)
    {
      if (walk.is_done)
        tp_checker_fail (it->parts[0].checker,
                         "load_tree has more ends than it needs");
      if (walk.is_done
          || !(proof->tree[i] == TP_LOAD_END
                   ? take_end (it, &walk)
                   : fix_op (it, &walk, proof->tree[i])))
        return;
    }
  check_bound (it, &walk);
}

/* Of three devices and more, and only of those, shares prove what flows do else. */
static gboolean
check_form (const TpCheckerLoads *it)
{
  const TpLoadProof *proof = it->proof;
  gboolean is_shared = get_costs (it)->n_devices > 2;
  gint64 n = (gint64) proof->n_bounds * it->n_parts;

  if (is_shared == (proof->shares != NULL)
      && (!is_shared
          || (proof->shares->len == n && proof->share_units != NULL
              && proof->n_flows == 0)))
    return TRUE;
  return tp_checker_fail (it->parts[0].checker,
                          "load_shares are of three devices and more, for each "
                          "end and part, in place of flows");
}

void
tp_checker_check_loads (const TpCheckerLoads *loads)
{
  check_loads (loads);
  if (loads->parts[0].checker->reasons->len == 0)
    check_interval (loads);
  if (check_form (loads))
    check_tree (loads);
}
