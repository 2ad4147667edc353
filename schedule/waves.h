/* waves.h: contractions on GPUs whose waves multiply matrices by an instruction (MMA).
 * Blocks go to local memory as those of tiles.h do; a wave has some squares of 16 x 16
 * results of its group's block.
 *
 * The instruction takes numbers of TF32, of 11 digits, and adds up what it likes in
 * which order. A float32 is two of those (tiles-copy.h), a product of two floats three
 * products, the least of the four left out; a float16 or bfloat16 is one. Each step of
 * K is added up from 0, and then to sums of float32 by the item. So errors are as large
 * as those of Winograd's filtering: below 1e-6 of the sum of the magnitudes. What is not
 * finite makes results that are none, be it an infinity. */
#ifndef TP_SCHEDULE_WAVES_H
#define TP_SCHEDULE_WAVES_H

#include "schedule/tiles.h"

#define TP_WAVES_MAX_SQUARES 8 /* of a wave: 64 sums of an item */

/* The values of a choice. */
enum
{
  TP_WAVES_SQUARE_ROWS,
  TP_WAVES_SQUARE_COLS, /* squares of a wave */
  TP_WAVES_ROWS,
  TP_WAVES_COLS,        /* waves of a group */
  TP_WAVES_DEPTH,       /* of K in local memory */
  TP_WAVES_BUFFERS,     /* 2: the next step is fetched meanwhile */
  TP_WAVES_PARTS,       /* of K, in groups of their own; added up after */
  TP_WAVES_N_VALUES,
};

/* A choice made. */
typedef struct
{
  TpTilePlan tiles;
  int squares[2], waves[2];   /* along each side: of a wave, of the group */
} TpWavePlan;

/* What @nest is; NULL: none for them. */
TpTiles *tp_waves_new (const TpBuild *build, const TpNest *nest);
void tp_wave_plan_init (TpWavePlan *plan, const TpTiles *tiles,
                        const gint64 *values);

#endif
