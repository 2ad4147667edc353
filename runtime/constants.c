/* constants.c: constants are written and packed on the host, then copied to
 * where they are used; all before the first run. */
#include "config.h"

#include "runtime/constants.h"

#include "ir/array.h"
#include "ir/map.h"
#include "nest/nest-text.h"
#include "runtime/constant-value.h"
#include "runtime/host.h"
#include "runtime/pool.h"

#define PAGE_BYTES ((gint64) 2 << 20) /* a large one */
#define PART_BYTES 16384      /* that a thread takes at a time */
#define THREAD_BYTES 65536    /* less is not worth a thread */

struct TpConstants
{
  TpDevice *device;
  gboolean is_host;
  TpMap *shared;              /* char * -> TpBuf *, by graph, tensor and pack */
  TpArray *bufs;              /* TpBuf *, owned */
  gint64 size_bytes;          /* of those that are the device's */
  int n_threads;
  TpMap *expected;            /* keys of packs, as in @shared */
  gint64 expected_bytes;      /* of these */
  TpBuf *slab;                /* (nullable) where packs lie, */
  gint64 slab_bytes, slab_at; /* up to here */
};

TpConstants *
tp_constants_new (TpDevice *device, gboolean is_host, int n_threads)
{
  TpConstants *constants = g_new0 (TpConstants, 1);

  constants->device = device;
  constants->is_host = is_host;
  constants->n_threads = n_threads;
  constants->shared = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
  constants->expected = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
  constants->bufs = tp_array_new (sizeof (TpBuf *));
  return constants;
}

void
tp_constants_free (TpConstants *constants)
{
  if (constants == NULL)
    return;
  for (guint i = 0; i < constants->bufs->len; i++)
    if (tp_array_index (constants->bufs, TpBuf *, i) != NULL)
      constants->device->ops->free_buf (
          constants->device, tp_array_index (constants->bufs, TpBuf *, i));
  if (constants->slab != NULL)
    constants->device->ops->free_buf (constants->device, constants->slab);
  constants->device->weight_bytes -= constants->size_bytes;
  tp_array_unref (constants->bufs);
  tp_map_free (constants->shared);
  tp_map_free (constants->expected);
  g_free (constants);
}

/* ---- buffers ------------------------------------------------------------- */

/* A place for one more, before there is one to lose. */
static void
make_place (TpConstants *constants)
{
  tp_array_set_size (constants->bufs, constants->bufs->len + 1);
}

static void
fill_place (TpConstants *constants, TpBuf *buf)
{
  tp_array_index (constants->bufs, TpBuf *, constants->bufs->len - 1) = buf;
}

static TpBuf *
keep (TpConstants *constants, TpBuf *buf, char *key)
{
  fill_place (constants, buf);
  tp_map_insert (constants->shared, key, buf);
  return buf;
}

static void
count (TpConstants *constants, gint64 size_bytes)
{
  constants->size_bytes += size_bytes;
  constants->device->weight_bytes += size_bytes;
}

static TpBuf *
alloc_counted (TpConstants *constants, gint64 size_bytes, GError **error)
{
  TpDevice *device = constants->device;
  TpBuf *buf = device->ops->alloc (device, NULL, 0, MAX (size_bytes, 1), error);

  if (buf != NULL)
    count (constants, MAX (size_bytes, 1));
  return buf;
}

static TpBuf *
upload (TpConstants *constants, const void *value, gint64 size_bytes,
        GError **error)
{
  TpDevice *device = constants->device;
  TpBuf *buf = alloc_counted (constants, size_bytes, error);

  if (buf == NULL
      || tp_device_write (device, buf, value, size_bytes, error))
    return buf;
  fill_place (constants, buf); /* counted until all are freed */
  return NULL;
}

/* Of all that is expected; where it cannot be had, each copy is by itself, and says so
 * if that cannot be had either. */
static void
make_slab (TpConstants *constants)
{
  gint64 size_bytes = constants->expected_bytes;

  constants->expected_bytes = 0;
  if (size_bytes < PAGE_BYTES)
    return;
  constants->slab = tp_host_buf_new_raw (constants->device, size_bytes, NULL);
  if (constants->slab == NULL)
    return;
  constants->slab_bytes = size_bytes;
  count (constants, size_bytes);
}

static gint64
round_up (gint64 size_bytes)
{
  return (size_bytes + TP_BUF_ALIGN - 1) / TP_BUF_ALIGN * TP_BUF_ALIGN;
}

/* On the host, with any bytes. */
static TpBuf *
alloc_packed (TpConstants *constants, gint64 size_bytes, GError **error)
{
  gint64 at = constants->slab_at;
  TpBuf *buf;

  if (round_up (size_bytes) <= constants->slab_bytes - at)
    {
      constants->slab_at += round_up (size_bytes);
      return tp_host_buf_wrap (
          (char *) tp_host_buf_get_data (constants->slab) + at, size_bytes);
    }
  buf = tp_host_buf_new_raw (constants->device, MAX (size_bytes, 1), error);
  if (buf != NULL)
    count (constants, MAX (size_bytes, 1));
  return buf;
}

typedef struct
{
  const TpPack *pack;
  const void *src;
  void *dst;
  gint64 n_rows, part;        /* rows that are taken at a time */
} Packing;

static void
pack_parts (gpointer data, gint64 first, gint64 end, int thread)
{
  const Packing *it = data;

  tp_pack_run_rows (it->pack, it->src, it->dst, first * it->part,
                    MIN (end * it->part, it->n_rows));
}

