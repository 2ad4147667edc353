/* limit-best.c: see limit-best.h. What fits is always asked of the layout that
 * sessions use; what is held at least only says which need not be asked. */
#include "config.h"

#include "planner/limit-best.h"

#include "ir/guard.h"
#include "planner/limit-questions.h"

#include <string.h>

#define WORK (G_GINT64_CONSTANT (1) << 26) /* items looked at: half a second */
#define WORK_ONCE (WORK / 16) /* beside one placement */
#define MAX_PASSES 4

void
tp_limit_best_init (TpLimitBest *best, const TpLimitModel *model)
{
  *best = (TpLimitBest){ .model = model,
                         .cost = TP_COST_NONE,
                         .nearest_over = G_MAXINT64,
                         .work_left = WORK };
  best->devices = tp_new0 (gint8, model->n_ops + 1);
  best->nearest = tp_new0 (gint8, model->n_ops + 1);
  best->shares = tp_new (gint64, model->n_ops + 1);
  tp_limit_layout_init (&best->layout, model->problem);
}

void
tp_limit_best_clear (TpLimitBest *best)
{
  g_clear_pointer (&best->devices, g_free);
  g_clear_pointer (&best->nearest, g_free);
  g_clear_pointer (&best->shares, g_free);
  tp_limit_layout_clear (&best->layout);
}

/* ---- what fits ---------------------------------------------------------- */

static gint64
find_over (TpLimitBest *best, const gint8 *devices)
{
  gint64 over = tp_limit_layout_get_over (&best->layout, devices);

  if (over < best->nearest_over)
    {
      best->nearest_over = over;
      memcpy (best->nearest, devices, best->model->n_ops);
    }
  return over;
}

gint64
tp_limit_find_pool_over (const TpLimitModel *model, const gint8 *devices)
{
  gint64 sum = 0;
  int step;

  if (!tp_limit_model_has_pool (model))
    return 0;
  for (int d = 0; d < 2; d++)
    sum += tp_limit_held_peak (&model->held, devices, d, &step);
  return sum - model->pool;
}

/* Of a pool that is too full, the device that holds less, which can be left. */
static int
find_emptier (const TpLimitModel *model, const gint8 *devices, int *out_step)
{
  int steps[2], found;
  gint64 held[2];

  for (int d = 0; d < 2; d++)
    held[d] = tp_limit_held_peak (&model->held, devices, d, &steps[d]);
  found = held[0] == 0 || (held[1] > 0 && held[1] < held[0]);
  *out_step = steps[found];
  return found;
}

int
tp_limit_find_fullest (const TpLimitModel *model, const gint8 *devices,
                       int *out_step)
{
  gint64 most = 0;
  int fullest = -1;

  for (int d = 0; d < 2; d++)
    {
      int step;
      gint64 over = model->limits[d] == 0
                            || model->limits[d] >= model->held.all_bytes
                        ? 0
                        : tp_limit_held_peak (&model->held, devices, d, &step)
                              - model->limits[d];

      if (over <= most)
        continue;
      most = over;
      fullest = d;
      *out_step = step;
    }
  if (tp_limit_find_pool_over (model, devices) > most)
    return find_emptier (model, devices, out_step);
  return fullest;
}

static int
find_fullest (TpLimitBest *best, const gint8 *devices, int *out_step)
{
  const TpLimitModel *model = best->model;

  best->work_left -= model->problem->graph->n_tensors + model->n_ops;
  return tp_limit_find_fullest (model, devices, out_step);
}

gboolean
tp_limit_best_offer (TpLimitBest *best, const gint8 *devices)
{
  gint64 cost = tp_limit_model_cost (best->model, devices);
  int step;

  if (best->cost != TP_COST_NONE
      && (cost >= best->cost || find_fullest (best, devices, &step) >= 0))
    return FALSE;
  best->work_left -= 8 * best->model->problem->graph->n_tensors;
  if (find_over (best, devices) > 0)
    return FALSE;
  if (cost < best->cost)
    {
      best->cost = cost;
      memcpy (best->devices, devices, best->model->n_ops);
    }
  return TRUE;
}

/* ---- what is beside ----------------------------------------------------- */

/* Bytes that the unit of @op holds, about: what two of it hold is in both. */
static gint64
sum_shares (const TpLimitModel *model, const gint64 *shares, int op)
{
  TpColocation unit = tp_limit_model_get_unit (model, &op);
  gint64 sum = 0;

  for (int i = 0; i < unit.n_nodes; i++)
    sum = MIN (sum + shares[unit.nodes[i]], TP_PROBLEM_LIMIT / 2);
  return sum;
}

/* The first op of the unit on @device whose bytes are cheapest to be rid of; -1:
 * none. */
