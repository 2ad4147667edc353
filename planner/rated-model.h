/* rated-model.h: what placements take of time, energy and money: times, each as often as
 * a nanosecond of its engine counts. */
#ifndef TP_PLANNER_RATED_MODEL_H
#define TP_PLANNER_RATED_MODEL_H

#include "ir/rate-proof.h"
#include "planner/problem.h"

/* What placements take that rent the same. Zeroed at first. */
typedef struct
{
  gint64 weights[TP_RATES_MAX_ENGINES];
  gint64 divisor;             /* they are so many times less, rounded down */
  gint64 times;               /* and then raised: so many times more, and 1; 0: not */
  TpProblem *weighed;         /* by them; the problem outlives it */
} TpRated;

void tp_rated_clear (TpRated *rated);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpRated, tp_rated_clear)

/* @aims: all that are not 0 are stated; @used: devices that have ops, a bit for each.
 * FALSE: too much for numbers. */
gboolean tp_rated_init (TpRated *rated, const TpProblem *problem,
                        const gint64 *aims, guint used);

/* The same with sums of all costs below @limit, by the least divisor for that, or by
 * one that leaves no rest. */
gboolean tp_rated_init_below (TpRated *rated, const TpProblem *problem,
                              const gint64 *aims, guint used, gint64 limit);

/* Where times on a device count nothing, no group there would be one kernel, and what is
 * between its ops be held: all count a little more then, with sums below @limit. */
void tp_rated_raise (TpRated *rated, const TpProblem *problem, gint64 limit);

/* Whether what @aim wants is stated of all devices; TPLAN_ERROR_USAGE. */
gboolean tp_rated_check (const TpProblem *problem, TpAim aim, GError **error);
/* Likewise all that @problem asks for. */
gboolean tp_rated_check_all (const TpProblem *problem, GError **error);
/* TPLAN_ERROR_LIMIT; FALSE. */
gboolean tp_rated_fail_limit (GError **error);
/* What sums of all costs there are stay below when times count @most. */
gboolean tp_rated_fits (const TpProblem *problem, gint64 most);

/* The devices that have an op, a bit for each. */
guint tp_rated_list_used (const TpProblem *problem, const guint8 *devices);
/* What a placement takes of @aim; -1: too much for a number. */
gint64 tp_rated_sum (const TpProblem *problem, const guint8 *devices,
                     TpAim aim);
/* The same of what @problem asks for. */
gint64 tp_rated_take (const TpProblem *problem, const guint8 *devices);
/* @tried takes the place of @best, whose cost @proof has, where it takes less. FALSE:
 * TPLAN_ERROR_LIMIT. */
gboolean tp_rated_offer (const TpProblem *problem, const guint8 *tried,
                         guint8 *best, TpRateProof *proof, GError **error);
/* Sets the totals of @proof. FALSE: TPLAN_ERROR_LIMIT. */
gboolean tp_rated_fill_totals (const TpProblem *problem, const guint8 *devices,
                               TpRateProof *proof, GError **error);

#endif
