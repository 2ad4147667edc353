/* share-tree.c: branch and bound.
 *
 * Most graphs need no tree: after some sweeps, and steps, the bound is what the
 * best placement costs. Where it is not, the two differ by what some ops and terms
 * are above their least; an op there is tried on each of its devices, which makes
 * all around it clearer. What is counted is messages, never time. */
#include "config.h"

#include "planner/share-tree.h"

#include "ir/compare.h"
#include "ir/guard.h"
#include "planner/share-move.h"
#include "planner/share-step.h"

#include <string.h>

/* About a second each, half of it steps; one sweep of all ops in any case. */
#define CLIMB_WORK (G_GINT64_CONSTANT (1) << 26)
#define BRIEF_WORK (G_GINT64_CONSTANT (1) << 22)
#define STEP_WORK (G_GINT64_CONSTANT (1) << 25)
#define TREE_WORK (G_GINT64_CONSTANT (1) << 26)
#define MANY_OPS 2000        /* each step costs more: a quarter of the work */
#define LEAST_SWEEPS 24
#define MAX_DEPTH 48
#define MAX_STATE_BYTES (G_GINT64_CONSTANT (1) << 28) /* of all depths */
#define MAX_ROWS (1 << 19)   /* in the proof */
#define REGION 96            /* ops around one that was fixed */
#define ROUNDS 4             /* of sweeps of a region */

typedef struct
{
  TpShareModel *model;
  TpShareProof *proof;
  guint8 *devices;            /* (unowned): best so far */
  gint64 cost;
  gint64 least;               /* bound of all ends */
  gint64 work;                /* at which to stop */
  int max_depth;
  gint64 climb_work;          /* about: of the first bound */
  gboolean is_brief;          /* nothing is tried on each of its devices */
  guint n_rows;               /* in the proof */
  const TpShareState *root;   /* (unowned): of the first bound; NULL: none yet */
  int *region, n_region;
  guint8 *is_in;              /* [op]: in the region */
} Search;

/* ---- placements ----------------------------------------------------------- */

/* Where levels are least, and then where cuts lead. */
static void
look_for_better (Search *search, const TpShareState *state, gboolean is_thorough)
{
  gsize n = search->model->n_ops;
  g_autofree guint8 *chosen = tp_new (guint8, n + 1);
  g_autofree guint8 *before = tp_memdup (search->devices, n + 1);
  gint64 cost;

  for (gsize i = 0; i < n; i++)
    chosen[i] = (guint8) tp_share_state_choose (state, (int) i);
  cost = tp_share_model_cost (search->model, chosen);
  search->model->work += (gint64) n;
  if (is_thorough)
    tp_share_move_improve (search->model, chosen, &cost);
  if (cost < search->cost)
    {
      search->cost = cost;
      memcpy (search->devices, chosen, n);
    }
  if (is_thorough)
    tp_share_move_join (search->model, before, chosen, search->devices,
                        &search->cost);
}

/* Every device alone, and every two, and what comes of them. */
static void
look_from_all_sides (Search *search)
{
  const TpShareModel *model = search->model;
  gsize n = model->n_ops;
  g_autofree guint8 *first = tp_new (guint8, n + 1);
  g_autofree guint8 *second = tp_new (guint8, n + 1);

  for (int d = 0; d < model->n_devices; d++)
    for (int other = 0; other <= d; other++)
      {
        gint64 cost = TP_COST_NONE;

        tp_share_move_start (model, other, first);
        tp_share_move_start (model, d, second);
        tp_share_move_join (model, first, second, first, &cost);
        tp_share_move_improve (model, first, &cost);
        if (cost >= search->cost)
          continue;
        search->cost = cost;
        memcpy (search->devices, first, n);
      }
}

/* ---- the proof ------------------------------------------------------------ */

/* Of a member, with the least of those at the start taken off: the same for all
 * devices is nothing. */
