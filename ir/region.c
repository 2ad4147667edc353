/* region.c: bump allocation from chunks that double, within a budget. */
#include "config.h"

#include "ir/region.h"

#include "ir/guard.h"
#include "ir/room.h"

#include <string.h>

#define FIRST_CHUNK_BYTES 4096
#define LAST_CHUNK_BYTES (16 << 20)
#define ALIGN 16
#define WIDE_ALIGN 64 /* of requests of at least this size */
#define INT_ALIGN 4   /* of small lists of integers: most of a graph's are of one */

typedef struct Chunk Chunk;
struct Chunk
{
  Chunk *next;
};

typedef struct Owned Owned;
struct Owned
{
  Owned *next;
  gpointer data;
  GDestroyNotify destroy;
};

struct TpRegion
{
  gint ref_count;             /* atomic */
  gint64 budget_bytes;
  gint64 used_bytes;
  gsize chunk_bytes;          /* of the next chunk */
  Chunk *chunks;
  guint8 *pos, *end;
  Owned *owned;               /* the last comes first */
};

TpRegion *
tp_region_new (gint64 budget_bytes)
{
  TpRegion *region = g_new0 (TpRegion, 1);

  region->ref_count = 1;
  region->budget_bytes = budget_bytes;
  region->chunk_bytes = FIRST_CHUNK_BYTES;
  return region;
}

TpRegion *
tp_region_ref (TpRegion *region)
{
  g_atomic_int_inc (&region->ref_count);
  return region;
}

void
tp_region_clear (TpRegion *region)
{
  while (region->owned != NULL)
    {
      Owned *owned = region->owned;

      region->owned = owned->next;
      owned->destroy (owned->data);
      g_free (owned);
    }
  while (region->chunks != NULL)
    {
      Chunk *next = region->chunks->next;
      g_free (region->chunks);
      region->chunks = next;
    }
  region->pos = region->end = NULL;
  region->used_bytes = 0;
  region->chunk_bytes = FIRST_CHUNK_BYTES;
}

void
tp_region_free (TpRegion *region)
{
  if (!g_atomic_int_dec_and_test (&region->ref_count))
    return;
  tp_region_clear (region);
  g_free (region);
}

void
tp_region_set_budget (TpRegion *region, gint64 budget_bytes)
{
  region->budget_bytes = budget_bytes;
}

gboolean
tp_region_is_sole (const TpRegion *region)
{
  return g_atomic_int_get (&region->ref_count) == 1;
}

gint64
tp_region_get_used (const TpRegion *region)
{
  return region->used_bytes;
}

void
tp_region_own (TpRegion *region, gpointer data, GDestroyNotify destroy)
{
  Owned *owned = g_new (Owned, 1);

  *owned = (Owned){ region->owned, data, destroy };
  region->owned = owned;
}

static guint8 *
align_up (guint8 *p, gsize align)
{
  return p + (-(guintptr) p & (align - 1));
}

/* A chunk with room for @bytes at any alignment. */
static gboolean
grow (TpRegion *region, gsize bytes)
{
  gsize size = MAX (region->chunk_bytes, bytes + sizeof (Chunk) + WIDE_ALIGN);
  Chunk *chunk = g_try_malloc0 (size);

  if (chunk == NULL)
    return FALSE;
  tp_room_ask_large_pages (chunk, size);
  chunk->next = region->chunks;
  region->chunks = chunk;
  region->pos = (guint8 *) (chunk + 1);
  region->end = (guint8 *) chunk + size;
  region->chunk_bytes = MIN (region->chunk_bytes * 2, LAST_CHUNK_BYTES);
  return TRUE;
}

static gboolean
check_budget (TpRegion *region, gint64 n, gsize size, gint64 *out_bytes,
              GError **error)
{
  gint64 bytes, used;

  if (!tp_size_mul (n, size, &bytes)
      || !tp_size_add (region->used_bytes, bytes, &used)
      || used > region->budget_bytes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
                   "the file asks for %" G_GINT64_FORMAT " x %" G_GSIZE_FORMAT
                   " bytes on top of %" G_GINT64_FORMAT
                   ", and a file of its size may take %" G_GINT64_FORMAT
                   ": it is damaged, or raise --limit memory",
                   n, size, region->used_bytes, region->budget_bytes);
      return FALSE;
    }
  *out_bytes = bytes;
  return TRUE;
}

/* NULL: there is no memory. */
static void *
place (TpRegion *region, gint64 bytes, gsize align)
{
  guint8 *p = region->pos != NULL ? align_up (region->pos, align) : NULL;

  if (p == NULL || p > region->end || bytes > region->end - p)
    {
      if (!grow (region, bytes))
        return NULL;
      p = align_up (region->pos, align);
    }
  region->pos = p + bytes;
  return p;
}

static void *
alloc_aligned (TpRegion *region, gint64 n, gsize size, gsize align,
               GError **error)
{
  gint64 bytes;
  void *p;

  if (!check_budget (region, n, size, &bytes, error))
    return NULL;
  p = place (region, bytes,
             align > 1 && bytes >= WIDE_ALIGN ? WIDE_ALIGN : align);
  if (p == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "no memory for %" G_GINT64_FORMAT
                   " bytes: close other programs", bytes);
      return NULL;
    }
  region->used_bytes += bytes;
  return p;
}

void *
tp_region_alloc (TpRegion *region, gint64 n, gsize size, GError **error)
{
  return alloc_aligned (region, n, size,
                        size == INT_ALIGN ? INT_ALIGN : ALIGN, error);
}

void *
tp_region_take (TpRegion *region, gint64 n, gsize size)
{
  gint64 bytes = G_MAXINT64;
  void *p = tp_size_mul (n, size, &bytes) ? place (region, bytes, ALIGN) : NULL;

  if (p == NULL)
    tp_guard_leave (bytes);
  return p;
}

void *
tp_region_dup (TpRegion *region, const void *data, gint64 n, gsize size,
               GError **error)
{
  void *copy = tp_region_alloc (region, n, size, error);

  if (copy != NULL && n > 0)
    memcpy (copy, data, n * size);
  return copy;
}

char *
tp_region_strdup (TpRegion *region, const char *string, GError **error)
{
  gsize size = strlen (string) + 1;
  char *copy = alloc_aligned (region, size, 1, 1, error);

  return copy == NULL ? NULL : memcpy (copy, string, size);
}
