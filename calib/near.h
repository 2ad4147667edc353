/* near.h: whether processors are as near to each other as they can be. */
#ifndef TP_CALIB_NEAR_H
#define TP_CALIB_NEAR_H

#include "calib/precedence.h"
#include "calib/probe.h"
#include "calib/worker.h"

/* The host of a virtual machine moves its processors about, for seconds to a
 * minute, to where they share no cache, or a core. It is worth waiting for
 * better. */
#define TP_NEAR_MOST 4000     /* thousandths */

typedef struct
{
  int n_threads;              /* of the pool */
  TpProcessors least;         /* known, or expected by what the system says of
                               * caches and cores; 0: neither */
  gboolean expects_handover, expects_crowding;
  TpProcessors seen;          /* the least since tp_near_init (); hand-overs are
                               * those between cores */
  gint64 own_handover_ns;     /* the last within a core */
  gint64 known_contention;    /* before; 0: nobody knew */
  gint64 known_fma_ns;        /* likewise */
  double fma_sum;
  int n_fma;                  /* looks at the clock */
  int n_looks;                /* for contention */
  int looks[TP_NEAR_MOST + 1]; /* how often each was seen; the last: or more */
  TpProcessors in_vain;       /* expected, and never seen until tp_near_conclude ();
                               * 0: nothing was */
  gint64 waited_us, limit_us; /* for them, so far and at most */
  gboolean is_near;           /* they were, when last seen */
} TpNear;

/* @known: the least there was before; @is_brief: to wait for little. */
void tp_near_init (TpNear *self, int n_threads, const TpProcessors *known,
                   gboolean is_brief);
/* @processors: just now. */
void tp_near_note (TpNear *self, const TpProcessors *processors);
/* Returns once processors are near, or this has taken too long, or the child must
 * stop. Others run meanwhile: @precedence is left and taken again. */
void tp_near_wait (TpNear *self, TpPrecedence *precedence, TpChannel *channel);
/* At the end: where they never were as near as expected, they are as they are. */
void tp_near_conclude (TpNear *self);

#endif
