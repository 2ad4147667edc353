/* check-digest.h: the digest of the costs, beside what else is checked. */
#ifndef TP_PLANNER_CHECK_DIGEST_H
#define TP_PLANNER_CHECK_DIGEST_H

#include "ir/beside.h"
#include "ir/costs.h"

typedef struct
{
  const TpCosts *costs;
  TpBeside beside;
  char *digest;
} TpCheckerDigest;

/* @costs are not to change until it is cleared. @has_help: another thread will help,
 * so that none is started. */
void tp_checker_digest_begin (TpCheckerDigest *self, const TpCosts *costs,
                              gboolean has_help);
/* By a thread that has nothing else to do: computes it, unless another does. */
void tp_checker_digest_help (TpCheckerDigest *self);
/* Waits for it where need be. */
const char *tp_checker_digest_end (TpCheckerDigest *self);
void tp_checker_digest_clear (TpCheckerDigest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerDigest, tp_checker_digest_clear)

#endif
