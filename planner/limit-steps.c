/* limit-steps.c: see limit-steps.h.
 *
 * A flag says whether any of some ops is on any of some devices, of those decided: on
 * one, or, for a group that gains on one, on any other. It lives from the last of them to the first, or to what makes what they read;
 * flags of the same ops are one. A node is the set of flags that are up:
 * what is paid and held at the next op depends on nothing else, nor does where
 * it may be that is to be with others. Networks have few tensors at once, and of
 * most the readers are one op, so there are few sets. */
#include "config.h"

#include "planner/limit-steps.h"

#include "ir/guard.h"

#include <string.h>

#define WORDS 4
#define MAX_FLAGS (64 * WORDS) /* at once */
#define MAX_NODES (1 << 18)   /* in all layers */
#define MAX_WAYS (1 << 19)    /* likewise */
#define MAX_ITEMS (1 << 22)   /* tensors held at steps, and the like */

/* A set of flags, by their slots. */
typedef struct
{
  guint64 words[WORDS];
} Key;

typedef struct
{
  const int *ops;             /* ascending */
  int n;
  guint set;                  /* of devices */
  int low;                    /* the last op that asks for it; -1: the first */
  gint64 cost, weights;       /* paid and held once it is up */
  int slot;                   /* -1: not alive */
  int next;                   /* of those with the same last op */
} Flag;

/* What a flag means to an op. */
typedef struct
{
  int flag, next;
  gint64 amount;
} Item;

typedef struct
{
  TpLimitSteps *steps;
  const TpLimitScope *scope;
  TpArray *flags;             /* Flag */
  TpArray *items;             /* Item */
  int *newest;                /* [op]: flags whose last op it is */
  /* [op * n_devices + device]: */
  int *ups;                   /* that are up with it there */
  int *made;                  /* paid if it is there */
  int *held;                  /* bytes while it runs */
  int *away;                  /* up where it may not be there */
  gint64 *own, *own_weights, *own_held; /* if it is there */
  Key used;                   /* slots */
  Key up[TP_SWEEP_MAX_DEVICES]; /* [device]: with the op at hand there */
  int of_slot[MAX_FLAGS];
} Build;

/* Of one layer. */
typedef struct
{
  TpArray *keys;              /* Key: [node] */
  int *table;                 /* nodes by hash; -1: none */
  guint mask;
} Layer;

static Flag *
get_flag (const Build *build, int index)
{
  return &tp_array_index (build->flags, Flag, index);
}

static void
add_item (Build *build, int *list, int flag, gint64 amount)
{
  Item item = { flag, *list, amount };

  *list = (int) build->items->len;
  tp_array_append_val (build->items, item);
}

static gboolean
key_has (const Key *key, int slot)
{
  return key->words[slot / 64] >> slot % 64 & 1;
}

static void
key_add (Key *key, int slot)
{
  key->words[slot / 64] |= (guint64) 1 << slot % 64;
}

static Key
key_join (const Key *a, const Key *b)
{
  Key both;

  for (int i = 0; i < WORDS; i++)
    both.words[i] = a->words[i] | b->words[i];
  return both;
}

static Key
key_without (const Key *a, const Key *b)
{
  Key left;

  for (int i = 0; i < WORDS; i++)
    left.words[i] = a->words[i] & ~b->words[i];
  return left;
}

static gsize
index_of (const Build *build, int op, int device)
{
  return (gsize) op * build->scope->n_devices + device;
}

/* ---- flags -------------------------------------------------------------- */

/* Low: who asks for it last. */
static int
add_flag (Build *build, const int *ops, int n, guint set, int low)
{
  int last = ops[n - 1];
  Flag flag = { ops, n, set, low, 0, 0, -1, build->newest[last] };

  for (int i = flag.next; i >= 0; i = get_flag (build, i)->next)
    {
      Flag *it = get_flag (build, i);

      if (it->set != set || it->n != n
          || memcmp (it->ops, ops, sizeof (int) * n) != 0)
        continue;
      it->low = MIN (it->low, low);
      return i;
    }
  build->newest[last] = (int) build->flags->len;
  tp_array_append_val (build->flags, flag);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < build->scope->n_devices; d++)
      if (set >> d & 1)
        add_item (build, &build->ups[index_of (build, ops[i], d)],
                  build->newest[last], 0);
  return build->newest[last];
}

