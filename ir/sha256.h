/* sha256.h: SHA-256 by instructions of the processor. */
#ifndef TP_IR_SHA256_H
#define TP_IR_SHA256_H

#include <glib.h>

#define TP_SHA256_BLOCK 64

/* Whether this processor has them. */
gboolean tp_sha256_is_there (void);
/* Only where it has: takes @n blocks into @state (FIPS 180-4, 6.2.2). */
void tp_sha256_blocks (guint32 *state, const guint8 *blocks, gsize n);

#endif
