/* random-buffers.c: memory of kernels, filled at random and compared. */
#include "config.h"

#include "kernel/kernel-ops.h"
#include "kernel/kernel-text.h"
#include "random-kernel.h"

#include <math.h>
#include <string.h>

static gint64
random_integer (void)
{
  static const gint64 specials[] = { 0,          1,          -1,
                                     G_MAXINT64, G_MININT64, G_MAXINT32,
                                     G_MININT32 };
  guint64 bits =
      (guint64)(guint32)g_test_rand_int () << 32 | (guint32)g_test_rand_int ();

  switch (g_test_rand_int_range (0, 3))
    {
    case 0:
      return specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))];
    case 1:
      return g_test_rand_int_range (-100, 100);
    default:
      return (gint64)(bits >> g_test_rand_int_range (0, 64));
    }
}

static void
fill_element (void *memory, TpDtype dtype, gint64 i)
{
  switch (dtype)
    {
    case TPLAN_DTYPE_FLOAT32:
      ((float *)memory)[i] = (float)g_test_rand_double_range (-8, 8);
      break;
    case TPLAN_DTYPE_FLOAT64:
      ((double *)memory)[i] = g_test_rand_double_range (-8, 8);
      break;
    case TPLAN_DTYPE_INT64:
      ((gint64 *)memory)[i] = random_integer ();
      break;
    case TPLAN_DTYPE_INT32:
      ((gint32 *)memory)[i] = (gint32)random_integer ();
      break;
    case TPLAN_DTYPE_UINT8:
      ((guint8 *)memory)[i] = (guint8)random_integer ();
      break;
    case TPLAN_DTYPE_INT8:
      ((gint8 *)memory)[i] = (gint8)random_integer ();
      break;
    case TPLAN_DTYPE_INT16:
    case TPLAN_DTYPE_UINT16:
      ((guint16 *)memory)[i] = (guint16)random_integer ();
      break;
    case TPLAN_DTYPE_UINT32:
      ((guint32 *)memory)[i] = (guint32)random_integer ();
      break;
    case TPLAN_DTYPE_BOOL:
      ((guint8 *)memory)[i] = g_test_rand_bit ();
      break;
    default: /* of 16 bits, whatever they are */
      ((guint16 *)memory)[i] = (guint16)g_test_rand_int ();
      break;
    }
}

void **
random_buffers_new (const TpKernel *kernel)
{
  void **memory = g_new0 (void *, kernel->n_buffers + 1);

  for (int i = 0; i < kernel->n_buffers; i++)
    {
      const TpKernelBuffer *buffer = &kernel->buffers[i];

      if (buffer->space == TP_SPACE_LOCAL)
        continue;
      memory[i] = g_malloc (tp_kernel_buffer_get_bytes (buffer));
      for (gint64 j = 0; j < buffer->n_elements; j++)
        fill_element (memory[i], buffer->dtype, j);
    }
  return memory;
}

void **
random_buffers_copy (const TpKernel *kernel, void *const *buffers)
{
  void **copy = g_new0 (void *, kernel->n_buffers + 1);

  for (int i = 0; i < kernel->n_buffers; i++)
    if (buffers[i] != NULL)
      copy[i] = g_memdup2 (buffers[i],
                           tp_kernel_buffer_get_bytes (&kernel->buffers[i]));
  return copy;
}

void
random_buffers_free (const TpKernel *kernel, void **buffers)
{
  for (int i = 0; i < kernel->n_buffers; i++)
    g_free (buffers[i]);
  g_free (buffers);
}

static gboolean
are_equal (const char *x, const char *y, TpDtype dtype)
{
  double a, b;

  if (memcmp (x, y, tp_dtype_get_size (dtype)) == 0)
    return TRUE;
  if (tp_dtype_is_integer (dtype))
    return FALSE;
  tp_dtype_load_doubles (dtype, x, 1, 1, &a);
  tp_dtype_load_doubles (dtype, y, 1, 1, &b);
  return isnan (a) && isnan (b);
}

void
random_buffers_assert_equal (const TpKernel *kernel, void *const *x,
                             void *const *y)
{
  for (int i = 0; i < kernel->n_buffers; i++)
    {
      TpDtype dtype = kernel->buffers[i].dtype;
      gsize size = tp_dtype_get_size (dtype), at;

      for (gint64 j = 0; x[i] != NULL && j < kernel->buffers[i].n_elements; j++)
        {
          g_autofree char *text = NULL;

          at = size * j;
          if (are_equal ((char *)x[i] + at, (char *)y[i] + at, dtype))
            continue;
          text = tp_kernel_to_text (kernel);
          g_test_message ("%s", text);
          g_error ("buffer %d (%s), element %" G_GINT64_FORMAT " differs", i,
                   tp_dtype_get_name (dtype), j);
        }
    }
}
