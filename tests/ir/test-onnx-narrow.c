/* test-onnx-narrow.c: what integers of less than a byte and reals of a byte or less are. */
#include "config.h"

#include "format/onnx-narrow.h"

#include <glib.h>
#include <math.h>

/* A type of reals, by what its definition says of it. */
typedef struct
{
  gint64 onnx;
  int one;                    /* the code of 1 */
  double least, most;         /* positive, finite */
  int n_nan, n_infinite;
} Reals;

static const Reals reals[] = {
  { 17, 0x38, 0x1p-9, 448, 2, 0 },
  { 18, 0x40, 0x1p-10, 240, 1, 0 },
  { 19, 0x3c, 0x1p-16, 57344, 6, 2 },
  { 20, 0x40, 0x1p-17, 57344, 1, 0 },
  { 23, 0x2, 0.5, 6, 0, 0 },
};

/* Of one number: it is the first in its byte. */
static double
unpack (const TpOnnxNarrow *narrow, int code)
{
  guint8 byte = (guint8) code, memory[2];
  double value;

  tp_onnx_narrow_unpack (narrow, &byte, 1, memory);
  tp_dtype_load_doubles (narrow->dtype, memory, 1, 1, &value);
  return value;
}

/* Codes go up as the numbers do, and those with a sign are the same below 0. */
static void
test_reals (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (reals); k++)
    {
      const TpOnnxNarrow *narrow = tp_onnx_find_narrow (reals[k].onnx);
      int sign = 1 << (narrow->bits - 1), n_nan = 0, n_infinite = 0;
      double most = 0.0;

      for (int code = 0; code < 2 * sign; code++)
        {
          double value = unpack (narrow, code);

          n_nan += isnan (value) != 0;
          n_infinite += isinf (value) != 0;
          if (code >= sign && isfinite (value))
            g_assert_cmpfloat (value, ==, -unpack (narrow, code - sign));
          if (code == 0 || code >= sign || !isfinite (value))
            continue;
          g_assert_cmpfloat (value, >, unpack (narrow, code - 1));
          most = value;
        }
      g_assert_cmpfloat (unpack (narrow, 0), ==, 0.0);
      g_assert_cmpfloat (unpack (narrow, 1), ==, reals[k].least);
      g_assert_cmpfloat (unpack (narrow, reals[k].one), ==, 1.0);
      g_assert_cmpfloat (most, ==, reals[k].most);
      g_assert_cmpint (n_nan, ==, reals[k].n_nan);
      g_assert_cmpint (n_infinite, ==, reals[k].n_infinite);
    }
}

/* Powers of two, without a sign. */
static void
test_scales (void)
{
  const TpOnnxNarrow *narrow = tp_onnx_find_narrow (24);

  for (int code = 0; code < 255; code++)
    g_assert_cmpfloat (unpack (narrow, code), ==, exp2 (code - 127));
  g_assert_true (isnan (unpack (narrow, 255)));
}

/* All of one byte, the first in its lowest bits. */
static void
test_integers (void)
{
  static const struct
  {
    gint64 onnx;
    int bits;
    gboolean is_signed;
  } types[] = { { 21, 4, FALSE }, { 22, 4, TRUE }, { 25, 2, FALSE }, { 26, 2, TRUE } };

  for (gsize k = 0; k < G_N_ELEMENTS (types); k++)
    for (int byte = 0; byte < 256; byte++)
      {
        const TpOnnxNarrow *narrow = tp_onnx_find_narrow (types[k].onnx);
        int n = 1 << types[k].bits, rest = byte;
        guint8 packed = (guint8) byte, out[4];

        tp_onnx_narrow_unpack (narrow, &packed, 8 / types[k].bits, out);
        for (int i = 0; i < 8 / types[k].bits; i++, rest /= n)
          {
            int value = types[k].is_signed ? (gint8) out[i] : out[i];

            g_assert_cmpint ((value + n) % n, ==, rest % n);
            g_assert_cmpint (value, >=, types[k].is_signed ? -n / 2 : 0);
            g_assert_cmpint (value, <, types[k].is_signed ? n / 2 : n);
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-narrow/reals", test_reals);
  g_test_add_func ("/onnx-narrow/scales", test_scales);
  g_test_add_func ("/onnx-narrow/integers", test_integers);
  return g_test_run ();
}
