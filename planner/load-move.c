/* load-move.c: see load-move.h. A placement is better where its most loaded engine
 * carries less, or, at the same, where the squares of all loads add up to less: so
 * that engines next to the busiest are relieved too. Where that leads no further, sums
 * of powers of loads come first, in which all count, and memory that is taken counts as
 * an engine: it is given to what gains most for its bytes. Where memory is limited, it is
 * better before all where less of it is missing; as that takes long to find out, it
 * is asked only of placements that could be better by it. */
#include "config.h"

#include "planner/load-move.h"

#include "ir/guard.h"
#include "ir/load-proof.h"
#include "planner/load-pieces.h"

#include <string.h>

#define MAX_RUN 64            /* ops that are moved at once */
#define FIRST_POWER 2         /* of loads */
#define LAST_POWER 8
#define MANY_TENSORS 64       /* of one move, which looks at each twice */

typedef struct
{
  gint64 most;
  double powers;              /* squares, if not asked for others */
} Score;

double
tp_load_find_power (double load, int power)
{
  for (int n = 2; n <= power; n *= 2)
    load *= load;
  return load;
}

/* What the best takes of memory. */
static double
score_room (const TpLoadBest *best)
{
  double taken[TP_LOAD_MAX_ENGINES], sum = 0;

  tp_load_alive_measure (best->room->alive, best->devices, taken);
  for (int d = 0; d < best->model->problem->n_devices; d++)
    sum += tp_load_find_power (taken[d] * (double) best->full, best->power);
  return sum;
}

/* @loads: of what is offered; of the best, where powers count. */
static Score
score_loads (const TpLoadBest *best, const gint64 *loads)
{
  const TpLoadModel *model = best->model;
  Score score = { 0, 0 };

  if (best->power == 0)
    score.most = loads[tp_load_model_find_busiest (model, loads)];
  for (int i = 0; i < model->n_engines; i++)
    score.powers += tp_load_find_power ((double) loads[i], MAX (best->power, 2));
  if (best->power > 0 && best->room != NULL && best->room->alive != NULL)
    score.powers += score_room (best);
  return score;
}

static gboolean
is_less (Score score, Score than)
{
  if (score.most != than.most)
    return score.most < than.most;
  return score.powers < than.powers;
}

static gint64
find_excess (TpLoadRoom *room, const guint8 *devices, int n_ops)
{
  if (room->work_left <= 0)
    return G_MAXINT64;
  room->work_left -= n_ops;
  return room->find_excess (room->data, devices);
}

/* Whether @devices, whose score is @score, is better than what had @than and the
 * excess of @best, which it then has. */
static gboolean
is_better (TpLoadBest *best, const guint8 *devices, Score score, Score than)
{
  gboolean is_faster = is_less (score, than);
  gint64 excess;

  if (best->room == NULL || (best->excess == 0 && !is_faster))
    return is_faster;
  excess = find_excess (best->room, devices,
                        best->model->problem->graph->n_nodes);
  if (excess > best->excess || (excess == best->excess && !is_faster))
    return FALSE;
  best->excess = excess;
  return TRUE;
}

static void
take (TpLoadBest *best, const guint8 *devices, const gint64 *loads)
{
  memcpy (best->devices, devices, best->model->problem->graph->n_nodes);
  memcpy (best->loads, loads, sizeof (gint64) * best->model->n_engines);
}

void
tp_load_best_offer_known (TpLoadBest *best, const guint8 *devices,
                          const gint64 *loads)
{
  if (is_better (best, devices, score_loads (best, loads),
                 score_loads (best, best->loads)))
    take (best, devices, loads);
}

void
tp_load_best_offer (TpLoadBest *best, const guint8 *devices)
{
  gint64 loads[TP_LOAD_MAX_ENGINES];

  tp_load_model_sum (best->model, devices, loads);
  tp_load_best_offer_known (best, devices, loads);
}

void
tp_load_best_walk (TpLoadBest *best, const guint8 *from, const guint8 *to)
{
  TpLoadModel *model = best->model;
  int n = model->problem->graph->n_nodes;
  g_autofree guint8 *devices = tp_memdup (from, (gsize) n + 1);
  gint64 loads[TP_LOAD_MAX_ENGINES];

  tp_load_model_sum (model, devices, loads);
  for (int i = 0; i < n; i++)
    {
      TpLoadPiece piece;

      piece.ops = tp_problem_get_together (model->problem, &i, &piece.n_ops);
      if (devices[i] == to[i]
          || !tp_load_model_move (model, devices, loads, piece, to[i]))
        continue;
      if (is_better (best, devices, score_loads (best, loads),
                     score_loads (best, best->loads)))
        take (best, devices, loads);
    }
}

/* ---- moves and swaps ----------------------------------------------------- */

/* The device all of it is on; -1: it is not on one. */
static int
find_device (const guint8 *devices, TpLoadPiece piece)
{
  int device = piece.n_ops == 0 ? -1 : devices[piece.ops[0]];

  for (int i = 1; i < piece.n_ops; i++)
    if (devices[piece.ops[i]] != device)
      return -1;
  return device;
}

