/* graph-value.c: makes the values of constants real, on demand. */
#include "config.h"

#include "ir/graph-value.h"

#include "ir/recipe.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024 /* elements converted at a time */

/* Its bytes, before steps and scale; NULL: it has none. Those of a recipe are there
 * while they are read. */
static const guint8 *
get_bytes (const TpTensor *tensor)
{
  const TpInit *init = &tensor->init;

  return init->kind == TP_INIT_RECIPE
             ? tp_recipe_get_value (init->recipe, init->output)
             : init->data;
}

/* Elements [first, first + n) as doubles. */
static void
read_data (const TpTensor *tensor, gint64 first, gint64 n, double *dst)
{
  gsize size = tp_dtype_get_size (tensor->dtype);

  tp_dtype_load_doubles (tensor->dtype, get_bytes (tensor) + first * size, 1, n,
                         dst);
}

static void
apply_scale (const TpTensor *tensor, gint64 first, gint64 n, double *dst)
{
  gint64 row = tensor->count / tensor->dims[0];

  for (gint64 i = 0; i < n;)
    {
      gint64 end = MIN (n, ((first + i) / row + 1) * row - first);
      double factor = tensor->init.scale[(first + i) / row];

      for (; i < end; i++)
        dst[i] *= factor;
    }
}

/* Of the source, before steps and scale. */
static void
read_source (const TpTensor *tensor, gint64 first, gint64 n, double *dst)
{
  const TpInit *init = &tensor->init;

  switch (init->kind)
    {
    case TP_INIT_DATA:
    case TP_INIT_RECIPE:
      read_data (tensor, first, n, dst);
      break;
    case TP_INIT_RANDOM:
      {
        /* A float32 product, so that every language finds the same bits. */
        float factor = (float) (init->value * sqrt (3.0));

        for (gint64 i = 0; i < n; i++)
          dst[i] = tp_random_uniform (init->seed, first + i) * factor;
        break;
      }
    case TP_INIT_FILL:
      for (gint64 i = 0; i < n; i++)
        dst[i] = init->value;
      break;
    case TP_INIT_NONE:
      g_assert_not_reached ();
    }
}

static gint64
find_in_source (const TpTensor *tensor, gint64 element)
{
  gint64 at = 0;

  for (int i = tensor->rank - 1; i >= 0; i--)
    {
      at += element % tensor->dims[i] * tensor->init.steps[i];
      element /= tensor->dims[i];
    }
  return at;
}

/* Runs along the last dimension. */
static void
read_stepping (const TpTensor *tensor, gint64 first, gint64 n, double *dst)
{
  gint64 row = tensor->dims[tensor->rank - 1];
  gint64 step = tensor->init.steps[tensor->rank - 1];

  for (gint64 i = 0; i < n;)
    {
      gint64 end = MIN (n, ((first + i) / row + 1) * row - first);
      gint64 at = find_in_source (tensor, first + i);

      for (; i < end; i++, at += step)
        read_source (tensor, at, 1, &dst[i]);
    }
}

static void
read_doubles (const TpTensor *tensor, gint64 first, gint64 n, double *dst)
{
  if (tensor->init.steps != NULL && tensor->rank > 0)
    read_stepping (tensor, first, n, dst);
  else
    read_source (tensor, first, n, dst);
  if (tensor->init.scale != NULL && tensor->count > 0)
    apply_scale (tensor, first, n, dst);
}

/* As they are: integers may be no doubles. */
static void
copy_stepping (const TpTensor *tensor, gint64 first, gint64 n, char *dst)
{
  gint64 size = (gint64) tp_dtype_get_size (tensor->dtype);
  gint64 row = tensor->dims[tensor->rank - 1];

  for (gint64 i = 0; i < n;)
    {
      gint64 m = MIN (n, ((first + i) / row + 1) * row - first) - i;
      gint64 at = find_in_source (tensor, first + i);
      const TpElementCopy copy
          = { .src = (const char *) get_bytes (tensor) + at * size,
              .dst = dst + i * size,
              .src_step = tensor->init.steps[tensor->rank - 1],
              .dst_step = 1, .n = m };

      tp_dtype_copy (tensor->dtype, &copy);
      i += m;
    }
}

void
tp_tensor_write_part (const TpTensor *tensor, gint64 first, gint64 n, void *dst)
{
  gsize size = tp_dtype_get_size (tensor->dtype);
  double block[BLOCK];
  g_auto (TpReading) reading = tp_tensor_begin_reading (tensor);

  g_assert (tp_tensor_is_constant (tensor));
  if (n == 0)
    return;
  if ((tensor->init.kind == TP_INIT_DATA || reading.recipe != NULL)
      && tensor->init.scale == NULL)
    {
      if (tensor->init.steps != NULL && tensor->rank > 0)
        copy_stepping (tensor, first, n, dst);
      else
        memcpy (dst, get_bytes (tensor) + first * size, n * size);
      return;
    }
  for (gint64 i = 0; i < n; i += BLOCK)
    {
      gint64 m = MIN (BLOCK, n - i);

      read_doubles (tensor, first + i, m, block);
      tp_dtype_store_doubles (tensor->dtype, block, m,
                              (guint8 *) dst + i * size);
    }
}

void
tp_tensor_write_value (const TpTensor *tensor, void *dst)
{
  tp_tensor_write_part (tensor, 0, tensor->count, dst);
}

void
tp_tensor_write_doubles (const TpTensor *tensor, double *dst)
{
  g_auto (TpReading) reading = tp_tensor_begin_reading (tensor);

  g_assert (tp_tensor_is_constant (tensor));
  for (gint64 i = 0; i < tensor->count; i += BLOCK)
    {
      gint64 n = MIN (BLOCK, tensor->count - i);

      read_doubles (tensor, i, n, dst + i);
      /* What a device reads is the rounded value. */
      tp_dtype_round (tensor->dtype, dst + i, n);
    }
}
