/* map.h: GHashTable, for what grows with the model: where there is no memory, the
 * guarded call is left (ir/guard.h). Nothing is taken out again. */
#ifndef TP_IR_MAP_H
#define TP_IR_MAP_H

#include <glib.h>

typedef struct TpMap TpMap;

/* @hash and @equal are as for g_hash_table_new(); what is put in is released by
 * @free_key and @free_value, both (nullable). */
TpMap *tp_map_new (GHashFunc hash, GEqualFunc equal, GDestroyNotify free_key,
                   GDestroyNotify free_value);
void tp_map_free (TpMap *map); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMap, tp_map_free)

/* Takes @key and @value, also when the call is left. Of keys that are equal the
 * first stays, with the last value. Returns whether @key is new. */
gboolean tp_map_insert (TpMap *map, gpointer key, gpointer value);
/* Whether there is @key, and its value. */
gboolean tp_map_find (const TpMap *map, gconstpointer key,
                      gpointer *out_value); /* (nullable) */
/* The value of @key; %NULL without. */
gpointer tp_map_lookup (const TpMap *map, gconstpointer key);
guint tp_map_size (const TpMap *map);

#endif
