/* ranges.h: which plan is the cheapest between values of a dimension for which there
 * are figures. */
#ifndef TP_API_RANGES_H
#define TP_API_RANGES_H

#include "include/tplan.h"

/* Where one placement is the cheapest, by figures that lie on straight lines between
 * those of the values next to it. */
typedef struct
{
  double from, to;
  double cost_from_ns, cost_to_ns;
  guint8 *devices;            /* [node]; NULL: nothing is known of what is between */
  int n_copies;
  const char *reason;         /* then: why */
} TpRange;

typedef struct
{
  int n_ranges;
  TpRange *ranges;            /* by values, without gaps */
  int n_plans;                /* that were made to find them */
  gboolean is_proved;         /* each to be the cheapest */
} TpRanges;

void tp_ranges_free (TpRanges *ranges); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRanges, tp_ranges_free)

/* Whether there are any of such plans: for the least time, without limits of memory. */
gboolean tp_api_has_ranges (const TplanPlan *plan);

/**
 * tp_api_find_ranges:
 * @plans: of one model, for @values, which rise; whose figures and groups count; where
 *   they place it does not. tp_api_has_ranges () of all
 *
 * Noise is not heeded.
 *
 * Errors are those of tp_envelope_find ().
 */
TpRanges *tp_api_find_ranges (const TplanPlan *const *plans,
                              const gint64 *values, int n, GError **error);

#endif
