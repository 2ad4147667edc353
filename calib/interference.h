/* interference.h: in the child: how much engines of two devices slow each other. */
#ifndef TP_CALIB_INTERFERENCE_H
#define TP_CALIB_INTERFERENCE_H

#include "calib/speeds.h"
#include "calib/worker.h"

typedef struct
{
  int n_threads;
  int n_devices;
  const char *const *devices;
  const gboolean *is_wanted;  /* [second * n_devices + first]: of two, first < second */
} TpInterferenceJob;

/* TpWorker.work; @data: TpInterferenceJob. Sends a TP_MESSAGE_SPEEDS for each two that
 * are wanted, and a TP_MESSAGE_WARN for those that fail. Its beats have the second of two
 * as the device, the first as the key. */
void tp_interference_work (TpChannel *channel, gpointer data);

/* FALSE: @payload is none. @out_speeds: [TP_SPEEDS_N], the first device's engines
 * first. */
gboolean tp_interference_read (GVariant *payload, int *out_first,
                               int *out_second, int *out_speeds);

#endif
