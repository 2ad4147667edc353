/* sweep-truth.c: see sweep-truth.h. */
#include "config.h"

#include "sweep-truth.h"

#include "memory-case.h"

#include "place-case.h"
#include "planner/limit-held.h"

/* ---- all placements ------------------------------------------------------- */

/* One way to run a placement. */
typedef struct
{
  TpTruth *truth;
  const TpProblem *problem;
  const TpLimitHeld *held;    /* whose bytes are read, and by whom */
  const guint8 *devices;
  int places[TP_TRUTH_MAX_OPS]; /* [op]: with which it runs */
} Run;

static const int *
get_readers (const Run *run, const TpLimitHolding *it)
{
  return (const int *) (void *) run->held->readers->data + it->first;
}

/* What groups keep to themselves is nowhere. */
static gboolean
is_alive (const Run *run, const TpLimitHolding *it, int device, int step)
{
  if (it->is_constant || it->maker > step
      || tp_limit_held_is_kept (run->held, it, device)
      || (it->maker >= 0 && run->places[it->maker] != it->maker))
    return FALSE;
  if (it->maker == step)
    return run->devices[step] == device;
  for (int i = 0; i < it->n; i++)
    if (run->devices[get_readers (run, it)[i]] == device
        && run->places[get_readers (run, it)[i]] >= step)
      return TRUE;
  return FALSE;
}

/* The last step at which a constant is read there; -1: none. */
static int
find_first (const Run *run, const TpLimitHolding *it, int device)
{
  int found = -1;

  for (int i = 0; i < it->n; i++)
    {
      int op = get_readers (run, it)[i];

      if (run->devices[op] == device)
        found = MAX (found, it->n == 1 ? op : run->places[op]);
    }
  return found;
}

static void
see_device (const Run *run, int device, TpTruthSeen *seen)
{
  const TpTruth *truth = run->truth;
  gint64 firsts[TP_TRUTH_MAX_OPS] = { 0 };

  for (int t = 0; t < truth->n_tensors; t++)
    {
      const TpLimitHolding *it = &run->held->items[t];
      int first = it->is_constant ? find_first (run, it, device) : -1;

      if (first >= 0)
        firsts[first] += it->size_bytes;
      seen->weights[device] += first >= 0 ? it->size_bytes : 0;
    }
  for (int step = 0; step < truth->n_ops; step++)
    {
      gint64 sum = 0;

      for (int t = 0; t < truth->n_tensors; t++)
        sum += is_alive (run, &run->held->items[t], device, step)
                   ? run->held->items[t].size_bytes : 0;
      seen->peaks[device] = MAX (seen->peaks[device], sum);
      seen->firsts[device] = MAX (seen->firsts[device], sum + firsts[step]);
    }
}

/* Of groups that are whole and gain those in the set @apart are run op by op, for what they
 * would gain. Returns how many there are. */
static int
see_run (Run *run, gint64 cost, guint apart)
{
  TpTruthSeen seen = { .cost = cost };
  int n = 0;

  for (int i = 0; i < run->truth->n_ops; i++)
    run->places[i] = i;
  for (int g = 0; g < run->problem->costs->n_groups; g++)
    {
      const TpGroup *it = &run->problem->groups->groups[g];
      int device = tp_problem_find_fused (run->problem, g, run->devices);

      if (device < 0 || it->is_claimed)
        continue;
      if (apart >> n++ & 1)
        seen.cost += tp_problem_get_gain (run->problem, g, device);
      else
        for (int k = 0; k < it->n_nodes; k++)
          run->places[it->nodes[k]] = it->nodes[it->n_nodes - 1];
    }
  for (int d = 0; d < run->truth->k; d++)
    see_device (run, d, &seen);
  g_array_append_val (run->truth->seen, seen);
  return n;
}

static void
see (Run *run, const TpTestCase *test)
{
  gint64 cost = tp_test_case_cost (test, run->devices);
  int n = cost == TP_COST_NONE ? 0 : see_run (run, cost, 0);

  for (guint apart = 1; apart < 1u << n; apart++)
    see_run (run, cost, apart);
}

void
tp_truth_init (TpTruth *truth, const TpTestCase *test)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_auto (TpLimitHeld) held = { 0 };
  guint8 devices[TP_TRUTH_MAX_OPS + 1] = { 0 };
  int n = test->graph->n_nodes, n_tensors = test->graph->n_tensors;
  Run run = { truth, problem, &held, devices, { 0 } };

  *truth = (TpTruth){ .k = test->costs->n_devices, .n_ops = n,
                        .n_tensors = n_tensors };
  truth->seen = g_array_new (FALSE, FALSE, sizeof (TpTruthSeen));
  tp_limit_held_init (&held, problem);
  for (int t = 0; t < n_tensors; t++)
    truth->all_bytes += MAX (test->graph->tensors[t].size_bytes, 1);
  do
    see (&run, test);
  while (tp_test_step_devices (devices, n, truth->k));
}

void
tp_truth_clear (TpTruth *truth)
{
  g_clear_pointer (&truth->seen, g_array_unref);
}

/* ---- what can be proved --------------------------------------------------- */

gboolean
tp_truth_fits_alive (const TpTruthSeen *seen, const TpTruthBox *box,
                     gint64 limit, int device)
{
  return seen->peaks[device] + seen->weights[device] <= limit;
}

gboolean
tp_truth_fits_apart (const TpTruthSeen *seen, const TpTruthBox *box,
                     gint64 limit, int device)
{
  return seen->weights[device] <= limit && seen->peaks[device] <= limit;
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
