/* pack-beside.h: packs in a thread of its own what is made meanwhile. */
#ifndef TP_FORMAT_PACK_BESIDE_H
#define TP_FORMAT_PACK_BESIDE_H

#include "format/gzip.h"

/* As TpPacker, with the same bytes for the same pieces. The thread begins with the
 * second piece; where there can be none, the caller packs. */
typedef struct TpPackBeside TpPackBeside;
TpPackBeside *tp_pack_beside_new (void);
void tp_pack_beside_add (TpPackBeside *beside, const void *bytes, gsize size);
GBytes *tp_pack_beside_finish (TpPackBeside *beside, GError **error);
/* Waits for the thread. */
void tp_pack_beside_free (TpPackBeside *beside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPackBeside, tp_pack_beside_free)

#endif
