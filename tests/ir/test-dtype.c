/* test-dtype.c: every row of the table of element types does what C's own types
 * do, at the ends of their ranges too, and no two rows take each other's name. */
#include "config.h"

#include "ir/dtype.h"

#include <math.h>
#include <string.h>

static const double values[] = {
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.9, -2.9, 254.5, 255.0, 256.0, 1e-320,
  0.1, 1e30, -1e30, 3.5e38, 2147483647.0, 2147483648.0, -2147483648.0,
  -2147483649.0, 4294967297.0, 0x1p53, 0x1p63, -0x1p63, INFINITY, -INFINITY,
  NAN,
};
#define N G_N_ELEMENTS (values)

static const gint64 integers[] = {
  0, 1, -1, 127, 128, 255, 256, -128, -129, 257, G_MAXINT32,
  G_MAXINT32 + G_GINT64_CONSTANT (1), G_MININT32,
  G_MININT32 - G_GINT64_CONSTANT (1), G_GINT64_CONSTANT (1) << 53,
  (G_GINT64_CONSTANT (1) << 53) + 1, G_MAXINT64, G_MININT64,
};

/* As the comment of tp_dtype_store_doubles() has it, in C. */
static double
hold (double value, double low, double high)
{
  return isnan (value) ? 0.0 : fmin (fmax (trunc (value), low), high);
}

static double
want_value (TpDtype dtype, double x)
{
  switch (dtype)
    {
    case TPLAN_DTYPE_FLOAT32:
      return (float) x;
    case TPLAN_DTYPE_FLOAT64:
      return x;
    case TPLAN_DTYPE_INT64:
      return hold (x, -0x1p63, 0x1p63);
    case TPLAN_DTYPE_INT32:
      return hold (x, G_MININT32, G_MAXINT32);
    case TPLAN_DTYPE_UINT8:
      return hold (x, 0, 255);
    case TPLAN_DTYPE_BOOL:
      return x != 0.0;
    case TPLAN_DTYPE_INT8:
      return hold (x, -128, 127);
    case TPLAN_DTYPE_INT16:
      return hold (x, -32768, 32767);
    case TPLAN_DTYPE_UINT16:
      return hold (x, 0, 65535);
    case TPLAN_DTYPE_UINT32:
      return hold (x, 0, 4294967295.0);
    }
  g_assert_not_reached ();
}

static gint64
want_wrapped (TpDtype dtype, gint64 x)
{
  switch (dtype)
    {
    case TPLAN_DTYPE_INT64:
      return x;
    case TPLAN_DTYPE_INT32:
      return (gint32) (guint32) (guint64) x;
    case TPLAN_DTYPE_UINT8:
      return (guint64) x % 256;
    case TPLAN_DTYPE_BOOL:
      return x != 0;
    case TPLAN_DTYPE_INT8:
      return (gint8) (guint8) (guint64) x;
    case TPLAN_DTYPE_INT16:
      return (gint16) (guint16) (guint64) x;
    case TPLAN_DTYPE_UINT16:
      return (guint64) x % 65536;
    case TPLAN_DTYPE_UINT32:
      return (guint32) (guint64) x;
    default:
      g_assert_not_reached ();
    }
}

static gboolean
is_same (double a, double b)
{
  return (isnan (a) && isnan (b)) || (a == b && signbit (a) == signbit (b));
}

static void
test_values (void)
{
  char memory[N * sizeof (double) + 1];
  double back[N];

  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    for (int shift = 0; shift < 2; shift++) /* as a mapped file may lie */
      {
        tp_dtype_store_doubles (dtype, values, N, memory + shift);
        tp_dtype_load_doubles (dtype, memory + shift, 1, N, back);
        for (gsize i = 0; i < N; i++)
          {
            double want = want_value (dtype, values[i]);

            g_assert_true (is_same (back[i], tp_dtype_is_integer (dtype)
                                                 ? want + 0.0
                                                 : want));
          }
      }
}