/* Paid once any of @ops is on any of @set. */
static void
add_price (Build *build, const int *ops, int n, guint set, gint64 price)
{
  if (price == 0 || n == 0)
    return;
  if (n > 1)
    {
      get_flag (build, add_flag (build, ops, n, set, ops[0]))->cost += price;
      return;
    }
  for (int d = 0; d < build->scope->n_devices; d++)
    if (set >> d & 1 && build->own[index_of (build, ops[0], d)] != TP_COST_NONE)
      build->own[index_of (build, ops[0], d)] += price;
}

/* Of what is made, to @device, by who makes it elsewhere. */
static void
add_copy (Build *build, int tensor, int device)
{
  const TpTensor *it = &build->scope->problem->graph->tensors[tensor];

  for (int from = 0; from < build->scope->n_devices; from++)
    {
      gint64 price = from == device ? 0
                                    : tp_limit_scope_copy (build->scope, tensor,
                                                           from, device);

      if (price > 0)
        add_item (build, &build->made[index_of (build, it->producer, from)],
                  add_flag (build, it->consumers, it->n_consumers, 1u << device,
                            it->producer),
                  price);
    }
}

static void
add_copies (Build *build, int tensor)
{
  const TpLimitScope *scope = build->scope;
  const TpTensor *it = &scope->problem->graph->tensors[tensor];

  for (int d = 0; d < scope->n_devices && it->n_consumers > 0; d++)
    if (it->producer < 0)
      add_price (build, it->consumers, it->n_consumers, 1u << d,
                 tp_limit_scope_copy (scope, tensor, TP_COSTS_HOST, d));
    else if (!tp_limit_scope_is_kept (scope, tensor, d))
      add_copy (build, tensor, d);
}

/* Its gain on a device is lost where any of it is on another. */
static void
add_group (Build *build, int index)
{
  const TpProblem *problem = build->scope->problem;
  const TpGroup *it = &problem->groups->groups[index];
  guint all = (1u << build->scope->n_devices) - 1;

  for (int d = 0; d < build->scope->n_devices; d++)
    add_price (build, it->nodes, it->n_nodes, all & ~(1u << d),
               tp_problem_get_gain (problem, index, d));
}

static void
add_costs (Build *build)
{
  const TpProblem *problem = build->scope->problem;

  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_copies (build, i);
  for (int i = 0; i < problem->costs->n_groups; i++)
    add_group (build, i);
}

/* Any op of it on one device bars the others to those before. */
static void
add_colocation (Build *build, const TpColocation *it)
{
  int k = build->scope->n_devices;

  for (int d = 0; d < k; d++)
    {
      int flag = add_flag (build, it->nodes, it->n_nodes, 1u << d, it->nodes[0]);

      for (int i = 0; i < it->n_nodes; i++)
        for (int other = 0; other < k; other++)
          if (other != d)
            add_item (build, &build->away[index_of (build, it->nodes[i], other)],
                      flag, 1);
    }
}

static void
add_colocations (Build *build)
{
  const TpGraph *graph = build->scope->problem->graph;

  for (int i = 0; i < graph->n_colocations; i++)
    add_colocation (build, &graph->colocations[i]);
}

/* ---- what is held ------------------------------------------------------- */

static const int *
get_readers (const Build *build, const TpLimitHolding *it)
{
  return (const int *) (void *) build->scope->held->readers->data + it->first;
}

static void
add_constant (Build *build, const TpLimitHolding *it, int device)
{
  const int *ops = get_readers (build, it);

  if (it->n == 1)
    build->own_weights[index_of (build, ops[0], device)] += it->size_bytes;
  else if (it->n > 1)
    get_flag (build, add_flag (build, ops, it->n, 1u << device, ops[0]))->weights
        += it->size_bytes;
}

