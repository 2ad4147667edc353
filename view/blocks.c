/* blocks.c: see blocks.h.
 *
 * Networks are layers in a row, most of them alike. A repetition is a run of
 * nodes that equals itself moved by a period; between layers few tensors are
 * alive, so blocks begin where the least are. */
#include "config.h"

#include "view/blocks.h"

#include <string.h>

#define PERIOD_MAX 256        /* of a repetition */
#define REPEATED_LEAST 6      /* nodes that are worth one block */
#define SPLIT_LEAST 4         /* smaller blocks stay whole */

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  guint *kinds;               /* [node]: equal where type and device are */
  int *n_alive;               /* [node]: computed tensors alive before it; more
                               * than any where a fused group would be cut */
  GArray *blocks;
} Folding;

static void
add_block (Folding *self, int first, int n_nodes, int n_repeats)
{
  TpBlock block = { first, n_nodes, n_repeats };

  if (n_nodes > 0)
    g_array_append_val (self->blocks, block);
}

static int
get_device (const Folding *self, int node)
{
  return self->plan->placements[node].device;
}

static void
name_kinds (Folding *self)
{
  g_autoptr (GHashTable) types = g_hash_table_new (g_str_hash, g_str_equal);

  for (int i = 0; i < self->graph->n_nodes; i++)
    {
      const char *type = self->graph->nodes[i].type;
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (types, type));

      if (number == 0)
        {
          number = g_hash_table_size (types) + 1;
          g_hash_table_insert (types, (gpointer) type,
                               GUINT_TO_POINTER (number));
        }
      self->kinds[i]
          = number * (guint) (self->plan->n_devices + 1)
            + (guint) get_device (self, i);
    }
}

/* Changes first, then their sums. */
static void
count_alive (Folding *self)
{
  const TpGraph *graph = self->graph;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];

      if (tensor->producer < 0 || tensor->n_consumers == 0)
        continue;
      self->n_alive[tensor->producer + 1]++;
      self->n_alive[tensor->consumers[tensor->n_consumers - 1] + 1]--;
    }
  for (int i = 1; i <= graph->n_nodes; i++)
    self->n_alive[i] += self->n_alive[i - 1];
}

static void
spare_groups (Folding *self)
{
  g_autofree int *groups = tp_plan_map_groups (self->plan, self->graph);

  for (int i = 1; i < self->graph->n_nodes; i++)
    if (groups[i] >= 0 && groups[i] == groups[i - 1])
      self->n_alive[i] += self->graph->n_tensors;
}

/* ---- repetitions ---------------------------------------------------------- */

/* How many nodes from @first on equal those @period later. */
static int
count_equal (const Folding *self, int first, int period)
{
  int n = 0;

  while (first + period + n < self->graph->n_nodes
         && self->kinds[first + n] == self->kinds[first + period + n])
    n++;
  return n;
}

/* The longest repetition that begins at @first; its length with what of one more
 * period follows; 0: none. */
static int
find_repetition (const Folding *self, int first, int *out_period)
{
  int longest = 0;

  for (int period = 1; period <= PERIOD_MAX; period++)
    {
      int n = count_equal (self, first, period);

      if (n >= period && n + period >= REPEATED_LEAST && n + period > longest)
        {
          longest = n + period;
          *out_period = period;
        }
    }
  return longest;
}

/* Where among equal phases the least is alive. */
static int
find_phase (const Folding *self, int first, int length, int period)
{
  int best = first;

  for (int i = first; i <= first + length % period; i++)
    if (self->n_alive[i] < self->n_alive[best])
      best = i;
  return best;
}

static void
fold_repetitions (Folding *self)
{
  int n = self->graph->n_nodes, rest = 0;

  for (int i = 0; i < n;)
    {
      int period = 1, length = find_repetition (self, i, &period);

      if (length == 0)
        {
          i++;
          continue;
        }
      i = find_phase (self, i, length, period);
      length -= length % period;
      add_block (self, rest, i - rest, 1);
      add_block (self, i, length, length / period);
      i += length;
      rest = i;
    }
  add_block (self, rest, n - rest, 1);
}

/* ---- as many as are wanted ------------------------------------------------ */

