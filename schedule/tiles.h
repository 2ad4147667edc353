/* tiles.h: contractions on GPUs: a group computes a block of rows and columns,
 * of which it copies a few steps of K at a time to local memory, and an item a
 * tile of the block in registers.
 *
 *   rows   spatial axes in one factor only
 *   cols   those in the other; the one contiguous in the result is among them
 *   outer  all other spatial axes: batch, group
 *
 * Sides, and K, are many axes taken as one: the axes are its digits. So a
 * convolution is a product of matrices, and needs no code of its own. */
#ifndef TP_SCHEDULE_TILES_H
#define TP_SCHEDULE_TILES_H

#include "schedule/choice.h"
#include "schedule/span.h"
#include "kernel/target.h"

#define TP_TILES_MAX_TILE 8    /* points of an item along a side */
#define TP_TILES_MAX_COPIES 16 /* of an item per side and step of K */
#define TP_TILES_MAX_SUMS 16   /* vectors of sums that an item has */

enum
{
  TP_TILES_ROWS,
  TP_TILES_COLS,
};

/* What a nest is. */
typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  TpNest *turned; /* with the strides of packed constants */
  TpDtype dtype;  /* of factors and sums: float32 or float64 */
  int expr[2];    /* factor of each side */
  TpSpan sides[2], outer, k;
} TpTiles;

/* The values of a choice. */
enum
{
  TP_TILES_TILE_ROWS,
  TP_TILES_TILE_COLS, /* points of an item */
  TP_TILES_ITEM_ROWS,
  TP_TILES_ITEM_COLS, /* items of a group */
  TP_TILES_DEPTH,     /* of K in local memory */
  TP_TILES_BUFFERS,   /* 2: the next step is fetched meanwhile */
  TP_TILES_PARTS,     /* of K, in groups of their own; added up after */
};

/* How the block of one side comes to local memory and is read there. */
typedef struct
{
  gint64 points;       /* of the block */
  int tile, items;     /* points of an item, items along this side */
  gboolean is_along_k; /* neighbours take neighbours along K */
  int width;           /* elements copied at once: 1 or 4 */
  int n_copies;        /* per item */
  gboolean is_partial; /* there are more items than copies */
  gint64 pitch;        /* elements of a point of K in local memory */
} TpTileSide;

/* A choice made. */
typedef struct
{
  const TpTiles *t;
  TpTileSide sides[2];
  int local_size, depth, n_buffers;
  int pad;         /* elements at least between two points of K */
  int n_digits;    /* numbers of TF32 that an element is kept as (tiles-copy.c) */
  gint64 n_steps; /* of K, of one part */
  gint64 n_parts;
  gboolean is_straight; /* no step reaches over two points of the outer
                         * axes of K */
} TpTilePlan;

void tp_tile_plan_init (TpTilePlan *plan, const TpTiles *tiles,
                        const gint64 *values);
/* The rest of @plan, whose tiles, sides' points, group and digits are set. */
void tp_tile_plan_set_steps (TpTilePlan *plan, gint64 depth, gint64 n_buffers,
                             gint64 n_parts);
/* Elements of one buffer of a side. */
gint64 tp_tile_side_size (const TpTilePlan *plan, int side);
gint64 tp_tile_plan_local_bytes (const TpTilePlan *plan);
gint64 tp_tile_plan_count_blocks (const TpTilePlan *plan, int side);

#endif
