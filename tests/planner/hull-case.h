/* hull-case.h: which points are corners of the lower hull, by all planes there are. */
#ifndef TP_TESTS_HULL_CASE_H
#define TP_TESTS_HULL_CASE_H

#include <glib.h>

typedef struct
{
  gint64 at[3];               /* at least 0, below 2^31 */
} TpHullPoint;

int tp_hull_case_compare (const void *a, const void *b);
/* @worth: [3] */
double tp_hull_case_weigh (const TpHullPoint *point, const double *worth);

/**
 * tp_hull_case_keep:
 * @points: [@n]: in any order, is sorted
 * @out: [@n]: those that are no mean of others and no more than one, each once, sorted
 *
 * By the words: a plane through three of them, or through fewer and along axes, below
 * which there is nothing, holds a face; where three of these meet in one point is a
 * corner.
 */
int tp_hull_case_keep (TpHullPoint *points, int n, TpHullPoint *out);

#endif