/* While @step runs. What only some of those to come hold is left out: that is
 * in the middle of groups, and less than there is. In any order @step alone does. */
static void
add_held (Build *build, int tensor, int device, int step, int n_to_come)
{
  const TpLimitHolding *it = &build->scope->held->items[tensor];
  int n, flag;
  gint64 bytes
      = tp_limit_held_find (build->scope->held, tensor, device, step, &n);

  gboolean is_own
      = it->maker == step || build->scope->problem->is_unordered;

  if (is_own)
    build->own_held[index_of (build, step, device)] += n == 0 ? 0 : bytes;
  if (is_own || n == 0 || n != n_to_come)
    return;
  flag = add_flag (build, get_readers (build, it), it->n, 1u << device,
                   it->maker);
  add_item (build, &build->held[index_of (build, step, device)], flag, bytes);
}

static void
add_tensor (Build *build, int tensor, int device)
{
  const TpLimitHolding *it = &build->scope->held->items[tensor];
  const int *ops = get_readers (build, it);
  int last = it->n == 0 ? it->maker : ops[it->n - 1], n_gone = 0;

  for (int i = MAX (it->maker, 0);
       i <= last && build->items->len < MAX_ITEMS; i++)
    {
      while (n_gone < it->n && ops[n_gone] < i)
        n_gone++;
      add_held (build, tensor, device, i, it->n - n_gone);
    }
}

static void
add_holdings (Build *build)
{
  const TpLimitScope *scope = build->scope;
  const TpLimitHolding *items = scope->held->items;

  for (int i = 0; i < scope->problem->graph->n_tensors; i++)
    for (int d = 0; d < scope->n_devices; d++)
      {
        if (!build->steps->is_limited[d] || items[i].size_bytes == 0)
          continue;
        if (items[i].is_constant)
          add_constant (build, &items[i], d);
        else
          add_tensor (build, i, d);
      }
}

/* ---- nodes -------------------------------------------------------------- */

static void
layer_clear (Layer *layer)
{
  tp_array_unref (layer->keys);
  g_free (layer->table);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Layer, layer_clear)

static guint
hash (const Key *key)
{
  guint64 sum = 0;

  for (int i = 0; i < WORDS; i++)
    sum = (sum ^ key->words[i]) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)
          + (sum >> 29);
  return (guint) (sum >> 33);
}

static int
find_node (Layer *layer, const Key *key)
{
  guint at = hash (key) & layer->mask;

  while (layer->table[at] >= 0
         && memcmp (&tp_array_index (layer->keys, Key, layer->table[at]), key,
                    sizeof *key) != 0)
    at = (at + 1) & layer->mask;
  if (layer->table[at] < 0)
    {
      layer->table[at] = (int) layer->keys->len;
      tp_array_append_vals (layer->keys, key, 1);
    }
  return layer->table[at];
}

static void
layer_reset (Layer *layer, guint n_before)
{
  guint n = 8;

  while (n < 4 * n_before)
    n *= 2;
  layer->mask = n - 1;
  layer->table = tp_renew (int, layer->table, n);
  memset (layer->table, -1, sizeof (int) * n);
  tp_array_set_size (layer->keys, 0);
}

/* FALSE: there are too many at once. */
static gboolean
raise_flags (Build *build, int op)
{
  for (int i = build->newest[op]; i >= 0; i = get_flag (build, i)->next)
    {
      int slot = 0;

      while (slot < MAX_FLAGS && key_has (&build->used, slot))
        slot++;
      if (slot == MAX_FLAGS)
        return FALSE;
      key_add (&build->used, slot);
      build->of_slot[slot] = i;
      get_flag (build, i)->slot = slot;
    }
  return TRUE;
}

/* Of those that nobody asks for after @op. */
static Key
drop_flags (Build *build, int op)
{
  Key gone = { { 0 } };

  for (int slot = 0; slot < MAX_FLAGS; slot++)
    if (key_has (&build->used, slot)
        && MAX (get_flag (build, build->of_slot[slot])->low, 0) == op)
      key_add (&gone, slot);
  build->used = key_without (&build->used, &gone);
  return gone;
}

