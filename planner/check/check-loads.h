/* check-loads.h: what engines carry, of one plan or of several that run side by side,
 * and what proves that no busiest one carries less. */
#ifndef TP_PLANNER_CHECK_LOADS_H
#define TP_PLANNER_CHECK_LOADS_H

#include "planner/check/check-private.h"

/* A plan whose parts were found right. */
typedef struct
{
  TpChecker *checker;         /* (unowned) */
  gint64 n_runs;              /* above 0; of the loads */
} TpCheckerLoadPart;

typedef struct
{
  int n_parts;
  const TpCheckerLoadPart *parts; /* for the same devices */
  const TpLoadProof *proof;   /* of as many engines; its ops are those of all parts,
                               * one after the other */
} TpCheckerLoads;

/* Faults are taken down by the checker of the first part. */
void tp_checker_check_loads (const TpCheckerLoads *loads);

#endif
