/* load-alive.h: which part of their limits devices have alive at once. */
#ifndef TP_PLANNER_LOAD_ALIVE_H
#define TP_PLANNER_LOAD_ALIVE_H

#include "planner/limit-held.h"

/* Sessions take as much, and more where arenas have gaps. A constant that is streamed counts as if
 * it stayed. */
typedef struct
{
  const TpLimitHeld *held;    /* (unowned) */
  int *places;                /* [op]: the op with which it runs */
  double *changes;            /* [step]: of bytes, on one device */
} TpLoadAlive;

/* @held: of a problem with limits. */
void tp_load_alive_init (TpLoadAlive *alive, const TpLimitHeld *held);
void tp_load_alive_clear (TpLoadAlive *alive);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLoadAlive, tp_load_alive_clear)

/* @taken: (out): [device]: 1: the limit; 0: there is none. */
void tp_load_alive_measure (TpLoadAlive *alive, const guint8 *devices,
                            double *taken);

#endif
