/* limit-held.h: what ops hold in memory, step after step, wherever they are. */
#ifndef TP_PLANNER_LIMIT_HELD_H
#define TP_PLANNER_LIMIT_HELD_H

#include "ir/array.h"
#include "planner/problem.h"

__extension__ typedef __int128 TpLimitWide;

#define TP_LIMIT_FREE (-1)    /* of an op that has no device yet */

/* The bytes of a tensor and its views. */
typedef struct
{
  gboolean is_constant;
  gboolean is_streamed;       /* of a constant of the host */
  int maker;                  /* -1: an input, or a constant */
  gint64 size_bytes;
  guint hidden;               /* set of devices: a group may keep it to itself
                               * there */
  int first, n;               /* readers: ops that are no views, ascending */
} TpLimitHolding;

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  TpLimitHolding *items;      /* [tensor]; of no bytes: a view */
  TpArray *readers;           /* int */
  int *group_of;              /* [op]: -1: none that is offered */
  gint64 all_bytes;           /* of all: no placement holds more */
  int *found;                 /* [op]: holders just found */
  TpLimitWide *changes;       /* [op]: of what is held, while a peak is found */
} TpLimitHeld;

void tp_limit_held_init (TpLimitHeld *held, const TpProblem *problem);
void tp_limit_held_clear (TpLimitHeld *held);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitHeld, tp_limit_held_clear)

/* What @price takes for @bytes. */
static inline gint64
tp_limit_price (gint64 price, gint64 bytes)
{
  return (gint64) ((TpLimitWide) price * bytes >> 30);
}

/* The largest price of 2^30 bytes for which nothing overflows, where all else that can be
 * paid adds up to @sum; @limits: [device]. */
gint64 tp_limit_held_max_price (const TpLimitHeld *held, const gint64 *limits,
                                gint64 sum);

static inline gboolean
tp_limit_held_is_hidden (const TpLimitHolding *it, int device)
{
  return (it->hidden >> device & 1) != 0;
}

/* Whether @it has no bytes of its own on @device: what is streamed is there as the
 * constant that it is. */
static inline gboolean
tp_limit_held_is_kept (const TpLimitHeld *held, const TpLimitHolding *it,
                       int device)
{
  return it->is_streamed && device == held->problem->costs->host;
}

static inline gboolean
tp_limit_is_any_on (const int *ops, int n, const gint8 *devices, int device)
{
  for (int i = 0; i < n; i++)
    if (devices[ops[i]] == device)
      return TRUE;
  return FALSE;
}

/* Bytes of tensor @index that any of the ops in @found, *@out_n, holds on @device
 * when @step begins. */
gint64 tp_limit_held_find (const TpLimitHeld *held, int index, int device,
                           int step, int *out_n);

/* What @devices (TP_LIMIT_FREE: either) holds at least on @device when op @step
 * begins. */
gint64 tp_limit_held_sum (const TpLimitHeld *held, const gint8 *devices,
                          int device, int step);
/* The most of these over all steps, and the first with so much. */
gint64 tp_limit_held_peak (const TpLimitHeld *held, const gint8 *devices,
                           int device, int *out_step);
/* Adds @part of what @devices holds, about, to @sums: [step]. */
void tp_limit_held_add (const TpLimitHeld *held, const gint8 *devices, int device,
                        double part, double *sums);
/* @shares: [op]: bytes that it, with others or alone, holds on @device at @step. */
void tp_limit_held_share (const TpLimitHeld *held, int device, int step,
                          gint64 *shares);

#endif
