/* share-model.c: see share-model.h. */
#include "config.h"

#include "planner/share-model.h"

#include "ir/compare.h"
#include "ir/guard.h"
#include "ir/plan.h"

#include <stdlib.h>

#define MAX_TOTAL TP_SHARE_LIMIT

/* ---- how fine ------------------------------------------------------------ */

static gboolean
add_up (gint64 *total, gint64 cost)
{
  if (cost != TP_COST_NONE)
    *total += MIN (cost, MAX_TOTAL);
  return *total < MAX_TOTAL;
}

/* More than any placement costs. */
static gboolean
sum_all (const TpProblem *problem, gint64 *total)
{
  const TpGraph *graph = problem->graph;

  for (int d = 0; d < problem->n_devices; d++)
    {
      for (int i = 0; i < graph->n_nodes; i++)
        if (!add_up (total, tp_problem_node_cost (problem, i, d)))
          return FALSE;
      for (int i = 0; i < graph->n_tensors; i++)
        if (!tp_tensor_is_resident (&graph->tensors[i])
            && (!add_up (total, tp_problem_edge_cost (problem, i,
                                                      TP_COSTS_HOST, d))
                || !add_up (total, tp_problem_edge_cost (problem, i, d,
                                                         TP_COSTS_HOST))))
          return FALSE;
    }
  return TRUE;
}

static gboolean
choose_unit (TpShareModel *model, gint64 most, GError **error)
{
  gint64 total = 0;

  if (!sum_all (model->problem, &total))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                   "all costs together reach 2^52, too much to place on %d "
                   "devices: mend the costs, or name two",
                   model->n_devices);
      return FALSE;
    }
  model->unit = 1;
  while (model->unit < most && total * model->unit * 2 < MAX_TOTAL)
    model->unit *= 2;
  return TRUE;
}

/* ---- terms --------------------------------------------------------------- */

static gboolean
add_price (TpShareModel *model, gint64 price)
{
  price *= model->unit;
  tp_array_append_val (model->prices, price);
  return price != 0;
}

/* Its members are the leads of @ops; one without any, that nothing is kept of, is
 * none. */
static void
add_term (TpShareModel *model, TpShareTerm term, const int *ops)
{
  TpShareMember member = { 0, (int) model->terms->len };
  g_autofree int *leads = tp_new (int, term.n + 1);

  for (int i = 0; i < term.n; i++)
    leads[i] = model->leads[ops[i]];
  qsort (leads, term.n, sizeof (int), tp_compare_int);
  term.first = (int) model->members->len;
  for (int i = 0; i < term.n; i++)
    {
      member.op = leads[i];
      if (leads[i] != term.maker && (i == 0 || leads[i] != leads[i - 1]))
        tp_array_append_val (model->members, member);
    }
  term.n = (int) model->members->len - term.first;
  if (term.n > 0 || term.kept != 0)
    tp_array_append_val (model->terms, term);
  else
    tp_array_set_size (model->prices, (guint) term.prices);
}

/* One without any price is left out. */
static void
add_tensor (TpShareModel *model, int index)
{
  const TpTensor *tensor = &model->problem->graph->tensors[index];
  int host = model->problem->costs->host;
  gboolean is_kept = tensor->is_output && tensor->producer >= 0 && host >= 0;
  gboolean is_priced = FALSE;
  TpShareTerm term = { .kind = 't', .index = index,
                       .maker = tensor->producer < 0
                                    ? -1 : model->leads[tensor->producer],
                       .n = tensor->n_consumers,
                       .kept = is_kept ? 1u << host : 0,
                       .prices = model->prices->len };

  if (tp_tensor_is_resident (tensor) || (term.n == 0 && !is_kept))
    return;
  for (int i = 0; i < (term.maker < 0 ? 1 : model->n_devices); i++)
    for (int to = 0; to < model->n_devices; to++)
      is_priced |= add_price (
          model, tp_problem_edge_cost (model->problem, index,
                                       term.maker < 0 ? TP_COSTS_HOST : i,
                                       to));
  if (is_priced)
    add_term (model, term, tensor->consumers);
  else
    tp_array_set_size (model->prices, (guint) term.prices);
}

