/* wholes.h: by what factor the figures of a device are off, from whole
 * plans. */
#ifndef TP_CALIB_WHOLES_H
#define TP_CALIB_WHOLES_H

#include <glib.h>

/* A plan that was run, in one sitting. */
typedef struct
{
  gint64 network;             /* equal: one network, however it was placed */
  gint64 occasion;            /* equal: soon one after the other */
  double error;               /* log of measured to predicted */
  double variance;            /* of that, were the figures and runs wrong each by
                               * itself */
  double *shares;             /* [device]: of its kernels in what was predicted */
} TpWhole;

/* What is wrong with all kernels of a device at once. */
typedef struct
{
  double *means;              /* [device]: of the log of what is to what is said */
  double *covariances;        /* [device * n_devices + device] */
  double run_variance;        /* of the log of a time, from sitting to sitting of
                               * other occasions */
} TpWholeErrors;
void tp_whole_errors_clear (TpWholeErrors *errors);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpWholeErrors, tp_whole_errors_clear)

/**
 * tp_wholes_infer:
 * @wholes: at most TP_WHOLES_MOST; those beyond are left out
 * @network: whose errors are asked for; one that no whole has is a new one
 *
 * What @wholes say of the kernels of @network: of each device an error that is
 * its own in all networks, and one in this network. Pure.
 */
void tp_wholes_infer (const TpWhole *wholes, int n_wholes, int n_devices,
                      gint64 network, TpWholeErrors *out_errors);
#define TP_WHOLES_MOST 64

#endif
