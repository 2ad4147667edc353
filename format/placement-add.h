/* placement-add.h: entries of a placement, one by one: what its readers need. */
#ifndef TP_FORMAT_PLACEMENT_ADD_H
#define TP_FORMAT_PLACEMENT_ADD_H

#include "format/placement.h"

/* FALSE: the op is there already, or has no name or device. */
gboolean tp_placement_add (TpPlacementFile *file, const char *op,
                           const char *device, int index, GError **error);
/* "file:3", "file: ops[3]", ... */
char *tp_placement_dup_place (const TpPlacementFile *file, int index);

#endif
