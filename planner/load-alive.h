/* load-alive.h: which part of their limits devices have alive at once. */
#ifndef TP_PLANNER_LOAD_ALIVE_H
#define TP_PLANNER_LOAD_ALIVE_H

#include "planner/limit-held.h"

/* While a tensor is on a device. */
typedef struct
{
  int first, last;            /* steps; -1: it is not there */
} TpLoadSpan;

/* Sessions take as much, and more where arenas have gaps. A constant that is streamed counts as if
 * it stayed. It is kept of the placement asked about last: of another that has few ops elsewhere
 * only what these make and read is looked at. */
typedef struct
{
  const TpLimitHeld *held;    /* (unowned) */
  guint8 *devices;            /* [op]: of the last */
  int *places;                /* [op]: the op with which it runs */
  TpLoadSpan *spans;          /* [tensor * n_devices + device] */
  double *changes;            /* [device * (n_ops + 1) + step]: of bytes */
  double *most;               /* [device]: bytes at once; -1: to be found again */
  int *firsts, *tensors;      /* [op], into the other: what it makes and reads */
  guint8 *is_stale;           /* [tensor] */
  TpArray *stale;             /* int */
  gint64 n_met;               /* what was looked at, in tensors */
} TpLoadAlive;

/* @held: of a problem with limits. */
void tp_load_alive_init (TpLoadAlive *alive, const TpLimitHeld *held);
void tp_load_alive_clear (TpLoadAlive *alive);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLoadAlive, tp_load_alive_clear)

/* @taken: (out): [device]: 1: the limit; 0: there is none. */
void tp_load_alive_measure (TpLoadAlive *alive, const guint8 *devices,
                            double *taken);

#endif
