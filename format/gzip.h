/* gzip.h: plans packed by gzip (RFC 1952): a large one takes a fifteenth so. */
#ifndef TP_FORMAT_GZIP_H
#define TP_FORMAT_GZIP_H

#include <glib.h>

/* How names of such files end. */
#define TP_GZIP_SUFFIX ".gz"

gboolean tp_gzip_is (const void *bytes, gsize size);

/* The first bytes of what is packed, at most @room; returns how many. */
gsize tp_gzip_peek (const void *bytes, gsize size, void *out, gsize room);

/**
 * tp_gzip_unpack:
 * @path: for errors
 * @most: bytes that may come of it; nor may more than 64 times those of @packed
 *   and 64 MiB
 *
 * TPLAN_ERROR_INPUT: it is damaged, cut short, more than one stream, or too much.
 */
GBytes *tp_gzip_unpack (const char *path, GBytes *packed, gint64 most,
                        GError **error);

/* Packs what it is given, piece after piece: the same bytes for the same pieces,
 * whenever. TPLAN_ERROR_MEMORY when it is finished, which is once. */
typedef struct TpPacker TpPacker;
TpPacker *tp_packer_new (void);
void tp_packer_add (TpPacker *packer, const void *bytes, gsize size);
GBytes *tp_packer_finish (TpPacker *packer, GError **error);
void tp_packer_free (TpPacker *packer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPacker, tp_packer_free)

#endif
