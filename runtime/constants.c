/* constants.c: constants are written and packed on the host, then copied to
 * where they are used; all before the first run. */
#include "config.h"

#include "runtime/constants.h"

#include "ir/array.h"
#include "ir/map.h"
#include "nest/nest-text.h"
#include "runtime/constant-value.h"
#include "runtime/host.h"

struct TpConstants
{
  TpDevice *device;
  gboolean is_host;
  TpMap *shared;              /* char * -> TpBuf *, by graph, tensor and pack */
  TpArray *bufs;              /* TpBuf *, owned */
  gint64 size_bytes;          /* of those that are the device's */
};

TpConstants *
tp_constants_new (TpDevice *device, gboolean is_host)
{
  TpConstants *constants = g_new0 (TpConstants, 1);

  constants->device = device;
  constants->is_host = is_host;
  constants->shared = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
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
  constants->device->weight_bytes -= constants->size_bytes;
  tp_array_unref (constants->bufs);
  tp_map_free (constants->shared);
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

static TpBuf *
alloc_counted (TpConstants *constants, gint64 size_bytes, GError **error)
{
  TpDevice *device = constants->device;
  TpBuf *buf = device->ops->alloc (device, NULL, 0, MAX (size_bytes, 1), error);

  if (buf == NULL)
    return NULL;
  constants->size_bytes += MAX (size_bytes, 1);
  device->weight_bytes += MAX (size_bytes, 1);
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

static TpBuf *
pack_value (TpConstants *constants, const void *value, const TpPack *pack,
            GError **error)
{
  gint64 size_bytes = tp_pack_get_bytes (pack);
  g_autofree void *packed = NULL;
  TpBuf *buf;

  if (constants->is_host)
    {
      buf = alloc_counted (constants, size_bytes, error);
      if (buf != NULL)
        tp_pack_run (pack, value, tp_host_buf_get_data (buf));
      return buf;
    }
  packed = tp_constant_try_alloc (constants->device, size_bytes, error);
  if (packed == NULL)
    return NULL;
  tp_pack_run (pack, value, packed);
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
  value = tp_constant_get_value (constants->device, it, &owned, error);
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
  make_place (constants);
  value = tp_constant_get_value (constants->device, &graph->tensors[tensor],
                                 &owned, error);
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
