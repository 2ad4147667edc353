/* json-read.h: typed access to parsed JSON, with places in messages.
 *
 * Every getter takes a value with its path in the document, such as "ops[3]",
 * and reports "file: ops[3].inputs[1]: what is wrong". */
#ifndef TP_FORMAT_JSON_READ_H
#define TP_FORMAT_JSON_READ_H

#include <jansson.h>

#include "ir/types.h"

/* Where in which document, and what stands there. */
typedef struct
{
  const char *file;
  const char *path;
  const json_t *json;
} TpJsonPlace;

void tp_json_set_error (TpJsonPlace place, const char *key, GError **error,
                        const char *format, ...) G_GNUC_PRINTF (4, 5);

/* FALSE: there is no memory for the values of @text. Text that is no JSON is
 * TRUE with *out_root NULL, and where it is not. */
gboolean tp_json_load (const char *text, gsize size, json_t **out_root,
                       json_error_t *out_at, GError **error);
/* Whether @text is an object whose first key says that its format begins with
 * @format: the start is enough, so that what was cut short is told from others. */
gboolean tp_json_starts_as (const char *text, gsize size, const char *format);
/* Parses @text; syntax errors and keys given twice are "file:line:column". */
json_t *tp_json_parse (const char *file, const char *text, gsize size,
                       GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/* Must be an object with no keys but @keys (NULL ends). */
gboolean tp_json_check_object (TpJsonPlace place, const char *const *keys,
                               GError **error);

/* Of the object at @place. Absent: TRUE with *out alone (or an error when
 * @is_required). */
gboolean tp_json_get_string (TpJsonPlace place, const char *key,
                             gboolean is_required, const char **out,
                             GError **error);
gboolean tp_json_get_int (TpJsonPlace place, const char *key,
                          gboolean is_required, gint64 *out, GError **error);
gboolean tp_json_get_number (TpJsonPlace place, const char *key,
                             gboolean is_required, double *out, GError **error);
/* A list; absent: *out is NULL. */
gboolean tp_json_get_list (TpJsonPlace place, const char *key,
                           gboolean is_required, json_t **out, GError **error);
gboolean tp_json_get_dtype (TpJsonPlace place, const char *key, TpDtype *out,
                            GError **error);
/* A list of strings; *out is NULL-terminated, its strings are borrowed, the
 * array is the caller's. */
gboolean tp_json_get_strings (TpJsonPlace place, const char *key,
                              gboolean is_required, const char ***out,
                              GError **error);

#endif
