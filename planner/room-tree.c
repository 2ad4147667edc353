/* room-tree.c: see room-tree.h.
 *
 * Weights and prices that prove most are looked for by cutting planes (room-game.c), every
 * second time halfway to the best yet. What these cannot prove is for a tree of ops that
 * are fixed to each device, each end with weights and prices of its own; the end with the
 * lowest bound is taken next (load.c). The op that is fixed is, of those that the cheapest
 * placements at these weights disagree about, the one that takes most there of engines and
 * memory. What may be done is counted, in ops of cuts and shares of the proof. */
#include "config.h"

#include "planner/room-tree.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/plan.h"
#include "planner/room-cut.h"

#include <string.h>

/* How much is tried; what is found of shares costs more. */
typedef struct
{
  gint64 root_cuts, root_least; /* of the root, at most and at least */
  gint64 root_work;           /* ops over all of these */
  gint64 cuts;                /* of another node */
  gint64 work;                /* ops over all of those below the root */
} Limits;

static const Limits of_cuts = { 120, 40, 1 << 17, 16, 1 << 17 };
static const Limits of_shares = { 120, 4, 1 << 14, 12, 1 << 14 };

#define MAX_SHARES (1 << 16)  /* in all bounds of the proof */
#define MAX_NODES 4096
#define NO_LAYOUT (TP_PLAN_MAX_NUMBER / 16) /* of bytes that are too many */
#define NEAR 8                /* placements that are the cheapest */

typedef struct
{
  int parent;                 /* -1: the root */
  int op, device;             /* fixed below the parent */
  int branch;                 /* op of its children; -1: it is an end */
  int first_child;
  TpRoomChoice choice;
  TpRoomCut *cut;             /* what proves most; (unowned), of cuts */
  gint64 bound;
  gboolean is_too_large;      /* all ops are fixed, and do not fit so */
} Node;

typedef struct
{
  TpRoomGame game;
  TpLoadBest *best;
  TpArray *nodes;             /* Node */
  TpPointers *cuts;           /* TpRoomCut */
  gint8 *fixed;               /* of the node at hand */
  gint64 work_left, shares_left;
} Tree;

