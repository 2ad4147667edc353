/* room-game.c: see room-game.h.
 *
 * Of what fits, the busiest engine carries no less than a weighted mean of loads, and it pays
 * no more for memory than prices come to for its limits. So weights and prices prove a
 * bound, a concave function of both, of one plane for each placement (load.c,
 * limit-master.c). A row, too, is a place that is full at its limit: counted as an engine
 * that carries T when it is full, it is one choice more in the game of load-weights.c. Where
 * the game is worth T, weights and prices prove T; else what they prove is the next T
 * (W. Dinkelbach, On nonlinear fractional programming, 1967). */
#include "config.h"

#include "planner/room-game.h"

#include "ir/guard.h"
#include "ir/pools.h"

#include <string.h>

#define TURNS 8               /* of T */
#define CLOSE 1e-6            /* of T: nothing */
#define MAX_MET 256           /* placements that are kept */
#define ALL 1e-9              /* what is left to engines where rows are all */

void
tp_room_game_init (TpRoomGame *game, const TpProblem *whole,
                   const TpRoomPart *parts, int n_parts, TpLoadModel *model)
{
  *game = (TpRoomGame){ .whole = *whole, .parts = parts, .n_parts = n_parts,
                        .model = model };
  game->held = tp_new0 (TpLimitHeld, (gsize) n_parts);
  for (int i = 0; i < n_parts; i++)
    tp_limit_held_init (&game->held[i], parts[i].problem);
  game->met = tp_pointers_new (g_free);
  game->columns = tp_array_new (sizeof (TpLoadRow));
}

void
tp_room_game_clear (TpRoomGame *game)
{
  for (int i = 0; game->held != NULL && i < game->n_parts; i++)
    if (game->held[i].problem != NULL)
      tp_limit_held_clear (&game->held[i]);
  g_clear_pointer (&game->held, g_free);
  for (int i = 0; i < game->n_rows; i++)
    g_clear_pointer (&game->rows[i].steps, g_free);
  g_clear_pointer (&game->met, tp_pointers_free);
  g_clear_pointer (&game->columns, tp_array_unref);
}

/* ---- rows ------------------------------------------------------------------ */

static const gint8 *
get_own (const TpRoomGame *game, int part, const guint8 *devices)
{
  return (const gint8 *) devices + game->parts[part].first;
}

static gint64
sum_held (const TpRoomGame *game, const TpRoomRow *row, const guint8 *devices)
{
  gint64 sum = 0;

  for (int i = 0; i < game->n_parts; i++)
    for (int d = 0; d < game->whole.n_devices; d++)
      if (row->devices >> d & 1)
        sum = MIN (sum + tp_limit_held_sum (&game->held[i],
                                            get_own (game, i, devices), d,
                                            row->steps[game->whole.n_devices * i + d]),
                   TP_PROBLEM_LIMIT / 2);
  return sum;
}

/* In thousandths of a limit, or finer: what a row holds counts as a load. */
static gint64
measure (const TpRoomGame *game, const TpRoomRow *row, const guint8 *devices)
{
  double part = (double) sum_held (game, row, devices) / (double) row->limit;

  return (gint64) (MIN (part, 1 << 20) * (1 << 30));
}

static gsize
count_steps (const TpRoomGame *game)
{
  return (gsize) game->whole.n_devices * (gsize) game->n_parts;
}

static int
get_most_rows (const TpRoomGame *game)
{
  int most = game->whole.n_devices > 2 ? TP_ROOM_SHARED_ROWS : TP_ROOM_MAX_ROWS;

  return MIN (most, TP_LOAD_MAX_COLUMNS - game->model->n_engines);
}

static gboolean
has_row (const TpRoomGame *game, const TpRoomRow *row)
{
  gsize size = sizeof (int) * count_steps (game);

  for (int i = 0; i < game->n_rows; i++)
    if (game->rows[i].devices == row->devices
        && memcmp (game->rows[i].steps, row->steps, size) == 0)
      return TRUE;
  return FALSE;
}

/* Where @devices holds most there, if that is too much. */
static gboolean
add_row (TpRoomGame *game, const guint8 *devices, guint set, gint64 limit)
{
  g_autofree int *steps = tp_new0 (int, count_steps (game));
  TpRoomRow row = { set, limit, steps };

  if (limit <= 0 || game->n_rows == get_most_rows (game))
    return FALSE;
  for (int i = 0; i < game->n_parts; i++)
    for (int d = 0; d < game->whole.n_devices; d++)
      if (set >> d & 1)
        tp_limit_held_peak (&game->held[i], get_own (game, i, devices), d,
                            &steps[game->whole.n_devices * i + d]);
  if (sum_held (game, &row, devices) <= limit || has_row (game, &row))
    return FALSE;
  for (guint k = 0; k < game->met->len; k++)
    tp_array_index (game->columns, TpLoadRow, k)
        .loads[game->model->n_engines + game->n_rows]
        = measure (game, &row, game->met->pdata[k]);
  row.steps = g_steal_pointer (&steps);
  game->rows[game->n_rows++] = row;
  return TRUE;
}

