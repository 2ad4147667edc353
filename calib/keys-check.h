/* keys-check.h: keys of JSON objects that nobody knows. */
#ifndef TP_CALIB_KEYS_CHECK_H
#define TP_CALIB_KEYS_CHECK_H

#include <glib.h>
#include <jansson.h>

/* TPLAN_ERROR_INPUT: @json, at @place, is no object or has a key that is none of
 * @known, ended by NULL. */
gboolean tp_keys_check (const json_t *json, const char *const *known,
                        const char *place, GError **error);

#endif
