/* place.h: order statistics, a row at a time: where the greatest elements stand. */
#ifndef TP_SCHEDULE_PLACE_H
#define TP_SCHEDULE_PLACE_H

#include "schedule/emit.h"

#define TP_PLACE_MOST_UNROLLED 4

/* What a nest is. */
typedef struct
{
  const TpTarget *target;
  TpNest *nest;               /* whose rank axis no grid walks */
  int axis;                   /* that of the elements */
  int rank;                   /* that of the ranks, or -1 */
  gint64 n, k;                /* elements, how many of them are wanted */
  gint64 n_points;            /* rows */
  gboolean is_integer;        /* elements of 64 bits, not of 32 */
  gboolean is_straight;       /* vectors run along the elements */
} TpPlace;

/* The values of a choice. */
enum
{
  TP_PLACE_LANES,
  TP_PLACE_TURNS,             /* one after the other, or all above a threshold */
  TP_PLACE_SORT,              /* these by their digits, or each compared with all */
  TP_PLACE_ITEMS,             /* work-items of a row; 1 on CPUs */
  TP_PLACE_POINTS,            /* rows per group, about */
  TP_PLACE_SCRATCH,           /* keys are kept there, or made whenever they are asked
                               * for */
};

/* The choice made. Keys are integers in the order of the elements: I32 of reals, INDEX
 * of integers. */
typedef struct
{
  const TpPlace *a;
  int lanes, items;
  gboolean takes_turns, sorts_digits;
  gboolean has_keys;          /* in scratch */
  int unroll;                 /* vectors of keys at once */
  int step;                   /* keys that a vector of others is compared with at once */
  gint64 padded;              /* keys, and what fills their last vectors */
  int keys;                   /* buffers of the group */
  int kept_keys, kept_at;     /* what is above the threshold, and where it stands */
  int ranks, order;           /* what comes before each, and the places in order */
  int counts;                 /* of each digit */
  int parts[2];               /* what each item has to say */
} TpPlacePlan;

/* For @kernel, to which scratch is added. */
void tp_place_plan_init (TpPlacePlan *plan, const TpPlace *place,
                         const TpChoice *choice, TpKernel *kernel);
/* Bytes of scratch of a group. */
gint64 tp_place_count_bytes (const TpPlace *place, const TpChoice *choice);
/* All results of the row at which the spatial axes are. */
void tp_place_emit_row (const TpPlacePlan *plan, TpEmit *emit);

#endif