static gboolean
is_change (const Folding *self, int node)
{
  return get_device (self, node) != get_device (self, node - 1);
}

/* Where to cut @block: where devices change, then where little is alive, then in
 * the middle. */
static int
find_cut (const Folding *self, const TpBlock *block)
{
  int middle = block->first + block->n_nodes / 2, best = middle;

  for (int i = block->first + 1; i < block->first + block->n_nodes; i++)
    {
      int changes = is_change (self, i) - is_change (self, best);
      int alive = self->n_alive[best] - self->n_alive[i];
      int near = ABS (best - middle) - ABS (i - middle);

      if (changes > 0 || (changes == 0 && alive > 0)
          || (changes == 0 && alive == 0 && near > 0))
        best = i;
    }
  return best;
}

static gboolean
has_change (const Folding *self, const TpBlock *block)
{
  for (int i = 1; i < block->n_nodes; i++)
    if (is_change (self, block->first + i))
      return TRUE;
  return FALSE;
}

/* The largest that may be cut, those of several devices first; -1: none. */
static int
find_largest (const Folding *self)
{
  int best = -1, most = 0;

  for (guint i = 0; i < self->blocks->len; i++)
    {
      const TpBlock *block = &g_array_index (self->blocks, TpBlock, i);
      int weight = block->n_nodes;

      if (block->n_repeats > 1)
        continue;
      if (has_change (self, block))
        weight += self->graph->n_nodes;
      else if (weight < SPLIT_LEAST)
        continue;
      if (weight > most)
        {
          most = weight;
          best = (int) i;
        }
    }
  return best;
}

static void
split (Folding *self, int max_blocks)
{
  int i;

  while (self->blocks->len < (guint) max_blocks
         && (i = find_largest (self)) >= 0)
    {
      TpBlock *block = &g_array_index (self->blocks, TpBlock, i);
      int cut = find_cut (self, block);
      TpBlock rest = { cut, block->first + block->n_nodes - cut, 1 };

      block->n_nodes = cut - block->first;
      g_array_insert_val (self->blocks, i + 1, rest);
    }
}

/* Two in a row become one, of those that are least together. */
static void
merge_least (Folding *self)
{
  TpBlock *blocks = (TpBlock *) (void *) self->blocks->data;
  guint best = 0;

  for (guint i = 1; i + 1 < self->blocks->len; i++)
    if (blocks[i].n_nodes + blocks[i + 1].n_nodes
        < blocks[best].n_nodes + blocks[best + 1].n_nodes)
      best = i;
  blocks[best].n_nodes += blocks[best + 1].n_nodes;
  blocks[best].n_repeats = 1;
  g_array_remove_index (self->blocks, best + 1);
}

/* Far too many are halved first, so that a graph of a million nodes is no
 * matter. */
static void
merge_pairs (Folding *self)
{
  TpBlock *blocks = (TpBlock *) (void *) self->blocks->data;
  guint n = 0;

  for (guint i = 0; i < self->blocks->len; i += 2)
    {
      blocks[n] = blocks[i];
      if (i + 1 < self->blocks->len)
        {
          blocks[n].n_nodes += blocks[i + 1].n_nodes;
          blocks[n].n_repeats = 1;
        }
      n++;
    }
  g_array_set_size (self->blocks, n);
}

GArray *
tp_blocks_new (const TpPlan *plan, const TpGraph *graph, int max_blocks)
{
  int n = graph->n_nodes;
  g_autofree guint *kinds = g_new0 (guint, n + 1);
  g_autofree int *n_alive = g_new0 (int, n + 2);
  Folding self = { plan, graph, kinds, n_alive,
                   g_array_new (FALSE, FALSE, sizeof (TpBlock)) };

  if (n <= max_blocks)
    {
      for (int i = 0; i < n; i++)
        add_block (&self, i, 1, 1);
      return self.blocks;
    }
  name_kinds (&self);
  count_alive (&self);
  spare_groups (&self);
  fold_repetitions (&self);
  while (self.blocks->len > 4 * (guint) max_blocks)
    merge_pairs (&self);
  while (self.blocks->len > (guint) max_blocks)
    merge_least (&self);
  split (&self, max_blocks);
  return self.blocks;
}
