/* limit-sweep.c: see limit-sweep.h.
 *
 * A shortest path with resources (M. Desrochers, La fabrication d'horaires de
 * travail, 1986): labels with what a way cost and which constants it read so
 * far; of two in one node, one that costs and holds no less than the other
 * goes; and so does one from which the rest costs too much at least, constants
 * having a price instead of a limit (G. Y. Handler and I. Zang, 1980). */
#include "config.h"

#include "planner/limit-sweep.h"

#include "ir/guard.h"
#include "planner/limit-pool.h"

#include <string.h>

#define INFINITE (G_GINT64_CONSTANT (1) << 62)
#define MAX_LABELS (1 << 20)  /* kept: some 40 MB */
#define N_BACK 32             /* labels that one is held against */
#define SEVERAL 4             /* of several devices they are as many times the work */

typedef struct
{
  gint64 cost;
  gint64 weights[TP_SWEEP_MAX_DEVICES];
  int before, way;            /* label, -1: none */
} Label;

static int
get_n_devices (const TpLimitSweep *sweep)
{
  return sweep->steps->scope->n_devices;
}

static int
get_n_ways (const TpLimitSteps *steps, int layer)
{
  return layer + 1 > steps->scope->n_ops ? 0
                                         : steps->first_way[layer + 1]
                                               - steps->first_way[layer];
}

static void
new_tables (TpLimitSweep *sweep, int n_nodes)
{
  for (int i = 0; i < TP_LIMIT_TABLES; i++)
    sweep->left[i] = tp_new (gint64, n_nodes + 1);
  sweep->best = tp_new (int, n_nodes + 1);
  sweep->first_label = tp_new0 (int, n_nodes + 2);
  sweep->labels = tp_array_new (sizeof (Label));
  for (int i = 0; i < 2; i++)
    sweep->merged[i] = tp_array_new (sizeof (Label));
}

void
tp_limit_sweep_init (TpLimitSweep *sweep, const TpLimitSteps *steps)
{
  int n = steps->scope->n_ops;

  *sweep = (TpLimitSweep){ .steps = steps };
  sweep->first_node = tp_new0 (int, n + 2);
  for (int i = 0; i <= n; i++)
    sweep->first_node[i + 1] = sweep->first_node[i] + steps->n_nodes[i];
  new_tables (sweep, sweep->first_node[n + 1]);
}

void
tp_limit_sweep_clear (TpLimitSweep *sweep)
{
  for (int i = 0; i < TP_LIMIT_TABLES; i++)
    g_clear_pointer (&sweep->left[i], g_free);
  for (int i = 0; i < 2; i++)
    g_clear_pointer (&sweep->merged[i], tp_array_unref);
  g_clear_pointer (&sweep->labels, tp_array_unref);
  g_clear_pointer (&sweep->first_node, g_free);
  g_clear_pointer (&sweep->best, g_free);
  g_clear_pointer (&sweep->first_label, g_free);
}

/* ---- what is to come ---------------------------------------------------- */

static gboolean
is_within (const TpLimitSweep *sweep, const TpLimitWay *way)
{
  for (int d = 0; d < get_n_devices (sweep); d++)
    if (way->held[d] > sweep->box.high[d])
      return FALSE;
  return TRUE;
}

static void
fill_layer (TpLimitSweep *sweep, int layer, int table)
{
  const TpLimitSteps *steps = sweep->steps;
  gint64 *left = sweep->left[table] + sweep->first_node[layer];
  const gint64 *next = sweep->left[table] + sweep->first_node[layer + 1];
  const gint64 *price = sweep->factors[table];

  for (int i = 0; i < steps->n_nodes[layer]; i++)
    left[i] = INFINITE;
  for (int i = 0; i < get_n_ways (steps, layer); i++)
    {
      int index = steps->first_way[layer] + i;
      const TpLimitWay *it = tp_limit_steps_get (steps, index);
      gint64 sum;

      if (next[it->to] == INFINITE || !is_within (sweep, it))
        continue;
      sum = next[it->to] + it->cost;
      for (int d = 0; d < get_n_devices (sweep); d++)
        if (it->weights[d] > 0)
          sum += tp_limit_price (price[d], it->weights[d]);
      if (sum >= left[it->from])
        continue;
      left[it->from] = sum;
      if (table == 0)
        sweep->best[sweep->first_node[layer] + it->from] = index;
    }
}

static void
fill_table (TpLimitSweep *sweep, int table, const gint64 *price)
{
  int n = sweep->steps->scope->n_ops;

  memcpy (sweep->factors[table], price, sizeof sweep->factors[table]);
  for (int i = 0; i < sweep->steps->n_nodes[n]; i++)
    sweep->left[table][sweep->first_node[n] + i] = 0;
  for (int layer = n - 1; layer >= 0; layer--)
    fill_layer (sweep, layer, table);
}

/* Room for constants beside @weights: of each device, where it is limited, and of all
 * together; below 0: there is less. */
