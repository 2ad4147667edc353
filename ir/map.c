/* map.c: open addressing, by twos, at most three quarters full. */
#include "config.h"

#include "ir/map.h"

#include "ir/guard.h"
#include "ir/room.h"

#define FIRST_SLOTS 16

typedef struct
{
  gpointer key, value;
  guint hash;
  gboolean is_used;
} Slot;

struct TpMap
{
  GHashFunc hash;
  GEqualFunc equal;
  GDestroyNotify free_key, free_value;
  Slot *slots;                /* @mask + 1 */
  guint mask, n;
};

TpMap *
tp_map_new (GHashFunc hash, GEqualFunc equal, GDestroyNotify free_key,
            GDestroyNotify free_value)
{
  TpMap *map = g_new (TpMap, 1);

  *map = (TpMap){ .hash = hash,
                  .equal = equal,
                  .free_key = free_key,
                  .free_value = free_value,
                  .slots = g_new0 (Slot, FIRST_SLOTS),
                  .mask = FIRST_SLOTS - 1 };
  return map;
}

static void
release (const TpMap *map, gpointer key, gpointer value)
{
  if (map->free_key != NULL)
    map->free_key (key);
  if (map->free_value != NULL)
    map->free_value (value);
}

void
tp_map_free (TpMap *map)
{
  if (map == NULL)
    return;
  for (gsize i = 0; i <= map->mask; i++)
    if (map->slots[i].is_used)
      release (map, map->slots[i].key, map->slots[i].value);
  g_free (map->slots);
  g_free (map);
}

/* That of @key, or the free one where it belongs. */
static Slot *
find_slot (const TpMap *map, gconstpointer key, guint hash)
{
  guint i = hash & map->mask;

  while (map->slots[i].is_used
         && (map->slots[i].hash != hash
             || !map->equal (map->slots[i].key, key)))
    i = (i + 1) & map->mask;
  return &map->slots[i];
}

/* Many hash functions of GLib tell neighbours apart by nothing but low bits. */
static guint
hash_key (const TpMap *map, gconstpointer key)
{
  guint hash = map->hash (key) * 0x9e3779b1u;

  return hash ^ hash >> 16;
}

static gboolean
grow (TpMap *map)
{
  guint n_slots = (map->mask + 1) * 2;
  Slot *old = map->slots, *slots = g_try_new0 (Slot, n_slots);

  if (slots == NULL)
    return FALSE;
  tp_room_ask_large_pages (slots, n_slots * sizeof (Slot));
  for (gsize k = 0; k <= map->mask; k++)
    if (old[k].is_used)
      {
        guint i = old[k].hash & (n_slots - 1);

        while (slots[i].is_used)
          i = (i + 1) & (n_slots - 1);
        slots[i] = old[k];
      }
  g_free (old);
  map->slots = slots;
  map->mask = n_slots - 1;
  return TRUE;
}

gboolean
tp_map_insert (TpMap *map, gpointer key, gpointer value)
{
  guint hash = hash_key (map, key);
  Slot *slot = find_slot (map, key, hash);

  if (slot->is_used)
    {
      release (map, key, slot->value);
      slot->value = value;
      return FALSE;
    }
  if (map->n >= map->mask / 4 * 3)
    {
      if (!grow (map))
        {
          release (map, key, value);
          tp_guard_leave (((gsize) map->mask + 1) * 2 * sizeof (Slot));
        }
      slot = find_slot (map, key, hash);
    }
  *slot = (Slot){ key, value, hash, TRUE };
  map->n++;
  return TRUE;
}

gboolean
tp_map_find (const TpMap *map, gconstpointer key, gpointer *out_value)
{
  const Slot *slot = find_slot (map, key, hash_key (map, key));

  if (out_value != NULL)
    *out_value = slot->value;
  return slot->is_used;
}

gpointer
tp_map_lookup (const TpMap *map, gconstpointer key)
{
  return find_slot (map, key, hash_key (map, key))->value;
}

guint
tp_map_size (const TpMap *map)
{
  return map->n;
}
