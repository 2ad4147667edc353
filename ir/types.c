/* types.c: size arithmetic that cannot overflow silently. */
#include "config.h"

#include "ir/types.h"

G_DEFINE_QUARK (tplan-error-quark, tplan_error)

gboolean
tp_size_mul (gint64 a, gint64 b, gint64 *out)
{
  gint64 product;

  if (a < 0 || b < 0 || __builtin_mul_overflow (a, b, &product))
    return FALSE;
  *out = product;
  return TRUE;
}

gboolean
tp_size_add (gint64 a, gint64 b, gint64 *out)
{
  gint64 sum;

  if (a < 0 || b < 0 || __builtin_add_overflow (a, b, &sum))
    return FALSE;
  *out = sum;
  return TRUE;
}

gint64
tp_gcd (gint64 a, gint64 b)
{
  while (b != 0)
    {
      gint64 rest = a % b;

      a = b;
      b = rest;
    }
  return ABS (a);
}

gboolean
tp_dims_count (int rank, const gint64 *dims, gint64 *out_count)
{
  gint64 count = 1, bytes;

  for (int i = 0; i < rank; i++)
    if (!tp_size_mul (count, dims[i], &count))
      return FALSE;
  if (!tp_size_mul (count, 8, &bytes))
    return FALSE;
  *out_count = count;
  return TRUE;
}

void
tp_dims_row_major (int rank, const gint64 *dims, gint64 *out_strides)
{
  gint64 stride = 1;

  for (int i = rank - 1; i >= 0; i--)
    {
      out_strides[i] = stride;
      stride *= MAX (dims[i], 1);
    }
}

float
tp_random_uniform (guint64 seed, guint64 i)
{
  guint64 z = seed + (i + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  z ^= z >> 31;
  return (float) (gint32) (z >> 40) * (1.0f / (1 << 23)) - 1.0f;
}
