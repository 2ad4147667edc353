/* mix-json.h: plans of several graphs that run side by side, in one file.
 *
 *   { "format": "tplan-mix/1", "parts": [ {...} ], the proof of all,
 *     "plans": [ {...}, {...} ], "sha256": "..." }
 *
 * docs/plan-format.md, "Several graphs". */
#ifndef TP_FORMAT_MIX_JSON_H
#define TP_FORMAT_MIX_JSON_H

#include "ir/mix.h"

#define TP_MIX_FORMAT "tplan-mix/1"

/* Whether @text starts as tp_mix_to_json () does. */
gboolean tp_mix_is (const char *text, gsize size);
/* Byte-equal for equal plans; ends in the SHA-256 of all before it, as a plan does.
 * g_free (). */
char *tp_mix_to_json (const TpMix *mix);
/* The same, packed by gzip where @is_packed. */
GBytes *tp_mix_to_bytes (const TpMix *mix, gboolean is_packed, GError **error);

#endif