/* Ops of few tensors are charged for alone. */
static gboolean
move (TpLoadBest *best, TpLoadPiece piece, int device)
{
  gint64 n_met = best->model->n_met;
  gboolean may = tp_load_model_move (best->model, best->devices, best->loads,
                                     piece, device);

  best->work_left -= piece.n_ops + (best->model->n_met - n_met) / MANY_TENSORS;
  return may;
}

/* Whether @first is better on @to, with @second (nullable) coming from there. */
static gboolean
try_pieces (TpLoadBest *best, TpLoadPiece first, int to,
            const TpLoadPiece *second)
{
  Score before = score_loads (best, best->loads);
  int device = find_device (best->devices, first);

  if (device < 0 || device == to
      || (second != NULL && find_device (best->devices, *second) != to)
      || !move (best, first, to))
    return FALSE;
  if (second == NULL || move (best, *second, device))
    {
      if (is_better (best, best->devices,
                     score_loads (best, best->loads), before))
        return TRUE;
      if (second != NULL)
        move (best, *second, to);
    }
  move (best, first, device);
  return FALSE;
}

static gboolean
try_moves (TpLoadBest *best, const TpLoadPieces *pieces)
{
  gboolean has_moved = FALSE;

  for (int i = 0; i < (int) pieces->ends->len; i++)
    for (int to = 0; to < best->model->problem->n_devices; to++)
      if (best->work_left > 0
          && try_pieces (best, tp_load_pieces_get (pieces, i), to, NULL))
        has_moved = TRUE;
  return has_moved;
}

/* With all of it there; if that is not better it is put back. */
static gboolean
try_run (TpLoadBest *best, TpLoadPiece run, int to)
{
  Score before = score_loads (best, best->loads);
  g_autofree guint8 *kept = tp_new (guint8, run.n_ops + 1);

  for (int i = 0; i < run.n_ops; i++)
    kept[i] = best->devices[run.ops[i]];
  if (find_device (best->devices, run) == to || !move (best, run, to))
    return FALSE;
  if (is_better (best, best->devices, score_loads (best, best->loads), before))
    return TRUE;
  tp_load_model_put (best->model, best->devices, best->loads, run, kept);
  return FALSE;
}

/* Of two ops and more, half as many more each time. */
static gboolean
try_runs (TpLoadBest *best, const TpLoadPieces *pieces)
{
  gboolean has_moved = FALSE;

  for (int n = 2; n <= MIN (MAX_RUN, pieces->n_ops); n += (n + 1) / 2)
    for (int i = 0; i + n <= pieces->n_ops; i++)
      for (int to = 0; to < best->model->problem->n_devices; to++)
        if (best->work_left > 0
            && try_run (best, tp_load_pieces_get_run (pieces, i, n), to))
          has_moved = TRUE;
  return has_moved;
}

/* Stops at the first that helps: moves alone are tried again then. */
static gboolean
try_swaps (TpLoadBest *best, const TpLoadPieces *pieces)
{
  int n = (int) pieces->ends->len;

  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n && best->work_left > 0; k++)
      {
        TpLoadPiece second = tp_load_pieces_get (pieces, k);
        int to = find_device (best->devices, second);

        if (to >= 0
            && try_pieces (best, tp_load_pieces_get (pieces, i), to, &second))
          return TRUE;
      }
  return FALSE;
}

void
tp_load_best_improve (TpLoadBest *best)
{
  g_auto (TpLoadPieces) pieces = { 0 };

  tp_load_pieces_init (&pieces, best->model->problem);
  while (best->work_left > 0)
    if (!try_moves (best, &pieces) && !try_runs (best, &pieces)
        && !try_swaps (best, &pieces))
      return;
}

/* @loads: of @devices, both of which become those that are found. */
static void
search_from (TpLoadBest *best, guint8 *devices, gint64 *loads, int power)
{
  TpLoadBest trial = *best;

  trial.devices = devices;
  trial.loads = loads;
  trial.excess = 0;
  trial.power = power;
  trial.full = loads[tp_load_model_find_busiest (best->model, loads)];
  tp_load_best_improve (&trial);
  trial.power = 0;
  tp_load_best_improve (&trial);
  best->work_left = trial.work_left;
}

void
tp_load_best_descend (TpLoadBest *best, const guint8 *devices)
{
  gsize n = (gsize) best->model->problem->graph->n_nodes + 1;
  g_autofree guint8 *found = tp_new (guint8, n);
  gint64 loads[TP_LOAD_MAX_ENGINES];

  for (int power = FIRST_POWER; power <= LAST_POWER; power *= 4)
    {
      memcpy (found, devices, n);
      tp_load_model_sum (best->model, found, loads);
      search_from (best, found, loads, power);
      tp_load_best_offer (best, found);
    }
}
