/* compare.h: orders for qsort () and the sorts of GLib: least first. */
#ifndef TP_IR_COMPARE_H
#define TP_IR_COMPARE_H

#include <glib.h>

#include <string.h>

static inline int
tp_compare_int (const void *a, const void *b)
{
  int x = *(const int *) a, y = *(const int *) b;

  return (x > y) - (x < y);
}

static inline int
tp_compare_int64 (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* None of which is NaN. */
static inline int
tp_compare_double (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* What char pointers point to, byte by byte. */
static inline int
tp_compare_text (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

#endif
