/* limit-flags.c: see limit-flags.h. */
#include "config.h"

#include "planner/limit-flags.h"

#include "ir/guard.h"
#include "planner/limit-costs.h"

#include <string.h>

#define MAX_ITEMS (1 << 22)   /* tensors held at steps, and the like */

static void
add_item (TpLimitFlags *flags, int *list, TpLimitItem item)
{
  item.next = *list;
  *list = (int) flags->items->len;
  tp_array_append_val (flags->items, item);
}

/* The first op from the end that may raise it: a group in effect raises all that its ops
 * raise where it runs. */
static int
find_start (const TpLimitFlags *flags, const int *ops, int n)
{
  int start = ops[n - 1];

  for (int i = 0; i < n; i++)
    start = MAX (start, flags->ends[ops[i]]);
  return start;
}

static gboolean
is_same (const TpLimitFlag *flag, const TpLimitFlag *other)
{
  return flag->set == other->set && flag->n == other->n
         && flag->is_apart == other->is_apart
         && memcmp (flag->ops, other->ops, sizeof (int) * (gsize) flag->n) == 0;
}

/* Its ops, set, who asks for it last, and whether it says that they are apart. */
static int
add_flag (TpLimitFlags *flags, TpLimitFlag flag)
{
  int *newest = &flags->newest[find_start (flags, flag.ops, flag.n)];

  flag.slot = -1;
  flag.next = *newest;
  for (int i = flag.next; i >= 0; i = tp_limit_flags_get (flags, i)->next)
    {
      TpLimitFlag *it = tp_limit_flags_get (flags, i);

      if (!is_same (it, &flag))
        continue;
      it->low = MIN (it->low, flag.low);
      return i;
    }
  *newest = (int) flags->flags->len;
  tp_array_append_val (flags->flags, flag);
  for (int i = 0; i < flag.n; i++)
    for (int d = 0; d < flags->scope->n_devices; d++)
      if (flag.set >> d & 1)
        add_item (flags, &flags->ups[tp_limit_flags_index (flags, flag.ops[i], d)],
                  (TpLimitItem){ *newest, -1, 0, 0 });
  return *newest;
}