static void
run_pack (const TpConstants *constants, const TpPack *pack, const void *src,
          void *dst)
{
  gint64 size_bytes = tp_pack_get_bytes (pack);
  Packing it = { pack, src, dst, tp_pack_count_rows (pack), 1 };

  it.part = CLAMP (it.n_rows * PART_BYTES / MAX (size_bytes, 1), 1,
                   MAX (it.n_rows, 1));
  tp_pack_begin (pack, dst);
  tp_pool_run (size_bytes >= THREAD_BYTES ? constants->n_threads : 1,
               (it.n_rows + it.part - 1) / it.part, pack_parts, &it);
  tp_pack_end (pack, dst);
}

static TpBuf *
pack_value (TpConstants *constants, const void *value, const TpPack *pack,
            GError **error)
{
  gint64 size_bytes = tp_pack_get_bytes (pack);
  g_autofree void *packed = NULL;
  TpBuf *buf;

  if (constants->is_host)
    {
      buf = alloc_packed (constants, size_bytes, error);
      if (buf != NULL)
        run_pack (constants, pack, value, tp_host_buf_get_data (buf));
      return buf;
    }
  packed = tp_constant_try_alloc (constants->device, size_bytes, error);
  if (packed == NULL)
    return NULL;
  run_pack (constants, pack, value, packed);
  return upload (constants, packed, size_bytes, error);
}

TpBuf *
tp_constants_get (TpConstants *constants, const TpGraph *graph, int tensor,
                  GError **error)
{
  const TpTensor *it = &graph->tensors[tensor];
  g_autofree char *key = g_strdup_printf ("%p:%d", graph, tensor);
  g_autofree void *owned = NULL;
  const void *value;
  TpBuf *buf = tp_map_lookup (constants->shared, key);

  if (buf != NULL)
    return buf;
  make_place (constants);
  value = tp_constant_get_value (constants->device, constants->n_threads, it,
                                 &owned, error);
  if (value == NULL)
    return NULL;
  if (constants->is_host && tp_constant_is_in_place (it))
    buf = tp_host_buf_wrap ((void *) value, it->size_bytes);
  else
    {
      buf = upload (constants, value, it->size_bytes, error);
      tp_constant_let_go (it);
    }
  return buf != NULL ? keep (constants, buf, g_steal_pointer (&key)) : NULL;
}

/* What becomes of squares of elements. */
static char *
get_square_key (const TpPackSquare *square)
{
  if (square->n_from == 0)
    return g_strdup ("");
  return g_strdup_printf (
      "%p:%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT
      ":%" G_GINT64_FORMAT,
      (const void *) square->matrix, square->from_stride[0],
      square->from_stride[1], square->to_stride[0], square->to_stride[1]);
}

/* Equal for packs that copy the same elements to the same places. */
static char *
get_pack_key (const TpGraph *graph, int tensor, const TpPack *pack)
{
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  TpOperand src = { .tensor = -1, .dtype = graph->tensors[tensor].dtype,
                    .n_elements = graph->tensors[tensor].count };
  TpOperand dst = { .tensor = -1, .dtype = pack->nest->store.dtype,
                    .n_elements = pack->n_elements };
  g_autofree char *text = NULL;
  g_autofree char *square = get_square_key (&pack->square);
  TpNest *nest = tp_nest_copy (pack->nest);

  for (int i = 0; i < nest->n_loads; i++)
    nest->loads[i].operand = 0;
  nest->store.operand = 1;
  tp_lowered_add_operand (lowered, &src);
  tp_lowered_add_operand (lowered, &dst);
  tp_lowered_take_nest (lowered, nest);
  text = tp_lowered_to_text (lowered);
  return g_strdup_printf ("%p:%d:%s:%s", graph, tensor, square, text);
}

void
tp_constants_expect (TpConstants *constants, const TpGraph *graph, int tensor,
                     const TpPack *pack)
{
  if (constants->is_host
      && tp_map_insert (constants->expected,
                        get_pack_key (graph, tensor, pack), NULL))
    constants->expected_bytes += round_up (tp_pack_get_bytes (pack));
}

TpBuf *
tp_constants_get_packed (TpConstants *constants, const TpGraph *graph,
                         int tensor, const TpPack *pack, GError **error)
{
  g_autofree char *key = get_pack_key (graph, tensor, pack);
  g_autofree void *owned = NULL;
  const void *value;
  TpBuf *buf = tp_map_lookup (constants->shared, key);

  if (buf != NULL)
    return buf;
  make_slab (constants);
  make_place (constants);
  value = tp_constant_get_value (constants->device, constants->n_threads,
                                 &graph->tensors[tensor], &owned, error);
  if (value == NULL)
    return NULL;
  buf = pack_value (constants, value, pack, error);
  tp_constant_let_go (&graph->tensors[tensor]);
  return buf != NULL ? keep (constants, buf, g_steal_pointer (&key)) : NULL;
}

TpBuf *
tp_constants_pack_buf (TpConstants *constants, TpBuf *raw, gint64 size_bytes,
                       const TpPack *pack, GError **error)
{
  TpDevice *device = constants->device;
  g_autofree void *owned = NULL;
  const void *value;
  TpBuf *buf;

  if (constants->is_host)
    value = tp_host_buf_get_data (raw);
  else
    {
      value = owned = tp_constant_try_alloc (device, size_bytes, error);
      if (owned == NULL
          || !tp_device_read (device, raw, owned, size_bytes, error))
        return NULL;
    }
  buf = pack_value (constants, value, pack, error);
  return buf != NULL ? keep (constants, buf, NULL) : NULL;
}
