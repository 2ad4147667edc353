/* room-game.h: weights of engines and prices on memory for which placements of graphs that
 * are in memory at once prove most. */
#ifndef TP_PLANNER_ROOM_GAME_H
#define TP_PLANNER_ROOM_GAME_H

#include "planner/limit-held.h"
#include "planner/load-weights.h"

#define TP_ROOM_MAX_ROWS 24   /* as many prices as a bound may have */
#define TP_ROOM_SHARED_ROWS 15 /* on three devices and more: no sum of messages overflows, of
                               * prices that room-shares.c takes */

/* One of the graphs; its ops are those of the whole from @first on. */
typedef struct
{
  const TpProblem *problem;   /* (unowned): of one run */
  gint64 n_runs;
  int first;
} TpRoomPart;

/* What devices hold together, each graph when an op of its own begins. */
typedef struct
{
  guint devices;              /* a set: one, or of two both of a pool */
  gint64 limit;
  int *steps;                 /* [part * n_devices + device] */
} TpRoomRow;

typedef struct
{
  TpProblem whole;            /* of all graphs as one, what they take as often as each is
                               * run; with limits */
  const TpRoomPart *parts;    /* (unowned) */
  int n_parts;
  TpLoadModel *model;         /* (unowned): of the whole */
  TpLimitHeld *held;          /* [part] */
  TpRoomRow rows[TP_ROOM_MAX_ROWS];
  int n_rows;
  TpPointers *met;            /* guint8 *: placements */
  TpArray *columns;           /* TpLoadRow: what these carry, and hold in each row */
} TpRoomGame;

/* What they are, added up to one; of rows by what a full one counts. */
typedef struct
{
  double shares[TP_LOAD_MAX_COLUMNS]; /* engines, then rows */
  double full;                /* the load as which a full row counts */
} TpRoomChoice;

void tp_room_game_init (TpRoomGame *game, const TpProblem *whole,
                        const TpRoomPart *parts, int n_parts,
                        TpLoadModel *model);
void tp_room_game_clear (TpRoomGame *game);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpRoomGame, tp_room_game_clear)

/* Whether there was no such placement yet; rows are added where it holds most, if that is
 * too much. */
gboolean tp_room_game_meet (TpRoomGame *game, const guint8 *devices);
/* What was met, if it is too much. */
void tp_room_game_forget (TpRoomGame *game);
/* For placements that have ops where @fixed ([op]; TP_LIMIT_FREE: anywhere) has them, of
 * which there is one; no more is asked for than what proves @most_ns. @out: with what is about
 * to be proved as full, or 0. Returns what these prove at most. */
double tp_room_game_find (const TpRoomGame *game, const gint8 *fixed,
                          gint64 most_ns, TpRoomChoice *out);
/* Halfway to @best. */
void tp_room_choice_pull (const TpRoomGame *game, const TpRoomChoice *best,
                          TpRoomChoice *choice);
gboolean tp_room_game_is_as_fixed (const TpRoomGame *game, const gint8 *fixed,
                                   const guint8 *devices);

#endif
