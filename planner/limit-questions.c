/* limit-questions.c: see limit-questions.h. */
#include "config.h"

#include "planner/limit-questions.h"

#include <string.h>

typedef TpLimitWide Wide;

static gboolean
is_any_on (const int *ops, int n, const gint8 *devices, int device)
{
  for (int i = 0; i < n; i++)
    if (devices[ops[i]] == device)
      return TRUE;
  return FALSE;
}

static gint64
pay_term (const TpLimitModel *model, const gint8 *devices, int term)
{
  const TpLimitTerm *it
      = &tp_array_index (model->costs->terms, TpLimitTerm, term);

  if (it->maker >= 0 && devices[it->maker] == it->device)
    return 0;
  return is_any_on (tp_limit_term_readers (model->costs, it), it->n, devices,
                    it->device)
             ? it->price
             : 0;
}

/* Whether @op is the first of its unit that has to do with @term. */
static gboolean
is_first (const TpLimitModel *model, int term, int op)
{
  const TpLimitTerm *it
      = &tp_array_index (model->costs->terms, TpLimitTerm, term);
  const int *readers = tp_limit_term_readers (model->costs, it);
  const int *together = model->problem->graph->colocation_of;

  if (together == NULL || together[op] < 0 || it->maker == op)
    return TRUE;
  if (it->maker >= 0 && together[it->maker] == together[op])
    return FALSE;
  while (together[*readers] != together[op])
    readers++;
  return *readers == op;
}

/* Of a unit. */
static gint64
pay_unit (const TpLimitModel *model, const gint8 *devices,
          const TpColocation *unit)
{
  gint64 sum = 0;

  for (int k = 0; k < unit->n_nodes; k++)
    {
      int op = unit->nodes[k];

      sum += model->costs->own[2 * (gsize) op + devices[op]];
      for (int i = model->first_term[op]; i < model->first_term[op + 1]; i++)
        if (is_first (model, model->term_of[i], op))
          sum += pay_term (model, devices, model->term_of[i]);
    }
  return sum;
}

gint64
tp_limit_model_move (const TpLimitModel *model, gint8 *devices, int op)
{
  TpColocation unit = tp_limit_model_get_unit (model, &op);
  gint64 before = pay_unit (model, devices, &unit), after;
  int device = devices[op];

  tp_limit_model_set (model, devices, op, 1 - device);
  after = pay_unit (model, devices, &unit);
  tp_limit_model_set (model, devices, op, device);
  return after - before;
}

gint64
tp_limit_model_cost (const TpLimitModel *model, const gint8 *devices)
{
  const TpLimitTerms *costs = model->costs;
  gint64 sum = -model->constant;

  for (int i = 0; i < model->n_ops; i++)
    {
      gint64 own = costs->own[2 * (gsize) i + devices[i]];

      if (own == TP_COST_NONE)
        return TP_COST_NONE;
      sum += own;
    }
  for (guint i = 0; i < costs->terms->len; i++)
    sum += pay_term (model, devices, (int) i);
  return sum;
}

gint64
tp_limit_model_held (const TpLimitModel *model, const gint8 *devices,
                     int device, int step)
{
  Wide sum = 0;

  for (int i = 0; i < model->problem->graph->n_tensors; i++)
    {
      int n;
      gint64 bytes = tp_limit_held_find (&model->held, i, device, step, &n);

      if (is_any_on (model->held.found, n, devices, device))
        sum += bytes;
    }
  return (gint64) MIN (sum, TP_PROBLEM_LIMIT);
}

/* About: groups are looked at where most is found. Adds what is held of @it to @changes: [step]: more or less than before. */
static void
add_change (const TpLimitModel *model, const TpLimitHolding *it,
            const gint8 *devices, int device, Wide *changes)
{
  const int *readers = (const int *) (void *) model->held.readers->data + it->first;
  int n = it->n, from = it->is_constant ? 0 : it->maker + 1;

  if (tp_limit_held_is_kept (&model->held, it, device))
    return;
  if (it->maker >= 0 && devices[it->maker] == device)
    {
      changes[it->maker] += it->size_bytes;
      changes[it->maker + 1] -= it->size_bytes;
    }
  if (it->size_bytes == 0 || (!it->is_constant && tp_limit_held_is_hidden (it, device)))
    return;
  while (n > 0 && devices[readers[n - 1]] != device)
    n--;
  if (n == 0)
    return;
  changes[from] += it->size_bytes;
  if (!it->is_constant)
    changes[readers[n - 1] + 1] -= it->size_bytes;
}

gint64
tp_limit_model_peak (const TpLimitModel *model, const gint8 *devices,
                     int device, int *out_step)
{
  Wide *changes = model->changes;
  Wide held = 0, most = 0;

  memset (changes, 0, sizeof (Wide) * (model->n_ops + 2));
  for (int i = 0; i < model->problem->graph->n_tensors; i++)
    add_change (model, &model->held.items[i], devices, device, changes);
  *out_step = 0;
  for (int i = 0; i < model->n_ops; i++)
    {
      held += changes[i];
      if (held > most)
        *out_step = i;
      most = MAX (most, held);
    }
  return model->n_ops == 0
             ? 0
             : tp_limit_model_held (model, devices, device, *out_step);
}

void
tp_limit_model_share (const TpLimitModel *model, int device, int step,
                      gint64 *shares)
{
  memset (shares, 0, sizeof (gint64) * model->n_ops);
  for (int i = 0; i < model->problem->graph->n_tensors; i++)
    {
      int n;
      gint64 bytes = MIN (
          tp_limit_held_find (&model->held, i, device, step, &n),
          TP_PROBLEM_LIMIT / 2);

      for (int k = 0; k < n; k++)
        shares[model->held.found[k]] = MIN (shares[model->held.found[k]] + bytes,
                                         TP_PROBLEM_LIMIT / 2);
    }
}
