/* beaten.h: kernels that no plan will have on a device, however long they take. */
#ifndef TP_CALIB_BEATEN_H
#define TP_CALIB_BEATEN_H

#include "calib/measure.h"
#include "calib/tracks.h"

/* A device and what was timed on it so far. */
typedef struct
{
  const TpMeasureDevice *device;
  TpTracks *tracks;           /* NULL: it has given up */
} TpRival;

/* A kernel as it was timed on a device. */
typedef struct
{
  const TpMeasureDevice *device;
  const TpStats *stats;
} TpTimed;

/* Whether no cheapest plan has @key as it is timed @here, since @there is another
 * place for it. */
gboolean tp_beaten_is (const TpGraph *graph, const TpKey *key,
                       const TpTimed *here, const TpTimed *there);
/* After tp_tracks_compute (): sets is_beaten of the tracks of all @rivals. */
void tp_beaten_mark (const TpGraph *graph, const TpRival *rivals, int n);

#endif
