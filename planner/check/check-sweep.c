/* check-sweep.c: see check-sweep.h.
 *
 * All ways from the last op to the first, state by state, but for those than
 * which another to the same state costs no more and reads no more constants;
 * and for those that cannot end below the target: a price on constants instead
 * of a limit tells what is to come at least. No step holds more than the box
 * allows; and as one holds as much as it says at least, constants have the rest
 * of the limit. */
#include "config.h"

#include "planner/check/check-sweep.h"

#include "ir/guard.h"

#include <stdlib.h>

#define N_PRICES 3
#define MAX_WAYS (1 << 22)    /* at once, of two devices */
#define MAX_WORK (G_GINT64_CONSTANT (1) << 27) /* ways: seconds */
#define N_PARTS 4             /* of these, what more devices get: each way is
                               * larger, and leads to more */
#define N_BACK 32

typedef TpCheckerWide Wide;

static const Wide infinite = (Wide) 1 << 100;

typedef struct
{
  int state;
  gint64 weights[TP_SWEEP_MAX_DEVICES];
  Wide cost;
} Way;

typedef struct
{
  const TpCheckerSteps *steps;
  const TpCheckerBox *box;
  Wide target;
  gint64 room[TP_SWEEP_MAX_DEVICES]; /* [device]: for constants */
  gint64 shared;              /* for those of both devices, in a pool */
  int n_ops, k;               /* devices */
  int *first;                 /* [k]: of all states, those before the k-th op */
  Wide *least[N_PRICES];      /* [state]: what is to come, at a price */
  Wide prices[N_PRICES][TP_SWEEP_MAX_DEVICES];
  TpArray *ways, *next;       /* Way */
  gint64 work;
} Sweep;

static const TpCheckerStep *
get_step (const Sweep *sweep, int index)
{
  return &tp_array_index (sweep->steps->steps, TpCheckerStep, index);
}

static gboolean
is_in_box (const Sweep *sweep, const TpCheckerStep *step)
{
  for (int d = 0; d < sweep->k; d++)
    if (sweep->steps->is_limited[d] && step->held[d] > sweep->box->high[d])
      return FALSE;
  return TRUE;
}

static Wide
pay (const Sweep *sweep, int price, const gint64 *weights)
{
  Wide sum = 0;

  for (int d = 0; d < sweep->k; d++)
    sum += sweep->prices[price][d] * weights[d] >> 30;
  return sum;
}

/* ---- what is to come ---------------------------------------------------- */

static void
find_least (Sweep *sweep, int price)
{
  const int *first = sweep->first;
  Wide *least = sweep->least[price];

  for (int i = 0; i < first[sweep->n_ops + 1]; i++)
    least[i] = i < first[sweep->n_ops] ? infinite : 0;
  for (int k = sweep->n_ops - 1; k >= 0; k--)
    for (int i = sweep->steps->first[k]; i < sweep->steps->first[k + 1]; i++)
      {
        const TpCheckerStep *it = get_step (sweep, i);
        Wide *before = &least[first[k] + it->from];
        Wide sum = it->cost + pay (sweep, price, it->weights)
                   + least[first[k + 1] + it->to];

        if (is_in_box (sweep, it) && sum < *before)
          *before = sum;
      }
}

/* What prices on what is left come to. */
static Wide
pay_left (const Sweep *sweep, int price, const gint64 *left, gint64 shared)
{
  return sweep->steps->room.pool == 0
             ? pay (sweep, price, left)
             : tp_checker_pay_most (sweep->prices[price], left, shared) >> 30;
}

static gboolean
may_end (const Sweep *sweep, const Way *way, int k)
{
  gint64 shared = sweep->shared, left[TP_SWEEP_MAX_DEVICES];

  for (int d = 0; d < sweep->k; d++)
    {
      shared -= way->weights[d];
      left[d] = sweep->steps->is_limited[d]
                    ? sweep->room[d] - way->weights[d]
                    : 0;
      if (left[d] < 0)
        return FALSE;
    }
  if (sweep->steps->room.pool > 0 && shared < 0)
    return FALSE;
  for (int i = 0; i < N_PRICES; i++)
    if (way->cost + sweep->least[i][sweep->first[k] + way->state]
            - pay_left (sweep, i, left, shared) - 2
        >= sweep->target)
      return FALSE;
  return TRUE;
}

/* ---- ways --------------------------------------------------------------- */

static int
compare_ways (const void *a, const void *b)
{
  const Way *x = a, *y = b;

  if (x->state != y->state)
    return x->state < y->state ? -1 : 1;
  for (int d = 0; d < TP_SWEEP_MAX_DEVICES; d++)
    if (x->weights[d] != y->weights[d])
      return x->weights[d] < y->weights[d] ? -1 : 1;
  return x->cost < y->cost ? -1 : x->cost > y->cost;
}

static gboolean
is_worse (const Way *way, const Way *other)
{
  gboolean is_more = way->state == other->state && way->cost >= other->cost;

  for (int d = 0; d < TP_SWEEP_MAX_DEVICES && is_more; d++)
    is_more = way->weights[d] >= other->weights[d];
  return is_more;
}

