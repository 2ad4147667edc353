/* tuned-sums.h: what tuning has found, of many kernels together: what it won, and how
 * well the model ranks schedules. Pure. */
#ifndef TP_CALIB_TUNED_SUMS_H
#define TP_CALIB_TUNED_SUMS_H

#include "calib/tuned.h"

/* Of kernels that are added one by one, to one that is all 0. */
typedef struct
{
  double logs, squares, correlations;
  int n_gains, n_correlations;
} TpTunedMean;

void tp_tuned_mean_add (TpTunedMean *mean, const TpTunedKernel *kernel);
/* The geometric mean; NaN: none is known. */
TpGain tp_tuned_mean_get_gain (const TpTunedMean *mean);
/* NaN: none has any. */
double tp_tuned_mean_get_correlation (const TpTunedMean *mean);

typedef struct
{
  const char *device, *family; /* (unowned) as in what is summed */
  int n_kernels;
  int n_schedules;            /* of theirs that were timed */
  TpTunedMean mean;
  const TpTunedKernel *worst; /* (unowned) whose correlation is the least; NULL: none
                               * has any */
} TpTunedSum;

/* Of kernels that were tuned, one for each device and family, by device, that of most
 * kernels first. @tuned: TpTuned, judged, which the sums point into; a kernel that
 * several have counts once. (owned) TpTunedSum */
TpPointers *tp_tuned_sums_list (const TpPointers *tuned);

#endif
