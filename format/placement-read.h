/* placement-read.h: the readers of placements, by kind of file. */
#ifndef TP_FORMAT_PLACEMENT_READ_H
#define TP_FORMAT_PLACEMENT_READ_H

#include "format/placement.h"

/* Each adds what is in @bytes to @file, which is empty, and sets its kind. */
gboolean tp_placement_read_csv (TpPlacementFile *file, GBytes *bytes,
                                GError **error);
gboolean tp_placement_read_json (TpPlacementFile *file, GBytes *bytes,
                                 GError **error);
gboolean tp_placement_read_onnx (TpPlacementFile *file, GBytes *bytes,
                                 GError **error);

#endif
