/* load-move.h: placements whose busiest engine carries less, from others. */
#ifndef TP_PLANNER_LOAD_MOVE_H
#define TP_PLANNER_LOAD_MOVE_H

#include "planner/load-alive.h"
#include "planner/load-model.h"

/* What placements take of memory, where there are limits. */
typedef struct
{
  /* Bytes above them; 0: it fits. */
  gint64 (*find_excess) (gpointer data, const guint8 *devices);
  gpointer data;
  gint64 work_left;           /* in ops of placements that are asked about; those
                               * not asked about are not taken */
  const guint8 *start;        /* (nullable) [node]: one that may fit */
  TpLoadAlive *alive;         /* (nullable) (unowned): what is taken, about */
} TpLoadRoom;

typedef struct
{
  TpLoadModel *model;         /* (unowned) */
  guint8 *devices;            /* the best met */
  gint64 *loads;              /* its loads */
  gint64 work_left;           /* in ops moved for trial */
  TpLoadRoom *room;           /* (nullable) (unowned) */
  gint64 excess;              /* of the best, in bytes */
  int power;                  /* 0: the most is made less; else the sum of loads, and
                               * of what is taken of memory, to that power, which is
                               * one of 2 */
  gint64 full;                /* the load as which a full memory counts then */
} TpLoadBest;

/* @load to the power @power, which is one of 2. */
double tp_load_find_power (double load, int power);
/* Takes @devices if it is less above the limits, or no more and its busiest engine
 * carries less. */
void tp_load_best_offer (TpLoadBest *best, const guint8 *devices);
/* The same of @devices with these @loads. */
void tp_load_best_offer_known (TpLoadBest *best, const guint8 *devices,
                               const gint64 *loads);
/* Goes from @from to @to op by op, in their order, and offers what is between. */
void tp_load_best_walk (TpLoadBest *best, const guint8 *from,
                        const guint8 *to);
/* Moves ops, groups and runs of ops, and swaps ops and groups, while that helps. */
void tp_load_best_improve (TpLoadBest *best);
/* Offers what that makes of @devices, which fits and is not its own, first by sums of
 * powers: they see what relieves an engine that is not the busiest yet. */
void tp_load_best_descend (TpLoadBest *best, const guint8 *devices);

#endif