static void
add_group (TpShareModel *model, int index)
{
  const TpGroup *group = &model->problem->groups->groups[index];
  gboolean is_priced = FALSE;
  TpShareTerm term = { .kind = 'g', .index = index, .maker = -1,
                       .n = group->n_nodes, .prices = model->prices->len };

  for (int d = 0; d < model->n_devices; d++)
    is_priced |= add_price (model,
                            tp_problem_get_gain (model->problem, index, d));
  if (is_priced)
    add_term (model, term, group->nodes);
  else
    tp_array_set_size (model->prices, (guint) term.prices);
}

/* Zeros, so far. */
static void
add_bytes (TpShareModel *model, int row, const TpMemoryPrice *price,
           const TpLimitHeld *held)
{
  for (int i = 0; i < model->problem->graph->n_tensors; i++)
    {
      int n;
      gint64 bytes
          = tp_limit_held_find (held, i, price->device, price->step, &n);
      TpShareTerm term = { .kind = 'm', .index = i, .row = row,
                           .bytes = bytes, .maker = -1, .n = n,
                           .prices = model->prices->len };

      if (bytes == 0 || n == 0)
        continue;
      for (int d = 0; d < model->n_devices; d++)
        add_price (model, 0);
      add_term (model, term, held->found);
    }
}

/* ---- ops ----------------------------------------------------------------- */

static int *
find_leads (const TpGraph *graph)
{
  int *leads = tp_new (int, graph->n_nodes + 1);

  for (int i = 0; i < graph->n_nodes; i++)
    leads[i] = graph->colocation_of == NULL || graph->colocation_of[i] < 0
                   ? i
                   : graph->colocations[graph->colocation_of[i]].nodes[0];
  return leads;
}

static gint64
find_own (const TpProblem *problem, int op, int device)
{
  const TpNode *node = &problem->graph->nodes[op];
  gint64 cost = tp_problem_node_cost (problem, op, device);

  for (int k = 0; k < node->n_outputs && cost != TP_COST_NONE; k++)
    if (node->outputs[k] >= 0)
      cost += tp_problem_fetch_cost (problem, node->outputs[k], device);
  return cost;
}

static void
fill_own (TpShareModel *model)
{
  for (int i = 0; i < model->n_ops; i++)
    for (int d = 0; d < model->n_devices; d++)
      {
        gint64 *own
            = &model->own[(gsize) model->leads[i] * model->n_devices + d];
        gint64 cost = find_own (model->problem, i, d);

        if (cost == TP_COST_NONE || *own == TP_COST_NONE)
          *own = TP_COST_NONE;
        else
          *own += cost * model->unit;
      }
}

/* Those it is the maker of first. */
static void
list_parts (TpShareModel *model)
{
  g_autofree int *ends = tp_new0 (int, model->n_ops + 1);
  int n = (int) (model->members->len + model->terms->len);

  for (guint i = 0; i < model->terms->len; i++)
    if (tp_share_model_get_term (model, i)->maker >= 0)
      model->firsts[tp_share_model_get_term (model, i)->maker + 1]++;
  for (guint i = 0; i < model->members->len; i++)
    model->firsts[tp_share_model_get_op (model, i) + 1]++;
  for (int i = 0; i < model->n_ops; i++)
    {
      model->firsts[i + 1] += model->firsts[i];
      ends[i] = model->firsts[i];
    }
  model->parts = tp_new (int, n + 1);
  for (guint i = 0; i < model->terms->len; i++)
    if (tp_share_model_get_term (model, i)->maker >= 0)
      model->parts[ends[tp_share_model_get_term (model, i)->maker]++]
          = -1 - (int) i;
  for (guint i = 0; i < model->members->len; i++)
    model->parts[ends[tp_share_model_get_op (model, i)]++] = (int) i;
}

