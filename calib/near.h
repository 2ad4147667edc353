/* near.h: whether processors are as near to each other as they can be. */
#ifndef TP_CALIB_NEAR_H
#define TP_CALIB_NEAR_H

#include "calib/precedence.h"
#include "calib/worker.h"

/* The host of a virtual machine moves its processors about, for seconds to a
 * minute, to where they share no cache. It is worth waiting for them. */
typedef struct
{
  int n_threads;              /* of the pool */
  gint64 least_ns;            /* hand-over known, or expected; 0: neither */
  gboolean is_expected;       /* by what the system says of its caches only */
  gint64 seen_ns;             /* the least since tp_near_init (); 0: none */
  gint64 waited_us;           /* for them, so far */
  gboolean is_near;           /* they were, when last seen */
} TpNear;

/* @known_ns: the least there was before, 0: none. */
void tp_near_init (TpNear *self, int n_threads, gint64 known_ns);
/* @handover_ns: seen just now; 0: not known. */
void tp_near_note (TpNear *self, gint64 handover_ns);
/* Returns once processors are near, or this has taken too long, or the child must
 * stop. Others run meanwhile: @precedence is left and taken again. */
void tp_near_wait (TpNear *self, TpPrecedence *precedence, TpChannel *channel);
/* At the end: where they never were as near as expected, they are as they are. */
void tp_near_conclude (TpNear *self);

#endif
