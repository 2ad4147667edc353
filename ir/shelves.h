/* shelves.h: offsets for buffers of one size. */
#ifndef TP_IR_SHELVES_H
#define TP_IR_SHELVES_H

#include "ir/intervals.h"

/* Of @intervals those that @sequence begins with, in its order, each at the lowest
 * offset where it meets none before it that is alive at the same time. Returns how
 * many of the @n: it ends before the first that is of another height, by @align, or over
 * before one placed begins. Steps are not negative, sizes not 0. */
int tp_shelves_fill (TpInterval *intervals, const int *sequence, int n,
                     gint64 align, TpScratch *scratch);

#endif
