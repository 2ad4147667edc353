/* calibration.h: one calibration under way, as calibrate.c sees it. */
#ifndef TP_CALIB_CALIBRATION_H
#define TP_CALIB_CALIBRATION_H

#include "calib/constants.h"
#include "calib/interference.h"
#include "calib/lookup.h"
#include "calib/measure.h"
#include "calib/sittings.h"
#include "calib/transfers.h"
#include "calib/turn.h"
#include "calib/watts.h"

typedef struct
{
  TpConstantsJob constants;   /* what the children see */
  TpMeasureJob measure;
  TpWattsJob watts;
  TpInterferenceJob interference;
  TpCostDb *db;
  TpTurn turn;                /* taken before the first child */
  const TpGraph *graph;
  TpGraph *timed;             /* (nullable, owned): it, with weights that any values
                               * do for */
  const TpGroups *groups;
  TpKeys *keys;
  const TpCalibOptions *options;
  GPtrArray *devices;         /* names; no sim */
  TpDeviceMatch *matches;     /* per device: what the tables have of it */
  TpDeviceRow **rows;         /* per device, in @db */
  gboolean *is_unknown;       /* per device: constants wanted */
  GHashTable *transfers;      /* name of a device that was unknown -> GArray of
                               * TpTransferTimes, one of each process */
  gint64 transfers_us;        /* that the last of these took */
  gboolean *is_covered;       /* per key: a pass before has it */
  GHashTable **failed;        /* per device: digests not to run again */
  TpSittings *sittings;
  gint64 rounds_us;           /* that those of the last child took */
  gboolean *has_given_up;     /* per device: its rest is left out */
  gint64 start_us, deadline_us;
  int n_done, n_total;        /* steps */
  TpWorkerEnd end;            /* of the last child */
  TpCalibReport report;
} TpCalibration;

#endif