static void
write_row (const TpShareState *state, int member, gint64 *out)
{
  const TpShareModel *model = state->model;
  const gint64 *row = &state->messages[(gsize) member * model->n_devices];
  const gint64 *own
      = &model->own[(gsize) tp_share_model_get_op (model, member)
                    * model->n_devices];
  gint64 least = G_MAXINT64;

  for (int d = 0; d < model->n_devices; d++)
    if (own[d] != TP_COST_NONE)
      least = MIN (least, row[d]);
  for (int d = 0; d < model->n_devices; d++)
    out[d] = own[d] == TP_COST_NONE ? 0 : row[d] - least;
}

/* FALSE: it is as @base (nullable: zeros) has it. */
static gboolean
differs (const TpShareState *state, const TpShareState *base, int member,
         gint64 *out)
{
  gint64 before[TP_SHARE_MAX_DEVICES] = { 0 };

  write_row (state, member, out);
  if (base != NULL)
    write_row (base, member, before);
  return memcmp (out, before, sizeof (gint64) * state->model->n_devices) != 0;
}

TpShareBound *
tp_share_tree_write (const TpShareState *state, const TpShareState *base)
{
  const TpShareModel *model = state->model;
  g_autoptr (TpShareBound) bound = tp_share_bound_new ();
  gint64 amounts[TP_SHARE_MAX_DEVICES];

  for (guint i = 0; i < model->members->len; i++)
    {
      const TpShareMember *it
          = &tp_array_index (model->members, TpShareMember, i);
      const TpShareTerm *term = tp_share_model_get_term (model, it->term);
      TpShareRow row = { term->kind, term->index, term->row, it->op,
                         bound->amounts->len };

      if (!differs (state, base, (int) i, amounts))
        continue;
      tp_array_append_val (bound->rows, row);
      tp_array_append_vals (bound->amounts, amounts, model->n_devices);
    }
  return g_steal_pointer (&bound);
}

/* Part by part: what is between these is anything. */
static gboolean
is_equal_row (const TpShareRow *row, const TpShareRow *other)
{
  return row->kind == other->kind && row->index == other->index
         && row->row == other->row && row->op == other->op
         && row->first == other->first;
}

static gboolean
is_equal (const TpShareBound *bound, const TpShareBound *other)
{
  if (bound->rows->len != other->rows->len
      || bound->amounts->len != other->amounts->len)
    return FALSE;
  for (guint i = 0; i < bound->rows->len; i++)
    if (!is_equal_row (&tp_array_index (bound->rows, TpShareRow, i),
                       &tp_array_index (other->rows, TpShareRow, i)))
      return FALSE;
  for (guint i = 0; i < bound->amounts->len; i++)
    if (tp_array_index (bound->amounts, gint64, i)
        != tp_array_index (other->amounts, gint64, i))
      return FALSE;
  return TRUE;
}

/* An end, where nothing costs less than @least. */
static void
add_end (Search *search, const TpShareState *state, gint64 least)
{
  TpPointers *bounds = search->proof->bounds;
  g_autoptr (TpShareBound) bound = tp_share_tree_write (state, search->root);
  TpShareEntry entry = { FALSE, (int) bounds->len };

  search->least = MIN (search->least, least);
  if (search->root != NULL && bound->rows->len == 0)
    entry.index = 0;
  else if (bounds->len > 1
           && is_equal (bound, bounds->pdata[bounds->len - 1]))
    entry.index = (int) bounds->len - 1;
  else
    {
      search->n_rows += bound->rows->len;
      tp_pointers_add (bounds, g_steal_pointer (&bound));
    }
  tp_array_append_val (search->proof->entries, entry);
}

/* ---- branching ------------------------------------------------------------ */

static gboolean
is_free (const TpShareState *state, int op)
{
  return op >= 0 && (state->sets[op] & (state->sets[op] - 1)) != 0;
}

