/* check-stages.c: see check-stages.h. The ends of a tree stand for all placements of
 * the ops of its stage, with those where it starts and ends on given devices; the
 * least of their bounds is its own. One of these trees fits each stage of a run, and
 * stages do not overlap: so a run takes the shortest path through them at least. */
#include "config.h"

#include "planner/check/check-stages.h"

#include "ir/guard.h"
#include "ir/span-proof.h"
#include "planner/check/check-stage.h"

#include <string.h>

#define MOST_DEVICES TP_CHECKER_MOST_STAGED

__extension__ typedef __int128 Wide;

typedef struct
{
  TpChecker *checker;
  const TpSpanProof *proof;
  TpCheckerStage stage;
  int index;                  /* of the stage */
  int next;                   /* entry of the tree */
  int *path, n_path;          /* ops that are fixed */
} Walk;

static void
walk_clear (Walk *walk)
{
  tp_checker_stage_clear (&walk->stage);
  g_free (walk->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* ---- form ----------------------------------------------------------------- */

/* -1: the stage has none, being the last, or that before the first. */
static int
get_waist (const Walk *walk, int stage)
{
  return stage < 0 || stage >= walk->proof->n_waists
             ? -1
             : walk->proof->waists[stage];
}

static gboolean
are_waists (const Walk *walk)
{
  for (int i = 0; i < walk->proof->n_waists; i++)
    if (walk->proof->waists[i] >= walk->checker->graph->n_nodes
        || walk->proof->waists[i] <= get_waist (walk, i - 1))
      return FALSE;
  return TRUE;
}

static void
enter (Walk *walk, int stage)
{
  int end = get_waist (walk, stage);

  walk->index = stage;
  walk->stage.start = get_waist (walk, stage - 1);
  walk->stage.first = walk->stage.start + 1;
  walk->stage.is_last = end < 0;
  walk->stage.end = end < 0 ? walk->checker->graph->n_nodes : end + 1;
}

static gboolean
is_inside (const Walk *walk, int node)
{
  return node >= walk->stage.first && node < walk->stage.end;
}

/* Op by op, each but the first comes after one that comes after the start. */
static gboolean
comes_after (const Walk *walk, int node)
{
  const TpNode *it = &walk->checker->graph->nodes[node];

  for (int k = 0; k < it->n_inputs; k++)
    {
      int maker = it->inputs[k] < 0
                      ? -1
                      : walk->checker->tensors[it->inputs[k]].producer;

      if (maker >= 0 && (maker == walk->stage.start || is_inside (walk, maker)))
        return TRUE;
    }
  return walk->stage.start < 0;
}

static gboolean
comes_before (const Walk *walk, int node)
{
  const TpNode *it = &walk->checker->graph->nodes[node];

  for (int k = 0; k < it->n_outputs; k++)
    {
      const TpTensorOutline *tensor = &walk->checker->tensors[it->outputs[k]];

      for (int i = 0; i < tensor->n_readers; i++)
        if (is_inside (walk, tensor->readers[i]))
          return TRUE;
    }
  return walk->stage.is_last || node == walk->stage.end - 1;
}

static gboolean
is_whole (const Walk *walk, int node)
{
  int group = walk->checker->group_of[node];
  const TpGroup *it
      = group < 0 ? NULL : &walk->checker->plan->all_groups->groups[group];

  for (int i = 0; it != NULL && i < it->n_nodes; i++)
    if (!is_inside (walk, it->nodes[i]))
      return FALSE;
  return TRUE;
}

static gboolean
check_stage (Walk *walk)
{
  for (int i = walk->stage.first; i < walk->stage.end; i++)
    if (!comes_after (walk, i) || !comes_before (walk, i)
        || !is_whole (walk, i))
      return tp_checker_fail (walk->checker,
                              "span_waists: op '%s' need not be in stage %d",
                              walk->checker->graph->nodes[i].name, walk->index);
  return TRUE;
}

/* ---- trees ---------------------------------------------------------------- */

static guint8
find_allowed (const Walk *walk, int node)
{
  int n = walk->checker->costs->n_devices;
  const gint64 *costs = &walk->checker->node_costs[(gsize) node * n];
  guint8 set = 0;

  for (int d = 0; d < n; d++)
    if (costs[d] != TP_COST_NONE)
      set |= (guint8) (1u << d);
  return set;
}

static void
release (Walk *walk)
{
  walk->n_path = 0;
  for (int i = MAX (walk->stage.start, 0); i < walk->stage.end; i++)
    walk->stage.at[i] = find_allowed (walk, i);
}

/* FALSE: it may not be there. @node: -1: there is none; the first device stands for
 * that. */
static gboolean
put (Walk *walk, int node, int device)
{
  if (node < 0)
    return device == 0;
  if (!(walk->stage.at[node] >> device & 1))
    return FALSE;
  walk->stage.at[node] = (guint8) (1u << device);
  return TRUE;
}

/* The first of its devices that is after @set, as a set. */
static guint8
find_next_device (const Walk *walk, int node, guint8 set)
{
  guint left = find_allowed (walk, node) & ~(2u * set - 1);

  return (guint8) (left & -left);
}

/* To the next device of the last op that has one; FALSE: there is none. */
static gboolean
step_back (Walk *walk)
{
  while (walk->n_path > 0)
    {
      int node = walk->path[walk->n_path - 1];
      guint8 *at = &walk->stage.at[node];
      guint8 next = find_next_device (walk, node, *at);

      *at = next != 0 ? next : find_allowed (walk, node);
      if (next != 0)
        return TRUE;
      walk->n_path--;
    }
  return FALSE;
}

static gboolean
is_free (const Walk *walk, int node)
{
  guint set = walk->stage.at[node];

  return (set & (set - 1)) != 0;
}

/* What the next tree proves; -1: nothing, which was said. */
static gint64
find_tree (Walk *walk)
{
  gint64 least = G_MAXINT64;

  while (walk->next < walk->proof->n_entries)
    {
      int op = walk->proof->tree[walk->next++];

      if (op == TP_SPAN_END)
        {
          least = MIN (least, tp_checker_stage_find (&walk->stage));
          if (!step_back (walk))
            return least;
          continue;
        }
      if (!is_inside (walk, op) || !is_free (walk, op))
        {
          tp_checker_fail (walk->checker,
                           "span_tree: op %d is not free in stage %d", op,
                           walk->index);
          return -1;
        }
      walk->path[walk->n_path++] = op;
      walk->stage.at[op] &= (guint8) -walk->stage.at[op]; /* the first of them */
    }
  tp_checker_fail (walk->checker, "span_tree has too few entries");
  return -1;
}

/* ---- the shortest path ---------------------------------------------------- */

/* From what the stages before take, by device, to what they take with this one; -1
 * where none of them may end there. FALSE: no proof. */
static gboolean
go_on (Walk *walk, Wide *reach)
{
  int n = walk->checker->costs->n_devices;
  Wide next[MOST_DEVICES];

  if (!check_stage (walk))
    return FALSE;
  for (int d = 0; d < n; d++)
    next[d] = -1;
  for (int i = 0; i < n * n; i++)
    {
      int from = i / n, to = i % n;
      gint64 bound;

      release (walk);
      if (!put (walk, walk->stage.start, from)
          || !put (walk, walk->stage.is_last ? -1 : walk->stage.end - 1, to))
        continue;
      bound = find_tree (walk);
      if (bound < 0)
        return FALSE;
      if (reach[from] >= 0
          && (next[to] < 0 || reach[from] + bound < next[to]))
        next[to] = reach[from] + bound;
    }
  memcpy (reach, next, sizeof (Wide) * (gsize) n);
  return TRUE;
}

/* Nothing is known of a stage in which more leaves a group than what its last op makes. */
static gboolean
are_groups_closed (const TpChecker *checker)
{
  for (int t = 0; t < checker->graph->n_tensors; t++)
    {
      const TpTensorOutline *it = &checker->tensors[t];
      int group = it->producer < 0 ? -1 : checker->group_of[it->producer];
      const TpGroup *ops
          = group < 0 ? NULL : &checker->plan->all_groups->groups[group];

      if (ops == NULL || ops->nodes[ops->n_nodes - 1] == it->producer)
        continue;
      if (it->is_output)
        return FALSE;
      for (int i = 0; i < it->n_readers; i++)
        if (checker->group_of[it->readers[i]] != group)
          return FALSE;
    }
  return TRUE;
}

gint64
tp_checker_find_stages (TpChecker *checker)
{
  g_auto (Walk) walk = { .checker = checker,
                         .proof = checker->plan->span_proof };
  Wide reach[MOST_DEVICES] = { 0, -1, -1, -1, -1, -1 };

  if (walk.proof->n_entries == 0 && walk.proof->n_waists == 0)
    return 0;
  tp_checker_stage_init (&walk.stage, checker);
  walk.path = tp_new (int, (gsize) checker->graph->n_nodes + 1);
  if (checker->costs->n_devices == 1
      || checker->costs->n_devices > MOST_DEVICES || tp_costs_is_one_engine (checker->costs)
      || !are_waists (&walk) || !are_groups_closed (checker))
    {
      tp_checker_fail (checker, "span_waists are no ops in order, or are not "
                                "for such devices, or groups");
      return 0;
    }
  for (int i = 0; i <= walk.proof->n_waists; i++)
    {
      enter (&walk, i);
      if (!go_on (&walk, reach))
        return 0;
    }
  if (walk.next != walk.proof->n_entries)
    tp_checker_fail (checker, "span_tree has too many entries");
  return (gint64) MIN (reach[0], (Wide) G_MAXINT64);
}
