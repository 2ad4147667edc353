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

/* ---- reals of 16 bits ---------------------------------------------------- */

#define N_PATTERNS 65536

/* What the bits of a format mean, by arithmetic: @digits of its mantissa. */
static double
decode (guint16 bits, int digits)
{
  int n_exponents = 1 << (15 - digits), bias = n_exponents / 2 - 1;
  int exponent = bits % 0x8000 >> digits, mantissa = bits % (1 << digits);
  double size = ldexp (mantissa + (exponent > 0 ? 1 << digits : 0),
                       MAX (exponent, 1) - bias - digits);

  if (exponent == n_exponents - 1)
    size = mantissa > 0 ? NAN : INFINITY;
  return bits >= 0x8000 ? -size : size;
}

/* The nearest value that some bits stand for, looked for among all: positive ones
 * ascend with their bits. What is above the middle between the last and what would
 * come next is infinite. */
static double
find_nearest (double x, int digits)
{
  guint16 low = 0, high = (guint16) (((1 << (15 - digits)) - 1) << digits);
  double size = fabs (x), below, above;

  if (isnan (x))
    return x;
  while (high - low > 1)
    {
      guint16 middle = (guint16) ((low + high) / 2);

      if (decode (middle, digits) <= size)
        low = middle;
      else
        high = middle;
    }
  below = decode (low, digits);
  above = decode (high, digits);
  if (isinf (above))
    above = 2.0 * decode (low, digits) - decode ((guint16) (low - 1), digits);
  if (size - below > above - size
      || (size - below == above - size && low % 2 == 1))
    below = decode (high, digits);
  return copysign (below, x);
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
    case TPLAN_DTYPE_FLOAT16:
      return find_nearest (x, 10);
    case TPLAN_DTYPE_BFLOAT16:
      return find_nearest (x, 7);
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

static const struct
{
  TpDtype dtype;
  int digits;
} narrow[] = { { TPLAN_DTYPE_FLOAT16, 10 }, { TPLAN_DTYPE_BFLOAT16, 7 } };

static guint16
store_narrow (TpDtype dtype, double value)
{
  guint16 bits;

  tp_dtype_store_doubles (dtype, &value, 1, &bits);
  return bits;
}

/* All of them, there and back. */
static void
test_patterns (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (narrow); k++)
    for (guint32 i = 0; i < N_PATTERNS; i++)
      {
        guint16 bits = (guint16) i, back;
        double value, want = decode (bits, narrow[k].digits);

        tp_dtype_load_doubles (narrow[k].dtype, &bits, 1, 1, &value);
        g_assert_true (is_same (value, want));
        back = store_narrow (narrow[k].dtype, value);
        if (isnan (want))
          g_assert_true (isnan (decode (back, narrow[k].digits)));
        else
          g_assert_cmphex (back, ==, bits);
      }
}

/* Between neighbours: the middle goes to the even one, and what is off it by the
 * last digit of a double to the nearer one, where float32 in between would have
 * lost that digit. */
static void
test_halfway (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (narrow); k++)
    for (guint16 i = 0; isfinite (decode (i, narrow[k].digits)); i++)
      {
        double below = decode (i, narrow[k].digits);
        double above = decode ((guint16) (i + 1), narrow[k].digits), middle;

        if (isinf (above))
          above = 2.0 * below - decode ((guint16) (i - 1), narrow[k].digits);
        middle = below / 2.0 + above / 2.0;
        for (int sign = 1; sign >= -1; sign -= 2)
          {
            guint16 bit = sign < 0 ? 0x8000 : 0;
            TpDtype dtype = narrow[k].dtype;

            g_assert_cmphex (store_narrow (dtype, sign * middle), ==,
                             bit | ((i + 1) / 2 * 2));
            g_assert_cmphex (
                store_narrow (dtype, sign * nextafter (middle, 0.0)), ==,
                bit | i);
            g_assert_cmphex (
                store_narrow (dtype, sign * nextafter (middle, INFINITY)), ==,
                bit | (i + 1));
          }
      }
}