/* The best placement, but for ops that may not be where it has them. */
static guint8 *
find_nearest (Search *search, const TpShareState *state)
{
  gsize n = search->model->n_ops;
  g_autofree guint8 *devices = tp_memdup (search->devices, n + 1);
  gint64 cost;

  for (gsize i = 0; i < n; i++)
    if ((state->sets[i] >> devices[i] & 1) == 0)
      devices[i] = (guint8) tp_share_state_choose (state, (int) i);
  cost = tp_share_model_cost (search->model, devices);
  if (cost < search->cost)
    {
      search->cost = cost;
      memcpy (search->devices, devices, n);
    }
  return g_steal_pointer (&devices);
}

/* Adds to what @op and its terms are above their least, if it has a choice. */
static void
add_slack (const TpShareState *state, int op, gint64 slack, gint64 *out)
{
  if (is_free (state, op))
    out[op] += slack;
}

/* One around which @devices is furthest above the least; -1: it is nowhere. */
static int
choose_op (const Search *search, const TpShareState *state,
           const guint8 *devices)
{
  const TpShareModel *model = search->model;
  g_autofree gint64 *slacks = tp_new0 (gint64, model->n_ops + 1);
  int best = -1;

  for (guint i = 0; i < model->terms->len; i++)
    {
      const TpShareTerm *term = tp_share_model_get_term (model, (int) i);
      gint64 slack = tp_share_state_term_slack (state, (int) i, devices);

      add_slack (state, term->maker, slack, slacks);
      for (int k = term->first; k < term->first + term->n && slack > 0; k++)
        add_slack (state, tp_share_model_get_op (model, k), slack, slacks);
    }
  for (int i = 0; i < model->n_ops; i++)
    {
      add_slack (state, i, tp_share_state_op_slack (state, i, devices[i]),
                 slacks);
      if (slacks[i] > (best < 0 ? 0 : slacks[best]))
        best = i;
    }
  return best;
}

/* ---- climbing ------------------------------------------------------------- */

static void
add_to_region (Search *search, int op)
{
  if (op < 0 || search->is_in[op] || search->n_region >= REGION)
    return;
  search->is_in[op] = TRUE;
  search->region[search->n_region++] = op;
}

static void
add_neighbours (Search *search, int op)
{
  const TpShareModel *model = search->model;

  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    {
      int part = model->parts[i];
      const TpShareTerm *term = tp_share_model_get_term (
          model, part < 0 ? -1 - part
                          : tp_array_index (model->members, TpShareMember,
                                            part)
                                .term);

      add_to_region (search, term->maker);
      for (int k = 0; k < term->n && search->n_region < REGION; k++)
        add_to_region (search,
                       tp_share_model_get_op (model, term->first + k));
    }
}

/* The ops nearest to @op. */
static void
find_region (Search *search, int op)
{
  search->n_region = 0;
  add_to_region (search, op);
  for (int i = 0; i < search->n_region; i++)
    add_neighbours (search, search->region[i]);
  for (int i = 0; i < search->n_region; i++)
    search->is_in[search->region[i]] = FALSE;
  qsort (search->region, search->n_region, sizeof (int), tp_compare_int);
}

static gint64
climb_region (Search *search, TpShareState *state, int op)
{
  gint64 bound = tp_share_state_bound (state), before;
  int n = ROUNDS;

  find_region (search, op);
  do
    {
      before = bound;
      if (bound >= search->cost || search->model->work >= search->work)
        break;
      for (int i = 0; i < 4; i++)
        tp_share_state_sweep (state, search->region, search->n_region);
      bound = tp_share_state_bound (state);
    }
  while (--n > 0 && bound > before);
  return bound;
}