/* Paid once any of @ops is on any of @set. */
static void
add_price (TpLimitFlags *flags, const int *ops, int n, guint set, gint64 price)
{
  if (price == 0 || n == 0)
    return;
  if (n > 1)
    {
      TpLimitFlag flag = { .ops = ops, .n = n, .set = set, .low = ops[0] };

      tp_limit_flags_get (flags, add_flag (flags, flag))->cost += price;
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
      TpLimitFlag flag = { .ops = it->consumers, .n = it->n_consumers,
                           .set = 1u << device, .low = it->producer };
      gint64 price = from == device
                         ? 0
                         : tp_limit_costs_copy (flags->scope->problem, tensor,
                                                from, device);

      if (price > 0)
        add_item (flags, &flags->made[tp_limit_flags_index (flags, it->producer, from)],
                  (TpLimitItem){ add_flag (flags, flag), -1, 0, price });
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

/* Whether ops of @group are ever run where its last stands. */
static gboolean
is_kernel (const TpLimitFlags *flags, const TpGroup *group)
{
  return !group->is_claimed && !flags->scope->problem->is_unordered;
}

/* Its gain on a device is lost where it is apart, as it is where any of it is on another. */
static void
add_group (TpLimitFlags *flags, int index)
{
  const TpProblem *problem = flags->scope->problem;
  const TpGroup *it = &problem->groups->groups[index];
  guint all = (1u << flags->scope->n_devices) - 1;

  for (int d = 0; d < flags->scope->n_devices; d++)
    {
      TpLimitFlag flag = { .ops = it->nodes, .n = it->n_nodes,
                           .set = all & ~(1u << d), .low = it->nodes[0],
                           .is_apart = is_kernel (flags, it) };
      gint64 gain = tp_problem_get_gain (problem, index, d);
      int found = gain > 0 ? add_flag (flags, flag) : -1;

      if (found >= 0)
        tp_limit_flags_get (flags, found)->cost += gain;
      for (int k = 0; k < it->n_nodes && flag.is_apart; k++)
        flags->apart[tp_limit_flags_index (flags, it->nodes[k], d)] = found;
    }
}

static void
find_ends (TpLimitFlags *flags)
{
  const TpProblem *problem = flags->scope->problem;

  for (int i = 0; i < flags->scope->n_ops; i++)
    flags->ends[i] = i;
  for (int g = 0; g < problem->costs->n_groups; g++)
    for (int k = 0; k < problem->groups->groups[g].n_nodes; k++)
      {
        const TpGroup *it = &problem->groups->groups[g];

        if (is_kernel (flags, it))
          flags->ends[it->nodes[k]] = it->nodes[it->n_nodes - 1];
      }
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
      int flag = add_flag (flags, (TpLimitFlag){ .ops = it->nodes, .n = it->n_nodes,
                                                 .set = 1u << d, .low = it->nodes[0] });

      for (int i = 0; i < it->n_nodes; i++)
        for (int other = 0; other < k; other++)
          if (other != d)
            add_item (flags, &flags->away[tp_limit_flags_index (flags, it->nodes[i], other)],
                      (TpLimitItem){ flag, -1, 0, 1 });
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
  TpLimitFlag flag = { .ops = ops, .n = it->n, .set = 1u << device,
                       .low = it->n > 0 ? ops[0] : 0 };

  if (it->n == 1)
    flags->own_weights[tp_limit_flags_index (flags, ops[0], device)] += it->size_bytes;
  else if (it->n > 1)
    tp_limit_flags_get (flags, add_flag (flags, flag))->weights += it->size_bytes;
}

/* In any order there is only what ops make and read themselves. */
static void
add_unordered (TpLimitFlags *flags, int tensor, int device)
{
  const TpLimitHeld *held = flags->scope->held;
  const TpLimitHolding *it = &held->items[tensor];

  for (int i = it->maker < 0 ? 0 : -1; i < it->n; i++)
    {
      int op = i < 0 ? it->maker : get_readers (flags, it)[i], n;
      gint64 bytes = tp_limit_held_find (held, tensor, device, op, &n);

      if (n > 0)
        flags->own_held[tp_limit_flags_index (flags, op, device)] += bytes;
    }
}

/* From when it is made to when it is read last, which is where a group runs that reads it. A
 * group in effect keeps what its ops but the last make to itself. */
static void
add_tensor (TpLimitFlags *flags, int tensor, int device)
{
  const TpLimitHolding *it = &flags->scope->held->items[tensor];
  TpLimitFlag flag = { .ops = get_readers (flags, it), .n = it->n,
                       .set = 1u << device, .low = it->maker };
  TpLimitItem item = { -1, -1, 0, it->size_bytes };
  int last = it->n == 0 ? -1 : find_start (flags, flag.ops, it->n);

  if (it->maker >= 0)
    flags->own_held[tp_limit_flags_index (flags, it->maker, device)] += it->size_bytes;
  if (it->maker >= 0 && flags->ends[it->maker] != it->maker)
    item.apart = flags->apart[tp_limit_flags_index (flags, it->maker, device)];
  if (last >= 0)
    item.flag = add_flag (flags, flag);
  for (int i = it->maker + 1; i <= last && flags->items->len < MAX_ITEMS; i++)
    add_item (flags, &flags->held[tp_limit_flags_index (flags, i, device)], item);
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
        else if (scope->problem->is_unordered)
          add_unordered (flags, i, d);
        else if (!tp_limit_held_is_kept (scope->held, &items[i], d))
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
  flags->ends = tp_new (int, n + 1);
  flags->apart = new_lists (n_all);
  flags->ups = new_lists (n_all);
  flags->made = new_lists (n_all);
  flags->held = new_lists (n_all);
  flags->away = new_lists (n_all);
  flags->own = tp_memdup (scope->own, sizeof (gint64) * (n_all + 1));
  flags->own_weights = tp_new0 (gint64, n_all + 1);
  flags->own_held = tp_new0 (gint64, n_all + 1);
  find_ends (flags);
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
  g_clear_pointer (&flags->ends, g_free);
  g_clear_pointer (&flags->apart, g_free);
  g_clear_pointer (&flags->ups, g_free);
  g_clear_pointer (&flags->made, g_free);
  g_clear_pointer (&flags->held, g_free);
  g_clear_pointer (&flags->away, g_free);
  g_clear_pointer (&flags->own, g_free);
  g_clear_pointer (&flags->own_weights, g_free);
  g_clear_pointer (&flags->own_held, g_free);
}
