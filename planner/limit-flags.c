/* limit-flags.c: see limit-flags.h. */
#include "config.h"

#include "planner/limit-flags.h"

#include "ir/guard.h"
#include "planner/limit-costs.h"

#include <string.h>

#define MAX_ITEMS (1 << 22)   /* tensors held at steps, and the like */

static void
add_item (TpLimitFlags *flags, int *list, int flag, gint64 amount)
{
  TpLimitItem item = { flag, *list, amount };

  *list = (int) flags->items->len;
  tp_array_append_val (flags->items, item);
}

/* Low: who asks for it last. */
static int
add_flag (TpLimitFlags *flags, const int *ops, int n, guint set, int low)
{
  int last = ops[n - 1];
  TpLimitFlag flag = { ops, n, set, low, 0, 0, -1, flags->newest[last] };

  for (int i = flag.next; i >= 0; i = tp_limit_flags_get (flags, i)->next)
    {
      TpLimitFlag *it = tp_limit_flags_get (flags, i);

      if (it->set != set || it->n != n
          || memcmp (it->ops, ops, sizeof (int) * n) != 0)
        continue;
      it->low = MIN (it->low, low);
      return i;
    }
  flags->newest[last] = (int) flags->flags->len;
  tp_array_append_val (flags->flags, flag);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < flags->scope->n_devices; d++)
      if (set >> d & 1)
        add_item (flags, &flags->ups[tp_limit_flags_index (flags, ops[i], d)],
                  flags->newest[last], 0);
  return flags->newest[last];
}

/* Paid once any of @ops is on any of @set. */
static void
add_price (TpLimitFlags *flags, const int *ops, int n, guint set, gint64 price)
{
  if (price == 0 || n == 0)
    return;
  if (n > 1)
    {
      tp_limit_flags_get (flags, add_flag (flags, ops, n, set, ops[0]))->cost += price;
      return;
    }
  for (int d = 0; d < flags->scope->n_devices; d++)
    if (set >> d & 1 && flags->own[tp_limit_flags_index (flags, ops[0], d)] != TP_COST_NONE)
      flags->own[tp_limit_flags_index (flags, ops[0], d)] += price;
}

/* Of what is made, to @device, by who makes it elsewhere. */
static void
add_copy (TpLimitFlags *flags, int tensor, int device)
{
  const TpTensor *it = &flags->scope->problem->graph->tensors[tensor];

  for (int from = 0; from < flags->scope->n_devices; from++)
    {
      gint64 price = from == device
                         ? 0
                         : tp_limit_costs_copy (flags->scope->problem, tensor,
                                                from, device);

      if (price > 0)
        add_item (flags, &flags->made[tp_limit_flags_index (flags, it->producer, from)],
                  add_flag (flags, it->consumers, it->n_consumers, 1u << device,
                            it->producer),
                  price);
    }
}

static void
add_copies (TpLimitFlags *flags, int tensor)
{
  const TpLimitScope *scope = flags->scope;
  const TpTensor *it = &scope->problem->graph->tensors[tensor];

  for (int d = 0; d < scope->n_devices && it->n_consumers > 0; d++)
    if (it->producer < 0)
      add_price (flags, it->consumers, it->n_consumers, 1u << d,
                 tp_limit_costs_copy (scope->problem, tensor, TP_COSTS_HOST, d));
    else if (!tp_limit_costs_is_kept (scope->problem, tensor, d))
      add_copy (flags, tensor, d);
}

/* Its gain on a device is lost where any of it is on another. */
static void
add_group (TpLimitFlags *flags, int index)
{
  const TpProblem *problem = flags->scope->problem;
  const TpGroup *it = &problem->groups->groups[index];
  guint all = (1u << flags->scope->n_devices) - 1;

  for (int d = 0; d < flags->scope->n_devices; d++)
    add_price (flags, it->nodes, it->n_nodes, all & ~(1u << d),
               tp_problem_get_gain (problem, index, d));
}

static void
add_costs (TpLimitFlags *flags)
{
  const TpProblem *problem = flags->scope->problem;

  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_copies (flags, i);
  for (int i = 0; i < problem->costs->n_groups; i++)
    add_group (flags, i);
}

/* Any op of it on one device bars the others to those before. */
static void
add_colocation (TpLimitFlags *flags, const TpColocation *it)
{
  int k = flags->scope->n_devices;

  for (int d = 0; d < k; d++)
    {
      int flag = add_flag (flags, it->nodes, it->n_nodes, 1u << d, it->nodes[0]);

      for (int i = 0; i < it->n_nodes; i++)
        for (int other = 0; other < k; other++)
          if (other != d)
            add_item (flags, &flags->away[tp_limit_flags_index (flags, it->nodes[i], other)],
                      flag, 1);
    }
}