static Key
find_ups (const Build *build, int op, int device)
{
  Key ups = { { 0 } };

  for (int i = build->ups[index_of (build, op, device)]; i >= 0;
       i = tp_array_index (build->items, Item, i).next)
    key_add (&ups, get_flag (build, tp_array_index (build->items, Item, i).flag)
                       ->slot);
  return ups;
}

/* Over @list, of flags in @set. */
static gint64
sum_items (const Build *build, int list, const Key *set)
{
  gint64 sum = 0;

  for (int i = list; i >= 0; i = tp_array_index (build->items, Item, i).next)
    {
      const Item *it = &tp_array_index (build->items, Item, i);

      if (key_has (set, get_flag (build, it->flag)->slot))
        sum += it->amount;
    }
  return sum;
}

/* Whether what it holds can be where there are limits. */
static gboolean
is_within (const Build *build, const TpLimitWay *way)
{
  const TpLimitScope *scope = build->scope;

  for (int d = 0; d < scope->n_devices; d++)
    if (build->steps->is_limited[d]
        && way->weights[d] + way->held[d] > scope->limits[d])
      return FALSE;
  return !tp_limit_scope_has_pool (scope)
         || way->weights[0] + way->held[0] + way->weights[1] + way->held[1]
                <= scope->pool;
}

/* What comes with the flags of @fresh, word @word of a key. */
static void
add_fresh (const Build *build, int word, guint64 fresh, TpLimitWay *way)
{
  for (; fresh != 0; fresh &= fresh - 1)
    {
      int slot = 64 * word + __builtin_ctzll (fresh);
      const Flag *it = get_flag (build, build->of_slot[slot]);

      way->cost += it->cost;
      if (it->weights > 0)
        way->weights[__builtin_ctz (it->set)] += it->weights;
    }
}

/* What @op on its device costs and holds where @before is up. FALSE: too
 * much. */
static gboolean
fill_way (const Build *build, int op, const Key *before, const Key *after,
          TpLimitWay *way)
{
  gsize here = index_of (build, op, way->device);

  way->cost = build->own[here] + sum_items (build, build->made[here], after);
  way->weights[way->device] = build->own_weights[here];
  way->held[way->device] = build->own_held[here];
  for (int i = 0; i < WORDS; i++)
    add_fresh (build, i, after->words[i] & ~before->words[i], way);
  for (int d = 0; d < build->scope->n_devices; d++)
    way->held[d]
        += sum_items (build, build->held[index_of (build, op, d)], after);
  return is_within (build, way);
}

/* By where they lead: what meets in a node is next to each other. */
static void
sort_ways (TpLimitSteps *steps, guint first, int n_nodes)
{
  guint n = steps->ways->len - first;
  TpLimitWay *ways = &tp_array_index (steps->ways, TpLimitWay, first);
  g_autofree TpLimitWay *copy = tp_memdup (ways, sizeof *ways * n);
  g_autofree int *starts = tp_new0 (int, n_nodes + 2);

  for (guint i = 0; i < n; i++)
    starts[copy[i].to + 1]++;
  for (int i = 0; i < n_nodes; i++)
    starts[i + 1] += starts[i];
  for (guint i = 0; i < n; i++)
    ways[starts[copy[i].to]++] = copy[i];
}

/* From node @from of those before to any device. */
static void
add_ways_from (Build *build, int op, int from, const Key *before, const Key *gone,
               Layer *next)
{
  for (int d = 0; d < build->scope->n_devices; d++)
    {
      gsize here = index_of (build, op, d);
      TpLimitWay way = { .from = from, .device = d };
      Key after = key_join (before, &build->up[d]), left;

      if (build->own[here] == TP_COST_NONE
          || sum_items (build, build->away[here], before) > 0
          || !fill_way (build, op, before, &after, &way))
        continue;
      left = key_without (&after, gone);
      way.to = find_node (next, &left);
      tp_array_append_val (build->steps->ways, way);
    }
}