/* Which ways @term leads from @op. */
static guint8
find_ways (const TpShareModel *model, const TpShareTerm *term, int op)
{
  int first, last;

  if (term->n == 0)
    return 0;
  first = term->maker >= 0 ? term->maker
                           : tp_share_model_get_op (model, term->first);
  last = tp_share_model_get_op (model, term->first + term->n - 1);
  return (last > op ? TP_SHARE_ON : 0) | (first < op ? TP_SHARE_BACK : 0);
}

static void
fill_ways (TpShareModel *model, int op)
{
  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    {
      int part = model->parts[i];
      int term = part < 0 ? -1 - part
                          : tp_array_index (model->members, TpShareMember, part)
                                .term;

      model->ways[i]
          = find_ways (model, tp_share_model_get_term (model, term), op);
      model->n_on[op] += (model->ways[i] & TP_SHARE_ON) != 0;
      model->n_back[op] += (model->ways[i] & TP_SHARE_BACK) != 0;
    }
}

static TpShareModel *
new_model (const TpProblem *problem, gint64 max_unit, GError **error)
{
  g_autoptr (TpShareModel) model = g_new0 (TpShareModel, 1);
  gsize n = problem->graph->n_nodes;

  model->problem = problem;
  model->n_devices = problem->n_devices;
  model->n_ops = (int) n;
  model->n_sets = 1u << problem->n_devices;
  model->leads = find_leads (problem->graph);
  if (!choose_unit (model, max_unit, error))
    return NULL;
  model->terms = tp_array_new (sizeof (TpShareTerm));
  model->members = tp_array_new (sizeof (TpShareMember));
  model->prices = tp_array_new (sizeof (gint64));
  for (int i = 0; i < problem->graph->n_tensors; i++)
    add_tensor (model, i);
  for (int i = 0; i < problem->costs->n_groups; i++)
    add_group (model, i);
  return g_steal_pointer (&model);
}

/* Once all terms are there. */
static void
finish (TpShareModel *model)
{
  gsize n = model->n_ops;

  model->own = tp_new0 (gint64, n * model->n_devices + 1);
  model->firsts = tp_new0 (int, n + 2);
  fill_own (model);
  list_parts (model);
  model->ways = tp_new (guint8, (gsize) model->firsts[model->n_ops] + 1);
  model->n_on = tp_new0 (int, n + 1);
  model->n_back = tp_new0 (int, n + 1);
  for (int i = 0; i < model->n_ops; i++)
    fill_ways (model, i);
}

TpShareModel *
tp_share_model_new (const TpProblem *problem, GError **error)
{
  g_autoptr (TpShareModel) model
      = new_model (problem, TP_SHARE_MAX_UNIT, error);

  if (model != NULL)
    finish (model);
  return g_steal_pointer (&model);
}

TpShareModel *
tp_share_model_new_priced (const TpProblem *problem, const TpLimitHeld *held,
                           const TpArray *prices, gint64 max_unit,
                           GError **error)
{
  g_autoptr (TpShareModel) model = new_model (problem, max_unit, error);

  if (model == NULL)
    return NULL;
  for (guint i = 0; i < prices->len; i++)
    add_bytes (model, (int) i, &tp_array_index (prices, TpMemoryPrice, i),
               held);
  finish (model);
  model->max_price
      = (gint64) MIN (((TpLimitWide) (MAX_TOTAL / model->unit) << 30)
                          / MAX (held->all_bytes, 1),
                      (TpLimitWide) TP_PLAN_MAX_NUMBER);
  for (guint i = 0; i < prices->len; i++)
    tp_share_model_set_price (model, (int) i,
                              &tp_array_index (prices, TpMemoryPrice, i));
  return g_steal_pointer (&model);
}

