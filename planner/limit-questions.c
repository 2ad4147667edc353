/* limit-questions.c: see limit-questions.h. */
#include "config.h"

#include "planner/limit-questions.h"

static gint64
pay_term (const TpLimitModel *model, const gint8 *devices, int term)
{
  const TpLimitTerm *it
      = &tp_array_index (model->costs->terms, TpLimitTerm, term);

  if (it->maker >= 0 && devices[it->maker] == it->device)
    return 0;
  return tp_limit_is_any_on (tp_limit_term_readers (model->costs, it), it->n,
                             devices, it->device)
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