/* All ops, until that raises nothing any more. */
static gint64
climb (Search *search, TpShareState *state)
{
  TpShareModel *model = search->model;
  g_autofree int *all = tp_new (int, model->n_ops + 1);
  gint64 bound = tp_share_state_bound (state), before = bound;

  for (int i = 0; i < model->n_ops; i++)
    all[i] = i;
  for (int n = 1; n <= LEAST_SWEEPS || model->work < search->climb_work;
       n++)
    {
      tp_share_state_sweep (state, all, model->n_ops);
      if ((n & (n - 1)) != 0 && n % 16 != 0)
        continue;
      before = bound;
      bound = tp_share_state_bound (state);
      look_for_better (search, state, n == 8);
      if (bound >= search->cost || (n >= 16 && bound == before))
        break;
    }
  return tp_share_state_bound (state);
}

static gboolean
has_groups (const TpShareModel *model)
{
  for (guint i = 0; i < model->terms->len; i++)
    if (tp_share_model_get_term (model, (int) i)->kind == 'g')
      return TRUE;
  return FALSE;
}

/* From another side, where @bound, of @state, is too low: both become the better
 * of the two. */
static gint64
climb_by_groups (Search *search, TpShareState *state, gint64 bound)
{
  g_auto (TpShareState) other = { 0 };
  gint64 reached;

  search->model->work = 0;
  tp_share_state_init (&other, search->model);
  tp_share_state_fill_groups (&other);
  reached = climb (search, &other);
  if (reached <= bound)
    return bound;
  tp_share_state_copy (state, &other);
  return reached;
}

/* Where sweeps stop too low; again where better placements are met. */
static gint64
climb_by_steps (Search *search, TpShareState *state, gint64 bound)
{
  gint64 before = G_MAXINT64;

  while (bound < search->cost && search->cost < before)
    {
      before = search->cost;
      bound = tp_share_state_climb (state, search->cost, STEP_WORK);
      look_for_better (search, state, TRUE);
    }
  return bound;
}

/* ---- the search ----------------------------------------------------------- */

static gboolean
may_go_on (const Search *search, int depth)
{
  return depth < search->max_depth && search->n_rows < MAX_ROWS
         && search->model->work < search->work;
}

/* Placements with ops where @state has them; @op: the last that was fixed. */
static void
search_below (Search *search, TpShareState *state, int op, int depth)
{
  gint64 bound = climb_region (search, state, op);
  g_autofree guint8 *nearest = NULL;
  guint left;

  if (bound < search->cost)
    {
      look_for_better (search, state, FALSE);
      nearest = find_nearest (search, state);
    }
  op = bound >= search->cost || !may_go_on (search, depth)
           ? -1
           : choose_op (search, state, nearest);
  g_clear_pointer (&nearest, g_free);
  if (op < 0)
    {
      add_end (search, state, bound);
      return;
    }
  tp_array_append_vals (search->proof->entries, &(TpShareEntry){ TRUE, op },
                        1);
  left = state->sets[op];
  for (int d = 0; d < search->model->n_devices; d++)
    {
      g_auto (TpShareState) below = { 0 };

      if ((left >> d & 1) == 0)
        continue;
      tp_share_state_copy (&below, state);
      tp_share_state_fix (&below, op, d);
      search_below (search, &below, op, depth + 1);
    }
}

/* Only the first bound, where the tree proves no more. */
static void
drop_tree (Search *search, gint64 bound)
{
  if (search->least > bound || search->proof->entries->len == 1)
    return;
  search->least = bound;
  tp_pointers_cut (search->proof->bounds, 1);
  tp_array_set_size (search->proof->entries, 0);
  tp_array_append_vals (search->proof->entries, &(TpShareEntry){ FALSE, 0 },
                        1);
}

