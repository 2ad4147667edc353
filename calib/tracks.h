/* tracks.h: the kernels of a chain whose times are wanted, and their samples. */
#ifndef TP_CALIB_TRACKS_H
#define TP_CALIB_TRACKS_H

#include "calib/chain.h"

/* Equal kernels of the chain are one track. */
typedef struct
{
  int key;                    /* the first of equal ones */
  int pass;                   /* the first it is in; no other counts */
  GArray *links;              /* int: its places in the chain */
  const char *schedule;
  TpStats stats;              /* of the last tp_tracks_compute (); n is 0 while
                               * there are no samples */
  TpProcessors processors;    /* of the place where they were worst */
  gboolean is_beaten;         /* no plan will have it here: calib/beaten.h */
  gboolean is_out;            /* not timed any longer: calib/contenders.h */
  gboolean is_tried;          /* another schedule of its kernel is to be used */
} TpTrack;

typedef struct
{
  const TpChain *chain;
  GArray *tracks;             /* TpTrack */
  GArray **samples;           /* per link: TpSample; NULL: time not wanted */
  GArray *scales[TP_N_PASSES]; /* gint64: millionths, one for each time run */
  int n_samples, n_disturbed, n_contended; /* at the last
                               * tp_tracks_compute () */
  TpProcessors least;         /* set by who knows; 0: nobody does */
} TpTracks;

/* @is_wanted: per key. */
void tp_tracks_init (TpTracks *tracks, const TpChain *chain,
                     const gboolean *is_wanted);
void tp_tracks_clear (TpTracks *tracks);

/* Adds what chain has timed; @samples: per link, those of time 0 left out. */
void tp_tracks_take (TpTracks *tracks, const TpSample *samples, int pass);
void tp_tracks_forget (TpTracks *tracks);

/* Estimates each place by itself and takes their mean: so figures add up to the
 * time of the network. */
void tp_tracks_compute (TpTracks *tracks);

/* How many samples were taken while processors were apart: further than the least
 * allows, or than @in_vain does, as near as which they never were, so that figures
 * are of that. */
int tp_tracks_count_apart (const TpTracks *tracks, const TpProcessors *in_vain);

/* Whether the times stand: each by its own interval, or all that do not make
 * less than a per cent of the whole together; those beaten do. With @out_is_settled: (nullable)
 * per track: whether it need not be measured again. */
gboolean tp_tracks_are_settled (const TpTracks *tracks, int n_min,
                                gboolean *out_is_settled);

/* Whether these two tell of different times. */
gboolean tp_tracks_has_odd_clock (const TpTracks *tracks);

#endif