static void
find_room (const TpLimitSweep *sweep, const gint64 *weights, gint64 *room,
           gint64 *out_pool)
{
  const TpLimitScope *scope = sweep->steps->scope;

  *out_pool = scope->pool - sweep->spare;
  for (int d = 0; d < scope->n_devices; d++)
    {
      gint64 used = sweep->box.low[d] + weights[d];

      room[d] = sweep->steps->is_limited[d]
                    ? scope->limits[d] - sweep->spare - used
                    : 0;
      *out_pool -= used;
    }
}

/* What a price proves too much where constants may take @weights less than
 * there is room for. */
static gint64
find_rest (const TpLimitSweep *sweep, int table, const gint64 *weights)
{
  gint64 room[TP_SWEEP_MAX_DEVICES], pool, sum = 0;

  find_room (sweep, weights, room, &pool);
  if (tp_limit_scope_has_pool (sweep->steps->scope))
    return (gint64) (tp_limit_pay_most (sweep->factors[table], room, pool)
                     >> 30) + 2;
  for (int d = 0; d < get_n_devices (sweep); d++)
    if (sweep->steps->is_limited[d])
      sum += tp_limit_price (sweep->factors[table][d], room[d]) + 1;
  return sum;
}

/* ---- walks -------------------------------------------------------------- */

static void
walk_init (const TpLimitSweep *sweep, TpLimitWalk *walk)
{
  walk->cost = -sweep->steps->scope->constant;
  for (int d = 0; d < TP_SWEEP_MAX_DEVICES; d++)
    walk->weights[d] = walk->peaks[d] = 0;
}

static void
add_way (const TpLimitSweep *sweep, int layer, int way, TpLimitWalk *walk)
{
  const TpLimitWay *it = tp_limit_steps_get (sweep->steps, way);

  walk->devices[sweep->steps->scope->n_ops - 1 - layer] = (gint8) it->device;
  walk->cost += it->cost;
  for (int d = 0; d < get_n_devices (sweep); d++)
    {
      walk->weights[d] += it->weights[d];
      walk->peaks[d] = MAX (walk->peaks[d], it->held[d]);
    }
}

gint64
tp_limit_sweep_bound (TpLimitSweep *sweep, const TpLimitBox *box,
                      TpLimitWalk *walk)
{
  static const gint64 none[TP_SWEEP_MAX_DEVICES] = { 0 };
  const TpLimitScope *scope = sweep->steps->scope;
  int node = 0;

  sweep->box = *box;
  fill_table (sweep, 0, box->price);
  if (sweep->left[0][0] == INFINITE)
    return TP_COST_NONE;
  walk_init (sweep, walk);
  for (int layer = 0; layer < scope->n_ops; layer++)
    {
      int way = sweep->best[sweep->first_node[layer] + node];

      add_way (sweep, layer, way, walk);
      node = tp_limit_steps_get (sweep->steps, way)->to;
    }
  return sweep->left[0][0] - find_rest (sweep, 0, none) - scope->constant;
}

/* ---- labels ------------------------------------------------------------- */

static Label *
get_label (const TpArray *labels, guint index)
{
  return &tp_array_index (labels, Label, index);
}

static gboolean
has_room (const TpLimitSweep *sweep, const Label *label)
{
  gint64 room[TP_SWEEP_MAX_DEVICES], pool;

  find_room (sweep, label->weights, room, &pool);
  for (int d = 0; d < get_n_devices (sweep); d++)
    if (room[d] < 0)
      return FALSE;
  return pool >= 0 || !tp_limit_scope_has_pool (sweep->steps->scope);
}

static gboolean
is_hopeful (const TpLimitSweep *sweep, const Label *label, int node,
            gint64 target)
{
  if (!has_room (sweep, label))
    return FALSE;
  for (int i = 0; i < TP_LIMIT_TABLES; i++)
    if (sweep->left[i][node] == INFINITE
        || label->cost + sweep->left[i][node]
                   - find_rest (sweep, i, label->weights)
               >= target)
      return FALSE;
  return TRUE;
}

static gint64
sum_weights (const Label *label)
{
  gint64 sum = 0;

  for (int d = 0; d < TP_SWEEP_MAX_DEVICES; d++)
    sum += label->weights[d];
  return sum;
}

static gboolean
is_before (const Label *a, const Label *b)
{
  gint64 x = sum_weights (a), y = sum_weights (b);

  return x < y || (x == y && a->cost <= b->cost);
}

static gboolean
is_worse (const TpLimitSweep *sweep, const Label *label, const Label *other)
{
  for (int d = 0; d < get_n_devices (sweep); d++)
    if (label->weights[d] < other->weights[d])
      return FALSE;
  return label->cost >= other->cost;
}

/* Unless one that is there costs and holds no more. With one limit the last is
 * the cheapest. */
static void
keep (const TpLimitSweep *sweep, TpArray *labels, const Label *label)
{
  int n_back = sweep->steps->n_limited > 1 ? N_BACK : 1;

  for (int i = (int) labels->len - 1; i >= 0 && n_back > 0; i--, n_back--)
    if (is_worse (sweep, label, get_label (labels, (guint) i)))
      return;
  tp_array_append_vals (labels, label, 1);
}

