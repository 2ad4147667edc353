/* judgement.c: see judgement.h. */
#include "config.h"

#include "ir/judgement.h"

void
tp_judgement_free (TpJudgement *judgement)
{
  if (judgement == NULL)
    return;
  g_free (judgement->moves);
  g_free (judgement);
}
