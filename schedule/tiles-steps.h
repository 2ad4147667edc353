/* tiles-steps.h: a kernel of blocks, as it is emitted: where a group is, blocks that
 * go to local memory step by step, and where results are. What multiplies them is
 * the family's. */
#ifndef TP_SCHEDULE_TILES_STEPS_H
#define TP_SCHEDULE_TILES_STEPS_H

#include "schedule/tiles-copy.h"

#define TP_TILES_LANES 4 /* columns of an item come in vectors */

typedef struct TpTileSteps TpTileSteps;
struct TpTileSteps
{
  const TpTilePlan *plan;
  TpEmit *emit;
  /* Adds one step of K out of local memory, the buffer @parity, to the sums. */
  void (*multiply) (TpTileSteps *steps, TpValue parity);
  int n_acc;
  TpValue acc[TP_TILES_MAX_SUMS];
  TpValue block[2];             /* number of the block along each side */
  TpValue first_step;           /* of the part of this group; -1: 0 */
  TpTileCopy copies[2];
};

/* Begins the kernel: takes the number of the group apart. Groups next to each other
 * share rows. */
void tp_tile_steps_init (TpTileSteps *steps, const TpTilePlan *plan, TpEmit *emit);
/* All steps; @steps->acc are the sums to begin with, and what they are then. */
void tp_tile_steps_emit (TpTileSteps *steps);

/* Puts the axes of @side at @unit of the block, in units of @width points; and asks
 * whether that lies inside: -1: it does. */
TpValue tp_tile_steps_place (TpTileSteps *steps, int side, TpValue unit, int width);
/* Columns that are stored at once: those of a vector, where they are neighbours in the
 * result, or one. */
int tp_tile_steps_get_width (const TpTileSteps *steps);
/* What the nest makes of sums @value, of so many columns, where @inside (-1: anywhere)
 * holds. */
void tp_tile_steps_store (TpTileSteps *steps, TpValue inside, TpValue value);

/* K in parts, for results too small to keep a GPU busy; columns lie together.
 * Returns the axis. */
int tp_tile_plan_divide (const TpTilePlan *plan, TpBuild *build, TpNest *nest);

#endif