/* What comes by way @index, with what came before: from the first of merged to
 * the second. */
static void
merge (TpLimitSweep *sweep, int layer, int index, gint64 target)
{
  const TpLimitWay *way = tp_limit_steps_get (sweep->steps, index);
  const int *first
      = &sweep->first_label[sweep->first_node[layer] + way->from];
  int node = sweep->first_node[layer + 1] + way->to;
  TpArray *from = sweep->merged[0], *to = sweep->merged[1];
  guint at = 0;

  tp_array_set_size (to, 0);
  for (int i = first[0]; i < first[1]; i++)
    {
      Label label = *get_label (sweep->labels, (guint) i);

      label.cost += way->cost;
      for (int d = 0; d < get_n_devices (sweep); d++)
        label.weights[d] += way->weights[d];
      label.before = i;
      label.way = index;
      if (!is_hopeful (sweep, &label, node, target))
        continue;
      for (; at < from->len && is_before (get_label (from, at), &label); at++)
        keep (sweep, to, get_label (from, at));
      keep (sweep, to, &label);
    }
  for (; at < from->len; at++)
    keep (sweep, to, get_label (from, at));
  sweep->work_left -= (first[1] - first[0] + (gint64) from->len)
                      * (get_n_devices (sweep) > 2 ? SEVERAL : 1);
  sweep->merged[0] = to;
  sweep->merged[1] = from;
}

static void
close_node (TpLimitSweep *sweep, int node)
{
  sweep->first_label[node] = (int) sweep->labels->len;
  tp_array_append_vals (sweep->labels, sweep->merged[0]->data,
                        sweep->merged[0]->len);
  sweep->first_label[node + 1] = (int) sweep->labels->len;
  tp_array_set_size (sweep->merged[0], 0);
}

/* Ways are sorted by where they lead. */
static void
pass_layer (TpLimitSweep *sweep, int layer, gint64 target)
{
  const TpLimitSteps *steps = sweep->steps;
  int first = steps->first_way[layer], n = get_n_ways (steps, layer), at = 0;

  for (int node = 0; node < steps->n_nodes[layer + 1]; node++)
    {
      for (; at < n && tp_limit_steps_get (steps, first + at)->to == node; at++)
        if (is_within (sweep, tp_limit_steps_get (steps, first + at)))
          merge (sweep, layer, first + at, target);
      close_node (sweep, sweep->first_node[layer + 1] + node);
    }
}

static void
start (TpLimitSweep *sweep)
{
  Label label = { .before = -1, .way = -1 };

  tp_array_set_size (sweep->labels, 0);
  tp_array_append_val (sweep->labels, label);
  sweep->first_label[0] = 0;
  sweep->first_label[1] = 1;
}

/* The cheapest of the last layer; -1: there is none. */
static int
find_last (const TpLimitSweep *sweep, gint64 target)
{
  int n = sweep->steps->scope->n_ops, found = -1;

  for (int i = sweep->first_label[sweep->first_node[n]];
       i < (int) sweep->labels->len; i++)
    {
      const Label *it = get_label (sweep->labels, (guint) i);

      if (it->cost < target
          && (found < 0
              || it->cost < get_label (sweep->labels, (guint) found)->cost))
        found = i;
    }
  return found;
}

/* The same price, a fourth of it, and four times as much. */
static void
fill_tables (TpLimitSweep *sweep, gint64 max_price)
{
  gint64 low[TP_SWEEP_MAX_DEVICES], high[TP_SWEEP_MAX_DEVICES];

  for (int d = 0; d < TP_SWEEP_MAX_DEVICES; d++)
    {
      low[d] = sweep->box.price[d] / 4;
      high[d] = MIN (sweep->box.price[d], max_price / 4) * 4;
    }
  fill_table (sweep, 1, low);
  fill_table (sweep, 2, high);
}

TpLimitSweepEnd
tp_limit_sweep_search (TpLimitSweep *sweep, gint64 target, gint64 work,
                       TpLimitWalk *walk)
{
  const TpLimitScope *scope = sweep->steps->scope;
  gint64 least = sweep->work_left - work;
  int found;

  target += scope->constant;
  fill_tables (sweep, scope->max_price);
  start (sweep);
  for (int layer = 0; layer < scope->n_ops; layer++)
    {
      pass_layer (sweep, layer, target);
      if (sweep->work_left < MAX (least, 0)
          || sweep->labels->len > MAX_LABELS)
        return TP_LIMIT_SWEEP_SPENT;
    }
  found = find_last (sweep, target);
  if (found < 0)
    return TP_LIMIT_SWEEP_NONE;
  walk_init (sweep, walk);
  for (int layer = scope->n_ops - 1; layer >= 0; layer--)
    {
      const Label *it = get_label (sweep->labels, (guint) found);

      add_way (sweep, layer, it->way, walk);
      found = it->before;
    }
  return TP_LIMIT_SWEEP_FOUND;
}
