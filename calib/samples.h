/* samples.h: timings with what tells whether they were disturbed. */
#ifndef TP_CALIB_SAMPLES_H
#define TP_CALIB_SAMPLES_H

#include "calib/probe.h"
#include "calib/stats.h"

typedef struct
{
  gint64 time_ns;
  gint64 cpu_ns;              /* of all threads of the process meanwhile; 0: not
                               * known */
  int n_preempted;            /* how often one of them lost its processor */
  TpProcessors processors;    /* just before; contention: just after, where that
                               * is more */
  gboolean is_starved;        /* memory was short in the system meanwhile */
} TpSample;

/* The counters now, the clock last; and what they went up by since, the clock
 * first: so their reading is in no time. */
void tp_sample_begin (TpSample *out_begin);
void tp_sample_end (const TpSample *begin, TpSample *out_sample);
/* The same by the clock alone, for several in a row; what the counters went up by
 * since @begin is told to all of them, @samples [@which[i]], later, and the next row
 * begins. Processor time is told where there is but one (with time above 0). */
void tp_sample_begin_next (TpSample *begin);
void tp_sample_end_next (const TpSample *begin, TpSample *out_sample);
void tp_sample_count (TpSample *begin, const int *which, int n,
                      TpSample *samples);

/* What it would have taken at the clock that times are told at, @least->fma_ns; what
 * it took, where one of the two is not known. */
gint64 tp_sample_get_told_ns (const TpSample *sample, const TpProcessors *least);

/* Whether processors were further from each other than they can be, or shared
 * more; @least: what is known of that. */
gboolean tp_samples_are_apart (const TpProcessors *processors,
                               const TpProcessors *least);
/* Whether somebody else used the units of their cores. */
gboolean tp_samples_are_contended (const TpProcessors *processors,
                                   const TpProcessors *least);
/* @least, less where @processors is. */
void tp_samples_note_least (TpProcessors *least, const TpProcessors *processors);
/* What was usual among those not apart, or not contended for, where these are
 * enough, else among all. */
void tp_samples_find_processors (const TpSample *samples, int n,
                                 const TpProcessors *least,
                                 TpProcessors *out_processors);
/* Disturbed is what was preempted, what had less of the processors than the best
 * of them by much, and what was taken while processors were apart or contended
 * for, or memory was short. */
void tp_samples_find_disturbed (const TpSample *samples, int n,
                                const TpProcessors *least,
                                gboolean *out_is_disturbed);
/* Of the times told, the fast mode of the undisturbed, of all where those are too few; where there
 * is none the spread is at least a quarter. Returns how many were disturbed. */
int tp_samples_compute (const TpSample *samples, int n,
                        const TpProcessors *least, TpStats *out_stats);

#endif
