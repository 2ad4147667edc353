/* speeds.h: how fast engines are beside each other, as the row of a device keeps it.
 *
 * Text: for each other device "NAME KEY S S ...; ", 36 speeds as those of a graph's
 * costs of two devices, that one first (ir/interference.h), or "NAME KEY failed" where a
 * driver did not survive it. KEY says which row of the
 * other it was: measured with another driver it would be another. */
#ifndef TP_CALIB_SPEEDS_H
#define TP_CALIB_SPEEDS_H

#include "calib/cost-db.h"
#include "ir/interference.h"

#define TP_SPEEDS_N (TP_SPEEDS_MAX_ENGINES * TP_SPEEDS_MAX_ENGINES)

/* Of two rows, what was measured of both: @out [TP_SPEEDS_N], @first's engines first.
 * FALSE: nothing was. */
gboolean tp_speeds_find_measured (const TpDeviceRow *first,
                                  const TpDeviceRow *second, int *out);
/* Whether that is to be measured no more: it was, or cannot be. */
gboolean tp_speeds_are_settled (const TpDeviceRow *first,
                                const TpDeviceRow *second);
/* Adds, or replaces, what @row says of it beside @other; @speeds NULL: it failed. */
void tp_speeds_keep (TpDeviceRow *row, const TpDeviceRow *other,
                     const int *speeds);
/* The other device of the measured part @index of @row's, and what is said beside it;
 * NULL: there are no more. The caller frees. */
char *tp_speeds_dup_other (const TpDeviceRow *row, int index, int *out);
/* NULL: none. The caller frees. */
char *tp_speeds_find_fault (const char *text);

/**
 * tp_speeds_fill:
 * @rows: [device of @costs]: (nullable) rows of measured ones
 *
 * Sets @costs->speeds if anything is known of any two.
 */
void tp_speeds_fill (TpCosts *costs, TpDeviceRow *const *rows);

#endif
