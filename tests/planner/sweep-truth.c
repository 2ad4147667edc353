/* sweep-truth.c: see sweep-truth.h. */
#include "config.h"

#include "sweep-truth.h"

#include "memory-case.h"

#include "place-case.h"
#include "planner/limit-held.h"

/* ---- all placements ------------------------------------------------------- */

static TpTruthHeld *
get_held (const TpTruth *truth, int device, int step, int tensor)
{
  return &truth->held[(device * truth->n_ops + step) * truth->n_tensors
                      + tensor];
}

static void
note_held (TpTruth *truth, const TpLimitHeld *held, int tensor, int device,
           int step)
{
  const TpLimitHolding *it = &held->items[tensor];
  TpTruthHeld *out = get_held (truth, device, step, tensor);
  int n, n_left = 0;

  out->bytes = tp_limit_held_find (held, tensor, device, step, &n);
  for (int i = 0; i < n; i++)
    out->ops |= 1u << held->found[i];
  for (int i = 0; i < it->n; i++)
    n_left += tp_array_index (held->readers, int, it->first + i) >= step;
  out->is_whole = it->maker == step || n == n_left;
}

static void
see_device (const TpTruth *truth, guint ops, int device, TpTruthSeen *seen)
{
  gint64 firsts[TP_TRUTH_MAX_OPS] = { 0 }, most = 0;

  for (int t = 0; t < truth->n_tensors; t++)
    {
      const TpTruthHeld *it = get_held (truth, device, 0, t);

      if (!truth->is_constant[t] || (it->ops & ops) == 0)
        continue;
      seen->weights[device] += it->bytes;
      firsts[g_bit_nth_msf (it->ops & ops, -1)] += it->bytes;
    }
  for (int step = 0; step < truth->n_ops; step++)
    {
      gint64 plain = 0, whole = 0;

      for (int t = 0; t < truth->n_tensors; t++)
        {
          const TpTruthHeld *it = get_held (truth, device, step, t);
          gboolean is_there = !truth->is_constant[t] && (it->ops & ops) != 0;

          plain += is_there ? it->bytes : 0;
          whole += is_there && it->is_whole ? it->bytes : 0;
        }
      most = MAX (most, plain);
      seen->peaks[device] = MAX (seen->peaks[device], whole);
      seen->firsts[device]
          = MAX (seen->firsts[device], whole + firsts[step]);
    }
  seen->plain[device] = most;
  seen->rows[device] = most + seen->weights[device];
}

static void
see (TpTruth *truth, const TpTestCase *test, const guint8 *devices)
{
  TpTruthSeen seen = { .cost = tp_test_case_cost (test, devices) };

  if (seen.cost == TP_COST_NONE)
    return;
  for (int d = 0; d < truth->k; d++)
    {
      guint ops = 0;

      for (int i = 0; i < truth->n_ops; i++)
        ops |= (guint) (devices[i] == d) << i;
      see_device (truth, ops, d, &seen);
    }
  g_array_append_val (truth->seen, seen);
}

void
tp_truth_init (TpTruth *truth, const TpTestCase *test)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_auto (TpLimitHeld) held = { 0 };
  guint8 devices[TP_TRUTH_MAX_OPS + 1] = { 0 };
  int n = test->graph->n_nodes, n_tensors = test->graph->n_tensors;

  *truth = (TpTruth){ .k = test->costs->n_devices, .n_ops = n,
                        .n_tensors = n_tensors };
  truth->held = g_new0 (TpTruthHeld, truth->k * n * n_tensors + 1);
  truth->is_constant = g_new0 (gboolean, n_tensors + 1);
  truth->seen = g_array_new (FALSE, FALSE, sizeof (TpTruthSeen));
  tp_limit_held_init (&held, problem);
  for (int t = 0; t < n_tensors; t++)
    {
      truth->is_constant[t] = held.items[t].is_constant;
      truth->all_bytes += MAX (test->graph->tensors[t].size_bytes, 1);
      for (int i = 0; i < truth->k * n; i++)
        note_held (truth, &held, t, i / n, i % n);
    }
  do
    see (truth, test, devices);
  while (tp_test_step_devices (devices, n, truth->k));
}

void
tp_truth_clear (TpTruth *truth)
{
  g_free (truth->held);
  g_free (truth->is_constant);
  g_clear_pointer (&truth->seen, g_array_unref);
}

/* ---- what can be proved --------------------------------------------------- */

gboolean
tp_truth_fits_rows (const TpTruthSeen *seen, const TpTruthBox *box,
                    gint64 limit, int device)
{
  return seen->rows[device] <= limit;
}

gboolean
tp_truth_fits_apart (const TpTruthSeen *seen, const TpTruthBox *box,
                     gint64 limit, int device)
{
  return seen->weights[device] <= limit && seen->plain[device] <= limit;
}

gboolean
tp_truth_fits_sweep (const TpTruthSeen *seen, const TpTruthBox *box,
                     gint64 limit, int device)
{
  return seen->weights[device] <= limit - box->low[device]
         && seen->peaks[device] <= box->high[device]
         && seen->firsts[device] <= limit;
}

const TpTruthSeen *
tp_truth_find_cheapest (const TpTruth *truth, const gint64 *limits,
                        const TpTruthBox *box, TpTruthFits fits)
{
  const TpTruthSeen *cheapest = NULL;

  for (guint i = 0; i < truth->seen->len; i++)
    {
      const TpTruthSeen *it = &g_array_index (truth->seen, TpTruthSeen, i);
      gboolean is_good = cheapest == NULL || it->cost < cheapest->cost;

      for (int d = 0; d < truth->k && is_good; d++)
        is_good = limits[d] == 0 || limits[d] >= truth->all_bytes
                  || fits (it, box, limits[d], d);
      cheapest = is_good ? it : cheapest;
    }
  return cheapest;
}

gint64
tp_truth_find_least (const TpTruth *truth, const gint64 *limits,
                     const TpTruthBox *box, TpTruthFits fits)
{
  const TpTruthSeen *it = tp_truth_find_cheapest (truth, limits, box, fits);

  return it == NULL ? TP_COST_NONE : it->cost;
}

gint64
tp_truth_find_laid_out (const TpTestCase *test, const gint64 *limits)
{
  guint8 devices[TP_TRUTH_MAX_OPS + 1] = { 0 };
  gint64 least = TP_COST_NONE;

  do
    {
      gint64 bytes[TP_TRUTH_DEVICES], cost = tp_test_case_cost (test, devices);
      gboolean is_good = cost < least;

      if (is_good)
        tp_memory_case_count (test, devices, bytes);
      for (int d = 0; d < test->costs->n_devices && is_good; d++)
        is_good = limits[d] == 0 || bytes[d] <= limits[d];
      least = is_good ? cost : least;
    }
  while (tp_test_step_devices (devices, test->graph->n_nodes, test->costs->n_devices));
  return least;
}
