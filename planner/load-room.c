/* load-room.c: see load-room.h. What is found on the way to a bound is a candidate, and what
 * moves make of it; the best, and what is near it, say which weights to try next. */
#include "config.h"

#include "planner/load-room.h"

#include "ir/guard.h"
#include "ir/pools.h"
#include "planner/limit-held.h"
#include "planner/load-anneal.h"
#include "planner/load-pieces.h"
#include "planner/room-bound.h"

#include <string.h>

#define ROUNDS 2              /* on two devices */
#define LEAST_ROUNDS 4        /* on more */
#define IDLE 2                /* rounds that led nowhere, one after the other */
#define MOVES (1 << 20)       /* of one descent, as of TpLoadBest */
#define ROOM_WORK (1 << 22)   /* likewise, as of TpLoadRoom */
#define NEAR (1 << 18)        /* ops of all placements near one */
#define MAX_NEAR 512

typedef struct
{
  TpRoomBound bound;
  TpLoadBest best;            /* its devices and loads are the caller's */
  TpLoadProof *proof;         /* (unowned) */
  TpLimitHeld held;
  TpLoadAlive alive;
} Search;

static void
search_clear (Search *search)
{
  tp_room_bound_clear (&search->bound);
  tp_load_alive_clear (&search->alive);
  tp_limit_held_clear (&search->held);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static gint64
get_load (const Search *search)
{
  return search->best.loads[tp_load_model_find_busiest (search->best.model,
                                                        search->best.loads)];
}

/* What is proved. */
static gint64
get_bound (const Search *search)
{
  const TpRoomProof *room = search->bound.proof;

  return room == NULL ? search->proof->bound_ns : room->bound_ns;
}

/* ---- placements ------------------------------------------------------------ */

static gboolean
is_met (const Search *search)
{
  const TpPointers *met = search->bound.met;
  gsize n = (gsize) search->bound.problem->graph->n_nodes;

  for (guint i = 0; i < met->len; i++)
    if (memcmp (met->pdata[i], search->best.devices, n) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
fits (TpLoadRoom *room, const guint8 *devices)
{
  return room->find_excess (room->data, devices) == 0;
}

/* With @piece on each of the other devices, if that fits. @devices: as the best is, for
 * trying. */
static void
meet_moved (Search *search, TpLoadPiece piece, guint8 *devices)
{
  gsize n = (gsize) search->bound.problem->graph->n_nodes;
  gint64 loads[TP_LOAD_MAX_ENGINES] = { 0 };

  for (int d = 0; d < search->bound.problem->n_devices; d++)
    {
      if (tp_load_model_move (&search->bound.model, devices, loads, piece, d)
          && memcmp (devices, search->best.devices, n) != 0
          && fits (search->best.room, devices))
        tp_room_bound_meet (&search->bound, devices);
      memcpy (devices, search->best.devices, n);
    }
}

/* The best, and what is one move away: what weights prove most then has no such move that
 * gains, and is cheap at these. */
static void
meet_best (Search *search)
{
  const TpProblem *problem = search->bound.problem;
  int n = problem->graph->n_nodes, n_near, step;
  g_autofree guint8 *devices = tp_memdup (search->best.devices, (gsize) n + 1);
  g_auto (TpLoadPieces) pieces = { 0 };

  if (is_met (search))
    return;
  tp_room_bound_meet (&search->bound, search->best.devices);
  tp_load_pieces_init (&pieces, problem);
  n_near = MIN (NEAR / (n + 1), MAX_NEAR) / problem->n_devices;
  step = (int) pieces.ends->len / (n_near + 1) + 1;
  for (int i = 0; i < (int) pieces.ends->len; i += step)
    meet_moved (search, tp_load_pieces_get (&pieces, i), devices);
}

/* What moves make of @devices, which fits, without heed to memory that is left, and with. */
static void
descend (Search *search, const guint8 *devices)
{
  TpLoadRoom *room = search->best.room;
  g_autofree guint8 *from
      = tp_memdup (devices, (gsize) search->bound.problem->graph->n_nodes + 1);

  for (int i = 0; i < 2; i++)
    {
      search->best.work_left = MOVES;
      room->work_left = ROOM_WORK;
      room->alive = i == 0 ? NULL : &search->alive;
      tp_load_best_offer (&search->best, from);
      tp_load_best_descend (&search->best, from);
    }
  room->alive = NULL;
  tp_load_best_improve (&search->best);
  meet_best (search);
}

/* By way of what is not better, with heed to memory. */
static void
anneal (Search *search)
{
  TpLoadRoom *room = search->best.room;

  room->work_left = ROOM_WORK;
  room->alive = &search->alive;
  tp_load_best_anneal (&search->best);
  room->alive = NULL;
  search->best.work_left = MOVES;
  tp_load_best_improve (&search->best);
}

/* ---- all ------------------------------------------------------------------- */

static void
search_all (Search *search)
{
  const TpProblem *problem = search->bound.problem;
  g_autofree guint8 *fitting
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  int n_idle = 0, n_left = tp_room_bound_count_climbs (problem, ROUNDS);

  descend (search, search->best.devices);
  if (problem->n_devices > 2)
    n_left = MAX (n_left, LEAST_ROUNDS);
  for (; n_left > 0 && n_idle < IDLE; n_left--)
    {
      gint64 load = get_load (search), bound = get_bound (search);

      if (bound >= load
          || !tp_room_bound_climb (&search->bound, search->proof->bound_ns, load,
                                   fitting))
        return;
      descend (search, fitting);
      n_idle = get_load (search) < load || get_bound (search) > bound
                   ? 0 : n_idle + 1;
    }
}

void
tp_load_room_search (const TpProblem *problem, guint8 *devices, TpLoadRoom *room,
                     TpLoadProof *proof)
{
  g_auto (Search) search = { .proof = proof };

  tp_room_bound_init (&search.bound, problem, FALSE);
  search.best = (TpLoadBest){ .model = &search.bound.model,
                              .devices = devices,
                              .loads = proof->loads,
                              .room = room };
  tp_limit_held_init (&search.held, problem);
  tp_load_alive_init (&search.alive, &search.held);
  search_all (&search);
  if (get_bound (&search) < get_load (&search))
    anneal (&search);
  proof->load_ns = get_load (&search);
  proof->room = g_steal_pointer (&search.bound.proof);
  if (proof->room != NULL)
    proof->room->bound_ns = MIN (proof->room->bound_ns, proof->load_ns);
}
