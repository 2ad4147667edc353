/* sittings.h: the figures of a kernel from several processes as one.
 *
 * One process is never quite as fast as the next: where its memory lies, which
 * threads share a cache, what guests of the host do meanwhile. No sample of one shows
 * that. */
#ifndef TP_CALIB_SITTINGS_H
#define TP_CALIB_SITTINGS_H

#include "calib/cost-db.h"

#define TP_SITTINGS_MOST 3

typedef struct TpSittings TpSittings;

TpSittings *tp_sittings_new (void);
void tp_sittings_free (TpSittings *sittings); /* (nullable) */

/* What is taken from now on is of sitting @index; whatever was of it is
 * forgotten. */
void tp_sittings_begin (TpSittings *sittings, int index);
/* @row: of this sitting, in place of what it said of that kernel before. Its figures
 * become those of all sittings, its half_ns what later processes are in as well. */
void tp_sittings_take (TpSittings *sittings, TpEntryRow *row);

#endif
