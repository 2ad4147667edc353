/* scale.c: see scale.h. */
#include "config.h"

#include "planner/scale.h"

#include "ir/guard.h"
#include "planner/rated-model.h"

const char *
tp_scale_get_objective (const TpScale *scale)
{
  if (scale->kind == TP_SCALE_PRICE)
    return tp_aim_get_name (TP_AIM_PRICE);
  return tp_aim_get_name (scale->kind == TP_SCALE_WATTS ? TP_AIM_ENERGY
                                                        : TP_AIM_TIME);
}

/* ---- times ---------------------------------------------------------------- */

static gboolean
is_of (const TpScale *scale, int device)
{
  return scale->device == TP_SCALE_ALL || scale->device == device;
}

static void
split_kernels (const TpScale *scale, const TpCosts *from, TpCostsGet get,
               int n_rows, TpLines *out)
{
  for (int i = 0; i < n_rows; i++)
    for (int d = 0; d < from->n_devices; d++)
      {
        gboolean changes = scale->kind == TP_SCALE_KERNELS && is_of (scale, d);
        gint64 time_ns = get (from, i, d)->time_ns;

        if (time_ns == TP_COST_NONE)
          continue;
        get (out->fixed, i, d)->time_ns = changes ? 0 : time_ns;
        get (out->scaled, i, d)->time_ns = changes ? time_ns : 0;
      }
}

/* What of a copy of @time_ns changes. */
static gint64
find_changing (const TpScale *scale, gint64 time_ns, gint64 latency_ns)
{
  if (scale->kind == TP_SCALE_KERNELS)
    return 0;
  return scale->kind == TP_SCALE_COPIES ? time_ns
                                        : MAX (0, time_ns - latency_ns);
}

/* @latencies_ns: [device] */
static void
split_copies (const TpScale *scale, const TpCosts *from, TpCostsGet get,
              const gint64 *latencies_ns, TpLines *out)
{
  for (int i = 0; i < from->n_tensors; i++)
    for (int d = 0; d < from->n_devices; d++)
      {
        gint64 time_ns = get (from, i, d)->time_ns;
        gint64 changing
            = is_of (scale, d)
                  ? find_changing (scale, time_ns, latencies_ns[d])
                  : 0;

        get (out->fixed, i, d)->time_ns = time_ns - changing;
        get (out->scaled, i, d)->time_ns = changing;
      }
}

static void
split_times (const TpScale *scale, const TpCosts *costs, TpLines *out)
{
  const gint64 *latencies_ns = costs->latencies_ns;

  tp_lines_init_times (out, costs);
  split_kernels (scale, costs, tp_costs_node, costs->n_nodes, out);
  split_kernels (scale, costs, tp_costs_group, costs->n_groups, out);
  split_copies (scale, costs, tp_costs_feed, latencies_ns, out);
  split_copies (scale, costs, tp_costs_fetch,
                &latencies_ns[costs->n_devices], out);
}

/* ---- rates ---------------------------------------------------------------- */

/* All but what changes, and of it 1. Nothing is stated of what is not asked for. */
static void
split_rates (const TpScale *scale, const TpCosts *costs, TpLines *out)
{
  gsize n = (gsize) costs->n_devices + 1;
  gboolean is_price = scale->kind == TP_SCALE_PRICE;

  out->fixed_rates = tp_new0 (TpRate, n);
  out->scaled_rates = tp_new0 (TpRate, n);
  for (int d = 0; d < costs->n_devices; d++)
    {
      const TpRate *rate = &costs->rates[d];
      gboolean changes = d == scale->device;

      out->fixed_rates[d] = *rate;
      if (is_price)
        out->fixed_rates[d].busy_mw = TP_RATE_NONE;
      else
        out->fixed_rates[d].price = TP_RATE_NONE;
      if (changes && is_price)
        out->fixed_rates[d].price = 0;
      else if (changes)
        out->fixed_rates[d].busy_mw = 0;
      out->scaled_rates[d].price = changes && is_price;
      out->scaled_rates[d].busy_mw = changes && !is_price;
    }
}

static gboolean
make_rates (const TpScale *scale, TpLines *out, GError **error)
{
  g_autoptr (TpProblem) problem = tp_problem_new (
      out->graph, out->groups, out->times, out->objective, error);

  if (problem == NULL || !tp_rated_check_all (problem, error))
    return FALSE;
  out->sum = problem->sum;
  split_rates (scale, out->times, out);
  return TRUE;
}

gboolean
tp_scale_make_lines (const TpScale *scale, const TpCosts *costs, TpLines *out,
                     GError **error)
{
  out->objective = tp_scale_get_objective (scale);
  if (scale->kind == TP_SCALE_WATTS || scale->kind == TP_SCALE_PRICE)
    {
      out->times = costs;
      if (!make_rates (scale, out, error))
        return FALSE;
    }
  else
    split_times (scale, costs, out);
  tp_lines_keep (out);
  return TRUE;
}
