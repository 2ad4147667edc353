/* limit-model.c: see limit-model.h. */
#include "config.h"

#include "planner/limit-model.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/pools.h"
#include "planner/limit-costs.h"

#include <string.h>

/* ---- terms -------------------------------------------------------------- */

/* Without own costs. */
static TpLimitTerms *
terms_alloc (int n_ops)
{
  g_autoptr (TpLimitTerms) terms = g_new0 (TpLimitTerms, 1);

  terms->terms = tp_array_new (sizeof (TpLimitTerm));
  terms->readers = tp_array_new (sizeof (int));
  terms->n_ops = n_ops;
  return g_steal_pointer (&terms);
}

void
tp_limit_terms_free (TpLimitTerms *terms)
{
  if (terms == NULL)
    return;
  tp_array_unref (terms->terms);
  tp_array_unref (terms->readers);
  g_free (terms->own);
  g_free (terms);
}

static void
add_term (TpLimitTerms *terms, TpLimitTerm term, const int *readers)
{
  if (term.price == 0 || term.n == 0)
    return;
  if (term.n == 1 && term.maker < 0)
    {
      tp_limit_costs_add (&terms->own[2 * (gsize) readers[0] + term.device],
                          term.price);
      return;
    }
  term.first = (int) terms->readers->len;
  tp_array_append_vals (terms->readers, readers, term.n);
  tp_array_append_val (terms->terms, term);
}

/* ---- costs -------------------------------------------------------------- */

static void
add_tensor (const TpProblem *problem, TpLimitTerms *terms, int index)
{
  const TpTensor *tensor = &problem->graph->tensors[index];

  for (int d = 0; d < 2; d++)
    if (!tp_limit_costs_is_kept (problem, index, d))
      add_term (terms,
                (TpLimitTerm){ "dh"[d], index, 0, d, tensor->producer,
                               tp_limit_costs_copy (problem, index, 1 - d, d),
                               0, tensor->n_consumers },
                tensor->consumers);
}

/* Its gain on a device is lost where any of it is on the other. */
static void
add_group (const TpProblem *problem, TpLimitTerms *terms, int index)
{
  const TpGroup *group = &problem->groups->groups[index];

  for (int d = 0; d < 2; d++)
    add_term (terms,
              (TpLimitTerm){ "ce"[d], index, 0, 1 - d, -1,
                             tp_problem_get_gain (problem, index, d), 0,
                             group->n_nodes },
              group->nodes);
}

static void
add_costs (TpLimitModel *model)
{
  const TpProblem *problem = model->problem;

  model->costs = terms_alloc (model->n_ops);
  model->costs->own = tp_limit_costs_list (problem);
  model->constant = tp_limit_costs_sum_gains (problem);
  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_tensor (problem, model->costs, i);
  for (int i = 0; i < problem->costs->n_groups; i++)
    add_group (problem, model->costs, i);
  for (int i = 0; i < 2 * model->n_ops; i++)
    if (model->costs->own[i] != TP_COST_NONE)
      model->sum += model->costs->own[i];
  for (guint i = 0; i < model->costs->terms->len; i++)
    model->sum += tp_array_index (model->costs->terms, TpLimitTerm, i).price;
}

static void
count_term (TpLimitModel *model, int op, int term)
{
  model->first_term[op + 1]++;
}

/* Filled from the back, so that what is counted from comes out right. */
static void
take_term (TpLimitModel *model, int op, int term)
{
  model->term_of[--model->first_term[op + 1]] = term;
}

static void
visit_terms (TpLimitModel *model,
             void (*visit) (TpLimitModel *model, int op, int term))
{
  for (guint i = 0; i < model->costs->terms->len; i++)
    {
      const TpLimitTerm *it
          = &tp_array_index (model->costs->terms, TpLimitTerm, i);
      const int *readers = tp_limit_term_readers (model->costs, it);

      if (it->maker >= 0)
        visit (model, it->maker, (int) i);
      for (int k = 0; k < it->n; k++)
        visit (model, readers[k], (int) i);
    }
}

static void
index_terms (TpLimitModel *model)
{
  int n = model->n_ops, all;

  model->first_term = tp_new0 (int, n + 2);
  visit_terms (model, count_term);
  for (int i = 0; i < n; i++)
    model->first_term[i + 1] += model->first_term[i];
  all = model->first_term[n];
  model->term_of = tp_new (int, all + 1);
  visit_terms (model, take_term);
  memmove (model->first_term, model->first_term + 1, n * sizeof (int));
  model->first_term[n] = all;
}

TpLimitModel *
tp_limit_model_new (const TpProblem *problem)
{
  g_autoptr (TpLimitModel) model = g_new0 (TpLimitModel, 1);
  int pool = tp_pools_find (problem->costs, 0);

  model->problem = problem;
  model->pool = pool < 0 ? 0 : problem->limits[pool];
  for (int d = 0; d < 2; d++)
    model->limits[d]
        = tp_pools_get_limit (problem->costs, problem->limits, d);
  model->n_ops = problem->graph->n_nodes;
  add_costs (model);
  index_terms (model);
  tp_limit_held_init (&model->held, problem);
  return g_steal_pointer (&model);
}

void
tp_limit_model_free (TpLimitModel *model)
{
  if (model == NULL)
    return;
  tp_limit_terms_free (model->costs);
  g_free (model->first_term);
  g_free (model->term_of);
  tp_limit_held_clear (&model->held);
  g_free (model);
}

/* ---- prices on memory --------------------------------------------------- */

static void
add_row (const TpLimitModel *model, TpLimitTerms *terms, int row,
         const TpMemoryPrice *price)
{
  for (int i = 0; i < model->problem->graph->n_tensors; i++)
    {
      int n;
      gint64 bytes = tp_limit_held_find (&model->held, i, price->device,
                                               price->step, &n);

      add_term (terms,
                (TpLimitTerm){ 'm', i, row, price->device, -1,
                               tp_limit_price (price->price, bytes), 0, n },
                model->held.found);
    }
}

/* Ops keep to the devices they may have, whatever is paid for. */
static void
copy_costs (const TpLimitTerms *from, TpLimitTerms *to, gboolean has_costs)
{
  for (int i = 0; i < 2 * from->n_ops; i++)
    to->own[i]
        = has_costs || from->own[i] == TP_COST_NONE ? from->own[i] : 0;
  if (!has_costs)
    return;
  tp_array_append_vals (to->terms, from->terms->data, from->terms->len);
  tp_array_append_vals (to->readers, from->readers->data, from->readers->len);
}

TpLimitTerms *
tp_limit_terms_new (const TpLimitModel *model, const TpArray *prices,
                    gboolean has_costs)
{
  g_autoptr (TpLimitTerms) terms = terms_alloc (model->n_ops);

  terms->own = tp_new (gint64, 2 * (gsize) model->n_ops + 1);
  copy_costs (model->costs, terms, has_costs);
  for (guint i = 0; i < prices->len; i++)
    add_row (model, terms, (int) i, &tp_array_index (prices, TpMemoryPrice, i));
  return g_steal_pointer (&terms);
}
