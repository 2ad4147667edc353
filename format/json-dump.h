/* json-dump.h: JSON as text, whole or not at all.
 *
 * Where no memory is left for a key, json_dumps() passes over it and goes on: the
 * text it returns is JSON, and lacks that key (jansson 2.14). */
#ifndef TP_FORMAT_JSON_DUMP_H
#define TP_FORMAT_JSON_DUMP_H

#include <jansson.h>

/* @flags: of jansson. g_free (); NULL: there is no memory for it. */
char *tp_json_dump (const json_t *json, size_t flags);

#endif
