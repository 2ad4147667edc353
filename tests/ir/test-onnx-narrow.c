/* test-onnx-narrow.c: what integers of less than a byte and reals of a byte or less are, and
 * that models say of a tensor that it is one by what it is made with. */
#include "config.h"

#include "format/onnx-narrow.h"
#include "tests/ir/onnx-support.h"

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
unpack (const TpNarrow *narrow, int code)
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
      const TpNarrow *narrow = tp_narrow_find_onnx (reals[k].onnx);
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
  const TpNarrow *narrow = tp_narrow_find_onnx (24);

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
        const TpNarrow *narrow = tp_narrow_find_onnx (types[k].onnx);
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

/* What is quantized to of a zero point, through what only moves it, and cast to. */
static void
test_traced (void)
{
  static const gint64 types[] = { 17, 19, 22, 23, 26 };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      const TpNarrow *narrow = tp_narrow_find_onnx (types[i]);
      Msg *zero = tensor_new ("zero", types[i], 0, NULL), *graph = graph_new ();
      Msg *scale = tensor_new ("s", 1, 0, NULL);
      Msg *quantize = node_new ("QuantizeLinear", "x", "s", "q");
      g_autoptr (TpGraph) loaded = NULL;
      int n = 0;

      msg_int (zero, 5, 0);
      msg_float (scale, 4, 1.0f);
      msg_string (quantize, 1, "moved");
      msg_take (graph, 5, zero);
      msg_take (graph, 5, scale);
      msg_take (graph, 1, node_new ("Identity", "zero", NULL, "moved"));
      msg_take (graph, 1, quantize);
      msg_take (graph, 1, node_new ("CastLike", "x", "q", "y"));
      loaded = load_well (graph);
      for (int k = 0; k < loaded->n_nodes; k++)
        n += tp_node_get_int (&loaded->nodes[k], "output_dtype", 0) == types[i];
      g_assert_cmpint (n, ==, tp_dtype_is_integer (narrow->dtype) ? 1 : 2);
      g_assert_cmpint (loaded->tensors[loaded->outputs[0]].dtype, ==, narrow->dtype);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-narrow/reals", test_reals);
  g_test_add_func ("/onnx-narrow/scales", test_scales);
  g_test_add_func ("/onnx-narrow/integers", test_integers);
  g_test_add_func ("/onnx-narrow/traced", test_traced);
  return g_test_run ();
}