/* Doubles of any exponent that matters. */
static void
test_nearest (void)
{
  for (int i = 0; i < 200000; i++)
    {
      double x = ldexp (g_test_rand_double_range (-2.0, 2.0),
                        g_test_rand_int_range (-170, 140));

      if (i % 2 == 0)
        x = ldexp (g_test_rand_double_range (-2.0, 2.0),
                   g_test_rand_int_range (-28, 18));
      for (gsize k = 0; k < G_N_ELEMENTS (narrow); k++)
        {
          guint16 bits = store_narrow (narrow[k].dtype, x);

          g_assert_true (is_same (decode (bits, narrow[k].digits),
                                  find_nearest (x, narrow[k].digits)));
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

/* Any bytes, from any address to any address. */
static void
test_copy (void)
{
  enum { n = 50 };
  guint8 from[n * 3 * 8 + 1], to[n * 2 * 8 + 1];

  for (gsize i = 0; i < sizeof from; i++)
    from[i] = g_test_rand_int_range (0, 256);
  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    for (int src_step = 0; src_step <= 3; src_step++)
      {
        gsize size = tp_dtype_get_size (dtype);
        const TpElementCopy copy = { from + 1, to + 1, src_step, 2, n };

        memset (to, 0xa5, sizeof to);
        tp_dtype_copy (dtype, &copy);
        for (gsize i = 0; i < 2 * n; i++)
          for (gsize k = 0; k < size; k++)
            g_assert_cmpint (to[1 + i * size + k], ==,
                             i % 2 > 0 ? 0xa5
                                       : from[1 + i / 2 * src_step * size + k]);
        g_assert_cmpint (to[0], ==, 0xa5);
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

      g_assert_true (row->npy != NULL || dtype == TPLAN_DTYPE_BFLOAT16);
      g_assert_nonnull (row->safetensors);
      g_assert_nonnull (row->opencl);
      g_assert_true ((row->load_reals != NULL) == is_real);
      g_assert_true ((row->store_reals != NULL) == is_real);
      g_assert_true ((row->load_integers != NULL) == !is_real);
      g_assert_true ((row->store_integers != NULL) == !is_real);
      /* A number less than that beside 1 vanishes. */
      g_assert_cmpfloat (row->rounding > 0, ==, is_real);
      if (is_real)
        {
          double near[2] = { 1.0 + row->rounding, 1.0 + 3.0 * row->rounding };

          tp_dtype_round (dtype, near, 2);
          g_assert_cmpfloat (near[0], ==, 1.0);
          g_assert_cmpfloat (near[1], >, 1.0);
        }
      if (!is_real && row->size < 8)
        g_assert_cmpint (row->high - row->low, ==,
                         (G_GINT64_CONSTANT (1) << (8 * row->size)) - 1);
      g_assert_true (tp_dtype_find (row->name, &found) && (int) found == dtype);
      g_assert_true (tp_dtype_find_onnx (row->onnx, &found)
                     && (int) found == dtype);
      for (int i = 0; i < dtype; i++)
        {
          g_assert_cmpint (g_strcmp0 (tp_dtype_get (i)->npy, row->npy), !=, 0);
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
                   "float16, bfloat16, int8, int16, uint16 or uint32");
  g_assert_false (tp_dtype_find ("float31", &found));
  g_assert_false (tp_dtype_find_onnx (0, &found));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dtype/values", test_values);
  g_test_add_func ("/dtype/patterns", test_patterns);
  g_test_add_func ("/dtype/halfway", test_halfway);
  g_test_add_func ("/dtype/nearest", test_nearest);
  g_test_add_func ("/dtype/long", test_long);
  g_test_add_func ("/dtype/copy", test_copy);
  g_test_add_func ("/dtype/integers", test_integers);
  g_test_add_func ("/dtype/steps", test_steps);
  g_test_add_func ("/dtype/round", test_round);
  g_test_add_func ("/dtype/rows", test_rows);
  g_test_add_func ("/dtype/names", test_names);
  return g_test_run ();
}