static gboolean
add_rows (TpRoomGame *game, const guint8 *devices)
{
  const TpCosts *costs = game->whole.costs;
  int pool = game->whole.n_devices > 2 ? -1 : tp_pools_find (costs, 0);
  gboolean is_new = FALSE;

  for (int d = 0; d < game->whole.n_devices; d++)
    is_new |= add_row (game, devices, 1u << d,
                       tp_pools_get_limit (costs, game->whole.limits, d));
  if (pool >= 0)
    is_new |= add_row (game, devices, 3, game->whole.limits[pool]);
  return is_new;
}

/* ---- placements ------------------------------------------------------------- */

static gboolean
is_met (const TpRoomGame *game, const guint8 *devices)
{
  gsize n = (gsize) game->whole.graph->n_nodes;

  for (guint i = 0; i < game->met->len; i++)
    if (memcmp (game->met->pdata[i], devices, n) == 0)
      return TRUE;
  return FALSE;
}

void
tp_room_game_forget (TpRoomGame *game)
{
  if (game->met->len <= MAX_MET)
    return;
  tp_pointers_cut (game->met, 0);
  tp_array_set_size (game->columns, 0);
}

gboolean
tp_room_game_meet (TpRoomGame *game, const guint8 *devices)
{
  TpLoadRow column = { { 0 } };
  gboolean is_new = add_rows (game, devices);

  if (is_met (game, devices))
    return is_new;
  tp_load_model_sum (game->model, devices, column.loads);
  for (int i = 0; i < game->n_rows; i++)
    column.loads[game->model->n_engines + i]
        = measure (game, &game->rows[i], devices);
  tp_pointers_add (game->met,
                   tp_memdup (devices, (gsize) game->whole.graph->n_nodes + 1));
  tp_array_append_val (game->columns, column);
  return TRUE;
}

gboolean
tp_room_game_is_as_fixed (const TpRoomGame *game, const gint8 *fixed,
                          const guint8 *devices)
{
  for (int i = 0; i < game->whole.graph->n_nodes; i++)
    if (fixed[i] != TP_LIMIT_FREE && fixed[i] != devices[i])
      return FALSE;
  return TRUE;
}

/* ---- the game --------------------------------------------------------------- */

/* With rows counted as loads. */
static TpArray *
list_columns (const TpRoomGame *game, const gint8 *fixed, double full)
{
  g_autoptr (TpArray) list = tp_array_new (sizeof (TpLoadRow));
  int n = game->model->n_engines;

  for (guint k = 0; k < game->met->len; k++)
    {
      TpLoadRow row = tp_array_index (game->columns, TpLoadRow, k);

      if (!tp_room_game_is_as_fixed (game, fixed, game->met->pdata[k]))
        continue;
      for (int i = n; i < n + game->n_rows; i++)
        row.loads[i] = (gint64) MIN ((double) row.loads[i] / (1 << 30) * full,
                                     (double) (TP_PROBLEM_LIMIT / 2));
      tp_array_append_val (list, row);
    }
  return g_steal_pointer (&list);
}

double
tp_room_game_find (const TpRoomGame *game, const gint8 *fixed, gint64 most_ns,
                   TpRoomChoice *out)
{
  int n = game->model->n_engines;
  double bound = 0;

  out->full = MAX (out->full > 0 ? out->full : (double) most_ns, 1);
  for (int turn = 0; turn < TURNS; turn++)
    {
      g_autoptr (TpArray) list = list_columns (game, fixed, out->full);
      double worth = tp_load_find_weights (list, n + game->n_rows, out->shares);
      double rows = 0;

      for (int i = n; i < n + game->n_rows; i++)
        rows += out->shares[i];
      bound = rows > 1 - ALL ? (double) most_ns
                             : (worth - rows * out->full) / (1 - rows);
      if (bound >= (double) most_ns
          || ABS (bound - out->full) <= out->full * CLOSE)
        break;
      if (turn + 1 < TURNS)
        out->full = MAX (bound, out->full / 2);
    }
  return bound;
}

void
tp_room_choice_pull (const TpRoomGame *game, const TpRoomChoice *best,
                     TpRoomChoice *choice)
{
  int n = game->model->n_engines;

  for (int i = 0; i < n + game->n_rows; i++)
    {
      double other = best->shares[i] * (i < n ? 1 : best->full / choice->full);

      choice->shares[i] = (choice->shares[i] + other) / 2;
    }
}