/* Blocks inside must not show. */
static void
test_long (void)
{
  const int n = 5000;
  g_autofree double *in = g_new (double, n);
  g_autofree double *out = g_new (double, n);
  g_autofree char *memory = g_malloc (n * sizeof (double));

  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    {
      for (int i = 0; i < n; i++)
        in[i] = i - n / 3;
      tp_dtype_store_doubles (dtype, in, n, memory);
      tp_dtype_load_doubles (dtype, memory, 1, n, out);
      for (int i = 0; i < n; i++)
        g_assert_cmpfloat (out[i], ==, want_value (dtype, in[i]));
      tp_dtype_load_doubles (dtype, memory, 7, n / 7, out);
      for (int i = 0; i < n / 7; i++)
        g_assert_cmpfloat (out[i], ==, want_value (dtype, in[7 * i]));
    }
}

static void
test_integers (void)
{
  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
      if (tp_dtype_is_integer (dtype))
        g_assert_cmpint (tp_dtype_wrap (dtype, integers[i]), ==,
                         want_wrapped (dtype, integers[i]));
}

/* What lies between the elements stays. */
static void
test_steps (void)
{
  const gint64 ones[] = { 1, 1, 1 };
  const double reals[] = { 1.0, 1.0, 1.0 };

  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    {
      const TpDtypeRow *row = tp_dtype_get (dtype);
      guint8 memory[6 * sizeof (double)];
      guint8 untouched[sizeof (double)];

      memset (memory, 0xa5, sizeof memory);
      memset (untouched, 0xa5, sizeof untouched);
      if (tp_dtype_is_integer (dtype))
        row->store_integers (ones, 3, 2, memory);
      else
        row->store_reals (reals, 3, 2, memory);
      for (int i = 0; i < 3; i++)
        {
          double back = 0.0;

          tp_dtype_load_doubles (dtype, memory + 2 * i * row->size, 1, 1, &back);
          g_assert_cmpfloat (back, ==, 1.0);
          g_assert_cmpmem (memory + (2 * i + 1) * row->size, row->size,
                           untouched, row->size);
        }
    }
}

static void
test_round (void)
{
  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    {
      double rounded[N];

      memcpy (rounded, values, sizeof values);
      tp_dtype_round (dtype, rounded, N);
      for (gsize i = 0; i < N; i++)
        g_assert_true (is_same (rounded[i],
                                tp_dtype_is_integer (dtype)
                                    ? values[i]
                                    : want_value (dtype, values[i])));
    }
}

/* A row must be whole, and its range that of its width. */
static void
test_rows (void)
{
  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    {
      const TpDtypeRow *row = tp_dtype_get (dtype);
      gboolean is_real = row->class == TP_CLASS_REAL;
      TpDtype found;

      g_assert_nonnull (row->npy);
      g_assert_nonnull (row->safetensors);
      g_assert_nonnull (row->opencl);
      g_assert_true ((row->load_reals != NULL) == is_real);
      g_assert_true ((row->store_reals != NULL) == is_real);
      g_assert_true ((row->load_integers != NULL) == !is_real);
      g_assert_true ((row->store_integers != NULL) == !is_real);
      if (!is_real && row->size < 8)
        g_assert_cmpint (row->high - row->low, ==,
                         (G_GINT64_CONSTANT (1) << (8 * row->size)) - 1);
      g_assert_true (tp_dtype_find (row->name, &found) && (int) found == dtype);
      g_assert_true (tp_dtype_find_onnx (row->onnx, &found)
                     && (int) found == dtype);
      for (int i = 0; i < dtype; i++)
        {
          g_assert_cmpstr (tp_dtype_get (i)->npy, !=, row->npy);
          g_assert_cmpstr (tp_dtype_get (i)->safetensors, !=, row->safetensors);
        }
    }
}

static void
test_names (void)
{
  g_autofree char *names = tp_dtype_join_names (tp_dtype_get_name, " or ");
  TpDtype found;

  g_assert_cmpstr (names, ==, "float32, float64, int64, int32, uint8, bool, "
                   "int8, int16, uint16 or uint32");
  g_assert_false (tp_dtype_find ("float31", &found));
  g_assert_false (tp_dtype_find_onnx (0, &found));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dtype/values", test_values);
  g_test_add_func ("/dtype/long", test_long);
  g_test_add_func ("/dtype/integers", test_integers);
  g_test_add_func ("/dtype/steps", test_steps);
  g_test_add_func ("/dtype/round", test_round);
  g_test_add_func ("/dtype/rows", test_rows);
  g_test_add_func ("/dtype/names", test_names);
  return g_test_run ();
}
