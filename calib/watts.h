/* watts.h: in the child: what devices draw, by the counters that the system keeps. */
#ifndef TP_CALIB_WATTS_H
#define TP_CALIB_WATTS_H

#include "calib/cost-db.h"
#include "calib/worker.h"

typedef struct
{
  int n_threads;
  int first;                  /* of the devices, to begin with */
  int n_devices;
  const char *const *devices;
} TpWattsJob;

/* TpWorker.work; @data: TpWattsJob. Sends a TP_MESSAGE_WATTS for each device from the
 * first that counters tell of, and a TP_MESSAGE_WARN for each other. */
void tp_watts_work (TpChannel *channel, gpointer data);

/* Of a TP_MESSAGE_WATTS into the row of its device. FALSE: that is none. */
gboolean tp_watts_read (GVariant *payload, int *out_device, TpDeviceRow *row);

#endif
