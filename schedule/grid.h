/* grid.h: the spatial points of a nest, spread over groups and loops. */
#ifndef TP_SCHEDULE_GRID_H
#define TP_SCHEDULE_GRID_H

#include "schedule/emit.h"

/* How the spatial points are spread over groups and loops. */
typedef struct
{
  int n;
  int order[TP_NEST_MAX_AXES];/* outer to inner; the vector axis is last */
  int vaxis;                  /* -1: none */
  int lanes;
  int unroll;                 /* vectors per step along vaxis; 1 or more */
  gint64 n_before, n_after;   /* points at both ends of vaxis that run alone, where
                               * guards may fail; on CPUs */
  int tile_axis;              /* -1: none; else before vaxis */
  int tile;                   /* points of tile_axis per step; at most as many
                               * lie before tile_lo, or after tile_hi */
  gint64 tile_lo, tile_hi;    /* where guards hold for the whole window */
  gint64 tile_step;           /* between the points of a tile; on CPUs 1 */
  gint64 group_points;        /* per group, about */
  int local_size;             /* above 1: a tile per work-item, so many items
                               * per group; lanes divide their axis, a tile with
                               * steps above 1 too, and unroll is 1 */
} TpGrid;

/* Emits the computation of @tile x @vectors x lanes points at the current
 * position: deltas of tile_step along the tile axis, and multiples of lanes. */
typedef void (*TpBodyFunc) (TpEmit *emit, int tile, int vectors, void *data);

void tp_grid_init (TpGrid *grid, const TpNest *nest);
void tp_grid_emit (const TpGrid *grid, TpEmit *emit, TpBodyFunc body,
                   void *data);

#endif