void
tp_share_model_set_price (TpShareModel *model, int row,
                          const TpMemoryPrice *price)
{
  for (guint i = 0; i < model->terms->len; i++)
    {
      const TpShareTerm *it = tp_share_model_get_term (model, (int) i);

      if (it->kind == 'm' && it->row == row)
        tp_array_index (model->prices, gint64, it->prices + price->device)
            = tp_limit_price (price->price, it->bytes) * model->unit;
    }
}

void
tp_share_model_free (TpShareModel *model)
{
  if (model == NULL)
    return;
  g_free (model->leads);
  tp_array_unref (model->terms);
  tp_array_unref (model->members);
  tp_array_unref (model->prices);
  g_free (model->own);
  g_free (model->firsts);
  g_free (model->parts);
  g_free (model->ways);
  g_free (model->n_on);
  g_free (model->n_back);
  g_free (model);
}

/* ---- what placements cost ------------------------------------------------- */

void
tp_share_model_spread (const TpShareModel *model, guint8 *devices)
{
  for (int i = 0;
       i < model->n_ops && model->problem->graph->n_colocations > 0; i++)
    devices[i] = devices[model->leads[i]];
}

gint64
tp_share_model_price (const TpShareModel *model, const TpShareTerm *term,
                      int from, guint set)
{
  const gint64 *prices
      = &tp_array_index (model->prices, gint64, term->prices);
  gint64 sum = 0;

  if (term->maker >= 0)
    prices += (gsize) from * model->n_devices;
  set |= term->kept;
  for (int to = 0; to < model->n_devices; to++)
    if ((set >> to & 1) != 0 && (term->maker < 0 || to != from))
      sum += prices[to];
  return sum;
}

void
tp_share_model_list_prices (const TpShareModel *model,
                            const TpShareTerm *term, int from, gint64 *out)
{
  const gint64 *prices
      = &tp_array_index (model->prices, gint64, term->prices);

  if (term->maker >= 0)
    prices += (gsize) from * model->n_devices;
  out[0] = term->kept == 0 ? 0 : tp_share_model_price (model, term, from, 0);
  for (int d = 0; d < model->n_devices; d++)
    {
      gboolean is_paid = (term->kept >> d & 1) != 0
                         || (term->maker >= 0 && d == from);
      gint64 step = is_paid ? 0 : prices[d];

      for (guint set = 0; set < 1u << d; set++)
        out[1u << d | set] = out[set] + step;
    }
}

void
tp_share_model_list_single (const TpShareModel *model,
                            const TpShareTerm *term, int from, gint64 *out)
{
  const gint64 *prices
      = &tp_array_index (model->prices, gint64, term->prices);
  gint64 kept = 0;

  if (term->maker >= 0)
    prices += (gsize) from * model->n_devices;
  if (term->kept != 0)
    kept = tp_share_model_price (model, term, from, 0);
  for (int d = 0; d < model->n_devices; d++)
    out[d] = kept + ((term->kept >> d & 1) != 0 ? 0 : prices[d]);
  if (term->maker >= 0)
    out[from] = kept;
}

gint64
tp_share_model_term_cost (const TpShareModel *model, int index,
                          const guint8 *devices)
{
  const TpShareTerm *term = tp_share_model_get_term (model, index);
  guint set = 0;
  int last = 0;

  for (int i = 0; i < term->n; i++)
    {
      last = devices[tp_share_model_get_op (model, term->first + i)];
      set |= 1u << last;
    }
  if (term->kind != 'g')
    return tp_share_model_price (
        model, term, term->maker < 0 ? 0 : devices[term->maker], set);
  return set != 1u << last ? 0
                           : -tp_array_index (model->prices, gint64,
                                              term->prices + last);
}

gint64
tp_share_model_cost (const TpShareModel *model, const guint8 *devices)
{
  gint64 sum = 0;

  for (int i = 0; i < model->n_ops; i++)
    sum += model->own[(gsize) i * model->n_devices + devices[i]];
  for (guint i = 0; i < model->terms->len; i++)
    sum += tp_share_model_term_cost (model, (int) i, devices);
  return sum / model->unit;
}
