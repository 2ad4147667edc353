/* lines.c: see lines.h.
 *
 * Costs are integers: for x = p / q what does not change is taken q times, what does p
 * times. */
#include "config.h"

#include "planner/lines.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/plan.h"
#include "planner/copies.h"
#include "planner/network-lines.h"
#include "planner/rated.h"
#include "planner/solver.h"

#include <string.h>

#define MAX_TERM (1 << 20)    /* of p and q, of times */
#define MAX_DEVICES 256       /* that a byte numbers */

__extension__ typedef __int128 Wide;

/* Costs for one x. Times that change are its own, all else is borrowed. */
typedef struct
{
  TpCosts costs;
  TpCosts *own;               /* (nullable) */
  TpRate *rates;              /* (nullable) */
  TpProblem *problem;
} At;

static void
at_clear (At *at)
{
  g_clear_pointer (&at->problem, tp_problem_free);
  g_clear_pointer (&at->own, tp_costs_unref);
  g_clear_pointer (&at->rates, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (At, at_clear)

/* Where all is on one device. */
typedef struct
{
  TpPiece piece;
  guint8 *devices;            /* NULL: it cannot be */
} Alone;

typedef struct TpLinesKept
{
  At at[2];                   /* for x = 1 and 2 */
  TpRated rated[2];           /* of rates: what rents both */
  TpNetwork *networks[2];
  TpNetworkLines *lines;
  Alone alone[2];             /* of rates */
} TpLinesKept;

static void
kept_free (TpLinesKept *kept)
{
  if (kept == NULL)
    return;
  tp_network_lines_free (kept->lines);
  for (int i = 0; i < 2; i++)
    {
      tp_network_free (kept->networks[i]);
      tp_rated_clear (&kept->rated[i]);
      at_clear (&kept->at[i]);
      g_free (kept->alone[i].devices);
    }
  g_free (kept);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLinesKept, kept_free)

void
tp_lines_clear (TpLines *lines)
{
  g_clear_pointer (&lines->kept, kept_free);
  g_clear_pointer (&lines->fixed, tp_costs_unref);
  g_clear_pointer (&lines->scaled, tp_costs_unref);
  g_clear_pointer (&lines->fixed_rates, g_free);
  g_clear_pointer (&lines->scaled_rates, g_free);
}

static TpCosts *
new_times (const TpLines *lines, const TpCosts *as)
{
  TpCosts *costs = tp_costs_new (as->n_devices,
                                 (const char *const *) as->devices,
                                 lines->graph, lines->groups);

  costs->host = as->host;
  costs->is_simulated = as->is_simulated;
  return costs;
}

void
tp_lines_init_times (TpLines *lines, const TpCosts *costs)
{
  gsize n = (gsize) costs->n_nodes * costs->n_devices;

  lines->fixed = new_times (lines, costs);
  lines->scaled = new_times (lines, costs);
  for (gsize i = 0; i < n; i++)
    {
      if (costs->nodes[i].time_ns != TP_COST_NONE)
        lines->fixed->nodes[i].time_ns = 0;
      else
        lines->fixed->nodes[i].reason = costs->nodes[i].reason;
      lines->scaled->nodes[i].time_ns = 0;
    }
}

/* ---- costs for one x ------------------------------------------------------ */

/* Beyond what adds up, which the planner then says. */
static gint64
blend (gint64 fixed, gint64 scaled, TpRatio x)
{
  Wide sum = (Wide) fixed * x.q + (Wide) scaled * x.p;

  return fixed == TP_COST_NONE ? TP_COST_NONE
                               : (gint64) MIN (sum, (Wide) TP_PROBLEM_LIMIT);
}

/* Figures of copies have a row for each tensor here. */
static void
blend_table (const TpCost *fixed, const TpCost *scaled, TpRatio x, TpCost *out,
             gsize n)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (TpCost){ .time_ns
                       = blend (fixed[i].time_ns, scaled[i].time_ns, x),
                       .reason = fixed[i].reason };
}

static void
blend_times (const TpLines *lines, TpRatio x, At *at)
{
  const TpCosts *fixed = lines->fixed, *scaled = lines->scaled;
  gsize n_devices = fixed->n_devices;

  at->own = new_times (lines, fixed);
  blend_table (fixed->nodes, scaled->nodes, x, at->own->nodes,
               fixed->n_nodes * n_devices);
  blend_table (fixed->groups, scaled->groups, x, at->own->groups,
               fixed->n_groups * n_devices);
  blend_table (fixed->feeds, scaled->feeds, x, at->own->feeds,
               fixed->n_tensors * n_devices);
  blend_table (fixed->fetches, scaled->fetches, x, at->own->fetches,
               fixed->n_tensors * n_devices);
  at->costs = *at->own;
}

static gint64
blend_rate (gint64 fixed, gint64 scaled, TpRatio x)
{
  return fixed == TP_RATE_NONE ? TP_RATE_NONE : blend (fixed, scaled, x);
}

static void
blend_rates (const TpLines *lines, TpRatio x, At *at)
{
  int n = lines->times->n_devices;

  at->costs = *lines->times;
  if (at->rates == NULL)
    at->rates = tp_new0 (TpRate, (gsize) n + 1);
  at->costs.rates = at->rates;
  for (int d = 0; d < n; d++)
    {
      const TpRate *fixed = &lines->fixed_rates[d];
      const TpRate *scaled = &lines->scaled_rates[d];

      at->rates[d] = (TpRate){
        .busy_mw = blend_rate (fixed->busy_mw, scaled->busy_mw, x),
        .idle_mw = blend (fixed->idle_mw, scaled->idle_mw, x),
        .copy_mw = blend (fixed->copy_mw, scaled->copy_mw, x),
        .price = blend_rate (fixed->price, scaled->price, x),
        .is_per_use = fixed->is_per_use,
      };
    }
}

static gboolean
at_init (At *at, const TpLines *lines, TpRatio x, GError **error)
{
  if (lines->fixed != NULL)
    blend_times (lines, x, at);
  else
    blend_rates (lines, x, at);
  at->problem = tp_problem_new (lines->graph, lines->groups, &at->costs,
                                lines->objective, error);
  return at->problem != NULL;
}

/* A run costs as much as it takes, if all of it is rented and drawn all the time. */
static gboolean
fits_rates (const TpLines *lines, TpRatio x)
{
  g_auto (At) at = { .rates = NULL };
  const TpObjective *objective = tp_objective_find (lines->objective);
  gint64 weights[TP_RATES_MAX_ENGINES];

  blend_rates (lines, x, &at);
  if (!tp_rates_weigh (&at.costs, objective->aims, ~0u, weights))
    return FALSE;
  for (int e = 0; e < 3 * at.costs.n_devices; e++)
    if (weights[e] >= TP_PROBLEM_LIMIT / (lines->sum + 1))
      return FALSE;
  return TRUE;
}

gboolean
tp_lines_fits (const TpLines *lines, TpRatio x)
{
  return lines->fixed != NULL ? x.p <= MAX_TERM && x.q <= MAX_TERM
                              : fits_rates (lines, x);
}

/* ---- what a placement costs ----------------------------------------------- */

/* Of each engine, as in ir/load-proof.h: by @costs, with the groups that are in effect
 * at @at. */
static void
sum_loads (const At *at, const TpCosts *costs, const TpArray *copies,
           const guint8 *devices, gint64 *out)
{
  int n = costs->n_devices;

  for (int e = 0; e < 3 * n; e++)
    out[e] = 0;
  for (int i = 0; i < costs->n_nodes; i++)
    out[devices[i]] += tp_costs_node (costs, i, devices[i])->time_ns;
  for (guint i = 0; i < copies->len; i++)
    {
      const TpTransfer *it = &tp_array_index (copies, TpTransfer, i);

      if (it->to != TP_COSTS_HOST)
        out[n + it->to]
            += tp_costs_copy (costs, it->tensor, TP_COSTS_HOST, it->to).time_ns;
      if (it->from != TP_COSTS_HOST)
        out[2 * n + it->from]
            += tp_costs_copy (costs, it->tensor, it->from, TP_COSTS_HOST)
                   .time_ns;
    }
  for (int i = 0; i < costs->n_groups; i++)
    {
      const TpGroup *group = &at->problem->groups->groups[i];
      int device = tp_problem_find_fused (at->problem, i, devices);

      if (device < 0)
        continue;
      out[device] += tp_costs_group (costs, i, device)->time_ns;
      for (int k = 0; k < group->n_nodes; k++)
        out[device] -= tp_costs_node (costs, group->nodes[k], device)->time_ns;
    }
}

static gint64
sum_times (const At *at, const TpCosts *costs, const TpArray *copies,
           const guint8 *devices)
{
  gint64 loads[3 * MAX_DEVICES], sum = 0;

  sum_loads (at, costs, copies, devices, loads);
  for (int e = 0; e < 3 * costs->n_devices; e++)
    sum += loads[e];
  return sum;
}

/* Of @loads, with what does not change, or with 1 of what does and nothing else. */
static gint64
weigh_loads (const TpLines *lines, TpRatio x, guint used, const gint64 *loads)
{
  const TpObjective *objective = tp_objective_find (lines->objective);
  g_auto (At) at = { .rates = NULL };
  gint64 weights[3 * MAX_DEVICES], sum = 0;

  blend_rates (lines, x, &at);
  tp_rates_weigh (&at.costs, objective->aims, used, weights);
  for (int e = 0; e < 3 * at.costs.n_devices; e++)
    sum += weights[e] * loads[e];
  return sum;
}

static void
fill_rated (const TpLines *lines, const At *at, const TpArray *copies,
            const guint8 *devices, TpPiece *out)
{
  gint64 loads[3 * MAX_DEVICES];
  guint used = tp_rated_list_used (at->problem, devices);

  sum_loads (at, lines->times, copies, devices, loads);
  out->fixed = weigh_loads (lines, (TpRatio){ 0, 1 }, used, loads);
  out->scaled = weigh_loads (lines, (TpRatio){ 1, 0 }, used, loads);
  for (int e = 0; e < 3 * lines->times->n_devices; e++)
    out->time_ns += loads[e];
}

/* All but its ends and devices. */
static void
fill_piece (const TpLines *lines, const At *at, const guint8 *devices,
            TpPiece *out)
{
  g_autoptr (TpArray) copies = tp_copies_list (at->problem, devices);

  *out = (TpPiece){ .n_copies = (int) copies->len };
  if (lines->fixed == NULL)
    {
      fill_rated (lines, at, copies, devices, out);
      return;
    }
  out->fixed = sum_times (at, lines->fixed, copies, devices);
  out->scaled = sum_times (at, lines->scaled, copies, devices);
}

/* ---- the cheapest --------------------------------------------------------- */

/* Of rates on two devices, that takes no other plan beside it. */
static gboolean
solve (const TpProblem *problem, TpPlan *plan, guint8 *devices, GError **error)
{
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  const TpSolver *solver = tp_solver_find (problem, error);

  if (solver == NULL)
    return FALSE;
  if (solver != &tp_solver_rated)
    return solver->solve (problem, plan, devices, cheapest, error);
  plan->rate_proof = tp_rated_solve (problem, devices, error);
  return plan->rate_proof != NULL;
}

static gboolean
place_anew (const TpLines *lines, TpRatio x, TpPiece *out, gint64 *out_bound,
            GError **error)
{
  g_auto (At) at = { .own = NULL };
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *devices
      = tp_new0 (guint8, (gsize) lines->graph->n_nodes + 1);

  if (!at_init (&at, lines, x, error)
      || !solve (at.problem, plan, devices, error))
    return FALSE;
  *out_bound = plan->rate_proof == NULL
                   ? plan->bound_ns
                   : tp_rate_proof_get_bound (plan->rate_proof);
  fill_piece (lines, &at, devices, out);
  out->devices = g_steal_pointer (&devices);
  return TRUE;
}

/* ---- what is kept --------------------------------------------------------- */

/* Of the network: of rates, of plans that rent both devices. */
static const TpProblem *
find_weighed (const TpLines *lines, TpLinesKept *kept, int index)
{
  const TpProblem *problem = kept->at[index].problem;

  if (lines->fixed != NULL)
    return problem;
  return tp_rated_init (&kept->rated[index], problem, problem->aims, 3)
             ? kept->rated[index].weighed
             : NULL;
}

static void
keep_alone (const TpLines *lines, TpLinesKept *kept, int device)
{
  gsize n = (gsize) lines->graph->n_nodes;
  Alone *alone = &kept->alone[device];

  if (lines->fixed != NULL
      || tp_problem_single_cost (kept->at[0].problem, device) == TP_COST_NONE)
    return;
  alone->devices = tp_new (guint8, n + 1);
  memset (alone->devices, device, n);
  fill_piece (lines, &kept->at[0], alone->devices, &alone->piece);
}

void
tp_lines_keep (TpLines *lines)
{
  const TpCosts *costs = lines->fixed != NULL ? lines->fixed : lines->times;
  g_autoptr (TpLinesKept) kept = NULL;

  if (costs->n_devices != 2)
    return;
  kept = g_new0 (TpLinesKept, 1);
  for (int i = 0; i < 2; i++)
    {
      const TpProblem *weighed;

      if (!at_init (&kept->at[i], lines, (TpRatio){ i + 1, 1 }, NULL))
        return;
      weighed = find_weighed (lines, kept, i);
      if (weighed == NULL)
        return;
      kept->networks[i] = tp_network_new (weighed);
      keep_alone (lines, kept, i);
    }
  kept->lines = tp_network_lines_new (kept->networks[0], kept->networks[1]);
  if (kept->lines != NULL)
    lines->kept = g_steal_pointer (&kept);
}

/* Whether all costs for @x are small enough to be added up. */
static gboolean
fits_kept (const TpLines *lines, TpRatio x)
{
  const TpLinesKept *kept = lines->kept;
  Wide sum = (Wide) kept->at[0].problem->sum * (2 * x.q - x.p)
             + (Wide) kept->at[1].problem->sum * (x.p - x.q);

  return lines->fixed == NULL ? fits_rates (lines, x)
                              : sum < TP_PROBLEM_LIMIT;
}

/* All on one device, where that is no dearer. */
static void
offer_alone (const TpLinesKept *kept, TpRatio x, gsize n_nodes,
             guint8 *devices, gint64 *bound)
{
  for (int d = 1; d >= 0; d--)
    {
      const Alone *it = &kept->alone[d];
      gint64 cost = it->piece.fixed * x.q + it->piece.scaled * x.p;

      if (it->devices == NULL || cost > *bound)
        continue;
      *bound = cost;
      memcpy (devices, it->devices, n_nodes);
    }
}

static void
place_kept (const TpLines *lines, TpRatio x, TpPiece *out, gint64 *out_bound)
{
  gsize n = (gsize) lines->graph->n_nodes;
  g_autofree guint8 *devices = tp_new0 (guint8, n + 1);

  *out_bound
      = tp_network_lines_solve (lines->kept->lines, x.p, x.q, devices);
  offer_alone (lines->kept, x, n, devices, out_bound);
  fill_piece (lines, &lines->kept->at[0], devices, out);
  out->devices = g_steal_pointer (&devices);
}

gboolean
tp_lines_place (const TpLines *lines, TpRatio x, TpPiece *out,
                gboolean *out_is_proved, GError **error)
{
  gint64 bound;

  if (lines->kept != NULL && fits_kept (lines, x))
    place_kept (lines, x, out, &bound);
  else if (!place_anew (lines, x, out, &bound, error))
    return FALSE;
  *out_is_proved = bound == out->fixed * x.q + out->scaled * x.p;
  return TRUE;
}
