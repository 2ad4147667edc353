/* contenders.h: several schedules of one kernel, timed beside each other: which are
 * tried, which go on, and which one is to be used. */
#ifndef TP_CALIB_CONTENDERS_H
#define TP_CALIB_CONTENDERS_H

#include "calib/tracks.h"
#include "schedule/program.h"

/* Schedules of @lowered that are to be timed beside the model's, which is not among
 * them: the best of @n_candidates by the model; with fewer than two, what the
 * model finds close and @known, the table's (nullable). @is_relaxed: some have larger
 * errors, where such are to be had. (owned) char * */
TpPointers *tp_contenders_list (const TpLowered *lowered,
                                const TpTarget *target, int n_candidates,
                                const char *known, gboolean is_relaxed);

#define TP_CONTENDERS_FINALISTS 3 /* that go on, as a rule */

/* Of each kernel only the model's schedule and the @n_kept fastest so far are timed
 * any longer, and as many of those with larger errors: the others leave @bound, a list
 * of links. */
void tp_contenders_thin (TpTracks *tracks, int n_kept, GArray *bound);

/* Says of each track whether another schedule of its kernel is to be used. The
 * model's is, unless one is faster by more than both intervals and by more than
 * what is worth it; one with larger errors may be used besides, by who takes them. */
void tp_contenders_judge (TpTracks *tracks);

/* Once judged: how the kernel of track @index came to its schedule; "": that one is
 * not to be used. */
char *tp_contenders_describe (const TpTracks *tracks, int index);

#endif
