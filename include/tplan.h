/* tplan.h: place a tensor graph on the devices of one machine, and run it.
 *
 * Every function that can fail for a reason outside the program takes a
 * #GError last and reports in the domain #TPLAN_ERROR. The library never
 * prints, exits, or changes the process. */
#ifndef TPLAN_H
#define TPLAN_H

#include <glib.h>

G_BEGIN_DECLS

#define TPLAN_ERROR (tplan_error_quark ())
GQuark tplan_error_quark (void);

/**
 * TplanError:
 * @TPLAN_ERROR_FAILED: the system refused something; the message says what
 * @TPLAN_ERROR_USAGE: a call or command line that cannot be meant: read the
 *   documentation of the call
 * @TPLAN_ERROR_INPUT: a file is malformed or inconsistent: mend the file at the
 *   place named
 * @TPLAN_ERROR_UNSUPPORTED: valid, but outside what tplan knows: see `tplan ops`
 * @TPLAN_ERROR_LIMIT: no plan meets a limit: raise the limit or cut the batch
 * @TPLAN_ERROR_INFEASIBLE: pins or missing support leave an op no device
 * @TPLAN_ERROR_MEMORY: tensor-sized memory could not be had: free some
 * @TPLAN_ERROR_DEVICE: a device is absent, lost or failed: see `tplan devices`
 * @TPLAN_ERROR_STALE: calibration is missing or for another machine: run
 *   `tplan calibrate`
 * @TPLAN_ERROR_BUSY: another process holds the cost table: try again
 * @TPLAN_ERROR_INTERRUPTED: stopped on request; what was done is kept
 */
typedef enum
{
  TPLAN_ERROR_FAILED,
  TPLAN_ERROR_USAGE,
  TPLAN_ERROR_INPUT,
  TPLAN_ERROR_UNSUPPORTED,
  TPLAN_ERROR_LIMIT,
  TPLAN_ERROR_INFEASIBLE,
  TPLAN_ERROR_MEMORY,
  TPLAN_ERROR_DEVICE,
  TPLAN_ERROR_STALE,
  TPLAN_ERROR_BUSY,
  TPLAN_ERROR_INTERRUPTED,
} TplanError;

G_END_DECLS

#endif
