/* load-anneal.c: see load-anneal.h.
 *
 * Where no move gains any more, some that lose a little lead to others that gain
 * (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Optimization by simulated annealing,
 * 1983). How much may be lost falls from some hundredths to nothing, and what loses no
 * more than that is taken, without more ado (G. Dueck and T. Scheuer, Threshold accepting,
 * 1990). What counts is a sum of powers of loads, which sees all engines; high powers see
 * the busiest more than low ones, so there are rounds of both. Memory that is taken counts
 * as an engine, too, with a higher power: it may be full, and no more. */
#include "config.h"

#include "planner/load-anneal.h"

#include "ir/guard.h"
#include "ir/load-proof.h"
#include "planner/load-pieces.h"

#include <string.h>

#define WORK (1 << 23)        /* of a round, in ops and tensors */
#define PAIR_WORK (1 << 11)   /* for each pair of ops, if that is less */
#define MEMORY_POWER 2        /* of that of loads: what is not full counts little */
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
  TpLoadAlive *alive;         /* (nullable) (unowned): what is taken of memory */
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
sum_loads (const Walk *walk)
{
  double sum = 0;

  for (int e = 0; e < walk->model->n_engines; e++)
    sum += tp_load_find_power ((double) walk->loads[e] / walk->full, walk->power);
  return sum;
}

/* Of what is at hand; memory is looked at last, as that takes longest, and not at all where loads
 * alone are above @most. */
static double
find_score (Walk *walk, double most)
{
  double sum = sum_loads (walk);
  gint64 n_met;

  if (walk->alive == NULL || sum > most)
    return sum;
  n_met = walk->alive->n_met;
  tp_load_alive_measure (walk->alive, walk->devices, walk->taken);
  walk->work_left -= walk->alive->n_met - n_met;
  for (int d = 0; d < walk->model->problem->n_devices; d++)
    sum += tp_load_find_power (walk->taken[d], walk->power * MEMORY_POWER);
  return sum;
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
  gboolean may = tp_load_model_move (walk->model, walk->devices, walk->loads,
                                     piece, to);

  walk->work_left -= 1 + piece.n_ops + (walk->model->n_met - n_met);
  return may;
}

static double
get_load (const TpLoadBest *best)
{
  return (double) best->loads[tp_load_model_find_busiest (best->model, best->loads)];
}

/* What cannot fit is not asked about. A full memory counts as the best load there is: else the
 * better that is, the more memory would be left free. */
static void
offer (Walk *walk)
{
  double most = 0;

  for (int d = 0; d < walk->model->problem->n_devices; d++)
    most = MAX (most, walk->taken[d]);
  if (most > 1)
    return;
  tp_load_best_offer_known (walk->best, walk->devices, walk->loads);
  if (walk->alive == NULL || get_load (walk->best) >= walk->full)
    return;
  walk->full = MAX (1, get_load (walk->best));
  walk->score = find_score (walk, G_MAXDOUBLE);
}

static void
put_back (Walk *walk, TpLoadPiece piece, const guint8 *kept)
{
  for (int i = 0; i < piece.n_ops; i++)
    walk->devices[piece.ops[i]] = kept[i];
}

/* @kept: (out): where @piece was. */
static gboolean
try_move (Walk *walk, TpLoadPiece piece, int to, guint8 *kept)
{
  for (int i = 0; i < piece.n_ops; i++)
    kept[i] = walk->devices[piece.ops[i]];
  return move (walk, piece, to);
}

/* Where memory is full what comes in wants something else to go: so every second time another
 * piece is moved to where the first was. */
static gboolean
try_second (Walk *walk, TpLoadPiece *piece, int to, guint8 *kept)
{
  *piece = (TpLoadPiece){ NULL, 0 };
  if (walk->alive == NULL || draw (walk, 2) == 0)
    return TRUE;
  *piece = draw_piece (walk);
  return try_move (walk, *piece, to, kept);
}

static void
step (Walk *walk, double loss)
{
  TpLoadPiece piece = draw_piece (walk), second;
  int to = draw (walk, walk->model->problem->n_devices);
  gint64 loads[TP_LOAD_MAX_ENGINES];
  double score, most = walk->score * (1 + loss);
  guint8 *others = walk->kept + walk->model->problem->graph->n_nodes;

  memcpy (loads, walk->loads, sizeof loads);
  if (!try_move (walk, piece, to, walk->kept))
    return;
  if (try_second (walk, &second, walk->kept[0], others))
    {
      score = find_score (walk, most);
      if (score <= most)
        {
          walk->score = score;
          offer (walk);
          return;
        }
    }
  put_back (walk, second, others);
  put_back (walk, piece, walk->kept);
  memcpy (walk->loads, loads, sizeof loads);
}

/* NULL: from where it stands. */
static void
go (Walk *walk, const Round *round, const guint8 *from)
{
  int n = walk->model->problem->graph->n_nodes;
  gint64 work = MIN (WORK, (gint64) n * n * PAIR_WORK);

  if (from != NULL)
    memcpy (walk->devices, from, (gsize) n);
  tp_load_model_sum (walk->model, walk->devices, walk->loads);
  memset (walk->taken, 0, sizeof walk->taken);
  walk->full = MAX (1, get_load (walk->best));
  walk->power = round->power;
  walk->score = find_score (walk, G_MAXDOUBLE);
  walk->work_left = work;
  while (walk->work_left > 0)
    step (walk, round->loss * (double) walk->work_left / (double) work);
}

/* Rounds from the best, each from what that is then; from another, one after the other. */
static void
turn (Walk *walk, const guint8 *from)
{
  gboolean is_best = from == walk->best->devices;

  for (gsize i = 0; i < G_N_ELEMENTS (rounds); i++)
    go (walk, &rounds[i], i == 0 || is_best ? from : NULL);
}

void
tp_load_best_anneal (TpLoadBest *best)
{
  gsize n = (gsize) best->model->problem->graph->n_nodes + 1;
  g_auto (Walk) walk = { .best = best, .model = best->model, .seed = SEED };

  if (best->room != NULL)
    walk.alive = best->room->alive;
  tp_load_pieces_init (&walk.pieces, best->model->problem);
  walk.devices = tp_new0 (guint8, n);
  walk.kept = tp_new0 (guint8, 2 * n);
  if (walk.pieces.ends->len == 0)
    return;
  turn (&walk, best->devices);
  if (walk.alive == NULL)
    return;
  turn (&walk, best->room->start);
  turn (&walk, best->devices);
}
