/* limit-flags.h: what matters to ops before, of where ops after them are. A flag says
 * whether any of some ops is on any of some devices, of those decided: on one, or, for a
 * group that gains on one, on any other. It lives from the last of them to the first, or
 * to what makes what they read; flags of the same ops are one.
 *
 * Whether a group is in effect is decided at its end, where it runs: from there on all that
 * its ops raise is up, and none of them may be elsewhere. Else it is apart, which is up. */
#ifndef TP_PLANNER_LIMIT_FLAGS_H
#define TP_PLANNER_LIMIT_FLAGS_H

#include "ir/array.h"
#include "planner/limit-scope.h"

typedef struct
{
  const int *ops;             /* ascending */
  int n;
  guint set;                  /* of devices */
  int low;                    /* the last op that asks for it; -1: the first */
  gboolean is_apart;          /* of a group: its ops are no one kernel */
  gint64 cost, weights;       /* paid and held once it is up */
  int slot;                   /* -1: not alive */
  int next;                   /* of those that begin with the same op */
} TpLimitFlag;

/* What a flag means to an op. */
typedef struct
{
  int flag;
  int apart;                  /* a flag that has to be up too; -1: none */
  int next;
  gint64 amount;
} TpLimitItem;

typedef struct
{
  const TpLimitScope *scope;  /* (unowned) */
  TpArray *flags;             /* TpLimitFlag */
  TpArray *items;             /* TpLimitItem */
  int *newest;                /* [op]: flags that begin with it */
  int *ends;                  /* [op]: the last op of its group, or itself */
  /* [op * n_devices + device]: items, or amounts: */
  int *ups;                   /* that are up with it there */
  int *made;                  /* paid if it is there */
  int *held;                  /* bytes while it runs */
  int *away;                  /* up where it may not be there */
  int *apart;                 /* the flag of its group, where that gains there; -1 */
  gint64 *own, *own_weights, *own_held; /* if it is there */
} TpLimitFlags;

/* @is_limited: [device]: of which bytes count. FALSE: they are too many. */
gboolean tp_limit_flags_init (TpLimitFlags *flags, const TpLimitScope *scope,
                              const gboolean *is_limited);
void tp_limit_flags_clear (TpLimitFlags *flags);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitFlags, tp_limit_flags_clear)

static inline TpLimitFlag *
tp_limit_flags_get (const TpLimitFlags *flags, int index)
{
  return &tp_array_index (flags->flags, TpLimitFlag, index);
}

static inline gsize
tp_limit_flags_index (const TpLimitFlags *flags, int op, int device)
{
  return (gsize) op * flags->scope->n_devices + device;
}

#endif
