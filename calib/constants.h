/* constants.h: what is measured once for a device: its identity, how fast it
 * can be, what a launch costs, what moving bytes costs. */
#ifndef TP_CALIB_CONSTANTS_H
#define TP_CALIB_CONSTANTS_H

#include "calib/cost-db.h"
#include "calib/probe.h"
#include "calib/worker.h"

typedef struct
{
  int n_threads;
  int n_devices;
  const char *const *devices;
  const gboolean *is_wanted;
  TpProcessors least;         /* seen before; 0: none */
  gboolean is_brief;          /* waits for little */
  gboolean is_again;          /* what another process has measured before: only what
                               * differs from process to process */
} TpConstantsJob;

/* TpWorker.work; @data begins with a TpConstantsJob. Sends a TP_MESSAGE_DEVICE
 * for each device wanted, unless it is once more, and before that a
 * TP_MESSAGE_TRANSFERS of what is not the host. */
void tp_constants_work (TpChannel *channel, gpointer data);
/* The row in a TP_MESSAGE_DEVICE, and the device it is of. */
TpDeviceRow *tp_constants_read (GVariant *payload, int *out_device);

#endif
