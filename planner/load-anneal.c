/* load-anneal.c: see load-anneal.h.
 *
 * Where no move gains any more, some that lose a little lead to others that gain
 * (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Optimization by simulated annealing,
 * 1983). How much may be lost falls from some hundredths to nothing, and what loses no
 * more than that is taken, without more ado (G. Dueck and T. Scheuer, Threshold accepting,
 * 1990). What counts is a sum of powers of loads, which sees all engines; high powers see
 * the busiest more than low ones, so there are rounds of both. Memory that is taken counts
 * as an engine, as in load-move.c. */
#include "config.h"

#include "planner/load-anneal.h"

#include "ir/guard.h"
#include "ir/load-proof.h"
#include "planner/load-pieces.h"

#include <string.h>

#define WORK (1 << 23)        /* of a round, in ops and tensors */
#define PAIR_WORK (1 << 11)   /* for each pair of ops, if that is less */
#define RUN_BITS 6            /* runs of ops: of less than twice 2^5 */
#define SEED G_GUINT64_CONSTANT (88172645463325252)

/* How much more the sum of powers may be at first. */
typedef struct
{
  int power;                  /* one of 2 */
  double loss;
} Round;

static const Round rounds[]
    = { { 32, 0.3 }, { 32, 1 }, { 16, 0.3 }, { 8, 0.3 } };

typedef struct
{
  TpLoadBest *best;
  TpLoadModel *model;
  TpLoadPieces pieces;
  guint8 *devices, *kept;     /* as it is, and of what is moved as it was */
  gint64 loads[TP_LOAD_MAX_ENGINES];
  double taken[TP_LOAD_MAX_ENGINES]; /* [device]: which part of its memory */
  double full;                /* the load that counts 1 */
  int power;
  double score;
  guint64 seed;
  gint64 work_left;
} Walk;

static void
walk_clear (Walk *walk)
{
  tp_load_pieces_clear (&walk->pieces);
  g_clear_pointer (&walk->devices, g_free);
  g_clear_pointer (&walk->kept, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* G. Marsaglia, Xorshift RNGs, 2003. */
static int
draw (Walk *walk, int below)
{
  walk->seed ^= walk->seed << 13;
  walk->seed ^= walk->seed >> 7;
  walk->seed ^= walk->seed << 17;
  return (int) ((walk->seed >> 24) % (guint64) below);
}

static double
find_score (const Walk *walk)
{
  double sum = 0;

  for (int e = 0; e < walk->model->n_engines; e++)
    sum += tp_load_find_power ((double) walk->loads[e] / walk->full, walk->power);
  for (int d = 0; d < walk->model->problem->n_devices; d++)
    sum += tp_load_find_power (walk->taken[d], walk->power);
  return sum;
}

static void
take_room (Walk *walk, TpLoadPiece piece, double sign)
{
  const TpLoadRoom *room = walk->best->room;
  int n = walk->model->problem->n_devices;

  if (room == NULL || room->parts == NULL)
    return;
  for (int i = 0; i < piece.n_ops; i++)
    {
      int device = walk->devices[piece.ops[i]];

      walk->taken[device]
          += sign * room->parts[(gsize) piece.ops[i] * (gsize) n + (gsize) device];
    }
}

static TpLoadPiece
draw_piece (Walk *walk)
{
  int index = draw (walk, (int) walk->pieces.ends->len);
  int n = 1 << draw (walk, RUN_BITS);

  if (index >= walk->pieces.n_ops || draw (walk, 2) == 0)
    return tp_load_pieces_get (&walk->pieces, index);
  n += draw (walk, n);
  return tp_load_pieces_get_run (&walk->pieces, index,
                                 MIN (n, walk->pieces.n_ops - index));
}

/* FALSE: it may not be there. */
static gboolean
move (Walk *walk, TpLoadPiece piece, int to)
{
  gint64 n_met = walk->model->n_met;
  gboolean may;

  take_room (walk, piece, -1);
  may = tp_load_model_move (walk->model, walk->devices, walk->loads, piece, to);
  take_room (walk, piece, 1);
  walk->work_left -= 1 + piece.n_ops + (walk->model->n_met - n_met);
  return may;
}

static void
step (Walk *walk, double loss)
{
  TpLoadPiece piece = draw_piece (walk);
  int to = draw (walk, walk->model->problem->n_devices);
  gint64 loads[TP_LOAD_MAX_ENGINES];
  double taken[TP_LOAD_MAX_ENGINES], score;

  memcpy (loads, walk->loads, sizeof loads);
  memcpy (taken, walk->taken, sizeof taken);
  for (int i = 0; i < piece.n_ops; i++)
    walk->kept[i] = walk->devices[piece.ops[i]];
  if (!move (walk, piece, to))
    return;
  score = find_score (walk);
  if (score <= walk->score * (1 + loss))
    {
      walk->score = score;
      tp_load_best_offer_known (walk->best, walk->devices, walk->loads);
      return;
    }
  for (int i = 0; i < piece.n_ops; i++)
    walk->devices[piece.ops[i]] = walk->kept[i];
  memcpy (walk->loads, loads, sizeof loads);
  memcpy (walk->taken, taken, sizeof taken);
}

static void
go (Walk *walk, const Round *round)
{
  const TpLoadModel *model = walk->model;
  int n = model->problem->graph->n_nodes;
  gint64 work = MIN (WORK, (gint64) n * n * PAIR_WORK);

  memcpy (walk->devices, walk->best->devices, (gsize) n);
  memcpy (walk->loads, walk->best->loads, sizeof (gint64) * (gsize) model->n_engines);
  memset (walk->taken, 0, sizeof walk->taken);
  for (int i = 0; i < n; i++)
    take_room (walk, (TpLoadPiece){ &i, 1 }, 1);
  walk->full = MAX (1, (double) walk->loads[tp_load_model_find_busiest (
                           model, walk->loads)]);
  walk->power = round->power;
  walk->score = find_score (walk);
  walk->work_left = work;
  while (walk->work_left > 0)
    step (walk, round->loss * (double) walk->work_left / (double) work);
}

void
tp_load_best_anneal (TpLoadBest *best)
{
  gsize n = (gsize) best->model->problem->graph->n_nodes + 1;
  g_auto (Walk) walk = { .best = best, .model = best->model, .seed = SEED };

  tp_load_pieces_init (&walk.pieces, best->model->problem);
  walk.devices = tp_new0 (guint8, n);
  walk.kept = tp_new0 (guint8, n);
  if (walk.pieces.ends->len == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rounds); i++)
    go (&walk, &rounds[i]);
}