static int
find_cheapest_move (TpLimitBest *best, gint8 *devices, int device, int step)
{
  const TpLimitModel *model = best->model;
  double least = 0;
  int found = -1;

  tp_limit_held_share (&model->held, device, step, best->shares);
  best->work_left -= 4 * model->n_ops;
  for (int i = 0; i < model->n_ops; i++)
    {
      double price;
      gint64 bytes;

      if (devices[i] != device || !tp_limit_model_is_choice (model, i))
        continue;
      bytes = sum_shares (model, best->shares, i);
      if (bytes == 0)
        continue;
      price = (double) tp_limit_model_move (model, devices, i);
      price = price > 0 ? price / (double) bytes : price * (double) bytes;
      if (found >= 0 && price >= least)
        continue;
      least = price;
      found = i;
    }
  return found;
}

/* As find_fullest (), where only the layout takes too much. */
static int
find_overlaid (TpLimitBest *best, const gint8 *devices, int *out_step)
{
  const TpLimitModel *model = best->model;
  int device = tp_limit_layout_find_over (&best->layout, devices);

  best->work_left -= 8 * model->problem->graph->n_tensors;
  if (device >= 0)
    tp_limit_held_peak (&model->held, devices, device, out_step);
  return device;
}

/* One op after the other to where there is room; FALSE: none is left. */
static gboolean
make_fit (TpLimitBest *best, gint8 *devices)
{
  for (int n = 0; n < best->model->n_ops && best->work_left > 0; n++)
    {
      int step, op, device = find_fullest (best, devices, &step);

      if (device < 0)
        device = find_overlaid (best, devices, &step);
      if (device < 0)
        return TRUE;
      op = find_cheapest_move (best, devices, device, step);
      if (op < 0)
        return FALSE;
      tp_limit_model_set (best->model, devices, op, 1 - device);
    }
  return best->work_left > 0;
}

/* The ops that go together with @op: of its unit and its group, where it is the
 * first of that, and of their units. */
static void
turn_all (const TpLimitModel *model, gint8 *devices, int op)
{
  int group = model->held.group_of[op], to = 1 - devices[op];
  const TpGroup *it
      = group < 0 ? NULL : &model->problem->groups->groups[group];

  tp_limit_model_set (model, devices, op, to);
  for (int i = 0; it != NULL && it->nodes[0] == op && i < it->n_nodes; i++)
    if (tp_limit_model_may_move (model, it->nodes[i]))
      tp_limit_model_set (model, devices, it->nodes[i], to);
}

/* Turns @op and what goes with it, and moves others out of its way, if that is cheaper in
 * all. */
static gboolean
turn_better (TpLimitBest *best, gint8 *devices, int op)
{
  const TpLimitModel *model = best->model;
  g_autofree gint8 *copy = tp_memdup (devices, model->n_ops + 1);
  gint64 before = tp_limit_model_cost (model, devices);

  turn_all (model, copy, op);
  best->work_left -= 2 * model->problem->graph->n_tensors;
  if (tp_limit_model_cost (model, copy) >= before || !make_fit (best, copy)
      || tp_limit_model_cost (model, copy) >= before)
    return FALSE;
  memcpy (devices, copy, model->n_ops);
  tp_limit_best_offer (best, devices);
  return TRUE;
}

/* Whether any unit is better on its other device. */
static gboolean
turn_each (TpLimitBest *best, gint8 *devices, gint64 until)
{
  gboolean is_better = FALSE;

  for (int i = 0; i < best->model->n_ops && best->work_left > MAX (until, 0); i++)
    if (tp_limit_model_may_move (best->model, i))
      is_better |= turn_better (best, devices, i);
  return is_better;
}

/* Whether any unit is better on its other device, where there is room. */
static gboolean
move_each (TpLimitBest *best, gint8 *devices)
{
  gboolean is_better = FALSE;
  int step;

  for (int i = 0; i < best->model->n_ops && best->work_left > 0; i++)
    {
      if (!tp_limit_model_is_choice (best->model, i)
          || tp_limit_model_move (best->model, devices, i) >= 0)
        continue;
      tp_limit_model_set (best->model, devices, i, 1 - devices[i]);
      if (find_fullest (best, devices, &step) < 0)
        is_better = TRUE;
      else
        tp_limit_model_set (best->model, devices, i, 1 - devices[i]);
    }
  return is_better;
}

void
tp_limit_best_search (TpLimitBest *best, const gint8 *devices)
{
  g_autofree gint8 *copy = tp_memdup (devices, best->model->n_ops + 1);
  gint64 until = best->work_left - WORK_ONCE;

  if (best->work_left <= 0 || !make_fit (best, copy))
    return;
  tp_limit_best_offer (best, copy);
  for (int i = 0; i < MAX_PASSES && move_each (best, copy); i++)
    tp_limit_best_offer (best, copy);
  for (int i = 0; i < MAX_PASSES && turn_each (best, copy, until); i++)
    ;
}