static void
search_all (Search *search, TpShareState *state)
{
  gsize bytes = search->model->terms->len
                * (search->model->n_sets * 12 + 64 * sizeof (gint64));
  gint64 bound = climb (search, state);

  if (bound < search->cost && !search->is_brief)
    look_from_all_sides (search);
  if (bound < search->cost && has_groups (search->model))
    bound = climb_by_groups (search, state, bound);
  look_for_better (search, state, TRUE);
  if (!search->is_brief)
    bound = climb_by_steps (search, state, bound);
  tp_pointers_add (search->proof->bounds, tp_share_tree_write (state, NULL));
  search->root = state;
  search->work
      = search->model->work
        + (search->model->n_ops > MANY_OPS ? TREE_WORK / 4 : TREE_WORK);
  search->max_depth
      = (int) MIN (MAX_DEPTH, MAX_STATE_BYTES / (gint64) (bytes + 1));
  if (bound < search->cost && !search->is_brief)
    {
      g_auto (TpShareState) copy = { 0 };
      int op = choose_op (search, state, search->devices);

      tp_share_state_copy (&copy, state);
      search_below (search, &copy, MAX (op, 0), 0);
    }
  else
    add_end (search, state, bound);
  drop_tree (search, bound);
}

static void
search_clear (Search *search)
{
  tp_share_proof_free (search->proof);
  g_free (search->region);
  g_free (search->is_in);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static TpShareProof *
search_model (TpShareModel *model, gboolean is_brief, guint8 *devices,
              gint64 *out_cost, gint64 *out_bound)
{
  g_auto (TpShareState) state = { 0 };
  g_auto (Search) search = { .model = model,
                             .devices = devices,
                             .is_brief = is_brief,
                             .climb_work
                             = is_brief ? BRIEF_WORK : CLIMB_WORK,
                             .cost = TP_COST_NONE,
                             .least = G_MAXINT64,
                             .proof = tp_share_proof_new () };

  search.proof->unit = model->unit;
  search.region = tp_new (int, REGION);
  search.is_in = tp_new0 (guint8, model->n_ops + 1);
  search.work = G_MAXINT64;
  tp_share_move_start (model, 0, devices);
  search.cost = tp_share_model_cost (model, devices);
  tp_share_state_init (&state, model);
  search_all (&search, &state);
  tp_share_model_spread (model, devices);
  *out_cost = search.cost;
  *out_bound = CLAMP (search.least, 0, search.cost);
  return g_steal_pointer (&search.proof);
}

TpShareProof *
tp_share_tree_search (TpShareModel *model, guint8 *devices, gint64 *out_cost,
                      gint64 *out_bound)
{
  return search_model (model, FALSE, devices, out_cost, out_bound);
}

TpShareProof *
tp_share_tree_climb (TpShareModel *model, guint8 *devices, gint64 *out_cost,
                     gint64 *out_bound)
{
  return search_model (model, TRUE, devices, out_cost, out_bound);
}

/* ---- and back ------------------------------------------------------------- */

static gboolean
is_row_of (const TpShareRow *row, const TpShareTerm *term, int op)
{
  return row->kind == term->kind && row->index == term->index
         && row->row == term->row && row->op == op;
}

/* Rows are in the order of members, and each is of one. */
void
tp_share_tree_recall (const TpShareBound *bound, gint64 unit,
                      TpShareState *state)
{
  TpShareModel *model = state->model;
  guint next = 0;

  for (guint i = 0; i < model->members->len && next < bound->rows->len; i++)
    {
      const TpShareMember *it
          = &tp_array_index (model->members, TpShareMember, i);
      const TpShareTerm *term = tp_share_model_get_term (model, it->term);
      const TpShareRow *row
          = &tp_array_index (bound->rows, TpShareRow, next);
      gint64 amounts[TP_SHARE_MAX_DEVICES];

      if (!is_row_of (row, term, it->op))
        continue;
      for (int d = 0; d < model->n_devices; d++)
        amounts[d] = (gint64) ((TpLimitWide) tp_array_index (
                                   bound->amounts, gint64, row->first + d)
                               * model->unit / unit);
      tp_share_state_add (state, (int) i, amounts);
      next++;
    }
}