static void
add_colocations (TpLimitFlags *flags)
{
  const TpGraph *graph = flags->scope->problem->graph;

  for (int i = 0; i < graph->n_colocations; i++)
    add_colocation (flags, &graph->colocations[i]);
}

/* ---- what is held ------------------------------------------------------- */

static const int *
get_readers (const TpLimitFlags *flags, const TpLimitHolding *it)
{
  return (const int *) (void *) flags->scope->held->readers->data + it->first;
}

static void
add_constant (TpLimitFlags *flags, const TpLimitHolding *it, int device)
{
  const int *ops = get_readers (flags, it);

  if (it->n == 1)
    flags->own_weights[tp_limit_flags_index (flags, ops[0], device)] += it->size_bytes;
  else if (it->n > 1)
    tp_limit_flags_get (flags, add_flag (flags, ops, it->n, 1u << device, ops[0]))->weights
        += it->size_bytes;
}

/* While @step runs. What only some of those to come hold is left out: that is
 * in the middle of groups, and less than there is. In any order @step alone does. */
static void
add_held (TpLimitFlags *flags, int tensor, int device, int step, int n_to_come)
{
  const TpLimitHolding *it = &flags->scope->held->items[tensor];
  int n, flag;
  gint64 bytes
      = tp_limit_held_find (flags->scope->held, tensor, device, step, &n);

  gboolean is_own
      = it->maker == step || flags->scope->problem->is_unordered;

  if (is_own)
    flags->own_held[tp_limit_flags_index (flags, step, device)] += n == 0 ? 0 : bytes;
  if (is_own || n == 0 || n != n_to_come)
    return;
  flag = add_flag (flags, get_readers (flags, it), it->n, 1u << device,
                   it->maker);
  add_item (flags, &flags->held[tp_limit_flags_index (flags, step, device)], flag, bytes);
}

static void
add_tensor (TpLimitFlags *flags, int tensor, int device)
{
  const TpLimitHolding *it = &flags->scope->held->items[tensor];
  const int *ops = get_readers (flags, it);
  int last = it->n == 0 ? it->maker : ops[it->n - 1], n_gone = 0;

  for (int i = MAX (it->maker, 0);
       i <= last && flags->items->len < MAX_ITEMS; i++)
    {
      while (n_gone < it->n && ops[n_gone] < i)
        n_gone++;
      add_held (flags, tensor, device, i, it->n - n_gone);
    }
}

static void
add_holdings (TpLimitFlags *flags, const gboolean *is_limited)
{
  const TpLimitScope *scope = flags->scope;
  const TpLimitHolding *items = scope->held->items;

  for (int i = 0; i < scope->problem->graph->n_tensors; i++)
    for (int d = 0; d < scope->n_devices; d++)
      {
        if (!is_limited[d] || items[i].size_bytes == 0)
          continue;
        if (items[i].is_constant)
          add_constant (flags, &items[i], d);
        else
          add_tensor (flags, i, d);
      }
}

/* ---- all of them -------------------------------------------------------- */

static int *
new_lists (gsize n)
{
  int *lists = tp_new (int, n + 1);

  memset (lists, -1, sizeof (int) * (n + 1));
  return lists;
}

gboolean
tp_limit_flags_init (TpLimitFlags *flags, const TpLimitScope *scope,
                     const gboolean *is_limited)
{
  gsize n = scope->n_ops, n_all = n * scope->n_devices;

  *flags = (TpLimitFlags){ .scope = scope };
  flags->flags = tp_array_new (sizeof (TpLimitFlag));
  flags->items = tp_array_new (sizeof (TpLimitItem));
  flags->newest = new_lists (n);
  flags->ups = new_lists (n_all);
  flags->made = new_lists (n_all);
  flags->held = new_lists (n_all);
  flags->away = new_lists (n_all);
  flags->own = tp_memdup (scope->own, sizeof (gint64) * (n_all + 1));
  flags->own_weights = tp_new0 (gint64, n_all + 1);
  flags->own_held = tp_new0 (gint64, n_all + 1);
  add_costs (flags);
  add_colocations (flags);
  add_holdings (flags, is_limited);
  return flags->items->len < MAX_ITEMS;
}

void
tp_limit_flags_clear (TpLimitFlags *flags)
{
  g_clear_pointer (&flags->flags, tp_array_unref);
  g_clear_pointer (&flags->items, tp_array_unref);
  g_clear_pointer (&flags->newest, g_free);
  g_clear_pointer (&flags->ups, g_free);
  g_clear_pointer (&flags->made, g_free);
  g_clear_pointer (&flags->held, g_free);
  g_clear_pointer (&flags->away, g_free);
  g_clear_pointer (&flags->own, g_free);
  g_clear_pointer (&flags->own_weights, g_free);
  g_clear_pointer (&flags->own_held, g_free);
}
