/* rows-tiles.h: scores, their softmax and the values weighted by it in one kernel of a
 * GPU. A group has a block of rows, whose queries stay in local memory, and walks the
 * columns by blocks, whose keys and then values take turns there. Neither scores nor
 * weights leave it: a row keeps the greatest score so far, the sum of the powers
 * below it, and the sums of values weighted by them, which are scaled whenever there
 * is a greater one. */
#ifndef TP_SCHEDULE_ROWS_TILES_H
#define TP_SCHEDULE_ROWS_TILES_H

#include "schedule/rows.h"

#define TP_ROWS_TILES_VECTOR 4
#define TP_ROWS_TILES_MAX_TILE 8
#define TP_ROWS_TILES_MAX_VECTORS 4 /* of an item's columns of results */

/* What three nests are. */
typedef struct
{
  TpRows *rows;               /* (owned) */
  int greatest;               /* expressions of its reduction: what is subtracted, */
  int factor;                 /* and what powers are multiplied with in the end, */
  gboolean is_divisor;        /* or divided by */
  gint64 depth, width;        /* of queries and keys; of values */
} TpRowsTiles;

/* The values of a choice. Tiles are of scores; items next to each other have columns
 * next to each other. */
enum
{
  TP_ROWS_TILES_TILE_ROWS, TP_ROWS_TILES_TILE_COLS, /* of an item */
  TP_ROWS_TILES_ITEM_ROWS, TP_ROWS_TILES_ITEM_COLS, /* of a group */
};

/* A choice made. In local memory lie [row][depth], then [column][depth] or, in its
 * turn, [column][width], then [row][column] and [row][item of it]. */
typedef struct
{
  const TpRowsTiles *a;
  int tile_rows, tile_cols, item_rows, item_cols;
  int local_size;
  gint64 rows, cols;          /* of a block */
  gint64 n_row_blocks, n_col_blocks;
  int n_vectors;              /* of results that an item has in a row */
  gint64 depth;               /* in whole vectors */
  gint64 depth_pitch, value_pitch, score_pitch;
  gint64 keys, scores, joined; /* where those begin */
  gint64 n_local;             /* elements in all */
} TpRowsTilesPlan;

/* NULL: they are none of that. */
TpRowsTiles *tp_rows_tiles_new (const TpBuild *build, TpNest *const *nests,
                                int n);
void tp_rows_tiles_free (TpRowsTiles *tiles); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRowsTiles, tp_rows_tiles_free)

void tp_rows_tiles_plan_init (TpRowsTilesPlan *plan, const TpRowsTiles *tiles,
                              const gint64 *values);

#endif
