/* rows-tiles-copy.h: rows of queries, keys and values from global to local memory. */
#ifndef TP_SCHEDULE_ROWS_TILES_COPY_H
#define TP_SCHEDULE_ROWS_TILES_COPY_H

#include "schedule/emit.h"

/* A load of the nest at [row][element], from row @first on, @n_rows of them, of
 * @n_elements each, whole vectors. */
typedef struct
{
  int load;
  int row_axis, axis;
  TpValue first;
  gint64 n_rows, n_elements;
  int local;                  /* buffer of the kernel */
  gint64 at, pitch;           /* there */
  gboolean is_whole;          /* no row is behind the last one */
  gboolean fills;             /* with 0 behind the last row, and element */
} TpRowsCopy;

/* By all items of a group. What is behind the end is the last one's again, unless
 * filled. */
void tp_rows_copy_emit (const TpRowsCopy *copy, TpEmit *emit);

#endif
