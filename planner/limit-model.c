/* limit-model.c: see limit-model.h. */
#include "config.h"

#include "planner/limit-model.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/pools.h"
#include "ir/units.h"

#include <string.h>

/* ---- terms -------------------------------------------------------------- */

static TpLimitTerms *
terms_alloc (int n_ops)
{
  g_autoptr (TpLimitTerms) terms = g_new0 (TpLimitTerms, 1);

  terms->terms = tp_array_new (sizeof (TpLimitTerm));
  terms->readers = tp_array_new (sizeof (int));
  terms->own = tp_new0 (gint64, 2 * (gsize) n_ops + 1);
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
add_own (TpLimitTerms *terms, int op, int device, gint64 price)
{
  gint64 *own = &terms->own[2 * (gsize) op + device];

  if (*own != TP_COST_NONE)
    *own = price == TP_COST_NONE ? TP_COST_NONE : *own + price;
}

static void
add_term (TpLimitTerms *terms, TpLimitTerm term, const int *readers)
{
  if (term.price == 0 || term.n == 0)
    return;
  if (term.n == 1 && term.maker < 0)
    {
      add_own (terms, readers[0], term.device, term.price);
      return;
    }
  term.first = (int) terms->readers->len;
  tp_array_append_vals (terms->readers, readers, term.n);
  tp_array_append_val (terms->terms, term);
}

/* ---- costs -------------------------------------------------------------- */

static void
add_ops (const TpProblem *problem, TpLimitTerms *terms)
{
  for (int i = 0; i < terms->n_ops; i++)
    for (int d = 0; d < 2; d++)
      add_own (terms, i, d, tp_problem_node_cost (problem, i, d));
}

/* An output that the caller reads on the host: paid wherever else it is made. */
static void
add_output (const TpProblem *problem, TpLimitTerms *terms, int tensor)
{
  int maker = problem->graph->tensors[tensor].producer;
  int host = problem->costs->host;

  for (int d = 0; d < 2; d++)
    if (host == TP_COSTS_HOST)
      add_own (terms, maker, d, tp_problem_fetch_cost (problem, tensor, d));
    else if (host != d)
      add_own (terms, maker, d,
               tp_problem_edge_cost (problem, tensor, d, host));
}

static void
add_tensor (const TpProblem *problem, TpLimitTerms *terms, int index)
{
  const TpTensor *tensor = &problem->graph->tensors[index];
  gboolean is_made = tensor->producer >= 0;

  if (tensor->is_output && is_made)
    add_output (problem, terms, index);
  for (int d = 0; d < 2; d++)
    if (!(tensor->is_output && is_made && problem->costs->host == d))
      add_term (terms,
                (TpLimitTerm){ "dh"[d], index, 0, d, tensor->producer,
                               tp_problem_edge_cost (
                                   problem, index,
                                   is_made ? 1 - d : TP_COSTS_HOST, d),
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
  add_ops (problem, model->costs);
  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_tensor (problem, model->costs, i);
  for (int i = 0; i < problem->costs->n_groups; i++)
    {
      add_group (problem, model->costs, i);
      for (int d = 0; d < 2; d++)
        model->constant += tp_problem_get_gain (problem, i, d);
    }
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

/* ---- what is held ------------------------------------------------------- */

static void
find_hidden (TpLimitModel *model)
{
  const TpProblem *problem = model->problem;

  model->group_of = tp_new (int, model->n_ops + 1);
  for (int i = 0; i < model->n_ops; i++)
    model->group_of[i] = -1;
  for (int g = 0; g < problem->costs->n_groups; g++)
    for (int k = 0; k < problem->groups->groups[g].n_nodes; k++)
      model->group_of[problem->groups->groups[g].nodes[k]] = g;
  for (int g = 0; g < problem->costs->n_groups; g++)
    for (int k = 0; k + 1 < problem->groups->groups[g].n_nodes; k++)
      {
        int op = problem->groups->groups[g].nodes[k];
        const TpNode *node = &problem->graph->nodes[op];

        for (int i = 0; i < node->n_outputs; i++)
          for (int d = 0; d < 2 && node->outputs[i] >= 0; d++)
            model->holdings[node->outputs[i]].may_hide[d]
                = tp_problem_get_gain (problem, g, d) > 0;
      }
}

static int *
find_roots (const TpGraph *graph)
{
  int *roots = tp_new (int, graph->n_tensors + 1);

  for (int i = 0; i < graph->n_tensors; i++)
    roots[i] = i;
  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_is_view (&graph->nodes[i]))
      roots[graph->nodes[i].outputs[0]] = roots[graph->nodes[i].inputs[0]];
  return roots;
}

/* Calls for every op that is no view, and whose bytes it reads, each once. */
static void
visit_reads (const TpGraph *graph, const int *roots, int *last,
             void (*visit) (TpLimitModel *model, int root, int op),
             TpLimitModel *model)
{
  for (int i = 0; i < graph->n_tensors; i++)
    last[i] = -1;
  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = 0; k < graph->nodes[i].n_inputs; k++)
      {
        int tensor = graph->nodes[i].inputs[k];

        if (tensor < 0 || tp_node_is_view (&graph->nodes[i])
            || last[roots[tensor]] == i)
          continue;
        last[roots[tensor]] = i;
        visit (model, roots[tensor], i);
      }
}

static void
count_read (TpLimitModel *model, int root, int op)
{
  model->holdings[root].n++;
}

static void
take_read (TpLimitModel *model, int root, int op)
{
  TpLimitHolding *it = &model->holdings[root];

  tp_array_index (model->readers, int, it->first + it->n++) = op;
}

static void
add_holdings (TpLimitModel *model)
{
  const TpGraph *graph = model->problem->graph;
  g_autofree int *roots = find_roots (graph);
  g_autofree int *last = tp_new (int, graph->n_tensors + 1);
  int n = 0;

  model->holdings = tp_new0 (TpLimitHolding, graph->n_tensors + 1);
  visit_reads (graph, roots, last, count_read, model);
  for (int i = 0; i < graph->n_tensors; i++)
    {
      TpLimitHolding *it = &model->holdings[i];
      const TpTensor *tensor = &graph->tensors[i];

      it->is_constant = tp_tensor_is_resident (tensor);
      it->is_streamed = tp_graph_find_streamed (graph, i) >= 0;
      it->maker = tensor->producer;
      if (roots[i] == i)
        it->size_bytes = it->is_constant ? tp_tensor_get_resident_bytes (tensor)
                                         : MAX (tensor->size_bytes, 1);
      it->first = n;
      n += it->n;
      it->n = 0;
    }
  tp_array_set_size (model->readers, n);
  visit_reads (graph, roots, last, take_read, model);
  find_hidden (model);
  for (int i = 0; i < graph->n_tensors; i++)
    if (!tp_size_add (model->all_bytes, model->holdings[i].size_bytes,
                      &model->all_bytes))
      model->all_bytes = G_MAXINT64;
  model->scratch = tp_new (int, model->n_ops + 1);
  model->changes = tp_new (TpLimitWide, model->n_ops + 2);
}

/* The last op of the group that @step is inside of, and that may be in effect on
 * @device; -1: there is none. */
static int
find_group_end (const TpLimitModel *model, int device, int step)
{
  const TpProblem *problem = model->problem;
  int group = model->group_of[step];
  const TpGroup *it = group < 0 ? NULL : &problem->groups->groups[group];

  return it == NULL || it->nodes[it->n_nodes - 1] == step
                 || tp_problem_get_gain (problem, group, device) <= 0
             ? -1
             : it->nodes[it->n_nodes - 1];
}

/* Ops at or after @step that read it; inside a group, which runs where it ends,
 * those of the group and those at or after its end. */
static int
find_readers (const TpLimitModel *model, const TpLimitHolding *it, int step,
              int end)
{
  const int *readers = (const int *) (void *) model->readers->data + it->first;
  int n = 0;

  for (int i = 0; i < it->n; i++)
    if (it->is_constant
        || (readers[i] >= step
            && (readers[i] >= end
                || model->group_of[readers[i]] == model->group_of[step])))
      model->scratch[n++] = readers[i];
  return n;
}

/* What the last op of a group makes: the group has so much, or what @step made by
 * itself. */
static gint64
sum_made (const TpLimitModel *model, int op)
{
  const TpNode *node = &model->problem->graph->nodes[op];
  gint64 sum = 0;

  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      sum = MIN (sum + MIN (model->holdings[node->outputs[i]].size_bytes,
                            TP_PROBLEM_LIMIT / 2),
                 TP_PROBLEM_LIMIT / 2);
  return sum;
}

gint64
tp_limit_model_find_held (const TpLimitModel *model, int index, int device,
                          int step, int *out_n)
{
  const TpLimitHolding *it = &model->holdings[index];
  int end = find_group_end (model, device, step);

  *out_n = 0;
  if (it->size_bytes == 0 || tp_limit_model_is_kept (model, it, device))
    return 0;
  if (!it->is_constant && it->maker == step)
    {
      gboolean is_inside = it->may_hide[device];

      model->scratch[(*out_n)++] = step;
      if (is_inside && model->problem->graph->nodes[step].outputs[0] != index)
        *out_n = 0;
      return is_inside ? MIN (it->size_bytes, sum_made (model, end))
                       : it->size_bytes;
    }
  if (it->is_constant || (it->maker < step && !it->may_hide[device]))
    *out_n = find_readers (model, it, step, end);
  return it->size_bytes;
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
  model->readers = tp_array_new (sizeof (int));
  add_costs (model);
  index_terms (model);
  add_holdings (model);
  return g_steal_pointer (&model);
}

void
tp_limit_model_free (TpLimitModel *model)
{
  if (model == NULL)
    return;
  tp_limit_terms_free (model->costs);
  tp_array_unref (model->readers);
  g_free (model->first_term);
  g_free (model->term_of);
  g_free (model->group_of);
  g_free (model->scratch);
  g_free (model->changes);
  g_free (model->holdings);
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
      gint64 bytes = tp_limit_model_find_held (model, i, price->device,
                                               price->step, &n);

      add_term (terms,
                (TpLimitTerm){ 'm', i, row, price->device, -1,
                               tp_limit_price (price->price, bytes), 0, n },
                model->scratch);
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

  copy_costs (model->costs, terms, has_costs);
  for (guint i = 0; i < prices->len; i++)
    add_row (model, terms, (int) i, &tp_array_index (prices, TpMemoryPrice, i));
  return g_steal_pointer (&terms);
}
