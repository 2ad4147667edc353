/* limit-steps.c: see limit-steps.h.
 *
 * A node is the set of flags that are up (limit-flags.h):
 * what is paid and held at the next op depends on nothing else, nor does where
 * it may be that is to be with others. Networks have few tensors at once, and of
 * most the readers are one op, so there are few sets. */
#include "config.h"

#include "planner/limit-steps.h"

#include "ir/guard.h"
#include "planner/limit-flags.h"

#include <string.h>

#define WORDS 2
#define MAX_FLAGS (64 * WORDS) /* at once */
#define MAX_NODES (1 << 18)   /* in all layers */
#define MAX_WAYS (1 << 19)    /* likewise */
#define MANNERS 2             /* in which an op may run on a device */

/* A set of flags, by their slots. */
typedef struct
{
  guint64 words[WORDS];
} Key;

typedef struct
{
  TpLimitSteps *steps;
  const TpLimitScope *scope;
  TpLimitFlags flags;
  Key used;                   /* slots */
  int of_slot[MAX_FLAGS];
  /* Of the op at hand: */
  int op;
  Key up[TP_SWEEP_MAX_DEVICES]; /* [device]: with it there */
  Key all_up[TP_SWEEP_MAX_DEVICES]; /* [device]: with the group there that it ends */
  Key apart;                  /* of its group, where it does not end it */
  Key gone;                   /* of those that nobody asks for after it */
} Build;

/* Of one layer. */
typedef struct
{
  TpArray *keys;              /* Key: [node] */
  int *table;                 /* nodes by hash; -1: none */
  guint mask;
} Layer;

static TpLimitFlag *
get_flag (const Build *build, int index)
{
  return tp_limit_flags_get (&build->flags, index);
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

  while (n < MANNERS * TP_SWEEP_MAX_DEVICES * n_before * 2)
    n *= 2;
  layer->mask = n - 1;
  layer->table = tp_renew (int, layer->table, n);
  memset (layer->table, -1, sizeof (int) * n);
  tp_array_set_size (layer->keys, 0);
}

/* FALSE: there are too many at once. */
static gboolean
raise_flags (Build *build)
{
  for (int i = build->flags.newest[build->op]; i >= 0; i = get_flag (build, i)->next)
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

  for (int i = build->flags.ups[tp_limit_flags_index (&build->flags, op, device)]; i >= 0;
       i = tp_array_index (build->flags.items, TpLimitItem, i).next)
    key_add (&ups, get_flag (build, tp_array_index (build->flags.items, TpLimitItem, i).flag)
                       ->slot);
  return ups;
}

static int
get_apart (const Build *build, int device)
{
  return build->flags.apart[tp_limit_flags_index (&build->flags, build->op, device)];
}

/* Whether it is the last op of its group, if that may be in effect on @device. */
static gboolean
is_end (const Build *build, int device)
{
  return get_apart (build, device) >= 0
         && build->flags.ends[build->op] == build->op;
}

/* With all of the group that it ends on @device. */
static Key
find_all_ups (const Build *build, int device)
{
  const TpProblem *problem = build->scope->problem;
  const TpGroup *group = &problem->groups->groups[build->scope->held->group_of[build->op]];
  Key ups = { { 0 } };

  for (int k = 0; k < group->n_nodes; k++)
    {
      Key own = find_ups (build, group->nodes[k], device);

      ups = key_join (&ups, &own);
    }
  return ups;
}

static void
find_keys (Build *build)
{
  build->apart = (Key){ { 0 } };
  for (int d = 0; d < build->scope->n_devices; d++)
    {
      build->up[d] = find_ups (build, build->op, d);
      if (is_end (build, d))
        build->all_up[d] = find_all_ups (build, d);
      else if (get_apart (build, d) >= 0)
        key_add (&build->apart, get_flag (build, get_apart (build, d))->slot);
    }
  build->gone = drop_flags (build, build->op);
}

