/* winograd-tiles-copy.h: what a step needs: from global memory to registers, and,
 * transformed, on to local memory. */
#ifndef TP_SCHEDULE_WINOGRAD_TILES_COPY_H
#define TP_SCHEDULE_WINOGRAD_TILES_COPY_H

#include "schedule/span.h"
#include "schedule/winograd-tiles.h"

/* Where the results of a tile are. */
typedef struct
{
  TpSpan outer;
  TpSpanPlace place;
  TpValue row, col;           /* of the first */
} TpWinogradTilePlace;

/* Takes number @tile apart; the last tile instead of what is none. */
void tp_winograd_tile_place (TpWinogradTilePlace *out_place,
                             const TpWinogradTiles *plan, TpEmit *emit,
                             TpValue tile);

/* A tile and a channel. */
typedef struct
{
  TpWinogradTilePlace place;
  TpValue channel;            /* within the step */
  TpValue at;                 /* element of local memory */
} TpWinogradPair;

typedef struct
{
  const TpWinogradTiles *plan;
  int buffer;                 /* of the kernel, in local memory */
  TpValue filters;            /* where those of the block begin, and this item */
  TpValue is_copied;          /* mask; -1: every item has a pair of its own */
  TpWinogradPair pairs[TP_WINOGRAD_TILES_MAX_PAIRS];
} TpWinogradCopy;

/* In registers. */
typedef struct
{
  TpValue points[TP_WINOGRAD_TILES_MAX_PAIRS][TP_WINOGRAD_POINTS];
  TpValue is_inside[TP_WINOGRAD_TILES_MAX_PAIRS]; /* mask; -1: there is no end */
  TpValue filters[TP_WINOGRAD_TILES_MAX_VECTORS];
} TpWinogradFetched;

/* Before the loop over channels. @blocks: numbers, along both sides. */
void tp_winograd_copy_init (TpWinogradCopy *copy, const TpWinogradTiles *plan,
                            TpEmit *emit, const TpValue blocks[2]);
void tp_winograd_copy_fetch (const TpWinogradCopy *copy, TpEmit *emit,
                             TpValue step, TpWinogradFetched *out);
void tp_winograd_copy_put (const TpWinogradCopy *copy, TpEmit *emit,
                           const TpWinogradFetched *fetched);

#endif
