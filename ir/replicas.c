/* replicas.c: see replicas.h. */
#include "config.h"

#include "ir/replicas.h"

#include "ir/guard.h"
#include "ir/plan-interval.h"

#include <math.h>

#define MOST 256              /* replicas: of more than half as many sources some go
                               * together */
#define MIXER 2654435761u     /* odd, and of no pattern (Knuth) */

void
tp_works_clear (TpWorks *works)
{
  g_clear_pointer (&works->works, g_free);
}

void
tp_replicas_clear (TpReplicas *replicas)
{
  g_clear_pointer (&replicas->roots, g_free);
  g_clear_pointer (&replicas->shifts, g_free);
}

/* A lower triangular root of the covariances (Cholesky); what is below 0, which none
 * can be, counts as 0. */
static void
fill_roots (TpReplicas *replicas, const TpCostErrors *errors)
{
  int n = replicas->costs->n_devices;
  double *roots = replicas->roots;

  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++)
      {
        double rest = (double) errors->covariances[i * n + k] / TP_COST_BILLION;

        for (int j = 0; j < k; j++)
          rest -= roots[i * n + j] * roots[k * n + j];
        if (i == k)
          roots[i * n + k] = sqrt (MAX (rest, 0));
        else
          roots[i * n + k]
              = roots[k * n + k] > 0 ? rest / roots[k * n + k] : 0;
      }
}

void
tp_replicas_init (TpReplicas *replicas, const TpCosts *costs)
{
  gsize n = (gsize) costs->n_devices;

  *replicas = (TpReplicas){ .costs = costs, .n_sources = 3 * (int) n,
                            .is_exact = costs->errors == NULL, .index = -1 };
  replicas->roots = tp_new0 (double, n * n + 1);
  replicas->shifts = tp_new0 (double, n + 1);
  if (costs->errors != NULL)
    fill_roots (replicas, costs->errors);
}

int *
tp_plan_list_rows (const TpPlan *plan, const TpGraph *graph)
{
  g_autofree int *groups = tp_plan_map_groups (plan, graph);
  int *rows = tp_new (int, (gsize) graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    rows[i] = groups[i] < 0 ? i : -1;
  for (int g = 0; g < plan->all_groups->n_groups; g++)
    {
      int first = plan->all_groups->groups[g].nodes[0];

      if (groups[first] >= 0)
        rows[first] = graph->n_nodes + g;
    }
  return rows;
}

/* ---- works ---------------------------------------------------------------- */

typedef struct
{
  TpReplicas *replicas;
  const TpPlan *plan;
  int *sources;               /* [kernel * n_devices + device]: its source, or 0:
                               * it has none yet */
} Lister;

static void
set_work (Lister *lister, TpWork *work, int engine, const TpCost *cost)
{
  *work = (TpWork){ cost->time_ns > 0 ? engine : -1, -1, cost->time_ns, 0 };
  if (work->engine < 0 || cost->spread_ns == 0)
    return;
  work->sd_ns = (double) cost->spread_ns / TP_COST_SPREADS;
  work->source = engine;      /* a way has one for all its copies */
  lister->replicas->is_exact = FALSE;
}

/* That of its measurement, which others may have in common. */
static void
set_source (Lister *lister, TpWork *work, int row)
{
  const TpCosts *costs = lister->replicas->costs;
  int kernel = tp_costs_get_kernel (lister->plan->costs, row);
  int *source = &lister->sources[(gsize) kernel * costs->n_devices
                                 + work->engine];

  if (kernel == 0 || *source == 0)
    *source = lister->replicas->n_sources++;
  work->source = *source;
}

static void
list_kernel (Lister *lister, TpWork *work, int row, int device)
{
  const TpCosts *costs = lister->plan->costs;

  set_work (lister, work, device,
            row < costs->n_nodes
                ? tp_costs_node (costs, row, device)
                : tp_costs_group (costs, row - costs->n_nodes, device));
  if (work->source >= 0)
    set_source (lister, work, row);
}

static void
list_transfer (Lister *lister, const TpTransfer *it, TpWork *works)
{
  const TpCosts *costs = lister->plan->costs;
  int n = costs->n_devices;

  if (it->from != costs->host && it->from != TP_COSTS_HOST)
    set_work (lister, &works[0], 2 * n + it->from,
              tp_costs_fetch (costs, it->tensor, it->from));
  if (it->to != costs->host && it->to != TP_COSTS_HOST)
    set_work (lister, &works[1], n + it->to,
              tp_costs_feed (costs, it->tensor, it->to));
}

void
tp_replicas_list_works (TpReplicas *replicas, const TpPlan *plan,
                        const TpGraph *graph, TpWorks *out)
{
  const TpCosts *costs = plan->costs;
  gsize n_rows = (gsize) costs->n_nodes + costs->n_groups + 1;
  g_autofree int *sources = tp_new0 (int, n_rows * costs->n_devices);
  g_autofree int *rows = tp_plan_list_rows (plan, graph);
  Lister lister = { replicas, plan, sources };

  out->n_works = graph->n_nodes + 2 * plan->n_transfers;
  out->works = tp_new0 (TpWork, (gsize) out->n_works + 1);
  for (int i = 0; i < out->n_works; i++)
    out->works[i].engine = out->works[i].source = -1;
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      if (rows[it->node] >= 0)
        list_kernel (&lister, &out->works[it->node], rows[it->node],
                     it->device);
    }
  for (int i = 0; i < plan->n_transfers; i++)
    list_transfer (&lister, &plan->transfers[i],
                   &out->works[graph->n_nodes + 2 * i]);
}