/* Over @list, of flags in @set. */
static gint64
sum_items (const Build *build, int list, const Key *set)
{
  gint64 sum = 0;

  for (int i = list; i >= 0; i = tp_array_index (build->flags.items, TpLimitItem, i).next)
    {
      const TpLimitItem *it = &tp_array_index (build->flags.items, TpLimitItem, i);

      if (key_has (set, get_flag (build, it->flag)->slot)
          && (it->apart < 0 || key_has (set, get_flag (build, it->apart)->slot)))
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
      const TpLimitFlag *it = get_flag (build, build->of_slot[slot]);

      way->cost += it->cost;
      if (it->weights > 0)
        way->weights[__builtin_ctz (it->set)] += it->weights;
    }
}

/* Whether @key says that it runs with others, at the end of their group. */
static gboolean
is_inside (const Build *build, int device, const Key *key)
{
  int apart = get_apart (build, device);

  return apart >= 0 && !is_end (build, device)
         && !key_has (key, get_flag (build, apart)->slot);
}

/* What the op at hand on its device costs and holds where @before was up. FALSE: too
 * much. */
static gboolean
fill_way (const Build *build, const Key *before, const Key *after, TpLimitWay *way)
{
  const TpLimitFlags *flags = &build->flags;
  gsize here = tp_limit_flags_index (flags, build->op, way->device);

  way->cost = flags->own[here] + sum_items (build, flags->made[here], after);
  way->weights[way->device] = flags->own_weights[here];
  way->held[way->device]
      = is_inside (build, way->device, after) ? 0 : flags->own_held[here];
  for (int i = 0; i < WORDS; i++)
    add_fresh (build, i, after->words[i] & ~before->words[i], way);
  for (int d = 0; d < build->scope->n_devices; d++)
    way->held[d] += sum_items (
        build, flags->held[tp_limit_flags_index (flags, build->op, d)], after);
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

/* Where @after is up then. */
static void
add_way (Build *build, TpLimitWay way, const Key *before, const Key *after,
         Layer *next)
{
  Key left;

  if (!fill_way (build, before, after, &way))
    return;
  left = key_without (after, &build->gone);
  way.to = find_node (next, &left);
  tp_array_append_val (build->steps->ways, way);
}

/* Whether it would part a group that is in effect. */
static gboolean
does_part (const Build *build, const Key *before, const Key *after)
{
  for (int i = 0; i < WORDS; i++)
    if ((after->words[i] & ~before->words[i] & build->apart.words[i]) != 0)
      return TRUE;
  return FALSE;
}

/* From node @from of those before to any device; where a group ends, with that in effect and
 * apart. */
static void
add_ways_from (Build *build, int from, const Key *before, Layer *next)
{
  for (int d = 0; d < build->scope->n_devices; d++)
    {
      gsize here = tp_limit_flags_index (&build->flags, build->op, d);
      TpLimitWay way = { .from = from, .device = d };
      Key after = key_join (before, &build->up[d]), whole;

      if (build->flags.own[here] == TP_COST_NONE
          || sum_items (build, build->flags.away[here], before) > 0
          || does_part (build, before, &after))
        continue;
      if (is_end (build, d))
        {
          whole = key_join (before, &build->all_up[d]);
          add_way (build, way, before, &whole, next);
          key_add (&after, get_flag (build, get_apart (build, d))->slot);
        }
      add_way (build, way, before, &after, next);
    }
}

static void
add_ways (Build *build, const TpArray *nodes, Layer *next)
{
  guint first = build->steps->ways->len;

  find_keys (build);
  layer_reset (next, nodes->len);
  for (guint i = 0; i < nodes->len; i++)
    add_ways_from (build, (int) i, &tp_array_index (nodes, Key, i), next);
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
      build->op = n - 1 - layer;
      if (!raise_flags (build))
        return FALSE;
      add_ways (build, nodes, &next);
      tp_array_set_size (nodes, 0);
      tp_array_append_vals (nodes, next.keys->data, next.keys->len);
      n_nodes += nodes->len;
    }
  return FALSE;
}

static void
build_clear (Build *build)
{
  tp_limit_flags_clear (&build->flags);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Build, build_clear)

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

  steps->scope = scope;
  steps->ways = tp_array_new (sizeof (TpLimitWay));
  steps->n_nodes = tp_new0 (int, n + 1);
  steps->first_way = tp_new0 (int, n + 1);
  find_limited (steps);
  return tp_limit_flags_init (&build.flags, scope, steps->is_limited)
                 && add_layers (&build)
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
