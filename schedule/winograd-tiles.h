/* winograd-tiles.h: Winograd's minimal filtering on GPUs, in one kernel: a group
 * makes the results of some tiles for some filters. A few channels at a time, it
 * transforms what the tiles read of x to local memory, with filters that were
 * transformed when they were packed beside it. Each of the 16 points is a product
 * of its own, of as many items; these exchange their sums through local memory, and
 * transform them to results. */
#ifndef TP_SCHEDULE_WINOGRAD_TILES_H
#define TP_SCHEDULE_WINOGRAD_TILES_H

#include "schedule/winograd.h"

#define TP_WINOGRAD_OUT 2      /* rows and columns of a tile's results */
#define TP_WINOGRAD_SIDE 4     /* of its points */
#define TP_WINOGRAD_POINTS 16

#define TP_WINOGRAD_TILES_VECTOR 4 /* of an item's columns */
#define TP_WINOGRAD_TILES_MAX_TILE 8
#define TP_WINOGRAD_TILES_MAX_PAIRS 2
#define TP_WINOGRAD_TILES_MAX_VECTORS 8

/* The values of a choice of the family "winograd-tiles". Columns are filters where
 * these are contiguous in the result, else tiles. */
enum
{
  TP_WINOGRAD_TILES_TILE_ROWS, TP_WINOGRAD_TILES_TILE_COLS, /* of an item */
  TP_WINOGRAD_TILES_ITEM_ROWS, TP_WINOGRAD_TILES_ITEM_COLS, /* of a point */
  TP_WINOGRAD_TILES_DEPTH,     /* channels in local memory */
  TP_WINOGRAD_TILES_PARTS,     /* of channels, in groups of their own */
};

/* Rows or columns of the products: tiles, or filters. */
typedef struct
{
  gint64 extent;
  int tile, items;            /* of an item, items of a point along this side */
  gint64 block, n_blocks;     /* of a group */
  gint64 first, pitch;        /* in local memory: where it begins, elements to the
                               * next channel; to the next point it is a block */
} TpWinogradTilesSide;

/* A nest with a choice. */
typedef struct
{
  const TpWinograd *w;
  TpWinogradTilesSide sides[2];
  int tiles, filters;         /* which side is which */
  gint64 n_rows, n_cols;      /* tiles of a picture */
  int local_size, depth;
  gint64 n_parts, n_steps;    /* steps of a part */
  gboolean is_along_channels; /* neighbours read neighbours along channels */
  int n_pairs;                /* of a tile and a channel, that an item transforms */
  gboolean is_partial;        /* there are more items than pairs */
  int n_vectors;              /* of filters that an item copies */
  gint64 n_local;             /* elements of local memory */
} TpWinogradTiles;

void tp_winograd_tiles_init (TpWinogradTiles *plan, const TpWinograd *w,
                             const gint64 *values);
/* Elements of packed filters that a step reads, of one block. */
gint64 tp_winograd_tiles_step_size (const TpWinogradTiles *plan);
/* Sums that all items exchange at once. */
gint64 tp_winograd_tiles_count_exchanged (const TpWinogradTiles *plan);

#endif