/* ---- replicas ------------------------------------------------------------- */

/* A power of two, more than twice as many as there are sources, if it may. */
static void
count (TpReplicas *replicas)
{
  replicas->n_replicas = 2;
  while (replicas->n_replicas < MOST
         && replicas->n_replicas <= 2 * replicas->n_sources)
    replicas->n_replicas *= 2;
}

/* Of @source in this replica: 1 or -1. Rows of a Hadamard matrix (Sylvester), each
 * with its opposite; where there are too few, sources share them, turn after turn, with
 * signs of which any two turns have about as many alike as not: what they have in common
 * cancels out, and no stride through the sources meets a pattern. */
static int
get_sign (const TpReplicas *replicas, int source)
{
  guint32 half = (guint32) replicas->n_replicas / 2;
  guint32 row = (guint32) source % half, turn = (guint32) source / half;
  guint32 mixed = row * MIXER;
  int is_below = __builtin_parity ((guint32) replicas->index & (2 * row + 1))
                 ^ __builtin_parity (mixed);

  for (; turn > 0; turn >>= 1, mixed <<= 1)
    is_below ^= (int) (turn & mixed >> 31);
  return is_below ? -1 : 1;
}

gboolean
tp_replicas_next (TpReplicas *replicas)
{
  int n = replicas->costs->n_devices;

  if (replicas->is_exact)
    return FALSE;
  if (replicas->n_replicas == 0)
    count (replicas);
  if (++replicas->index >= replicas->n_replicas)
    return FALSE;
  for (int d = 0; d < n; d++)
    {
      replicas->shifts[d] = 0;
      for (int j = 0; j <= d; j++)
        replicas->shifts[d]
            += replicas->roots[d * n + j] * get_sign (replicas, j);
    }
  return TRUE;
}

double
tp_replicas_get_ns (const TpReplicas *replicas, const TpWork *work)
{
  double time_ns = (double) work->time_ns;

  if (work->engine >= 0 && work->engine < replicas->costs->n_devices)
    time_ns += time_ns * replicas->shifts[work->engine];
  if (work->source >= 0)
    time_ns += work->sd_ns * get_sign (replicas, work->source);
  return MAX (time_ns, 0);
}

void
tp_works_add_loads (const TpWorks *works, const TpReplicas *replicas,
                    gint64 n_runs, double *loads)
{
  gboolean is_one = tp_costs_is_one_engine (replicas->costs);

  for (int i = 0; i < works->n_works; i++)
    if (works->works[i].engine >= 0)
      loads[is_one ? 0 : works->works[i].engine]
          += (double) n_runs * tp_replicas_get_ns (replicas, &works->works[i]);
}

double
tp_loads_find_most (const double *loads, int n_engines)
{
  double most = 0;

  for (int e = 0; e < n_engines; e++)
    most = MAX (most, loads[e]);
  return most;
}

void
tp_replicas_tell (TpReplicas *replicas, double more_ns)
{
  replicas->sum += more_ns;
  replicas->squares += more_ns * more_ns;
}

static gint64
round_time (double time_ns)
{
  return time_ns < (double) TP_PLAN_MAX_NUMBER ? llround (time_ns)
                                               : TP_PLAN_MAX_NUMBER;
}

void
tp_replicas_find_interval (const TpReplicas *replicas, gint64 total_ns,
                           gint64 *out_low_ns, gint64 *out_high_ns)
{
  const TpCostErrors *errors = replicas->costs->errors;
  int n = MAX (replicas->n_replicas, 1);
  double more = replicas->sum / n, mean = (double) total_ns + more;
  double variance = MAX (replicas->squares / n - more * more, 0);

  *out_low_ns = *out_high_ns = total_ns;
  if (replicas->is_exact || mean <= 0)
    return;
  variance /= mean * mean;
  if (errors != NULL)
    variance += (double) errors->run_variance / TP_COST_BILLION;
  *out_low_ns = round_time (mean * exp (-TP_PLAN_SDS * sqrt (variance)));
  *out_high_ns = round_time (mean * exp (TP_PLAN_SDS * sqrt (variance)));
}
