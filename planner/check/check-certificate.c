/* check-certificate.c: the kinds of certificates. To add one, write its check in a
 * file of its own, and a row. */
#include "config.h"

#include "planner/check/check-certificate.h"

#include "planner/check/check-load.h"
#include "planner/check/check-memory.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-rated-several.h"
#include "planner/check/check-rated.h"
#include "planner/check/check-shares.h"
#include "planner/check/check-span.h"

/* Of what keeps to limits of memory there may be a proof of its own. */
static void
check_shares (TpChecker *checker)
{
  tp_checker_check_shares (checker);
  if (checker->plan->memory_proof != NULL)
    tp_checker_check_memory_proof (checker);
}

static const struct
{
  const char *name;
  int max_devices;
  void (*check) (TpChecker *checker);
} certificates[] = {
  { "min-cut", 2, tp_checker_check_cut },
  { TP_PLAN_MEMORY_TREE, 2, tp_checker_check_memory_tree },
  { TP_PLAN_SHARE_TREE, TP_CHECKER_MAX_SHARING, check_shares },
  { TP_PLAN_WEIGHTED_CUT, 2, tp_checker_check_load },
  { TP_PLAN_WEIGHTED_SHARES, TP_CHECKER_MAX_SHARING,
    tp_checker_check_load_several },
  { TP_PLAN_RATED_CUT, 2, tp_checker_check_rated },
  { TP_PLAN_RATED_SHARES, TP_CHECKER_MAX_SHARING,
    tp_checker_check_rated_several },
  { TP_PLAN_SCHEDULE, TP_CHECKER_MAX_SHARING, tp_checker_check_span },
};

/* Throughput is proved by loads, makespan by them and a schedule, energy and price by
 * rates, and nothing else is; what fits by trees of choices, where time is. */
static void
check_kind (TpChecker *checker, const char *kind)
{
  static const char *const rated[] = { "energy", "price", "weighted", NULL };
  const TpPlan *plan = checker->plan;
  gboolean is_load = g_strcmp0 (kind, TP_PLAN_WEIGHTED_CUT) == 0
                     || g_strcmp0 (kind, TP_PLAN_WEIGHTED_SHARES) == 0;
  gboolean is_rated = g_strcmp0 (kind, TP_PLAN_RATED_CUT) == 0
                      || g_strcmp0 (kind, TP_PLAN_RATED_SHARES) == 0;
  gboolean is_span = g_strcmp0 (kind, TP_PLAN_SCHEDULE) == 0;

  if (is_load != (g_strcmp0 (plan->objective, "throughput") == 0)
      || is_span != (g_strcmp0 (plan->objective, "makespan") == 0)
      || (is_load || is_span) != (plan->load_proof != NULL)
      || is_span != (plan->span_proof != NULL)
      || is_rated != g_strv_contains (rated, plan->objective)
      || is_rated != (plan->rate_proof != NULL))
    tp_checker_fail (checker,
                     "a certificate of kind '%.40s' proves nothing for "
                     "objective '%s'",
                     kind == NULL ? "" : kind, plan->objective);
  if (plan->memory_proof != NULL && g_strcmp0 (kind, TP_PLAN_MEMORY_TREE) != 0
      && g_strcmp0 (kind, TP_PLAN_SHARE_TREE) != 0)
    tp_checker_fail (checker,
                     "memory_tree is no part of a certificate of kind '%.40s'",
                     kind == NULL ? "" : kind);
}

/* Proofs that count memory have each tensor of a device in memory of its own. */
static void
check_mapped (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  const TpCosts *costs = plan->costs;

  if (!tp_costs_has_mapped (costs))
    return;
  if (costs->host == TP_COSTS_HOST || tp_costs_is_mapped (costs, costs->host))
    tp_checker_fail (checker, "mapped: the host is none of other devices");
  if (plan->memory_proof != NULL
      || (plan->share_proof != NULL && plan->share_proof->room != NULL)
      || (plan->load_proof != NULL && plan->load_proof->room != NULL)
      || (plan->span_proof != NULL && plan->span_proof->room != NULL)
      || (plan->rate_proof != NULL && plan->rate_proof->room != NULL))
    tp_checker_fail (checker, "mapped: what the proof is about has every tensor "
                              "in memory of its own");
}

void
tp_checker_check_certificate (TpChecker *checker)
{
  const char *kind = checker->plan->certificate;

  check_mapped (checker);
  if (checker->plan->memory_limits != NULL)
    tp_checker_check_limits (checker);
  check_kind (checker, kind);
  for (gsize i = 0; i < G_N_ELEMENTS (certificates); i++)
    {
      if (g_strcmp0 (certificates[i].name, kind) != 0)
        continue;
      if (checker->costs->n_devices <= certificates[i].max_devices)
        certificates[i].check (checker);
      else
        tp_checker_fail (checker,
                         "a certificate of kind '%s' proves nothing of %d "
                         "devices",
                         kind, checker->costs->n_devices);
      return;
    }
  tp_checker_fail (checker,
                   "the proof is a certificate of kind '%.40s', which this "
                   "tplan cannot check: check it with the tplan that made it, "
                   "or plan again",
                   kind == NULL ? "" : kind);
}