/* Leaves out those that are worse than one of the last that are left. */
static void
thin_out (TpArray *ways)
{
  Way *all;
  int n = 0;

  if (ways->len == 0) /* it may have no memory at all */
    return;
  all = &tp_array_index (ways, Way, 0);
  qsort (all, ways->len, sizeof *all, compare_ways);
  for (guint i = 0; i < ways->len; i++)
    {
      gboolean is_left = TRUE;

      for (int k = n - 1; k >= 0 && k >= n - N_BACK && is_left; k--)
        is_left = !is_worse (&all[i], &all[k]);
      if (is_left)
        all[n++] = all[i];
    }
  tp_array_set_size (ways, n);
}

static int
compare_from (const void *a, const void *b)
{
  const TpCheckerStep *const *x = a, *const *y = b;

  return (*x)->from < (*y)->from ? -1 : (*x)->from > (*y)->from;
}

/* From each state at most one step to each device. */
static void
take_step (Sweep *sweep, const TpCheckerStep *step, int start, int k)
{
  for (guint i = (guint) start; i < sweep->ways->len; i++)
    {
      Way way = tp_array_index (sweep->ways, Way, i);

      if (way.state != step->from)
        return;
      way.state = step->to;
      way.cost += step->cost;
      for (int d = 0; d < sweep->k; d++)
        way.weights[d] += step->weights[d];
      sweep->work++;
      if (may_end (sweep, &way, k + 1))
        tp_array_append_val (sweep->next, way);
    }
}

static void
take_steps (Sweep *sweep, int k)
{
  int first = sweep->steps->first[k], n = sweep->steps->first[k + 1] - first;
  g_autofree const TpCheckerStep **steps
      = tp_new (const TpCheckerStep *, n + 1);
  int start = 0;

  for (int i = 0; i < n; i++)
    steps[i] = get_step (sweep, first + i);
  if (n > 0)
    qsort (steps, n, sizeof *steps, compare_from);
  for (int i = 0; i < n; i++)
    {
      while (start < (int) sweep->ways->len
             && tp_array_index (sweep->ways, Way, start).state
                    < steps[i]->from)
        start++;
      if (is_in_box (sweep, steps[i]))
        take_step (sweep, steps[i], start, k);
    }
}

static gboolean
is_none_below (const Sweep *sweep)
{
  for (guint i = 0; i < sweep->ways->len; i++)
    if (tp_array_index (sweep->ways, Way, i).cost < sweep->target)
      return FALSE;
  return TRUE;
}

static gboolean
run (Sweep *sweep)
{
  Way way = { 0, { 0 }, 0 };
  guint n_parts = sweep->k == 2 ? 1 : N_PARTS;

  tp_array_append_val (sweep->ways, way);
  for (int k = 0; k < sweep->n_ops; k++)
    {
      TpArray *ways = sweep->ways;

      tp_array_set_size (sweep->next, 0);
      take_steps (sweep, k);
      thin_out (sweep->next);
      sweep->ways = sweep->next;
      sweep->next = ways;
      if (sweep->work > MAX_WORK / n_parts
          || sweep->ways->len > MAX_WAYS / n_parts)
        return FALSE;
    }
  return is_none_below (sweep);
}

static void
sweep_clear (Sweep *sweep)
{
  g_free (sweep->first);
  for (int i = 0; i < N_PRICES; i++)
    g_free (sweep->least[i]);
  tp_array_unref (sweep->ways);
  tp_array_unref (sweep->next);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sweep, sweep_clear)

static void
prepare (Sweep *sweep)
{
  const TpCheckerSteps *steps = sweep->steps;
  int n = sweep->n_ops;

  sweep->first = tp_new0 (int, n + 2);
  for (int k = 0; k <= n; k++)
    sweep->first[k + 1] = sweep->first[k] + steps->n_states[k];
  sweep->shared = steps->room.pool;
  for (int d = 0; d < sweep->k; d++)
    {
      sweep->shared -= sweep->box->low[d];
      sweep->room[d] = steps->is_limited[d]
                           ? steps->room.limits[d] - sweep->box->low[d]
                           : 0;
      sweep->prices[0][d] = sweep->box->prices[d];
      sweep->prices[1][d] = sweep->box->prices[d] / 4;
      sweep->prices[2][d] = (Wide) sweep->box->prices[d] * 4;
    }
  for (int i = 0; i < N_PRICES; i++)
    {
      sweep->least[i] = tp_new (Wide, sweep->first[n + 1] + 1);
      find_least (sweep, i);
    }
}

gboolean
tp_checker_sweep (const TpCheckerSteps *steps, const TpCheckerBox *box,
                  Wide target)
{
  const TpChecker *checker = steps->held->checker;
  g_auto (Sweep) sweep
      = { .steps = steps,
          .box = box,
          .target = target + checker->plan->constant_ns,
          .n_ops = checker->graph->n_nodes,
          .k = steps->n_devices,
          .ways = tp_array_new (sizeof (Way)),
          .next = tp_array_new (sizeof (Way)) };

  prepare (&sweep);
  return run (&sweep);
}