static void
add_ways (Build *build, int op, const TpArray *nodes, Layer *next)
{
  guint first = build->steps->ways->len;
  Key gone;

  for (int d = 0; d < build->scope->n_devices; d++)
    build->up[d] = find_ups (build, op, d);
  gone = drop_flags (build, op);
  layer_reset (next, nodes->len);
  for (guint i = 0; i < nodes->len; i++)
    add_ways_from (build, op, (int) i, &tp_array_index (nodes, Key, i), &gone,
                   next);
  sort_ways (build->steps, first, (int) next->keys->len);
}

static gboolean
add_layers (Build *build)
{
  TpLimitSteps *steps = build->steps;
  g_autoptr (TpArray) nodes = tp_array_new (sizeof (Key));
  g_auto (Layer) next = { .keys = tp_array_new (sizeof (Key)) };
  int n = build->scope->n_ops;
  Key none = { { 0 } };
  guint n_nodes = 1;

  tp_array_append_val (nodes, none);
  for (int layer = 0;
       layer <= n && n_nodes <= MAX_NODES && steps->ways->len <= MAX_WAYS; layer++)
    {
      steps->n_nodes[layer] = (int) nodes->len;
      steps->first_way[layer] = (int) steps->ways->len;
      if (layer == n)
        return TRUE;
      if (!raise_flags (build, n - 1 - layer))
        return FALSE;
      add_ways (build, n - 1 - layer, nodes, &next);
      tp_array_set_size (nodes, 0);
      tp_array_append_vals (nodes, next.keys->data, next.keys->len);
      n_nodes += nodes->len;
    }
  return FALSE;
}

static void
build_clear (Build *build)
{
  tp_array_unref (build->flags);
  tp_array_unref (build->items);
  g_free (build->newest);
  g_free (build->ups);
  g_free (build->made);
  g_free (build->held);
  g_free (build->away);
  g_free (build->own);
  g_free (build->own_weights);
  g_free (build->own_held);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Build, build_clear)

static int *
new_lists (gsize n)
{
  int *lists = tp_new (int, n + 1);

  memset (lists, -1, sizeof (int) * (n + 1));
  return lists;
}

static void
build_init (Build *build)
{
  gsize n = build->scope->n_ops, n_all = n * build->scope->n_devices;

  build->flags = tp_array_new (sizeof (Flag));
  build->items = tp_array_new (sizeof (Item));
  build->newest = new_lists (n);
  build->ups = new_lists (n_all);
  build->made = new_lists (n_all);
  build->held = new_lists (n_all);
  build->away = new_lists (n_all);
  build->own = tp_memdup (build->scope->own, sizeof (gint64) * (n_all + 1));
  build->own_weights = tp_new0 (gint64, n_all + 1);
  build->own_held = tp_new0 (gint64, n_all + 1);
}

static void
find_limited (TpLimitSteps *steps)
{
  const TpLimitScope *scope = steps->scope;

  for (int d = 0; d < scope->n_devices; d++)
    {
      steps->is_limited[d]
          = tp_limit_scope_has_pool (scope)
            || (scope->limits[d] > 0
                && scope->limits[d] < scope->held->all_bytes);
      steps->n_limited += steps->is_limited[d];
    }
}

TpLimitSteps *
tp_limit_steps_new (const TpLimitScope *scope)
{
  gsize n = scope->n_ops;
  g_autoptr (TpLimitSteps) steps = g_new0 (TpLimitSteps, 1);
  g_auto (Build) build = { .steps = steps, .scope = scope };

  build_init (&build);
  steps->scope = scope;
  steps->ways = tp_array_new (sizeof (TpLimitWay));
  steps->n_nodes = tp_new0 (int, n + 1);
  steps->first_way = tp_new0 (int, n + 1);
  find_limited (steps);
  add_costs (&build);
  add_colocations (&build);
  add_holdings (&build);
  return build.items->len < MAX_ITEMS && add_layers (&build)
             ? g_steal_pointer (&steps)
             : NULL;
}

void
tp_limit_steps_free (TpLimitSteps *steps)
{
  if (steps == NULL)
    return;
  tp_array_unref (steps->ways);
  g_free (steps->n_nodes);
  g_free (steps->first_way);
  g_free (steps);
}
