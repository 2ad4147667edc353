/* nest-match.h: how the axes of two nests that meet at an operand correspond.
 * Private to fusion. */
#ifndef TP_NEST_NEST_MATCH_H
#define TP_NEST_NEST_MATCH_H

#include "nest/nest.h"

/* Where the guest stands, as a function of where the host stands. */
typedef struct
{
  gint64 coef[TP_NEST_MAX_AXES];
  gint64 offset;
} TpDigit;

typedef struct
{
  const TpNest *host;
  const TpNest *guest;
  gint64 stride[TP_NEST_MAX_AXES];    /* the host's, still to be matched */
  gint64 offset;                      /* host's minus guest's, likewise */
  const TpAccess *access;             /* the guest's */
  TpDigit digits[TP_NEST_MAX_AXES];     /* per axis of the guest */
  int guard_axis[TP_NEST_MAX_GUARDS]; /* axis of the guest each guard is */
  gboolean is_done[TP_NEST_MAX_AXES]; /* by a guard */
} TpMatch;

void tp_match_init (TpMatch *match, const TpNest *host,
                    const TpAccess *host_access, const TpNest *guest,
                    const TpAccess *guest_access);
/* A guard of the host becomes an axis of the guest; before solving. */
gboolean tp_match_guard (TpMatch *match, const TpGuard *guard, int *out_axis);
/* Every axis of the guest over those of the host; FALSE: they do not line up. */
gboolean tp_match_solve (TpMatch *match);
/* @access of the guest over the axes of the host. */
TpAccess tp_match_rewrite (const TpMatch *match, const TpAccess *access);

#endif
