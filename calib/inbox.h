/* inbox.h: what the children of a calibration say. */
#ifndef TP_CALIB_INBOX_H
#define TP_CALIB_INBOX_H

#include "calib/calibration.h"

/* TpWorker.receive; @data: TpCalibration. */
gboolean tp_inbox_receive (int kind, GVariant *payload, gpointer data,
                           GError **error);
/* An entry of @key on @device without figures. */
TpEntryRow *tp_inbox_make_entry (TpCalibration *self, int device, int key);
/* Entries so made; their device is put back if it has been forgotten since. */
gboolean tp_inbox_store (TpCalibration *self, GPtrArray *rows, GError **error);
/* Takes @text. */
void tp_inbox_warn (TpCalibration *self, char *text);

#endif
