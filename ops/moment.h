/* moment.h: means and variances over some dimensions, for the ops that normalize by
 * them.
 *
 * One nest: the mean is a stage, the variance about it the next, and the result
 * is stored over the reduce axes. */
#ifndef TP_OPS_MOMENT_H
#define TP_OPS_MOMENT_H

#include "ops/op-util.h"

typedef struct
{
  gboolean is_reduced[TP_MAX_RANK];
  gint64 n;                   /* elements per mean */
  gboolean is_about_zero;     /* nests take the mean for 0 */
  double epsilon;             /* added to the variance */
  double root_epsilon;        /* added to its root */
} TpMoments;

/* Sets n, from what is reduced. */
void tp_moments_count (TpMoments *moments, int rank, const gint64 *dims);

/* ---- nests -------------------------------------------------------------- */

/* Of all that the reduce axes of @nest go over. */
int tp_moments_mean_expr (TpNest *nest, const TpMoments *moments, int expr);
/* One over the standard deviation of @centred. */
int tp_moments_inverse_expr (TpNest *nest, const TpMoments *moments,
                             int centred);
/* Input 1 scales and input 2, if there, shifts; their last dimension is that of
 * number @last of input 0; -1: neither. */
gboolean tp_moments_lower (TpLowering *lowering, const TpMoments *moments,
                           int last);
/* Output @i, one element per mean: the mean, or one over the deviation. */
gboolean tp_moments_lower_statistic (TpLowering *lowering,
                                     const TpMoments *moments, int i);

/* ---- references --------------------------------------------------------- */

/* Both have one element per mean; @deviations is what is divided by. */
void tp_moments_measure (const TpRefTensor *x, const TpMoments *moments,
                         double *means, double *deviations);
void tp_moments_normalize (const TpRefTensor *x, const TpMoments *moments,
                           const double *means, const double *deviations,
                           double *out);

#endif