static void
tree_clear (Tree *tree)
{
  tp_room_game_clear (&tree->game);
  g_clear_pointer (&tree->nodes, tp_array_unref);
  g_clear_pointer (&tree->cuts, tp_pointers_free);
  g_clear_pointer (&tree->fixed, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tree, tree_clear)

static Node *
get_node (const Tree *tree, int index)
{
  return &tp_array_index (tree->nodes, Node, index);
}

static const Limits *
get_limits (const Tree *tree)
{
  return tree->game.whole.n_devices > 2 ? &of_shares : &of_cuts;
}

static gint64
get_load (const Tree *tree)
{
  return tree->best->loads[tp_load_model_find_busiest (tree->best->model,
                                                       tree->best->loads)];
}

/* ---- ops that are fixed ------------------------------------------------------ */

static gboolean
may_be (const Tree *tree, int op, int device)
{
  return tp_problem_node_cost (&tree->game.whole, op, device) != TP_COST_NONE;
}

/* The device that it may be on; TP_LIMIT_FREE: there are several. */
static int
find_only (const Tree *tree, int op)
{
  int found = -1;

  for (int d = 0; d < tree->game.whole.n_devices; d++)
    {
      if (!may_be (tree, op, d))
        continue;
      if (found >= 0)
        return TP_LIMIT_FREE;
      found = d;
    }
  return found;
}

static void
fix_path (Tree *tree, int index)
{
  for (int i = 0; i < tree->game.whole.graph->n_nodes; i++)
    tree->fixed[i] = (gint8) find_only (tree, i);
  for (; get_node (tree, index)->parent >= 0;
       index = get_node (tree, index)->parent)
    {
      const Node *node = get_node (tree, index);

      tp_problem_move (&tree->game.whole, &node->op, node->device,
                       (guint8 *) tree->fixed);
    }
}

/* All that is free, and may be there, is on @device. */
static void
gather (const Tree *tree, int device, guint8 *devices)
{
  tp_problem_gather (&tree->game.whole, device, devices);
  for (int i = 0; i < tree->game.whole.graph->n_nodes; i++)
    if (tree->fixed[i] != TP_LIMIT_FREE)
      devices[i] = (guint8) tree->fixed[i];
}

/* ---- weights and prices of a node ---------------------------------------------- */

/* And what is on the way to it from the best. */
static void
offer (Tree *tree, const guint8 *devices)
{
  g_autofree guint8 *from
      = tp_memdup (tree->best->devices,
                   (gsize) tree->game.whole.graph->n_nodes + 1);

  tp_load_best_offer (tree->best, devices);
  tp_load_best_walk (tree->best, from, devices);
  tp_load_best_walk (tree->best, devices, from);
}

/* NULL: there is none. */
static const TpRoomCut *
find_near (const Tree *tree, int index)
{
  const Node *node = get_node (tree, index);

  return node->cut != NULL || node->parent < 0
             ? node->cut : get_node (tree, node->parent)->cut;
}

/* FALSE: it leads nowhere. */
static gboolean
try_choice (Tree *tree, int index, const TpRoomChoice *choice)
{
  Node *node = get_node (tree, index);
  g_autoptr (TpRoomCut) cut = tp_room_cut_new (&tree->game, choice, tree->fixed,
                                               find_near (tree, index));
  gboolean is_new;

  tree->work_left -= tree->game.whole.graph->n_nodes;
  offer (tree, cut->devices);
  is_new = tp_room_game_meet (&tree->game, cut->devices);
  if (node->cut != NULL && cut->bound_ns <= node->cut->bound_ns)
    return is_new;
  node->choice = *choice;
  node->bound = cut->bound_ns;
  tp_pointers_add (tree->cuts, cut);
  node->cut = g_steal_pointer (&cut);
  return TRUE;
}

static gint64
count_cuts (const Tree *tree, int index)
{
  const Limits *limits = get_limits (tree);
  gint64 work = index > 0 ? tree->work_left : limits->root_work;
  gint64 n = work / (tree->game.whole.graph->n_nodes + 1);

  return index > 0 ? CLAMP (n, 0, limits->cuts)
                   : CLAMP (n, limits->root_least, limits->root_cuts);
}

static void
climb (Tree *tree, int index)
{
  g_autofree guint8 *devices
      = tp_new0 (guint8, (gsize) tree->game.whole.graph->n_nodes + 1);
  gint64 n_cuts = count_cuts (tree, index);
  const Node *node = get_node (tree, index);

  tp_room_game_forget (&tree->game);
  for (int d = 0; d < tree->game.whole.n_devices; d++)
    {
      gather (tree, d, devices);
      tp_room_game_meet (&tree->game, devices);
    }
  if (tp_room_game_is_as_fixed (&tree->game, tree->fixed, tree->best->devices))
    tp_room_game_meet (&tree->game, tree->best->devices);
  for (int i = 0; i < n_cuts && node->bound < get_load (tree); i++)
    {
      gboolean is_pulled = i % 2 == 1 && node->cut != NULL;
      TpRoomChoice choice = { { 0 }, (double) MAX (node->bound, 0) };
      double most = tp_room_game_find (&tree->game, tree->fixed,
                                       get_load (tree), &choice);

      if (node->cut != NULL && most <= (double) node->bound)
        return;
      if (is_pulled)
        tp_room_choice_pull (&tree->game, &node->choice, &choice);
      if (!try_choice (tree, index, &choice) && !is_pulled)
        return;
    }
}

/* ---- the tree -------------------------------------------------------------------- */

/* The best by @choice of placements met that are as fixed: the first NEAR. Returns how
 * many. */
static int
list_near (const Tree *tree, const TpRoomChoice *choice, const guint8 **out)
{
  const TpRoomGame *game = &tree->game;
  double values[NEAR];
  int n = 0;

  for (guint k = 0; k < game->met->len; k++)
    {
      const TpLoadRow *column = &tp_array_index (game->columns, TpLoadRow, k);
      double value = 0;
      int at;

      if (!tp_room_game_is_as_fixed (game, tree->fixed, game->met->pdata[k]))
        continue;
      for (int i = 0; i < game->model->n_engines + game->n_rows; i++)
        value += choice->shares[i] * (double) column->loads[i]
                 * (i < game->model->n_engines ? 1
                                               : choice->full / (1 << 30));
      for (at = n; at > 0 && values[at - 1] > value; at--)
        if (at < NEAR)
          {
            values[at] = values[at - 1];
            out[at] = out[at - 1];
          }
      if (at == NEAR)
        continue;
      values[at] = value;
      out[at] = game->met->pdata[k];
      n = MIN (n + 1, NEAR);
    }
  return n;
}

/* What ops take of engines and memory at most: [op]. */
static void
weigh_ops (const Tree *tree, const TpRoomChoice *choice, double *out)
{
  const TpRoomGame *game = &tree->game;
  int n = game->whole.n_devices;
  g_autofree gint64 *bytes
      = tp_new0 (gint64, (gsize) game->whole.graph->n_nodes + 1);

  for (int i = 0; i < game->whole.graph->n_nodes; i++)
    for (int d = 0; d < n; d++)
      if (may_be (tree, i, d))
        out[i] += choice->shares[d]
                  * (double) tp_problem_node_cost (&game->whole, i, d);
  for (int row = 0; row < game->n_rows; row++)
    for (int part = 0; part < game->n_parts; part++)
      for (int d = 0; d < n; d++)
        {
          const TpRoomRow *it = &game->rows[row];
          double unit = choice->shares[game->model->n_engines + row]
                        * choice->full / (double) it->limit;

          if (unit <= 0 || (it->devices >> d & 1) == 0)
            continue;
          tp_limit_held_share (&game->held[part], d, it->steps[n * part + d],
                               bytes);
          for (int i = 0; i < game->parts[part].problem->graph->n_nodes; i++)
            out[game->parts[part].first + i] += unit * (double) bytes[i];
        }
}

/* With what is to be where it is. */
static double
sum_weight (const Tree *tree, const double *weights, int op)
{
  int n;
  const int *ops = tp_problem_get_together (&tree->game.whole, &op, &n);
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += weights[ops[i]];
  return sum;
}

/* -1: none is free. */
static int
choose_op (const Tree *tree, const TpRoomChoice *choice)
{
  int n = tree->game.whole.graph->n_nodes, found = -1;
  const guint8 *near[NEAR] = { NULL };
  int n_near = list_near (tree, choice, near);
  g_autofree double *weights = tp_new0 (double, (gsize) n + 1);
  double most = -1;

  weigh_ops (tree, choice, weights);
  for (int i = 0; i < n; i++)
    {
      guint set = 0;
      double weight;

      if (tree->fixed[i] != TP_LIMIT_FREE
          || !tp_problem_leads (&tree->game.whole, i))
        continue;
      for (int k = 0; k < n_near; k++)
        set |= 1u << near[k][i];
      weight = 1 + sum_weight (tree, weights, i);
      weight *= (set & (set - 1)) != 0 ? 1e6 : 1e-6;
      if (weight <= most)
        continue;
      most = weight;
      found = i;
    }
  return found;
}

/* The one placement below node @index. FALSE: it fits, or its groups cannot run at all. */
static gboolean
rule_out (Tree *tree, int index)
{
  TpLoadRoom *room = tree->best->room;
  gint64 excess
      = room->find_excess (room->data, (const guint8 *) tree->fixed);

  if (excess == 0 || excess >= NO_LAYOUT)
    return FALSE;
  get_node (tree, index)->is_too_large = TRUE;
  get_node (tree, index)->bound = TP_COST_NONE;
  return TRUE;
}

/* FALSE: no op is free, and what is left fits. */
static gboolean
branch (Tree *tree, int index)
{
  Node below = *get_node (tree, index);
  int op = choose_op (tree, &below.choice);

  if (op < 0)
    return rule_out (tree, index);
  get_node (tree, index)->branch = op;
  get_node (tree, index)->first_child = (int) tree->nodes->len;
  below.parent = index;
  below.op = op;
  for (below.device = 0; below.device < tree->game.whole.n_devices;
       below.device++)
    {
      int child = (int) tree->nodes->len;

      if (!may_be (tree, op, below.device))
        continue;
      tp_array_append_val (tree->nodes, below);
      fix_path (tree, child);
      get_node (tree, child)->cut = NULL;
      get_node (tree, child)->bound = -1;
      try_choice (tree, child, &below.choice);
      climb (tree, child);
      tree->shares_left -= get_node (tree, child)->cut->n_shares;
    }
  return TRUE;
}

/* The end with the lowest bound. */
static int
find_lowest (const Tree *tree)
{
  int found = -1;

  for (int i = 0; i < (int) tree->nodes->len; i++)
    if (get_node (tree, i)->branch < 0
        && (found < 0
            || get_node (tree, i)->bound < get_node (tree, found)->bound))
      found = i;
  return found;
}

/* What is proved. */
static gint64
search (Tree *tree)
{
  Node root = { .parent = -1, .op = -1, .branch = -1, .bound = -1 };
  int index = 0;

  tp_array_append_val (tree->nodes, root);
  fix_path (tree, 0);
  climb (tree, 0);
  tree->work_left = get_limits (tree)->work;
  while (get_node (tree, index)->bound < get_load (tree)
         && tree->work_left > 0 && tree->shares_left > 0
         && tree->nodes->len < MAX_NODES)
    {
      fix_path (tree, index);
      if (!branch (tree, index))
        break;
      index = find_lowest (tree);
    }
  return MIN (get_node (tree, find_lowest (tree))->bound, get_load (tree));
}

/* ---- the proof ------------------------------------------------------------------- */

/* Whether it stands after all others below its parent. */
static gboolean
is_last (const Tree *tree, const Node *node)
{
  for (int d = node->device + 1; d < tree->game.whole.n_devices; d++)
    if (may_be (tree, node->op, d))
      return FALSE;
  return TRUE;
}

/* What comes after node @index; -1: it was the last. */
static int
find_next (const Tree *tree, int index)
{
  while (index > 0 && is_last (tree, get_node (tree, index)))
    index = get_node (tree, index)->parent;
  return index > 0 ? index + 1 : -1;
}

/* What proves nothing, of each part. */
static void
add_nothing (const Tree *tree, TpRoomEnds *ends)
{
  for (int i = 0; i < tree->game.n_parts; i++)
    if (tree->game.whole.n_devices > 2)
      tp_pointers_add (ends->shares, tp_share_proof_new_priced ());
    else
      tp_pointers_add (ends->bounds, tp_memory_bound_new ());
}

static void
move_all (TpPointers *from, TpPointers *to)
{
  for (guint i = 0; i < from->len; i++)
    tp_pointers_add (to, g_steal_pointer (&from->pdata[i]));
}

/* Without weights where a placement does not fit. */
static void
add_end (const Tree *tree, const Node *node, TpRoomEnds *ends)
{
  gsize n = (gsize) tree->game.model->n_engines;
  TpRoomCut *cut = node->cut;

  ends->n_ends++;
  if (node->is_too_large)
    {
      add_nothing (tree, ends);
      return;
    }
  memcpy (&ends->weights[(gsize) (ends->n_ends - 1) * n], cut->weights,
          sizeof (gint64) * n);
  move_all (cut->bounds, ends->bounds);
  move_all (cut->shares, ends->shares);
}

/* As far down as it takes to prove @bound; what proves no more than the node above has its
 * bound. */
static TpRoomEnds *
write_ends (Tree *tree, gint64 bound)
{
  g_autoptr (TpRoomEnds) ends = tp_room_ends_new ();
  gsize n = tree->nodes->len;

  ends->tree = tp_new (int, n);
  ends->weights = tp_new0 (gint64, n * (gsize) tree->game.model->n_engines);
  for (int index = 0; index >= 0;)
    {
      const Node *node = get_node (tree, index);
      gboolean is_end
          = node->branch < 0 || node->cut->bound_ns >= bound;

      ends->tree[ends->n_entries++] = is_end ? TP_LOAD_END : node->branch;
      if (is_end)
        add_end (tree, node, ends);
      index = is_end ? find_next (tree, index) : node->first_child;
    }
  return g_steal_pointer (&ends);
}

static void
keep (Tree *tree, gint64 bound, TpLoadProof *proof)
{
  g_autoptr (TpRoomProof) room = NULL;

  if (bound <= tp_load_proof_get_bound (proof))
    return;
  room = tp_room_proof_new (proof->n_engines);
  room->ends = write_ends (tree, bound);
  room->bound_ns = bound;
  tp_room_proof_free (proof->room);
  proof->room = g_steal_pointer (&room);
}

void
tp_room_tree_search (const TpProblem *whole, const TpRoomPart *parts,
                     int n_parts, TpLoadBest *best, TpLoadProof *proof)
{
  g_auto (Tree) tree = { .best = best, .shares_left = MAX_SHARES };

  tp_room_game_init (&tree.game, whole, parts, n_parts, best->model);
  tree.nodes = tp_array_new (sizeof (Node));
  tree.cuts = tp_pointers_new ((GDestroyNotify) tp_room_cut_free);
  tree.fixed = tp_new0 (gint8, (gsize) whole->graph->n_nodes + 1);
  keep (&tree, search (&tree), proof);
  proof->load_ns = get_load (&tree);
  if (proof->room != NULL)
    proof->room->bound_ns = MIN (proof->room->bound_ns, proof->load_ns);
}
