/* skyline.h: how far up all is taken at each step, and how far anything. */
#ifndef TP_IR_SKYLINE_H
#define TP_IR_SKYLINE_H

#include "ir/scratch.h"

typedef struct TpSkylineVertex TpSkylineVertex;

/* Of intervals at aligned offsets. Those to come have @least_bytes or more. */
typedef struct
{
  int base;                   /* leaves: a power of two */
  gint64 align;
  gint64 least_bytes;         /* above 0 */
  TpSkylineVertex *vertices;
} TpSkyline;

typedef struct
{
  int first, last;            /* inclusive */
} TpSteps;

/* At least one of the steps lets nothing begin below the floor; at the top all
 * of them are free. Both are aligned. */
typedef struct
{
  gint64 floor, top;
} TpHeights;

/* Steps are 0 to @n_steps - 1. */
void tp_skyline_init (TpSkyline *skyline, int n_steps, gint64 align,
                      gint64 least_bytes, TpScratch *scratch);

/* Adds what takes @offset to @end, which is more. Once more, after what is below
 * it, it may raise floors that it did not before. */
void tp_skyline_add (TpSkyline *skyline, TpSteps steps, gint64 offset,
                     gint64 end);

TpHeights tp_skyline_get (const TpSkyline *skyline, TpSteps steps);

/* The multiple of @align that is no less; G_MAXINT64 when it cannot be counted. */
gint64 tp_skyline_align_up (gint64 value, gint64 align);

#endif
