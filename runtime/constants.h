/* constants.h: the constants of compiled units, each on its device once: as it
 * is, or packed. */
#ifndef TP_RUNTIME_CONSTANTS_H
#define TP_RUNTIME_CONSTANTS_H

#include "schedule/program.h"
#include "runtime/device.h"

typedef struct TpConstants TpConstants;

/* @n_threads of the pool, which are there, pack. */
TpConstants *tp_constants_new (TpDevice *device, gboolean is_host,
                               int n_threads);
void tp_constants_free (TpConstants *constants);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpConstants, tp_constants_free)

/* The value of constant @tensor in the order of its strides, and what @pack
 * makes of it. Equal requests give one buffer. Host devices use the bytes of
 * the file where they can. TPLAN_ERROR_MEMORY. */
TpBuf *tp_constants_get (TpConstants *constants, const TpGraph *graph,
                         int tensor, GError **error);
TpBuf *tp_constants_get_packed (TpConstants *constants, const TpGraph *graph,
                                int tensor, const TpPack *pack, GError **error);
/* Says ahead that it will be asked for: what is known to be packed before the first
 * is lies together, in large pages, which the system has sooner. */
void tp_constants_expect (TpConstants *constants, const TpGraph *graph,
                          int tensor, const TpPack *pack);
/* What @pack makes of @raw, a buffer of @size_bytes; never shared. */
TpBuf *tp_constants_pack_buf (TpConstants *constants, TpBuf *raw,
                              gint64 size_bytes, const TpPack *pack,
                              GError **error);

#endif
