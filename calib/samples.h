/* samples.h: timings with what tells whether they were disturbed. */
#ifndef TP_CALIB_SAMPLES_H
#define TP_CALIB_SAMPLES_H

#include "calib/stats.h"

typedef struct
{
  gint64 time_ns;
  gint64 cpu_ns;              /* of all threads of the process meanwhile; 0: not
                               * known */
  int n_preempted;            /* how often one of them lost its processor */
  gint64 handover_ns;         /* tp_probe_handover_ns () just before; 0: not
                               * known */
} TpSample;

/* The counters now, the clock last; and what they went up by since, the clock
 * first: so their reading is in no time. */
void tp_sample_begin (TpSample *out_begin);
void tp_sample_end (const TpSample *begin, TpSample *out_sample);

/* Whether processors were further apart than they can be; @least_ns: the least
 * known (0: none). */
gboolean tp_samples_are_apart (gint64 handover_ns, gint64 least_ns);
/* The least hand-over where enough were as near as they can be, else what was
 * usual; 0: not known. */
gint64 tp_samples_find_handover (const TpSample *samples, int n,
                                 gint64 least_ns);
/* Disturbed is what was preempted, what had less of the processors than the best
 * of them by much, and what was taken while processors were apart. */
void tp_samples_find_disturbed (const TpSample *samples, int n,
                                gint64 least_handover_ns,
                                gboolean *out_is_disturbed);
/* The fast mode of the undisturbed, of all where those are too few; where there
 * is none the spread is at least a quarter. Returns how many were disturbed. */
int tp_samples_compute (const TpSample *samples, int n,
                        gint64 least_handover_ns, TpStats *out_stats);

#endif
